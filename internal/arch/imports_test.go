package arch

import (
	"slices"
	"strings"
)

// mayImport is the architecture: what each package may import of ours. Faces
// never import store, nor each other; mechanisms know no noun. A package that
// is not here may not exist, and one that is here need not exist yet.
var mayImport = map[string][]string{
	"arch": {},

	// Nouns and what knows none.
	"ids":         {},
	"feedback":    {"ids"},
	"wire":        {"feedback", "ids"}, // the public JSON objects, for the API and for events
	"webhook":     {},
	"mail":        {},
	"insights":    {}, // texts in, themes out
	"ratelimit":   {},
	"idempotency": {},
	"auth":        {},
	"config":      {},
	"prose":       {}, // made-up texts, for trying and measuring
	"i18n":        {}, // texts, plurals, dates and numbers of languages

	// What mails say, for every face that sends one.
	"letter": {"i18n"},

	// Verbs and rows.
	"store": {"feedback", "ids"},
	"queue": {"store"},
	"app":   {"feedback", "ids", "wire", "store", "queue", "auth", "idempotency", "prose", "webhook", "i18n", "letter"},

	// Faces.
	"api":       {"feedback", "ids", "wire", "app", "ratelimit", "idempotency"}, // only a face knows what a request is to be known by
	"mcp":       {},                                                             // tools, from the document and a handler of the API alone
	"apiref":    {},                                                             // the reference page, from the document's URL alone
	"web":       {"feedback", "i18n"},
	"dashboard": {"feedback", "app", "web", "i18n", "ratelimit"},
	"portal":    {"feedback", "app", "web", "i18n", "ratelimit"},

	// What runs them.
	"demo":   {"feedback", "app", "store", "prose"}, // acts a story out through app
	"worker": {"feedback", "app", "queue", "webhook", "mail", "insights"},
	"server": {"api", "apiref", "mcp", "dashboard", "portal", "web"},
	"cmd":    {"*"},
	"tools":  {"*"}, // programs for those who work on Heed

	// For tests alone.
	"feedbacktest": {"feedback", "ids", "store", "app", "auth", "config", "webhook"},
	"browsertest":  {},
}

// forTests are the packages that only tests may import. They have no command
// that reads the environment for them, and what holds for a test holds for them.
var forTests = []string{"arch", "browsertest", "feedbacktest"}

// onlyIn says which packages may import something of others. A rule holds for
// everything below its path, unless a longer path has one of its own.
var onlyIn = map[string][]string{
	"database/sql":                    {"store", "feedbacktest"},
	"database/sql/driver":             {"store", "ids", "feedback"}, // to be a column's value
	"modernc.org/sqlite":              {"store"},
	"zombiezen.com/go":                {"store"},
	"github.com/jackc/pgx":            {"store", "feedbacktest"},
	"github.com/pressly":              {"store"},
	"net/smtp":                        {"mail"},
	"github.com/modelcontextprotocol": {"mcp"},
	"golang.org/x/crypto":             {"auth"},
	"golang.org/x/oauth2":             {"auth"},
	"golang.org/x/image":              {"portal", "app"}, // pictures to share a page with, and whether a logo is one

	// What people write becomes HTML in one place.
	"github.com/yuin/goldmark":           {"web"},
	"github.com/microcosm-cc/bluemonday": {"web"},
	"github.com/andybalholm/brotli":      {"web", "apiref"},
	"github.com/chromedp":                {"browsertest"},
	"rsc.io/qr":                          {"web"},

	// What others say of people is believed in one place.
	"github.com/coreos/go-oidc": {"auth"},
	"github.com/go-webauthn":    {"auth"},
}

// checkImports holds production code to the two tables. Tests may import what
// they need: an edge of theirs makes nothing depend on anything.
func checkImports(files []goFile) []string {
	var wrong []string
	for _, f := range files {
		if f.isTest() {
			continue
		}
		allowed, known := mayImport[f.pkg()]
		if !known {
			wrong = append(wrong, f.path+": package "+f.pkg()+" has no place in the table of imports")
			continue
		}
		for _, imported := range f.imports() {
			ours, isOurs := strings.CutPrefix(imported, "heed/internal/")
			ours, _, _ = strings.Cut(ours, "/")
			if isOurs && ours != f.pkg() && !contains(allowed, ours) {
				wrong = append(wrong, f.path+": "+f.pkg()+" may not import "+ours)
			}
			if in, limited := limits(imported); limited && !contains(in, f.pkg()) {
				wrong = append(wrong, f.path+": "+imported+" is for "+strings.Join(in, ", ")+" only")
			}
		}
	}
	return wrong
}

func contains(list []string, s string) bool {
	return slices.Contains(list, s) || slices.Contains(list, "*")
}

// limits returns the rule with the longest path that imported lies under.
func limits(imported string) (in []string, limited bool) {
	longest := ""
	for p, packages := range onlyIn {
		if (imported == p || strings.HasPrefix(imported, p+"/")) && len(p) > len(longest) {
			longest, in, limited = p, packages, true
		}
	}
	return in, limited
}
