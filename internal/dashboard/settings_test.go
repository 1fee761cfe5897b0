package dashboard_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"heed/internal/app"
	"heed/internal/feedback"
)

// picture is a PNG of one colour.
func picture(t testing.TB, width, height int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.Set(x, y, color.NRGBA{15, 118, 110, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// upload sends a form with a file.
func (u *user) upload(path, field string, data []byte) answer {
	u.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile(field, "picture.png")
	if err != nil {
		u.t.Fatal(err)
	}
	if _, err := part.Write(data); err != nil {
		u.t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		u.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(u.t.Context(), http.MethodPost, u.w.srv.URL+path, &b)
	if err != nil {
		u.t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Origin", u.w.srv.URL)
	return u.do(req)
}

// settings are those of a site.
func (w *world) settings(t testing.TB, o *app.Opened) *feedback.Settings {
	t.Helper()
	p, err := w.app.Portal(t.Context(), o.Site.Slug)
	if err != nil {
		t.Fatal(err)
	}
	return &p.Settings
}

func TestSettings(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		set := func(tab string, fields ...string) answer {
			t.Helper()
			return u.act(site(o, "settings", tab), fields...)
		}
		u.act(site(o, "settings"), "name", "Northwind", "slug", o.Site.Slug, "intro", "Tell us.").has(t, "Tell us.")
		set("look", "accent", "#ffee00", "scheme", "dark").has(t, "The look is saved")
		set("languages", "locale", "ar")
		set("host", "host", " Feedback.Northwind.example ").has(t, "CNAME", "feedback.northwind.example")
		set("posting", "moderation", "on")
		set("widget", "widgetOrigins", "https://App.example.com/\nhttp://localhost:3000")

		// Each page changed its own and left the others alone.
		got := w.settings(t, o)
		if got.Intro != "Tell us." || got.Accent != "#ffee00" || got.Scheme != feedback.SchemeDark || got.Locale != "ar" ||
			got.Host != "feedback.northwind.example" || !got.Moderation || got.Anonymous ||
			strings.Join(got.WidgetOrigins, " ") != "https://app.example.com http://localhost:3000" {
			t.Errorf("the settings are %+v", got)
		}
		for _, bad := range []struct{ tab, field, value, says string }{
			{"look", "accent", "teal", "It must"},
			{"look", "scheme", "sepia", "must be one of system, light, dark"},
			{"languages", "locale", "tlh", "must be one of en, de, ar"},
			{"host", "host", "https://x.example/", "such as feedback.example.com"},
			{"host", "host", "127.0.0.1", "such as feedback.example.com"},
			{"widget", "widgetOrigins", "https://ok.example https://*.example", "cannot be “https://*.example”: each line must be an origin such as"},
		} {
			fields := []string{bad.field, bad.value}
			if bad.field == "accent" {
				fields = append(fields, "scheme", "dark")
			}
			a := u.post(site(o, "settings", bad.tab), fields...)
			if a.status != http.StatusUnprocessableEntity {
				t.Errorf("%s %q: %d; want 422", bad.field, bad.value, a.status)
			}
			a.has(t, bad.says)
		}
		if after := w.settings(t, o); after.Accent != got.Accent || after.Host != got.Host || after.Locale != got.Locale {
			t.Errorf("what was refused changed the settings to %+v", after)
		}
		set("posting", "anonymous", "on")
		if got := w.settings(t, o); got.Moderation || !got.Anonymous || got.Accent != "#ffee00" {
			t.Errorf("the settings are %+v", got)
		}
		u.page("/dash/audit").has(t, "settings.look_changed", "settings.host_changed", "settings.posting_changed", "settings.widget_changed")
	})
}

// A colour that cannot be read is told, and shown as it would be.
func TestLookIsTried(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Free)
	u := w.signedIn(t, ownerEmail)
	a := u.post(site(o, "settings", "look"), "accent", "#ffee00", "scheme", "light", "act", "check")
	a.has(t, "Nothing is saved yet", "less than a reader needs", "Shown as you chose it")
	if a.status != http.StatusOK || w.settings(t, o).Accent != "" {
		t.Errorf("trying a colour: %d, and the settings have %q", a.status, w.settings(t, o).Accent)
	}
	a.has(t, "It stands in the footer", "Move the account to the STUDIO plan")
	// The other extreme, and what is no colour.
	u.post(site(o, "settings", "look"), "accent", "#000000", "scheme", "light", "act", "check").has(t, "less than a reader needs")
	u.post(site(o, "settings", "look"), "accent", "red;}", "scheme", "light", "act", "check").lacks(t, "c-red")
}

func TestLogo(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		to, look := site(o, "settings", "logo"), site(o, "settings", "look")
		if a := u.get(to); a.status != http.StatusNotFound {
			t.Errorf("no logo yet: %d; want 404", a.status)
		}
		good := picture(t, 64, 64)
		if a := u.upload(to, "logo", good); a.status != http.StatusSeeOther {
			t.Fatalf("a picture: %d\n%s", a.status, a.text())
		}
		page := u.page(look)
		page.has(t, "The logo is changed")
		shown := u.page(to)
		if shown.body != string(good) || shown.header.Get("Content-Type") != "image/png" || !strings.Contains(shown.header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("the logo comes as %v", shown.header)
		}
		hash := w.settings(t, o).LogoHash
		if hash == "" || !strings.Contains(page.body, "/settings/logo?v="+hash) {
			t.Errorf("the page does not show the logo %q", hash)
		}

		huge := append(picture(t, 4, 4), make([]byte, feedback.MaxLogo)...)
		for name, bad := range map[string]struct {
			data []byte
			says string
		}{
			"nothing":    {nil, "Please fill this in"},
			"a script":   {[]byte("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"), "PNG, JPEG, GIF or WebP"},
			"half":       {good[:20], "this file is damaged"},
			"too large":  {huge, "at most 128 KB; this one has 129"},
			"too wide":   {picture(t, 5000, 2), "this one is 5000 × 2"},
			"a document": {[]byte("%PDF-1.7"), "PNG, JPEG, GIF or WebP"},
		} {
			a := u.upload(to, "logo", bad.data)
			if a.status != http.StatusUnprocessableEntity {
				t.Errorf("%s: %d; want 422", name, a.status)
			}
			a.has(t, bad.says)
		}
		if a := u.upload(to, "logo", make([]byte, 2<<20)); a.status != http.StatusBadRequest || !strings.Contains(a.text(), "smaller file") {
			t.Errorf("2 MB: %d; want 400\n%s", a.status, a.text())
		}
		if a := u.upload(to, "other", good); a.status != http.StatusUnprocessableEntity {
			t.Errorf("another field: %d; want 422", a.status)
		}
		if w.settings(t, o).LogoHash != hash {
			t.Error("what was refused changed the logo")
		}
		u.act(site(o, "settings", "logo", "remove")).has(t, "The logo is removed")
		if w.settings(t, o).LogoHash != "" || u.get(to).status != http.StatusNotFound {
			t.Error("the logo is still there")
		}
	})
}

