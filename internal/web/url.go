package web

import (
	"net/url"
	"strings"

	"github.com/a-h/templ"
)

// Link makes an address that a person or a program entered safe to stand in a
// page: http and https only, and "#" for the rest.
func Link(s string) templ.SafeURL {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" {
		return "#"
	}
	return templ.SafeURL(u.String())
}

// IsLink reports whether [Link] would keep s.
func IsLink(s string) bool { return Link(s) != "#" }

// Local returns a path of our own to go back to, or fallback: never another
// host's, whatever tricks of spelling it comes with.
func Local(path, fallback string) string {
	u, err := url.Parse(path)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(path, "/") ||
		strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return fallback
	}
	return path
}

// Initials are up to two letters that stand for a name.
func Initials(name string) string {
	var out []rune
	for word := range strings.FieldsSeq(name) {
		if r := []rune(word)[0]; len(out) < 2 {
			out = append(out, r)
		}
	}
	return strings.ToUpper(string(out))
}
