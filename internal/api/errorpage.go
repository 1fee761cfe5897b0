package api

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

// serveErrorPage explains the codes. The docs member of every error points to a
// section here.
func (a *API) serveErrorPage(w http.ResponseWriter, _ *http.Request) {
	var b strings.Builder
	b.WriteString(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors · Heed API</title>
<link rel="stylesheet" href="/assets/docs.css">
</head>
<body>
<main>
<h1>Errors</h1>
<p>Every error has the same body: <code>error.code</code> to branch on, <code>error.message</code> for people, and where it helps <code>error.details</code>, <code>error.hint</code> and <code>error.docs</code>. Every response carries a <code>Request-Id</code>.</p>
`)
	for _, c := range codes {
		fmt.Fprintf(&b, "<section id=\"%[1]s\">\n<h2><code>%[1]s</code> <small>%[2]d %[3]s</small></h2>\n<p>%[4]s</p>\n</section>\n",
			c.code, c.status, http.StatusText(c.status), html.EscapeString(c.means))
	}
	b.WriteString("<p><a href=\"/api-reference\">API reference</a></p>\n</main>\n</body>\n</html>\n")
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	w.Write([]byte(b.String()))
}
