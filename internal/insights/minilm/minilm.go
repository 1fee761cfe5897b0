// Package minilm turns a text into a sentence vector with all-MiniLM-L6-v2, a
// six-layer transformer whose int8 weights are part of the binary.
//
// The law of the package is that a text has one vector: on every processor,
// in every batch, with or without vector instructions. Matrix products are in
// integers (see dotp); what remains in floating point is written so that no
// compiler may fuse or reorder it: every product is rounded by an explicit
// conversion before it is added to, and no function of package math is used
// but Sqrt, the only one that IEEE 754 defines to the last bit.
//
// The weights stay where the linker put them, so a program that never embeds
// a text pays neither time nor memory for them.
package minilm

import (
	"context"
	_ "embed"
	"encoding/binary"
	"math"
	"strings"
	"sync"
	"unsafe"
)

//go:embed weights.bin
var weights string

//go:embed vocab.txt
var vocabulary string

// ID names the weights and the arithmetic together. It changes whenever a
// text may get another vector, and with it every cached vector expires.
const ID = "all-minilm-l6-v2-q8.1"

// Dim is the length of a sentence vector.
const Dim = 384

const (
	layers    = 6
	heads     = 12
	headDim   = Dim / heads
	inner     = 4 * Dim
	words     = 30522
	maxTokens = 128 // the length the model was trained on; the rest of a text is not read
)

// linear is a fully connected layer; row o of the matrix is scale[o]*rows[o].
type linear struct {
	scale, bias []float32
	rows        []int8
	in, out     int
}

// layerNorm is a layer normalisation.
type layerNorm struct{ weight, bias []float32 }

type layer struct {
	qkv, attn, up, down linear
	attnNorm, ffNorm    layerNorm
}

type model struct {
	vocab     map[string]int32
	wordScale []float32
	wordRows  []int8
	position  []float32
	embNorm   layerNorm
	layers    [layers]layer
	gelu      []float32
}

var load = sync.OnceValue(func() *model {
	r := reader{rest: weights}
	r.magic("HEEDLM01")
	m := &model{vocab: make(map[string]int32, words)}
	m.wordScale, m.wordRows = r.floats(words), r.bytes(words*Dim)
	m.position = r.floats(maxTokens * Dim)
	m.embNorm = r.norm()
	for i := range m.layers {
		l := &m.layers[i]
		l.qkv = r.linear(Dim, 3*Dim)
		l.attn = r.linear(Dim, Dim)
		l.attnNorm = r.norm()
		l.up = r.linear(Dim, inner)
		l.down = r.linear(inner, Dim)
		l.ffNorm = r.norm()
	}
	m.gelu = r.floats(2*geluRange*geluSteps + 1)
	if len(r.rest) != 0 {
		panic("minilm: weights.bin is not the file this code was written for")
	}
	for word := range strings.Lines(vocabulary) {
		m.vocab[strings.TrimSuffix(word, "\n")] = int32(len(m.vocab))
	}
	return m
})

// reader takes the arrays of weights.bin one after another. The file is part
// of the program, so a wrong length is a broken build and panics.
type reader struct{ rest string }

func (r *reader) take(n int) string {
	s := r.rest[:n]
	r.rest = r.rest[n:]
	return s
}

func (r *reader) magic(want string) {
	if r.take(len(want)) != want {
		panic("minilm: weights.bin has another format")
	}
}

func (r *reader) floats(n int) []float32 {
	s := r.take(4 * n)
	out := make([]float32, n)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(s[4*i : 4*i+4])))
	}
	return out
}

// bytes returns a view of the embedded file itself, 22 MB that need no copy.
// It must not be written to: its pages are read-only.
func (r *reader) bytes(n int) []int8 {
	s := r.take(n)
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.StringData(s))), n)
}

func (r *reader) linear(in, out int) linear {
	return linear{scale: r.floats(out), bias: r.floats(out), rows: r.bytes(in * out), in: in, out: out}
}

func (r *reader) norm() layerNorm { return layerNorm{weight: r.floats(Dim), bias: r.floats(Dim)} }

// batchTokens is how many tokens go through the layers together: enough that
// a layer's weights, once in the cache, are used many times, few enough that
// the activations stay there too.
const batchTokens = 192

// Embed returns the unit vector of each text, in order. A text without a
// single token the model knows gets the zero vector. Texts are read up to 128
// tokens. The only error is that of the context, which is looked at between
// batches of a few milliseconds.
func Embed(ctx context.Context, texts []string) ([][]float32, error) {
	m := load()
	out := make([][]float32, len(texts))
	var s scratch
	var batch [][]int32
	first, total := 0, 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		copy(out[first:], m.forward(batch, &s))
		first, total, batch = first+len(batch), 0, batch[:0]
		return nil
	}
	for _, text := range texts {
		ids := m.tokens(text)
		if total+len(ids) > batchTokens {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		batch, total = append(batch, ids), total+len(ids)
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return out, nil
}
