package api_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
)

// testSearch holds what a person who types something finds.
func testSearch(t *testing.T, w *world) {
	p := w.newPlace(t)
	bodies := map[string]string{
		"Dark mode":                    "Follow the system at night.",
		"E-mail digest":                "One message a week.",
		"Export as CSV":                "Also as spread-sheet, please. Crème brûlée!",
		"Größere Schrift":              "Für müde Augen.",
		"検索機能が欲しい":                     "日本語の全文検索",
		"한국어 지원":                       "검색이 안 됩니다",
		"Don't lose drafts":            "It's 'quoted' \"twice\".",
		"Keyboard shortcuts (vim)":     "C++ and node.js and a_b and 50%.",
		"Support for HTTP/2 & TLS 1.3": "see https://example.com/path?x=1",
		"Straße nach Łódź":             "Æther",
		"नमस्ते दुनिया":                "हिन्दी",
		"ไทย":                          "ค้นหาภาษาไทย",
		"Kaffee ☕ 123":                 strings.Repeat("lang ", 3000) + "ende",
	}
	for title, body := range bodies {
		p.must(t, "POST", p.path+"/posts", object{"boardId": p.board, "title": title, "body": body, "onBehalfVisitorId": "v"})
	}
	gone, folded := p.post(t, "Dark archive"), p.post(t, "Dark merged")
	w.archive(t, p.id, gone)
	p.must(t, "POST", p.postPath(folded)+"/merge", object{"winnerId": p.post(t, "Unrelated")})
	w.placeAt(t, w.sibling, "").post(t, "Dark on another site")

	for _, c := range []struct {
		q    string
		want string // titles, joined by |
	}{
		{"dark", "Dark mode"}, {"DARK", "Dark mode"}, {"dar", "Dark mode"}, {"mode dark", "Dark mode"}, {"dark mo", "Dark mode"},
		{"da mode", ""},                                                       // only the last word may be a beginning
		{"dark csv", ""}, {"night", "Dark mode"}, {"dark night", "Dark mode"}, // title and body together
		{"email", "E-mail digest"}, {"e-mail", "E-mail digest"}, {"mail", "E-mail digest"}, {"e mail", "E-mail digest"}, {"E‑MAIL", "E-mail digest"},
		{"spreadsheet", "Export as CSV"}, {"spread-sheet", "Export as CSV"}, {"spread-sh", "Export as CSV"}, {"spreadsh", "Export as CSV"}, {"sheet", "Export as CSV"},
		{"creme", "Export as CSV"}, {"CRÈME", "Export as CSV"}, {"cre\u0300me bru", "Export as CSV"}, {"brulee", "Export as CSV"},
		{"grossere", "Größere Schrift"}, {"GRÖSSERE", "Größere Schrift"}, {"fur mude", "Größere Schrift"}, {"größ", "Größere Schrift"},
		{"strasse", "Straße nach Łódź"}, {"lodz", "Straße nach Łódź"}, {"aether", "Straße nach Łódź"},
		{"検索", "検索機能が欲しい"}, {"機能", "検索機能が欲しい"}, {"能", "検索機能が欲しい"}, {"い", "検索機能が欲しい"}, {"索機", "検索機能が欲しい"}, {"全文", "検索機能が欲しい"},
		{"検能", ""}, {"ｶﾞ", ""}, {"검색", "한국어 지원"}, {"국어", "한국어 지원"}, {"지원", "한국어 지원"},
		{"नमस्ते", "नमस्ते दुनिया"}, {"ภาษา", "ไทย"}, {"ไทย", "ไทย"},
		{"dont", "Don't lose drafts"}, {"don't", "Don't lose drafts"}, {"don’t", "Don't lose drafts"}, {"quoted", "Don't lose drafts"},
		{"vim", "Keyboard shortcuts (vim)"}, {"node.js", "Keyboard shortcuts (vim)"}, {"c++ and", "Keyboard shortcuts (vim)"}, {"50", "Keyboard shortcuts (vim)"},
		{"http/2", "Support for HTTP/2 & TLS 1.3"}, {"1.3", "Support for HTTP/2 & TLS 1.3"}, {"example.com", "Support for HTTP/2 & TLS 1.3"},
		{"ende", "Kaffee ☕ 123"}, {"123", "Kaffee ☕ 123"},
		// Nothing a person types is an operator.
		{`"dark mode"`, "Dark mode"}, {`dark*`, "Dark mode"}, {`dark AND mode`, ""}, {`dark OR csv`, ""}, {`NOT dark`, ""}, {`-dark`, "Dark mode"},
		{`title:dark`, ""}, {`dark:*`, "Dark mode"}, {`(dark`, "Dark mode"}, {`dark)`, "Dark mode"}, {`dark & mode`, "Dark mode"}, {`dark | mode`, "Dark mode"},
		{`!dark`, "Dark mode"}, {`dark <-> mode`, "Dark mode"}, {`'dark'`, "Dark mode"}, {`dark\`, "Dark mode"}, {`dark"; DROP TABLE posts; --`, ""},
		{`NEAR(dark mode)`, ""}, {`^dark`, "Dark mode"}, {`dark + mode`, "Dark mode"}, {`{title}: dark`, ""}, {`%`, ""}, {`_`, ""},
		// Nothing to look for finds nothing.
		{" ", ""}, {"☕", ""}, {"()", ""}, {"-", ""}, {"'", ""}, {"\u200b", ""},
		// What leaves the site, or its list, is not found.
		{"archive", ""}, {"merged", ""}, {"another", ""}, {p.id, ""}, {strings.ReplaceAll(p.id, "_", ""), ""},
	} {
		got := p.search(t, c.q)
		sort.Strings(got)
		if strings.Join(got, "|") != c.want {
			t.Errorf("search for %q = %q; want %q", c.q, got, c.want)
		}
	}

	// Relevance: in the title before in the body, whole words before beginnings,
	// short titles before long ones.
	ranked := w.newPlace(t)
	for _, post := range [][2]string{
		{"Zebra crossing for the whole town", ""}, {"About animals", "A zebra."}, {"Zebra", ""}, {"Zebras", ""}, {"Unrelated", "none"},
	} {
		ranked.must(t, "POST", ranked.path+"/posts", object{"boardId": ranked.board, "title": post[0], "body": post[1], "onBehalfVisitorId": "v"})
	}
	want := []string{"Zebra", "Zebra crossing for the whole town", "Zebras", "About animals"}
	if got := ranked.search(t, "zebra"); !slices.Equal(got, want) {
		t.Errorf("search for zebra = %q; want %q", got, want)
	}

	// However much is typed.
	for _, q := range []string{
		strings.Repeat("検索", 5000), strings.Repeat("dark ", 5000), strings.Repeat("a-", 5000) + "b", strings.Repeat("x", 50_000),
		strings.Repeat("한", 5000), strings.Repeat("x検", 3000), strings.Repeat("a'", 9000), strings.Repeat("\"", 9000), strings.Repeat("ﷺ", 5000),
	} {
		p.search(t, q)
	}
	// However odd the text is that was indexed.
	for i, s := range hostileStrings() {
		if strings.Contains(s, "\x00") {
			continue
		}
		title := fmt.Sprintf("odd%d %.150s", i, strings.ToValidUTF8(s[:min(len(s), 150)], ""))
		p.must(t, "POST", p.path+"/posts", object{"boardId": p.board, "title": title, "body": s, "onBehalfVisitorId": "v"})
		if got := p.search(t, fmt.Sprintf("odd%d", i)); !slices.Contains(got, title) {
			t.Errorf("search for odd%d = %q; want %q among them", i, got, title)
		}
	}
}

// hostileStrings are texts that break what was not made with them in mind.
func hostileStrings() []string {
	return []string{
		"\x00", "a\x00b", "'; DROP TABLE posts; --", `" OR ""="`, `\`, `\\`, `\'`, "%s%n%d", "${jndi:ldap://x}", "{{7*7}}", "<script>alert(1)</script>",
		"../../etc/passwd", "%00", "%zz", "\u202e right to left", "\ufeff", "\ufffd", "\ufffe\uffff", "\u2028\u2029", "e\u0301\u0301\u0301", "👩‍👩‍👧‍👦", "ﷺ",
		strings.Repeat("🀄", 150), "İIıi", "ŉ", "\U0010ffff", "\x7f\x1b[31m", "\r\nSet-Cookie: a=b", "NULL", "NaN", "-0", "1e309", "true", "$1", "?", ":x", "@x",
		strings.Repeat("(", 150), strings.Repeat("\"", 149), "a' b' c'", "''''", `:*`, "!!!", "&|!<->", "\t\n\v\f", "ʼʼ", "a\u00adb", "Z̸̡̢a̷̧̛l̵̢̛g̴̡̛o̶̧̕",
	}
}
