package minilm

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

type reference struct {
	Text   string
	Tokens []int32
	Vector []float32
}

func references(t *testing.T) []reference {
	t.Helper()
	data, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var refs []reference
	if err := json.Unmarshal(data, &refs); err != nil {
		t.Fatal(err)
	}
	return refs
}

func embed(t *testing.T, texts ...string) [][]float32 {
	t.Helper()
	vs, err := Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return vs
}

func cosine(a, b []float32) float64 {
	var s, x, y float64
	for i := range a {
		s += float64(a[i]) * float64(b[i])
		x += float64(a[i]) * float64(a[i])
		y += float64(b[i]) * float64(b[i])
	}
	return s / math.Sqrt(x*y)
}

func TestRoundingCostsNextToNothing(t *testing.T) {
	for _, r := range references(t) {
		if got := load().tokens(r.Text); !slices.Equal(got, r.Tokens) {
			t.Errorf("tokens(%q) = %v; want %v", r.Text, got, r.Tokens)
		}
		if c := cosine(embed(t, r.Text)[0], r.Vector); c < 0.998 {
			t.Errorf("Embed(%q) has cosine %.5f to the unrounded model; want at least 0.998", r.Text, c)
		}
	}
}

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		text string
		want string
	}{
		{"", "[CLS] [SEP]"},
		{"  \t\n", "[CLS] [SEP]"},
		{"Unaffable!", "[CLS] una ##ffa ##ble ! [SEP]"},
		{"Crème brûlée", "[CLS] cr ##eme br ##ule ##e [SEP]"},
		{"日本", "[CLS] 日 本 [SEP]"},
		{"a\u0000b\ufffdc\u200d", "[CLS] abc [SEP]"},
		{"don't", "[CLS] don ' t [SEP]"},
		{strings.Repeat("x", 101), "[CLS] [UNK] [SEP]"},
		{"🦄", "[CLS] [UNK] [SEP]"},
	} {
		m := load()
		spelled := make(map[int32]string)
		for word, id := range m.vocab {
			spelled[id] = word
		}
		var got []string
		for _, id := range m.tokens(c.text) {
			got = append(got, spelled[id])
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("tokens(%q) = %s; want %s", c.text, s, c.want)
		}
	}
}

func TestLongTextsAreCut(t *testing.T) {
	ids := load().tokens(strings.Repeat("slow 漢", 100_000))
	if len(ids) != maxTokens || ids[maxTokens-1] != end {
		t.Errorf("tokens of a long text: %d, ending in %d; want %d, ending in %d", len(ids), ids[len(ids)-1], maxTokens, end)
	}
}

// A vector that depended on its neighbours would make themes depend on what
// happened to be cached.
func TestVectorDoesNotDependOnItsBatch(t *testing.T) {
	texts := []string{"", "short", strings.Repeat("a rather long complaint about billing ", 30), "ok", "🦄"}
	for _, r := range references(t) {
		texts = append(texts, r.Text)
	}
	together := embed(t, texts...)
	for i, text := range texts {
		if alone := embed(t, text)[0]; !slices.Equal(alone, together[i]) {
			t.Errorf("Embed(%q) differs alone and in a batch", text)
		}
	}
}

// The digest was taken on amd64 and holds on arm64 and without vector
// instructions: whoever changes it has changed the arithmetic and must change
// ID as well.
func TestVectorsAreTheSameOnEveryMachine(t *testing.T) {
	h := sha256.New()
	for _, r := range references(t) {
		for _, v := range embed(t, r.Text)[0] {
			fmt.Fprintf(h, "%08x", math.Float32bits(v))
		}
	}
	const want = "1cce899dbc830a48"
	if got := fmt.Sprintf("%x", h.Sum(nil))[:16]; got != want {
		t.Errorf("digest of the reference vectors = %s; want %s", got, want)
	}
}

func TestEmptyTextsHaveTheZeroVector(t *testing.T) {
	for i, v := range embed(t, "", "   ", "🦄🦄") {
		if slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
			t.Errorf("text %d without words has a vector", i)
		}
	}
}

func TestEmbedStopsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Embed(ctx, []string{"a"}); err != context.Canceled {
		t.Errorf("Embed with a cancelled context = %v; want %v", err, context.Canceled)
	}
}

func TestExp(t *testing.T) {
	for x := float32(0); x > -90; x -= 0.37 {
		got, want := float64(exp(x)), math.Exp(float64(x))
		if math.Abs(got-want) > 4e-7*want+1e-34 {
			t.Errorf("exp(%g) = %g; want %g", x, got, want)
		}
	}
}

func TestWeightsAreTheOnesOnRecord(t *testing.T) {
	record, err := os.ReadFile("PROVENANCE.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"weights.bin": weights, "vocab.txt": vocabulary} {
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(data))); !strings.Contains(string(record), sum) {
			t.Errorf("PROVENANCE.md does not list %s with digest %s", name, sum)
		}
	}
}
