package insights

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
)

// labelled is the sample of testdata/intents.tsv with its vectors.
type labelled struct {
	posts   []Post
	classes []string
}

var readSample = sync.OnceValues(func() (labelled, error) {
	data, err := os.ReadFile("testdata/intents.tsv")
	if err != nil {
		return labelled{}, err
	}
	var s labelled
	var texts []string
	for line := range strings.Lines(string(data)) {
		text, class, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		texts = append(texts, text)
		s.classes = append(s.classes, class)
	}
	vectors, err := Embed(context.Background(), texts)
	if err != nil {
		return labelled{}, err
	}
	for i, t := range texts {
		s.posts = append(s.posts, Post{Key: int64(i), Text: t, Vector: vectors[i]})
	}
	return s, nil
})

func sampleSet(t testing.TB) labelled {
	t.Helper()
	s, err := readSample()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// minter returns a source of ids that starts after from.
func minter(from int64) func() int64 {
	return func() int64 { from++; return from }
}

func find(t testing.TB, posts []Post, last State, mint func() int64) *Result {
	t.Helper()
	r, err := Find(context.Background(), posts, last, mint)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// posts embeds texts, keyed from 0.
func postsOf(t testing.TB, texts ...string) []Post {
	t.Helper()
	vectors, err := Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]Post, len(texts))
	for i, text := range texts {
		out[i] = Post{Key: int64(i), Text: text, Vector: vectors[i]}
	}
	return out
}

// pairs returns precision and recall over pairs of posts: of those in one
// theme how many are of one class, and the reverse.
func pairs(themes []int, classes []string) (precision, recall float64) {
	var both, inTheme, inClass float64
	for i := range themes {
		for j := range i {
			together := themes[i] >= 0 && themes[i] == themes[j]
			if together {
				inTheme++
			}
			if classes[i] == classes[j] {
				inClass++
				if together {
					both++
				}
			}
		}
	}
	return both / max(1, inTheme), both / max(1, inClass)
}
