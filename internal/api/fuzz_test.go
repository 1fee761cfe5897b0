package api

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/idempotency"
)

// FuzzCursor holds that what a list issued it opens again, and that it opens
// nothing else.
func FuzzCursor(f *testing.F) {
	k := cursors{[]byte("0123456789abcdef0123456789abcdef")}
	op := &operation{id: "listPosts", query: []param{{name: "boardId"}, limitParam, cursorParam}}
	c := &call{op: op, r: httptest.NewRequest("GET", "/v1/sites/x/posts", nil), actor: &app.Actor{Account: &feedback.Account{ID: 1}}}
	f.Add("", int64(0), int64(0), uint8(0), uint8(0))
	f.Add("AAAA", int64(-1), int64(1)<<62, uint8(1), uint8(3))
	f.Add(strings.Repeat("_", 60), int64(1)<<62, int64(7), uint8(9), uint8(255))
	f.Fuzz(func(t *testing.T, junk string, a, b int64, at, flip uint8) {
		if _, err := k.open(c, junk); err == nil {
			t.Fatalf("open(%q) = nil error", junk)
		} else if feedback.CodeOf(err) != feedback.InvalidCursor {
			t.Fatalf("open(%q) = %v", junk, err)
		}
		s := *k.issue(c, feedback.Position{a, b})
		p, err := k.open(c, s)
		if err != nil || !slices.Equal(p, feedback.Position{a, b}) {
			t.Fatalf("open of the cursor of %d, %d = %v, %v", a, b, p, err)
		}
		changed := []byte(s)
		changed[int(at)%len(s)] ^= flip
		if got, err := k.open(c, string(changed)); err == nil && string(changed) != s {
			t.Fatalf("open(%q), which is %q changed, = %v", changed, s, got)
		}
	})
}

// FuzzBody holds that whatever comes as a body is refused as JSON or read into
// problems and values, and that what is read can be fingerprinted.
func FuzzBody(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `null`, `{"tone":"DONE","label":"x","at":"2026-02-28T10:00:00Z","prNumber":1e2,"prUrl":"https://x"}`, `{"label":null}`, `{"label":"\ud800"}`,
		`{"a":1,"a":2}`, `{"":1}`, `[1]`, `{"prNumber":-0.0}`, `{"prNumber":1e999}`, `{"at":"0001-01-01T00:00:00Z"}`, "{\"\xff\":1}", strings.Repeat("[", 10001),
		`{"prNumber":123456789012345678901234567890}`, `{"label":"\u0000"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := checkJSON(text); err != nil {
			if feedback.CodeOf(err) != feedback.InvalidJSON {
				t.Fatalf("checkJSON(%q) = %v", text, err)
			}
			return
		}
		if !json.Valid(text) || !utf8.Valid(text) {
			t.Fatalf("checkJSON lets %q pass", text)
		}
		if _, err := idempotency.FingerprintOf("POST", "/", text); err != nil {
			t.Fatalf("FingerprintOf(%q) = %v", text, err)
		}
		var step AppendAgentRunStepRequest
		for _, p := range decode(text, &step) {
			if p.Message == "" || p.Rule == "" || !utf8.ValidString(p.Path) {
				t.Fatalf("decode(%q): problem %+v", text, p)
			}
		}
		var entry CreateChangelogEntryRequest
		decode(text, &entry)
		var nothing none
		decode(text, &nothing)
	})
}
