package store

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestWordsOf(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"  \t\n -- … 🐝 ":                "",
		"Dark Mode":                     "dark mode",
		"Café crème, naïve ZOË":         "cafe creme naive zoe",
		"Straße Øl Łódź æon İstanbul":   "strasse ol lodz aeon istanbul",
		"Ｆｕｌｌ ﬁne ²":                    "full fine 2",
		"don't O’Brien ʼn":              "dont obrien n",
		"e-mail":                        "e mail email",
		"state-of-the-art":              "state of the art stateoftheart",
		"single‑sign‑on":                "single sign on singlesignon",
		"C++ and C#":                    "c and c",
		"a/b (x) [y] x_y":               "a b x y x y",
		"v2.10 #42":                     "v2 10 42",
		"日本語":                           "日本 本語 語",
		"木":                             "木",
		"日本語UI":                         "日本 本語 語 ui",
		"UI日本":                          "ui 日本 本",
		"カレンダー":                         "カレ レン ンタ ター ー", // the voiced mark folds away
		"Тёмная тема":                   "темная тема",
		"शीर्षक":                        "शीर्षक",
		"مُحَمَّد":                      "محمد",
		"soft\u00adhyphen":              "softhyphen",
		"family\u200djoiner":            "familyjoiner",
		strings.Repeat("a", 100) + " b": strings.Repeat("a", maxWord) + " b",
	} {
		if got := strings.Join(wordsOf(text), " "); got != want {
			t.Errorf("wordsOf(%q) = %q; want %q", text, got, want)
		}
	}
}

// A word that is cut must not be cut inside of a character.
func TestLongWordsAreCutWhole(t *testing.T) {
	for _, w := range wordsOf(strings.Repeat("é", 10) + strings.Repeat("ж", 100)) {
		if len(w) > maxWord || !utf8.ValidString(w) {
			t.Errorf("%q has %d bytes", w, len(w))
		}
	}
}

func TestParseQuery(t *testing.T) {
	for text, want := range map[string]searchQuery{
		"":               nil,
		`"" * ( ) : ^ -`: nil,
		"Dark mo":        {{words: []string{"dark"}}, {words: []string{"mo"}, prefix: true}},
		"e-mail":         {{words: []string{"e", "mail"}, joined: "email", prefix: true}},
		"title:NOT":      {{words: []string{"title"}}, {words: []string{"not"}, prefix: true}},
		"日本語":            {{words: []string{"日本", "本語"}, prefix: true}},
		"語":              {{words: []string{"語"}, prefix: true, single: true}},
		"日本語UI":          {{words: []string{"日本", "本語", "語", "ui"}, prefix: true}},
		"語 x":            {{words: []string{"語"}, prefix: true, single: true}, {words: []string{"x"}, prefix: true}},
	} {
		got := parseQuery(text)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(searchTerm{})); diff != "" {
			t.Errorf("parseQuery(%q) (-want +got):\n%s", text, diff)
		}
		if q := got.whole(); text == "Dark mo" && (q[1].prefix || !got[1].prefix) {
			t.Errorf("whole() of %q = %v, of %v", text, q, got)
		}
	}
	if n := len(parseQuery(strings.Repeat("word ", 100))); n != maxTerms {
		t.Errorf("a query of 100 words has %d terms; want %d", n, maxTerms)
	}
	if n := len(parseQuery(strings.Repeat("a,", 100))); n != maxTerms {
		t.Errorf("a query of 100 words in one has %d terms; want %d", n, maxTerms)
	}
}

// Titles in the order in which they answer a query.
func TestRelevance(t *testing.T) {
	for query, titles := range map[string][]string{
		"dark mode": {
			"Dark mode",
			"Dark mode for the calendar",
			"A mode that is dark, for those who work at night", // both words, whole
			"Dark modest theme", // one of them as a beginning
			"Dark theme",        // one
			"Night theme",       // none
		},
		"cal": {"Cal", "Calendar", "A calendar", "Dates"},
		"e-mail": {
			"Email", "E-mail for all", "E-mails to the whole team", "Post",
		},
		"日本語": {"日本語", "新しい日本語の画面", "中国語"},
	} {
		q := parseQuery(query)
		for i := 1; i < len(titles); i++ {
			better, worse := relevance(q, titles[i-1]), relevance(q, titles[i])
			if better <= worse {
				t.Errorf("%q: %q scores %d and %q %d; want more", query, titles[i-1], better, titles[i], worse)
			}
		}
	}
}

// Plain texts take a shorter way to the same words.
func FuzzASCIIWords(f *testing.F) {
	for _, s := range []string{"", "Dark Mode", "e-mail", "-a--b-", "state-of-the-art x", "a_b", "- -", "don't", "v2.10 #42", strings.Repeat("ab-", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		plain, ok := foldASCII(s)
		if !ok {
			return
		}
		if diff := cmp.Diff(strings.Join(foldedWords(plain), " "), strings.Join(asciiWords(plain), " ")); diff != "" {
			t.Errorf("words of %q (-slow +fast):\n%s", s, diff)
		}
	})
}
