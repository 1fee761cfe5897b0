package portal

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/web"
)

// The widget shows the portal in a frame on a page of the site's owner. A frame
// of another site has no cookies worth relying on, so who looks stands in the
// path: /p/{slug}/~{token}/... The token is signed, names a session or nobody in
// particular, and ends after a day. Pages in a frame send no referrer and are
// not kept by anybody.

const frameTime = 24 * time.Hour

// cutToken takes the token off a path.
func cutToken(path string) (token, rest string, framed bool) {
	t, ok := strings.CutPrefix(path, "/~")
	if !ok {
		return "", path, false
	}
	token, rest, _ = strings.Cut(t, "/")
	return token, "/" + rest, true
}

// frameToken is the path of whoever looks at the widget.
func (v *visit) frameToken() string {
	who := "a" + string(v.ref)
	if v.session != "" {
		who = "s" + v.session
	}
	until := v.now.Add(frameTime).UTC().Format("20060102150405")
	return v.h.cfg.App.SignText("frame", v.portal.Site.ID, until+who)
}

// enterFrame reads the token of a path. A token that is no longer good makes its
// holder nobody in particular.
func (v *visit) enterFrame(w http.ResponseWriter, token string) {
	v.frame = true
	v.base += "/~" + token
	h := w.Header()
	h.Set("Content-Security-Policy", web.Policy(v.portal.Settings.WidgetOrigins...))
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Del("Cross-Origin-Opener-Policy")
	text, ok := v.h.cfg.App.VerifyText("frame", v.portal.Site.ID, token)
	if !ok || len(text) < 15 {
		return
	}
	until, err := time.Parse("20060102150405", text[:14])
	if err != nil || v.now.After(until) {
		return
	}
	switch who := text[15:]; text[14] {
	case 'a':
		v.ref = feedback.VisitorRef(who)
	case 's':
		v.session = who
	}
}

// widget begins a visit in a frame: with a token of the site's own application
// as whom it names, else as nobody in particular.
func (v *visit) widget(w http.ResponseWriter, r *http.Request) error {
	if len(v.portal.Settings.WidgetOrigins) == 0 {
		return feedback.Missing("widget", v.portal.Site.Slug)
	}
	inside := &visit{h: v.h, portal: v.portal, base: v.base, now: v.now, locale: v.locale, ref: app.NewVisitorRef()}
	if token := r.FormValue("token"); token != "" {
		if err := v.limit(r, "code", signInRate, ""); err != nil {
			return err
		}
		var in *app.KnownVisitor
		err := inside.write(r, func(tx *app.Tx) (err error) {
			in, err = tx.SignInByToken(r.Context(), token)
			return err
		})
		if err == nil {
			inside.session = in.Session
		} else if feedback.CodeOf(err) != feedback.Forbidden {
			return err
		}
	}
	h := w.Header()
	h.Set("Content-Security-Policy", web.Policy(v.portal.Settings.WidgetOrigins...))
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	http.Redirect(w, r, v.base+"/~"+inside.frameToken()+"/", http.StatusSeeOther)
	return nil
}

// widgetJS is what a page of the site's owner includes:
//
//	<script src=".../p/slug/widget.js" data-token="..." async></script>
//
// It adds a button, or uses every element with data-heed-open, and opens the
// portal in a frame. It reads nothing of the page. The frame says when Escape is
// pressed in it: the page around it does not hear that.
const widgetJS = `(() => {
	const me = document.currentScript, home = %HOME%, label = %LABEL%, shut = %CLOSE%, title = %TITLE%, color = %COLOR%, ink = %INK%;
	let box, frame, before;
	const css = (el, rules) => Object.assign(el.style, rules);
	const close = () => { if (box && box.style.display !== 'none') { css(box, {display: 'none'}); before?.focus?.(); } };
	const open = () => {
		before = document.activeElement;
		if (!box) {
			box = document.createElement('div');
			css(box, {position: 'fixed', inset: '0', zIndex: 2147483000, background: 'rgb(8 9 14 / .45)', display: 'flex', justifyContent: 'flex-end'});
			box.setAttribute('role', 'dialog');
			box.setAttribute('aria-modal', 'true');
			box.setAttribute('aria-label', title);
			box.addEventListener('click', e => { if (e.target === box) close(); });
			const panel = document.createElement('div'), x = document.createElement('button');
			css(panel, {display: 'flex', flexDirection: 'column', width: 'min(480px, 100vw)', height: '100%', background: 'Canvas', boxShadow: '0 0 40px rgb(0 0 0 / .25)'});
			x.type = 'button';
			x.textContent = '\u00d7';
			x.setAttribute('aria-label', shut);
			css(x, {alignSelf: 'flex-end', width: '44px', height: '44px', border: '0', background: 'none', color: 'CanvasText', font: '26px/1 system-ui, sans-serif', cursor: 'pointer'});
			x.addEventListener('click', close);
			frame = document.createElement('iframe');
			frame.title = title;
			frame.referrerPolicy = 'no-referrer';
			frame.src = home + '/widget' + (me && me.dataset.token ? '?token=' + encodeURIComponent(me.dataset.token) : '');
			css(frame, {flex: '1', width: '100%', border: '0', background: 'Canvas'});
			panel.append(x, frame);
			box.append(panel);
			document.body.append(box);
		}
		css(box, {display: 'flex'});
		frame.focus();
	};
	addEventListener('message', e => { if (frame && e.source === frame.contentWindow && e.data === 'heed:close') close(); });
	document.addEventListener('keydown', e => { if (e.key === 'Escape') close(); });
	const start = () => {
		const own = document.querySelectorAll('[data-heed-open]');
		own.forEach(el => el.addEventListener('click', e => { e.preventDefault(); open(); }));
		if (own.length) return;
		const b = document.createElement('button');
		b.type = 'button';
		b.textContent = label;
		css(b, {position: 'fixed', insetInlineEnd: '20px', bottom: '20px', zIndex: 2147482999, padding: '10px 18px', borderRadius: '99px',
			border: '0', background: color, color: ink, font: '600 15px system-ui, sans-serif', cursor: 'pointer', boxShadow: '0 6px 20px rgb(0 0 0 / .2)'});
		b.addEventListener('click', open);
		document.body.append(b);
	};
	if (document.body) start(); else document.addEventListener('DOMContentLoaded', start);
})();
`

func (v *visit) widgetScript(w http.ResponseWriter, r *http.Request) error {
	a := web.AccentOf(v.portal.Settings.Accent)
	text := func(s string) string {
		b, _ := json.Marshal(s) // a string always encodes
		return string(b)
	}
	js := strings.NewReplacer(
		"%HOME%", text(v.home()), "%LABEL%", text(v.locale.T("portal.widget")), "%CLOSE%", text(v.locale.T("portal.close")), "%TITLE%", text(v.portal.Site.Name),
		"%COLOR%", text(a.Light), "%INK%", text(a.OnLight)).Replace(widgetJS)
	h := w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	web.Send(w, r, http.StatusOK, []byte(js))
	return nil
}