func TestHostIsChecked(t *testing.T) {
	w := newWorld(t, "sqlite")
	o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
	other := w.open(t, "Contoso", "owner@contoso.example", feedback.Studio)
	w.app.SetBaseURL("https://heed.example")
	u := w.signedIn(t, ownerEmail)
	page := site(o, "settings", "host")
	u.act(page, "host", "feedback.northwind.example").has(t, "heed.example")
	u.page(page).lacks(t, "has an address")
	u.page(page+"?check=1").has(t, "feedback.northwind.example has an address: no", "name servers know no address")
	w.hosts = map[string][]string{"heed.example": {"192.0.2.1"}, "feedback.northwind.example": {"198.51.100.9"}}
	u.page(page+"?check=1").has(t, "It leads to this service: perhaps", "198.51.100.9", "192.0.2.1")
	w.hosts["feedback.northwind.example"] = []string{"198.51.100.9", "192.0.2.1"}
	u.page(page+"?check=1").has(t, "It has an address of heed.example")
	delete(w.hosts, "heed.example")
	u.page(page+"?check=1").has(t, "cannot be looked up from here")

	u.post(page, "host", "heed.example").has(t, "is the name of this service")
	v := w.signedIn(t, "owner@contoso.example")
	v.post(site(other, "settings", "host"), "host", "feedback.northwind.example").has(t, "is the host name of another site")
	u.act(page, "host", "").has(t, "no host name of its own any more")
	v.act(site(other, "settings", "host"), "host", "feedback.northwind.example")
}

// lookup answers for the name servers.
func (w *world) lookup(_ context.Context, host string) ([]string, error) {
	if all := w.hosts[host]; all != nil {
		return all, nil
	}
	return nil, errors.New("no such host")
}

func TestBlockList(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		o := w.open(t, "Northwind", ownerEmail, feedback.Studio)
		u := w.signedIn(t, ownerEmail)
		lively(t, w, o)
		page := site(o, "settings", "blocks")
		u.page(page).has(t, "Nobody is blocked")
		u.act(page, "kind", "email", "value", " Troll@Spam.example").has(t, "troll@spam.example")
		u.act(page, "kind", "domain", "value", "@Junk.example").has(t, "junk.example")
		u.act(page, "kind", "visitor", "value", "user-1003").has(t, "user-1003")
		for _, bad := range [][3]string{
			{"email", "nobody", "such as name@example.com"},
			{"domain", "two words", "such as example.com"},
			{"visitor", "user-9999", "There is no visitor"},
			{"planet", "x", "must be one of email, domain, visitor"},
			{"email", "", "Please fill this in"},
		} {
			a := u.post(page, "kind", bad[0], "value", bad[1])
			if a.status != http.StatusUnprocessableEntity {
				t.Errorf("%s %q: %d; want 422", bad[0], bad[1], a.status)
			}
			a.has(t, bad[2])
		}
		id := regexp.MustCompile(`visitors/(vis_\w+)`).FindStringSubmatch(u.page(page).body)[1]
		u.page(site(o, "visitors", id)).has(t, "Blocked", "They cannot write here")
		u.act(page+"/remove", "kind", "visitor", "value", id).has(t, "They can write again")
		u.act(page+"/remove", "kind", "email", "value", "troll@spam.example").lacks(t, "troll@spam")
		u.post(page+"/remove", "kind", "email", "value", "troll@spam.example")
		u.page(page).has(t, "There is no block")
		// The record says what was done, and not whose address it was.
		log := u.page("/dash/audit")
		log.has(t, "block.added", "block.removed")
		log.lacks(t, "troll@spam.example")
	})
}
