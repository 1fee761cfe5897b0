package letter_test

import (
	"strings"
	"testing"

	"heed/internal/letter"
)

func TestCatalogIsComplete(t *testing.T) {
	for _, wrong := range letter.Catalog.Problems() {
		t.Error(wrong)
	}
}

// regular are the kinds that come without being asked for each time.
var regular = map[string]bool{letter.KindStatus: true, letter.KindReply: true, letter.KindChangelog: true}

func TestLetters(t *testing.T) {
	evil := "<script>alert(1)</script>\r\nBcc: all@example.com"
	for _, lang := range []string{"en", "de", "ar"} {
		f := letter.Frame{Locale: letter.Catalog.Locale(lang), Site: "Northwind " + evil, SiteURL: "https://heed.example/p/northwind",
			Unsubscribe: "https://heed.example/u", Preferences: "https://heed.example/pref"}
		for _, l := range []letter.Letter{
			letter.SignIn(f, "123456", "https://heed.example/s"), letter.Subscribe(f, "https://heed.example/s"),
			letter.Status(f, evil, "Planned", evil, "https://heed.example/x"), letter.Shipped(f, evil, "", "https://heed.example/x"),
			letter.Reply(f, "", evil, evil, "https://heed.example/x"), letter.Changelog(f, evil, "**bold** text", "https://heed.example/x"),
			letter.Invitation(f, evil, "Ada", "https://heed.example/x"), letter.Reset(f, evil, "https://heed.example/x"), letter.WebhookDisabled(f, evil, "https://heed.example/x"),
			letter.Security(f, letter.SecurityNotice{Act: letter.PasskeyAdded, Account: evil, Name: evil, Left: "3", Profile: "https://heed.example/x", Reset: "https://heed.example/y"}),
		} {
			if strings.ContainsAny(l.Subject, "\r\n") || strings.Contains(l.HTML, "<script") || l.Text == "" || strings.Contains(l.Subject+l.Text+l.HTML, "mail.") {
				t.Errorf("%s %s: subject %q, html %q", lang, l.Kind, l.Subject, l.HTML)
			}
			if !strings.Contains(l.HTML, `lang="`+lang+`"`) || strings.Contains(l.Text, "https://heed.example/u") != regular[l.Kind] {
				t.Errorf("%s %s: no language or no way out:\n%s", lang, l.Kind, l.Text)
			}
		}
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"It **follows** `you`.\r\n\r\n- one\r\n* two":        "It follows you.\n\n• one\n• two",
		"See [the docs](https://x.example \"title\") now":    "See the docs now",
		"![A picture](https://x.example/a.png)\n\n\n\nafter": "A picture\n\nafter",
		"| a | b |\n|---|:-:|\n| 1 | 2 |":                    "a · b\n1 · 2",
		"```go\nx := a[1](2) | **b**\n```\nafter":            "x := a[1](2) | **b**\nafter",
		"## Head\n> said\n\n---\n1. one":                     "Head\nsaid\n\n1. one",
		"a - b | c":                                          "a - b | c",
		"[x](y [x](y":                                        "[x](y [x](y",
		"12345678901":                                        "1234567890…",
	} {
		n := 1000
		if want == "1234567890…" {
			n = 10
		}
		if got := letter.Plain(text, n); got != want {
			t.Errorf("Plain(%q) = %q; want %q", text, got, want)
		}
	}
}
