package portal

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/i18n"
)

const (
	sessionCookie = "heed_session"
	visitorCookie = "heed_visitor"
	localeCookie  = "heed_language"
)

func itoa(n int) string { return strconv.Itoa(n) }

// readCookies finds out who looks from what the browser remembers.
func (v *visit) readCookies(r *http.Request) {
	if c, err := r.Cookie(sessionCookie); err == nil {
		v.session = c.Value
	}
	if c, err := r.Cookie(visitorCookie); err == nil {
		if ref, ok := v.h.cfg.App.VerifyText("visitor", v.portal.Site.ID, c.Value); ok {
			v.ref = feedback.VisitorRef(ref)
		}
	}
}

// cookie sets something for this portal only. In a frame nothing is set: there
// the path says who looks.
func (v *visit) cookie(w http.ResponseWriter, name, value string, age time.Duration) {
	if v.frame {
		return
	}
	c := &http.Cookie{
		Name: name, Value: value, Path: v.base + "/", MaxAge: int(age / time.Second),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(v.home(), "https:"),
	}
	if age <= 0 {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// introduce gives somebody who writes for the first time a name to be known by.
func (v *visit) introduce(w http.ResponseWriter) {
	if v.ref != "" || v.visitor != nil {
		return
	}
	v.ref = app.NewVisitorRef()
	v.cookie(w, visitorCookie, v.h.cfg.App.SignText("visitor", v.portal.Site.ID, string(v.ref)), 400*24*time.Hour)
}

// signedIn remembers a visitor who has just proved who they are, and sends them
// on. In a frame the path says who looks, so it becomes another.
func (v *visit) signedIn(w http.ResponseWriter, r *http.Request, in *app.KnownVisitor, to string) error {
	v.visitor, v.session = in.Visitor, in.Session
	v.cookie(w, sessionCookie, in.Session, app.SessionTime())
	v.cookie(w, visitorCookie, "", 0)
	if v.frame {
		outside, _, _ := strings.Cut(v.base, "/~")
		to = outside + "/~" + v.frameToken() + strings.TrimPrefix(to, v.base)
	}
	return v.redirect(w, r, to)
}

// known reports whether the visitor has signed in.
func (v *visit) known() bool { return v.visitor.Known() }

// name is what the visitor wants to be called, or "".
func (v *visit) name() string {
	if v.visitor == nil {
		return ""
	}
	return v.visitor.Name
}

// chooseLocale is the language the reader asked for by a choice, else by their
// browser, else the site's.
func (v *visit) chooseLocale(r *http.Request) *i18n.Locale {
	if c, err := r.Cookie(localeCookie); err == nil {
		if l := catalog.Locale(c.Value); l != nil {
			return l
		}
	}
	return catalog.Match(r.Header.Get("Accept-Language"), v.portal.Settings.Locale)
}

// language remembers a choice of language.
func (v *visit) language(w http.ResponseWriter, r *http.Request) error {
	if l := catalog.Locale(r.FormValue("language")); l != nil {
		v.cookie(w, localeCookie, l.Tag, 400*24*time.Hour)
	}
	return v.redirect(w, r, v.back(r, v.url()))
}

// ruled is a kind of text that people can send.
type ruled interface{ Rule() feedback.Text }

// limit is how much a field takes, as a form spells it.
func limit(text ruled) string { return itoa(text.Rule().Max) }

// fit keeps what a field takes.
func fit(s string, text ruled) string { return cut(s, text.Rule().Max) }
