package i18n_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"heed/internal/i18n"
)

func folder(en, de, ar string) fstest.MapFS {
	return fstest.MapFS{"en.json": {Data: []byte(en)}, "de.json": {Data: []byte(de)}, "ar.json": {Data: []byte(ar)}}
}

var sample = folder(
	`{"hi": "Hello {name}", "votes": {"one": "{n} vote", "other": "{n} votes"}}`,
	`{"hi": "Hallo {name}", "votes": {"one": "{n} Stimme", "other": "{n} Stimmen"}}`,
	`{"hi": "مرحبا {name}", "votes": {"zero": "z", "one": "o", "two": "t", "few": "f{n}", "many": "m{n}", "other": "x{n}"}}`)

func TestTexts(t *testing.T) {
	c, err := i18n.Load(sample)
	if err != nil {
		t.Fatal(err)
	}
	en, de, ar := c.Locale("en"), c.Locale("de"), c.Locale("ar")
	for _, tc := range []struct{ got, want string }{
		{en.T("hi", "name", "{name} <b>"), "Hello {name} <b>"},
		{en.T("nothing"), "nothing"},
		{en.T("hi", "name", "منى 1"), "Hello \u2068منى 1\u2069"},
		{ar.T("hi", "name", "Ada"), "مرحبا \u2068Ada\u2069"},
		{ar.T("hi", "name", "منى 1"), "مرحبا منى 1"},
		{en.N("votes", 1), "1 vote"},
		{en.N("votes", 1234567), "1,234,567 votes"},
		{de.N("votes", 12345), "12.345 Stimmen"},
		{ar.N("votes", 0), "z"},
		{ar.N("votes", 2), "t"},
		{ar.N("votes", 103), "f103"},
		{ar.N("votes", 11), "m11"},
		{ar.N("votes", 100), "x100"},
		{en.Number(-1234), "-1,234"},
		{en.Number(999), "999"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q; want %q", tc.got, tc.want)
		}
	}
}

func TestDates(t *testing.T) {
	c := i18n.MustLoad(sample)
	now := time.Date(2026, 11, 15, 9, 31, 0, 0, time.UTC)
	for _, tc := range []struct{ lang, date, ago string }{
		{"en", "15 November 2026", "2d ago"},
		{"de", "15. November 2026", "vor 2 Tagen"},
		{"ar", "15 نوفمبر 2026", "قبل يومين"},
	} {
		l := c.Locale(tc.lang)
		if got := l.Date(now); got != tc.date {
			t.Errorf("%s: Date = %q; want %q", tc.lang, got, tc.date)
		}
		if got := l.Ago(now.Add(-50*time.Hour), now); got != tc.ago {
			t.Errorf("%s: Ago = %q; want %q", tc.lang, got, tc.ago)
		}
	}
	if got := c.Locale("en").Ago(now.AddDate(0, -3, 0), now); got != "15 Aug 2026" {
		t.Errorf("Ago of three months = %q", got)
	}
}

func TestMatch(t *testing.T) {
	c := i18n.MustLoad(sample)
	for header, want := range map[string]string{
		"": "de", "ar-EG,en;q=0.5": "ar", "de-CH": "de", "fr,en;q=0.3": "en", "xx": "de", ";;": "de",
	} {
		if got := c.Match(header, "de").Tag; got != want {
			t.Errorf("Match(%q) = %s; want %s", header, got, want)
		}
	}
}

func TestProblems(t *testing.T) {
	if wrong := i18n.MustLoad(sample).Problems(); len(wrong) > 0 {
		t.Errorf("a complete catalog has problems: %q", wrong)
	}
	c := i18n.MustLoad(folder(`{"a": "x {n}", "b": {"one": "1", "other": "2"}, "c": "c"}`, `{"a": "x {m}", "b": {"one": "1"}, "c": ""}`, `{}`))
	all := strings.Join(c.Problems(), "\n")
	for _, want := range []string{"ar: no text for a", "de: a has the placeholder {m}", "de: a lacks the placeholder {n}",
		`de: b has no form "other"`, "de: the text of c is empty"} {
		if !strings.Contains(all, want) {
			t.Errorf("Problems() = %q; want %q in it", all, want)
		}
	}
	if _, err := i18n.Load(sample, sample); err == nil {
		t.Error("a key in two folders is no error")
	}
}
