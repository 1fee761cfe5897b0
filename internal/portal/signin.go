package portal

import (
	"net/http"
	"net/url"
	"strings"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// formPage is a page of one small form.
type formPage struct {
	*visit
	step     string // which form
	token    string
	email    string
	back     string
	done     string // a key of a message to show instead of the form
	problems feedback.Problems
	wish     *app.MailWish
}

func (v *visit) show(w http.ResponseWriter, r *http.Request, status int, p *formPage) error {
	p.visit, v.here = v, ""
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer") // the address may hold a token
	return v.render(w, r, status, formView(p))
}

func (v *visit) signInPage(w http.ResponseWriter, r *http.Request) error {
	if v.known() {
		return v.redirect(w, r, v.back(r, v.url("me")))
	}
	return v.show(w, r, http.StatusOK, &formPage{step: "email", back: v.back(r, v.url())})
}

// signIn mails a code and asks for it.
func (v *visit) signIn(w http.ResponseWriter, r *http.Request) error {
	email := feedback.NormalEmail(r.FormValue("email"))
	p := &formPage{step: "email", email: cut(email, feedback.MaxEmail), back: v.back(r, v.url())}
	if err := v.limit(r, "sign-in", signInRate, ""); err != nil {
		return err
	}
	if err := v.limit(r, "mail", mailRate, email); err != nil {
		return err
	}
	err := v.write(r, func(tx *app.Tx) (err error) {
		p.token, err = tx.RequestSignIn(r.Context(), email, v.locale.Tag)
		return err
	})
	if problems, ok := web.ProblemsOf(err); ok && err != nil {
		p.problems = problems
		return v.show(w, r, http.StatusUnprocessableEntity, p)
	}
	if err != nil {
		return err
	}
	p.step = "code"
	return v.show(w, r, http.StatusOK, p)
}

func (v *visit) signInCode(w http.ResponseWriter, r *http.Request) error {
	p := &formPage{step: "code", token: r.FormValue("token"), email: cut(r.FormValue("email"), feedback.MaxEmail), back: v.back(r, v.url())}
	if err := v.limit(r, "code", signInRate, ""); err != nil {
		return err
	}
	code := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, r.FormValue("code"))
	var in *app.KnownVisitor
	var wrong error
	err := v.write(r, func(tx *app.Tx) (err error) {
		in, wrong, err = tx.SignInByCode(r.Context(), p.token, code)
		return err
	})
	if err != nil {
		return err
	}
	if wrong != nil {
		p.problems, _ = web.ProblemsOf(wrong)
		return v.show(w, r, http.StatusUnprocessableEntity, p)
	}
	return v.signedIn(w, r, in, p.back)
}

// signInLinkPage only asks: programs that read mail follow links, and must not
// spend this one.
func (v *visit) signInLinkPage(w http.ResponseWriter, r *http.Request) error {
	return v.show(w, r, http.StatusOK, &formPage{step: "link", token: r.FormValue("t")})
}

func (v *visit) signInLink(w http.ResponseWriter, r *http.Request) error {
	if err := v.limit(r, "code", signInRate, ""); err != nil {
		return err
	}
	var in *app.KnownVisitor
	err := v.write(r, func(tx *app.Tx) (err error) {
		in, err = tx.SignInByLink(r.Context(), r.FormValue("t"))
		return err
	})
	if feedback.IsNotFound(err) {
		return v.show(w, r, http.StatusNotFound, &formPage{step: "email", done: "", problems: feedback.Problems{{Path: "email", Rule: "link"}}, back: v.url()})
	}
	if err != nil {
		return err
	}
	return v.signedIn(w, r, in, v.url("me"))
}

