// Package tone judges how a text sounds, from -1 to 1, by the words in it: a
// list of rated words, turned around by negation and strengthened or weakened
// by the words before them, after the VADER method.
//
// It knows English only, and single texts fool it: a polite request sounds
// happy. It is meant for the mean over many texts.
package tone

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

//go:embed lexicon.txt
var lexicon string

// software rates words that mean something else, or more, in feedback about
// software than elsewhere, in tenths like the lexicon.
var software = map[string]int{
	"buggy": -20, "bug": -15, "bugs": -15, "glitch": -15, "glitches": -15, "glitchy": -18,
	"lag": -14, "lags": -14, "laggy": -18, "slow": -13, "slowly": -10, "sluggish": -15,
	"crashes": -20, "crashed": -20, "crashing": -20, "freezes": -15, "freezing": -15, "frozen": -13,
	"unusable": -25, "unresponsive": -16, "clunky": -14, "cluttered": -12, "outdated": -12,
	"uninstall": -18, "uninstalled": -18, "timeout": -12, "spam": -15, "overpriced": -18,
	"unable": -12, "missing": -10, "wrong": -21, "error": -15, "errors": -15, "fails": -18,
	"intuitive": 16, "seamless": 18, "seamlessly": 18, "smooth": 14, "fast": 12, "handy": 15, "responsive": 13,
	"😀": 20, "😃": 20, "😄": 22, "😊": 20, "😍": 28, "🥰": 28, "👍": 18, "🎉": 20, "❤": 28, "🙏": 10,
	"😡": -26, "😠": -22, "🤬": -30, "😢": -18, "😭": -20, "👎": -20, "😞": -18, "😤": -18, "💩": -22, "😕": -12,
}

// degree says how much a word adds to the strength of the one that follows.
var degree = func() map[string]float64 {
	m := make(map[string]float64)
	for _, w := range strings.Fields(`absolutely amazingly awfully completely considerably deeply enormously entirely
		especially exceptionally extremely fully greatly highly hugely incredibly insanely intensely more most
		particularly purely quite really remarkably seriously so substantially super terribly thoroughly totally
		tremendously unbelievably utterly very way`) {
		m[w] = step
	}
	for _, w := range strings.Fields(`almost barely hardly kinda less little marginally mildly occasionally partly scarcely
		slightly somewhat sorta`) {
		m[w] = -step
	}
	return m
}()

const (
	step    = 0.293 // of a degree word, and of an exclamation mark
	shout   = 0.733 // of a word in capitals among others that are not
	turn    = -0.74 // of a negation
	damping = 15    // how slowly the sum of ratings approaches 1
)

var ratings = sync.OnceValue(func() map[string]float64 {
	m := make(map[string]float64)
	for line := range strings.Lines(lexicon) {
		word, tenths, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.Atoi(tenths)
		if err != nil {
			panic("tone: lexicon.txt: " + err.Error())
		}
		m[word] = float64(n) / 10
	}
	for word, tenths := range software {
		m[word] = float64(tenths) / 10
	}
	return m
})

// Of returns how a text sounds, and whether it has any rated word at all.
func Of(text string) (score float64, ok bool) {
	words, mixed := split(text)
	rated := ratings()
	var values []float64
	but := -1
	for i, w := range words {
		if w.low == "but" {
			but = len(values)
		}
		v, found := rated[w.low]
		if !found || degree[w.low] != 0 {
			continue
		}
		if mixed && w.caps {
			v += float64(sign(v) * shout)
		}
		values = append(values, context(v, words[:i]))
	}
	if len(values) == 0 {
		return 0, false
	}
	var sum float64
	for i, v := range values {
		weight := 1.0
		switch {
		case but < 0:
		case i < but: // what comes after "but" is what is meant
			weight = 0.5
		default:
			weight = 1.5
		}
		sum += float64(weight * v)
	}
	sum += float64(sign(sum) * step * float64(min(4, strings.Count(text, "!"))))
	return sum / math.Sqrt(float64(sum*sum)+damping), true
}

// context changes the value of a word by the three words before it, the less
// the further away they are.
func context(v float64, before []word) float64 {
	weight := [...]float64{1, 0.95, 0.9}
	for k := range weight {
		i := len(before) - 1 - k
		if i < 0 {
			break
		}
		if d := degree[before[i].low]; d != 0 {
			v += float64(sign(v) * d * weight[k])
		}
	}
	for k := range weight {
		if i := len(before) - 1 - k; i >= 0 && negates(before[i].low) {
			v *= turn
			break
		}
	}
	return v
}

func negates(w string) bool {
	switch w {
	case "not", "no", "never", "none", "nobody", "nothing", "nor", "cannot", "without", "cant", "dont", "doesnt", "didnt", "isnt", "wont", "wasnt", "rarely", "seldom":
		return true
	}
	return strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t")
}

func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

type word struct {
	low  string
	caps bool
}

// split returns the words of a text and pictures as words of their own, and
// whether only some of them are in capitals: where all are, nobody shouts.
func split(text string) (words []word, mixed bool) {
	caps := 0
	for _, f := range strings.FieldsFunc(spaced(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' && r != '-' && r < 0x2600
	}) {
		if f = strings.Trim(f, "'’-"); f == "" {
			continue
		}
		w := word{low: strings.ReplaceAll(strings.ToLower(f), "’", "'")}
		w.caps = len(f) > 1 && f == strings.ToUpper(f) && f != w.low
		if w.caps {
			caps++
		}
		words = append(words, w)
	}
	return words, caps > 0 && caps < len(words)
}

// spaced puts spaces around pictures.
func spaced(text string) string {
	if strings.IndexFunc(text, isPicture) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isPicture(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isPicture(r rune) bool { return r >= 0x2600 && unicode.Is(unicode.So, r) }
