// Package prose makes up what people write about a software product: requests,
// reports of bugs, comments, names. It is a grammar with a few thousand parts
// and a seed: the same seed writes the same texts. What it writes is for trying
// the service and measuring it, where it must have the variety and the word
// frequencies of real feedback and need not bear a close reading.
package prose

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a post is about.
type Kind int

// The kinds of posts.
const (
	Feature Kind = iota
	Bug
)

// Writer makes up texts. It is not safe for concurrent use.
type Writer struct {
	r     *rand.Rand
	topic *topic
	role  string
	bound map[string]string // what the text under way has named
}

// New returns a Writer. Equal seeds write equal texts.
func New(seed uint64) *Writer {
	return &Writer{r: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), bound: map[string]string{}}
}

// Post makes up a title and a body, and names the tags that fit.
func (w *Writer) Post(k Kind) (title, body string, tags []string) {
	w.topic = &topics[w.r.IntN(len(topics))]
	w.role = pick(w, roles)
	clear(w.bound)
	if k == Bug {
		title = w.expand(pick(w, bugTitles))
		body = w.bugBody()
		tags = append(tags, w.topic.tag)
		if w.r.IntN(4) == 0 {
			tags = append(tags, "Regression")
		}
		return title, body, tags
	}
	title = w.expand(pick(w, featureTitles))
	body = w.featureBody()
	tags = append(tags, w.topic.tag)
	if w.r.IntN(3) == 0 {
		tags = append(tags, pick(w, []string{"Quick win", "Enterprise", "Onboarding", "Customer call"}))
	}
	return title, body, tags
}

func (w *Writer) featureBody() string {
	switch w.r.IntN(8) {
	case 0:
		return ""
	case 1:
		return w.expand(pick(w, wishes))
	}
	paragraphs := []string{w.sentences(contexts, problems)}
	if w.r.IntN(3) > 0 {
		paragraphs = append(paragraphs, w.sentences(wishes))
	}
	if w.r.IntN(3) == 0 {
		paragraphs = append(paragraphs, w.sentences(workarounds))
	}
	if w.r.IntN(4) == 0 {
		paragraphs = append(paragraphs, w.sentences(closings))
	}
	return strings.Join(paragraphs, "\n\n")
}

func (w *Writer) bugBody() string {
	paragraphs := []string{w.sentences(reports)}
	if w.r.IntN(2) == 0 {
		steps := "Steps:"
		for i := range 2 + w.r.IntN(3) {
			steps += "\n" + strconv.Itoa(i+1) + ". " + w.expand(pick(w, bugSteps))
		}
		paragraphs = append(paragraphs, steps, w.sentences(expectations))
	}
	if w.r.IntN(2) == 0 {
		paragraphs = append(paragraphs, w.expand("Seen on {platform}, version {n}.{n}.{n}."))
	}
	return strings.Join(paragraphs, "\n\n")
}

// Comment makes up what a visitor adds to the post made up last.
func (w *Writer) Comment() string { return w.expand(pick(w, comments)) }

// Reply makes up an answer to a comment.
func (w *Writer) Reply() string { return w.expand(pick(w, replies)) }

// Official makes up what the team answers to everybody.
func (w *Writer) Official() string { return w.expand(pick(w, officials)) }

// Internal makes up what the team notes for itself.
func (w *Writer) Internal() string { return w.expand(pick(w, internals)) }

// Person makes up a name and an address at a company that does not exist.
func (w *Writer) Person() (name, email string) {
	first, last := pick(w, firstNames), pick(w, lastNames)
	company := pick(w, companies)
	local := ascii(first) + "." + ascii(last)
	return first + " " + last, strings.ToLower(local + "@" + company + ".example")
}

func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && unicode.IsLetter(r) {
			return r
		}
		if i := strings.IndexRune(accented, r); i >= 0 {
			return rune(plain[utf8.RuneCountInString(accented[:i])])
		}
		return -1
	}, s)
}

const (
	accented = "áàâãäåçéèêëíïñóôõöøúüğışłÅÉÖØÜ"
	plain    = "aaaaaaceeeeiinoooooouugislAEOOU"
)

func (w *Writer) sentences(lists ...[]string) string {
	parts := make([]string, len(lists))
	for i, l := range lists {
		parts[i] = w.expand(pick(w, l))
	}
	return strings.Join(parts, " ")
}

// expand replaces the names in braces. A name that stands for something in the
// text already stands for the same again, so that a body speaks of what its
// title names; {other ...} asks for a fresh choice.
func (w *Writer) expand(s string) string { return upperFirst(articles.Replace(w.fill(s))) }

// articles mends what a vowel needs.
var articles = strings.NewReplacer(
	" a a", " an a", " a e", " an e", " a i", " an i", " a o", " an o", "As a a", "As an a", "As a e", "As an e",
	" a O", " an O", " a A", " an A")

func (w *Writer) fill(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 64)
	for {
		before, rest, found := strings.Cut(s, "{")
		b.WriteString(before)
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		b.WriteString(w.word(name))
		s = after
	}
	return b.String()
}

func (w *Writer) word(name string) string {
	switch name {
	case "n":
		return strconv.Itoa(1 + w.r.IntN(9))
	case "many":
		return pick(w, []string{"12", "20", "35", "40", "60", "80", "120", "150", "200", "300", "450", "600", "1,200", "4,000"})
	case "role":
		return w.role
	}
	if verb, ok := strings.CutPrefix(name, "part "); ok {
		return w.word("part") + " " + w.agree(verb)
	}
	if v, ok := w.bound[name]; ok {
		return v
	}
	var v string
	switch name {
	case "thing":
		v = w.topic.thing
	case "things":
		v = w.topic.things
	case "verb":
		v = pick(w, w.topic.verbs)
	case "part":
		v = pick(w, w.topic.parts)
	case "place":
		v = pick(w, w.topic.places)
	default:
		again := strings.TrimPrefix(name, "other ")
		v = w.fill(pick(w, words[again]))
		if again != name {
			return v
		}
	}
	w.bound[name] = v
	return v
}

// agree spells a verb as the part under way wants it: the widgets are, the badge
// is.
func (w *Writer) agree(verb string) string {
	one := !strings.HasSuffix(w.word("part"), "s")
	switch {
	case verb == "is" && !one:
		return "are"
	case verb == "is" || !one:
		return verb
	}
	return verb + "s"
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func pick(w *Writer, from []string) string { return from[w.r.IntN(len(from))] }
