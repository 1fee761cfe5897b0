package insights

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"unicode"

	"heed/internal/insights/minilm"
)

// ModelID names the embedded model. A vector cached under another name was
// made by another model and cannot be compared with this one's.
const ModelID = minilm.ID

// Vector is the direction of a text's meaning, in steps of 1/127 of its
// largest coordinate. The zero Vector means nothing is known. Vectors of
// different models or lengths are not comparable.
type Vector struct {
	q []int8

	// doubtful says that the model could spell the text but not read it. Such
	// a vector still finds near copies, but makes poor themes.
	doubtful bool
}

// NewVector rounds the vector of an embedding provider, of any dimension. A
// vector of zeros, or with a coordinate that is not a number, is the zero
// Vector.
func NewVector(v []float32) Vector {
	var peak float32
	for _, x := range v {
		if x != x || math.IsInf(float64(x), 0) {
			return Vector{}
		}
		peak = max(peak, x, -x)
	}
	if peak == 0 {
		return Vector{}
	}
	q := make([]int8, len(v))
	for i, x := range v {
		q[i] = int8(math.RoundToEven(float64(x) / float64(peak) * 127))
	}
	return Vector{q: q}
}

// IsZero reports whether nothing is known of the text's meaning.
func (v Vector) IsZero() bool { return len(v.q) == 0 }

// Cosine returns how alike two vectors point, from -1 to 1, and 0 when they
// are not comparable.
func (v Vector) Cosine(w Vector) float64 {
	if len(v.q) != len(w.q) || len(v.q) == 0 {
		return 0
	}
	var dot, a, b int64
	for i, x := range v.q {
		y := w.q[i]
		dot += int64(x) * int64(y)
		a += int64(x) * int64(x)
		b += int64(y) * int64(y)
	}
	return float64(dot) / math.Sqrt(float64(a)*float64(b))
}

// The first byte of a stored vector. A zero vector is stored as that byte
// alone, so that "nothing to know" can be cached too.
const (
	formatSound    = 1
	formatDoubtful = 2
)

// MarshalBinary encodes the vector in one byte per coordinate and one more.
func (v Vector) MarshalBinary() ([]byte, error) {
	out := make([]byte, 1+len(v.q))
	out[0] = formatSound
	if v.doubtful {
		out[0] = formatDoubtful
	}
	for i, x := range v.q {
		out[1+i] = byte(x)
	}
	return out, nil
}

// UnmarshalBinary decodes what MarshalBinary wrote and refuses the rest.
func (v *Vector) UnmarshalBinary(data []byte) error {
	if len(data) == 0 || data[0] != formatSound && data[0] != formatDoubtful {
		return errors.New("insights: not a stored vector")
	}
	*v = Vector{doubtful: data[0] == formatDoubtful}
	if len(data) > 1 {
		v.q = make([]int8, len(data)-1)
		for i := range v.q {
			v.q[i] = int8(data[1+i])
		}
	}
	return nil
}

// ContentHash is the key, together with ModelID, under which the vector of a
// text may be cached: texts with the same hash have the same vector.
func ContentHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// Embed returns the vectors of texts under the embedded model, in order. A
// text without a word the model knows has the zero Vector. The only error is
// that of the context.
func Embed(ctx context.Context, texts []string) ([]Vector, error) {
	raw, err := minilm.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := make([]Vector, len(raw))
	for i, v := range raw {
		out[i] = NewVector(v)
		out[i].doubtful = !out[i].IsZero() && !mostlyLatin(texts[i])
	}
	return out, nil
}

// mostlyLatin reports whether most letters of a text are of the one script
// that the embedded model learned words in.
func mostlyLatin(text string) bool {
	latin, other := 0, 0
	for _, r := range clip(text) {
		switch {
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			other++
		}
	}
	return latin >= other
}