// sso signs in by a token of the site's own application.
func (v *visit) sso(w http.ResponseWriter, r *http.Request) error {
	if err := v.limit(r, "code", signInRate, ""); err != nil {
		return err
	}
	var in *app.KnownVisitor
	err := v.write(r, func(tx *app.Tx) (err error) {
		in, err = tx.SignInByToken(r.Context(), r.FormValue("token"))
		return err
	})
	if err != nil {
		return err
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	return v.signedIn(w, r, in, v.back(r, v.url()))
}

func (v *visit) signOut(w http.ResponseWriter, r *http.Request) error {
	if v.session != "" {
		err := v.write(r, func(tx *app.Tx) error { return tx.SignOut(r.Context(), v.session) })
		if err != nil {
			return err
		}
	}
	v.cookie(w, sessionCookie, "", 0)
	v.cookie(w, visitorCookie, "", 0)
	return v.redirect(w, r, v.url())
}

// subscribe asks whether somebody really wants every changelog entry.
func (v *visit) subscribe(w http.ResponseWriter, r *http.Request) error {
	email := feedback.NormalEmail(r.FormValue("email"))
	if err := v.limit(r, "sign-in", signInRate, ""); err != nil {
		return err
	}
	if err := v.limit(r, "mail", mailRate, email); err != nil {
		return err
	}
	err := v.write(r, func(tx *app.Tx) error { return tx.RequestSubscription(r.Context(), email, v.locale.Tag) })
	if problems, ok := web.ProblemsOf(err); ok && err != nil {
		p := &entriesPage{visit: v, email: cut(email, 254), wrong: problems}
		if err := p.load(r); err != nil {
			return err
		}
		return v.render(w, r, http.StatusUnprocessableEntity, changelogView(p))
	}
	if err != nil {
		return err
	}
	return v.redirect(w, r, v.url("changelog")+"?done=subscribe")
}

func (v *visit) confirmPage(w http.ResponseWriter, r *http.Request) error {
	return v.show(w, r, http.StatusOK, &formPage{step: "confirm", token: r.FormValue("t")})
}

func (v *visit) confirm(w http.ResponseWriter, r *http.Request) error {
	err := v.write(r, func(tx *app.Tx) error { return tx.ConfirmSubscription(r.Context(), r.FormValue("t")) })
	if feedback.IsNotFound(err) {
		return v.show(w, r, http.StatusNotFound, &formPage{done: "portal.link.old"})
	}
	if err != nil {
		return err
	}
	return v.show(w, r, http.StatusOK, &formPage{done: "portal.confirm.done"})
}

// unsubscribePage asks; the button, or a mail program by itself, sends the POST.
func (v *visit) unsubscribePage(w http.ResponseWriter, r *http.Request) error {
	return v.wishPage(w, r, "unsubscribe")
}

func (v *visit) preferencesPage(w http.ResponseWriter, r *http.Request) error {
	return v.wishPage(w, r, "preferences")
}

func (v *visit) wishPage(w http.ResponseWriter, r *http.Request, step string) error {
	p := &formPage{step: step, token: r.FormValue("t")}
	err := v.read(r, func(tx *app.Tx) (err error) {
		p.wish, err = tx.MailWish(r.Context(), p.token)
		return err
	})
	if feedback.IsNotFound(err) {
		return v.show(w, r, http.StatusNotFound, &formPage{done: "portal.link.old"})
	}
	if err != nil {
		return err
	}
	return v.show(w, r, http.StatusOK, p)
}

// unsubscribe ends a kind of mail, also by one click in a mail program (RFC
// 8058), which has no cookie and no page.
func (v *visit) unsubscribe(w http.ResponseWriter, r *http.Request) error {
	err := v.write(r, func(tx *app.Tx) error {
		_, err := tx.Unsubscribe(r.Context(), r.URL.Query().Get("t"))
		return err
	})
	if feedback.IsNotFound(err) {
		return v.show(w, r, http.StatusNotFound, &formPage{done: "portal.link.old"})
	}
	if err != nil {
		return err
	}
	return v.show(w, r, http.StatusOK, &formPage{done: "portal.unsubscribe.done", token: r.URL.Query().Get("t")})
}

func (v *visit) preferences(w http.ResponseWriter, r *http.Request) error {
	token := r.FormValue("t")
	err := v.write(r, func(tx *app.Tx) error {
		return tx.SetWishes(r.Context(), token, wishes(r), r.FormValue("mute") == "on")
	})
	if feedback.IsNotFound(err) {
		return v.show(w, r, http.StatusNotFound, &formPage{done: "portal.link.old"})
	}
	if err != nil {
		return err
	}
	return v.show(w, r, http.StatusOK, &formPage{done: "portal.preferences.done"})
}

// wishes reads the boxes of a form about mail.
func wishes(r *http.Request) feedback.MailWishes {
	on := func(name string) bool { return r.FormValue(name) == "on" }
	return feedback.MailWishes{Status: on("status"), Replies: on("replies"), Changelog: on("changelog"), Subscribed: on("subscribed")}
}

// mePage is what a visitor sees of themselves.
type mePage struct {
	*visit
	*app.MyFeedback
	flash    string
	done     string
	problems feedback.Problems
}

func (v *visit) me(w http.ResponseWriter, r *http.Request) error {
	p := &mePage{visit: v}
	switch r.FormValue("done") {
	case "held":
		p.flash, p.done = "portal.held", "post"
	case "saved":
		p.flash = "portal.me.saved"
	}
	return p.load(w, r, http.StatusOK)
}

func (p *mePage) load(w http.ResponseWriter, r *http.Request, status int) error {
	err := p.read(r, func(tx *app.Tx) (err error) {
		p.MyFeedback, err = tx.MyFeedback(r.Context())
		return err
	})
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return p.render(w, r, status, meView(p))
}

func (v *visit) saveMe(w http.ResponseWriter, r *http.Request) error {
	if err := v.limit(r, "write", writeRate, ""); err != nil {
		return err
	}
	v.introduce(w)
	in := app.Profile{Name: feedback.VisitorName(strings.TrimSpace(r.FormValue("name"))), Locale: v.locale.Tag, Mail: wishes(r)}
	if !v.known() {
		in.Mail = feedback.MailWishes{Status: true, Replies: true, Changelog: true}
	}
	err := v.write(r, func(tx *app.Tx) error { return tx.SetProfile(r.Context(), in) })
	if problems, ok := web.ProblemsOf(err); ok && err != nil {
		p := &mePage{visit: v, problems: problems}
		return p.load(w, r, http.StatusUnprocessableEntity)
	}
	if err != nil {
		return err
	}
	return v.redirect(w, r, v.url("me")+"?done=saved")
}

// export sends everything the service keeps about the visitor.
func (v *visit) export(w http.ResponseWriter, r *http.Request) error {
	var out app.Response
	err := v.read(r, func(tx *app.Tx) error {
		all, err := tx.ExportMine(r.Context())
		if err != nil {
			return err
		}
		out, err = app.JSON(http.StatusOK, all)
		return err
	})
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Disposition", `attachment; filename="feedback-`+url.PathEscape(v.portal.Site.Slug)+`.json"`)
	h.Set("Cache-Control", "no-store")
	w.Write(out.Body)
	return nil
}

func (v *visit) deleteMe(w http.ResponseWriter, r *http.Request) error {
	if r.FormValue("sure") != "on" {
		return v.redirect(w, r, v.url("me"))
	}
	if err := v.write(r, func(tx *app.Tx) error { return tx.DeleteMine(r.Context()) }); err != nil {
		return err
	}
	v.cookie(w, sessionCookie, "", 0)
	v.cookie(w, visitorCookie, "", 0)
	return v.show(w, r, http.StatusOK, &formPage{done: "portal.deleted"})
}
