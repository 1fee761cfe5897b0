package dashboard

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"heed/internal/app"
	"heed/internal/feedback"
	"heed/internal/ratelimit"
	"heed/internal/web"
)

// Config is what the dashboard needs to know.
type Config struct {
	App *app.App
	// BaseURL is how the outside reaches the service.
	BaseURL string
	Version string
	// Portal is where the public sees a site; nil is /p/ and its slug.
	Portal func(*feedback.Site) string
	Now    func() time.Time
	Log    *slog.Logger
}

// Dash serves the dashboard.
type Dash struct {
	cfg     Config
	mux     *http.ServeMux
	handler http.Handler
	// byPattern is the table of routes.
	byPattern map[string]route

	networks *ratelimit.Limiter[netip.Prefix] // attempts to sign in, by where they come from
}

// Mounts are the patterns to mount the dashboard at.
func Mounts() []string {
	return []string{"/dash", "/dash/", "/signin", "/signin/", "/setup", "/setup/", "/invite/", "/reset/"}
}

// New returns the dashboard.
func New(cfg Config) *Dash {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.BaseURL = strings.TrimRight(cfg.BaseURL, "/")
	if cfg.Portal == nil {
		cfg.Portal = func(s *feedback.Site) string { return cfg.BaseURL + "/p/" + s.Slug }
	}
	d := &Dash{
		cfg: cfg, mux: http.NewServeMux(), networks: ratelimit.New[netip.Prefix](cfg.Now), byPattern: map[string]route{},
	}
	for _, r := range routes() {
		d.byPattern[r.pattern] = r
		d.mux.HandleFunc(r.pattern, func(w http.ResponseWriter, req *http.Request) { d.serve(w, req, r) })
	}
	// Other sites may link here, and no more: every unsafe method from
	// another origin is refused before anything is read.
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := d.call(w, r)
		c.fail(&feedback.Error{
			Code: feedback.Forbidden, Msg: "The request came from another site.", Hint: "Open the page itself and try again.",
		})
	}))
	d.handler = web.Secure(cross.Handler(d.mux))
	return d
}

// ServeHTTP serves a page or an action.
func (d *Dash) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.handler.ServeHTTP(w, r) }

// route is a page or an action and who may have it.
type route struct {
	pattern string
	least   feedback.Role // "" is for everybody, signed in or not
	// operator: only for owners of the first account, who run the
	// installation.
	operator bool
	// proof: whoever acts must have shown lately who they are.
	proof  bool
	handle func(*call) error
}

// routes is who may do what.
func routes() []route {
	const (
		viewer = feedback.Viewer
		member = feedback.Editor
		admin  = feedback.Admin
		owner  = feedback.Owner
	)
	return []route{
		{pattern: "GET /signin", handle: (*call).showSignIn},
		{pattern: "POST /signin", handle: (*call).signIn},
		{pattern: "POST /signin/enter", handle: (*call).enter},
		{pattern: "GET /setup", handle: (*call).showSetupHint},
		{pattern: "GET /setup/{token}", handle: (*call).showSetup},
		{pattern: "POST /setup/{token}", handle: (*call).setUp},
		{pattern: "GET /invite/{token}", handle: (*call).showInvitation},
		{pattern: "POST /invite/{token}", handle: (*call).acceptInvitation},
		{pattern: "GET /reset/{token}", handle: (*call).showReset},
		{pattern: "POST /reset/{token}", handle: (*call).resetPassword},

		{pattern: "GET /signin/forgot", handle: (*call).showForgot},
		{pattern: "POST /signin/forgot", handle: (*call).forgot},
		{pattern: "POST /signin/passkey", handle: (*call).signInByPasskey},
		{pattern: "GET /signin/oidc", handle: (*call).leaveForSignOn},
		{pattern: "GET " + app.SignOnPath, handle: (*call).returnFromSignOn},
		{pattern: "POST /signin/join", handle: (*call).join},

		{pattern: "GET /dash", least: viewer, handle: (*call).home},
		{pattern: "GET /dash/{$}", least: viewer, handle: (*call).home},
		{pattern: "/dash/", least: viewer, handle: (*call).missing},
		{pattern: "POST /dash/signout", least: viewer, handle: (*call).signOut},

		{pattern: "GET /dash/profile", least: viewer, handle: (*call).profile},
		{pattern: "POST /dash/profile", least: viewer, handle: (*call).renameMe},
		{pattern: "POST /dash/profile/password", least: viewer, handle: (*call).changePassword},
		{pattern: "POST /dash/profile/sessions/{session}/end", least: viewer, handle: (*call).endSession},
		{pattern: "POST /dash/profile/sessions/end", least: viewer, handle: (*call).endOtherSessions},
		{pattern: "POST /dash/profile/totp/new", least: viewer, proof: true, handle: (*call).newTOTP},
		{pattern: "POST /dash/profile/totp", least: viewer, proof: true, handle: (*call).enableTOTP},
		{pattern: "POST /dash/profile/totp/codes", least: viewer, proof: true, handle: (*call).newRecoveryCodes},
		{pattern: "POST /dash/profile/totp/off", least: viewer, proof: true, handle: (*call).disableTOTP},

		{pattern: "POST /dash/profile/passkeys/new", least: viewer, proof: true, handle: (*call).newPasskey},
		{pattern: "POST /dash/profile/passkeys", least: viewer, proof: true, handle: (*call).addPasskey},
		{pattern: "POST /dash/profile/passkeys/{passkey}/remove", least: viewer, proof: true, handle: (*call).removePasskey},
		{pattern: "POST /dash/profile/identity/forget", least: viewer, proof: true, handle: (*call).forgetIdentity},

		{pattern: "GET /dash/keys", least: admin, handle: (*call).keys},
		{pattern: "POST /dash/keys", least: admin, proof: true, handle: (*call).createKey},
		{pattern: "POST /dash/keys/{key}/revoke", least: admin, handle: (*call).revokeKey},

		{pattern: "GET /dash/members", least: viewer, handle: (*call).members},
		{pattern: "POST /dash/members/invite", least: admin, proof: true, handle: (*call).invite},
		{pattern: "POST /dash/members/invitations/{invitation}/revoke", least: admin, handle: (*call).revokeInvitation},
		{pattern: "POST /dash/members/{member}/role", least: admin, proof: true, handle: (*call).changeRole},
		{pattern: "POST /dash/members/{member}/remove", least: admin, proof: true, handle: (*call).removeMember},
		{pattern: "POST /dash/members/{member}/reset", least: admin, proof: true, handle: (*call).resetLink},
		{pattern: "POST /dash/members/{member}/factor/off", least: admin, proof: true, handle: (*call).removeFactor},
		{pattern: "GET /dash/plan", least: viewer, handle: (*call).plan},
		{pattern: "GET /dash/audit", least: admin, handle: (*call).audit},
		{pattern: "GET /dash/audit.csv", least: admin, handle: (*call).auditExport},

		{pattern: "GET /dash/sites/new", least: admin, handle: (*call).newSite},
		{pattern: "POST /dash/sites", least: admin, handle: (*call).createSite},
		{pattern: "GET /dash/sites/{site}", least: viewer, handle: (*call).overview},

		{pattern: "GET /dash/sites/{site}/settings", least: admin, handle: (*call).siteSettings},
		{pattern: "POST /dash/sites/{site}/settings", least: admin, handle: (*call).saveSite},
		{pattern: "GET /dash/sites/{site}/settings/look", least: admin, handle: settingsTab("look")},
		{pattern: "POST /dash/sites/{site}/settings/look", least: admin, handle: (*call).saveLook},
		{pattern: "GET /dash/sites/{site}/settings/logo", least: admin, handle: (*call).logo},
		{pattern: "POST /dash/sites/{site}/settings/logo", least: admin, handle: (*call).saveLogo},
		{pattern: "POST /dash/sites/{site}/settings/logo/remove", least: admin, handle: (*call).removeLogo},
		{pattern: "GET /dash/sites/{site}/settings/languages", least: admin, handle: settingsTab("languages")},
		{pattern: "POST /dash/sites/{site}/settings/languages", least: admin, handle: (*call).saveLanguages},
		{pattern: "GET /dash/sites/{site}/settings/host", least: admin, handle: (*call).hostTab},
		{pattern: "POST /dash/sites/{site}/settings/host", least: admin, proof: true, handle: (*call).saveHost},
		{pattern: "GET /dash/sites/{site}/settings/posting", least: admin, handle: settingsTab("posting")},
		{pattern: "POST /dash/sites/{site}/settings/posting", least: admin, handle: (*call).savePosting},
		{pattern: "GET /dash/sites/{site}/settings/blocks", least: admin, handle: settingsTab("blocks")},
		{pattern: "POST /dash/sites/{site}/settings/blocks", least: admin, handle: (*call).addBlock},
		{pattern: "POST /dash/sites/{site}/settings/blocks/remove", least: admin, handle: (*call).removeBlock},
		{pattern: "GET /dash/sites/{site}/settings/sso", least: admin, handle: settingsTab("sso")},
		{pattern: "POST /dash/sites/{site}/settings/sso", least: admin, proof: true, handle: (*call).newSSOSecret},
		{pattern: "POST /dash/sites/{site}/settings/sso/remove", least: admin, proof: true, handle: (*call).removeSSOSecret},
		{pattern: "GET /dash/sites/{site}/settings/widget", least: admin, handle: settingsTab("widget")},
		{pattern: "POST /dash/sites/{site}/settings/widget", least: admin, handle: (*call).saveWidget},

		{pattern: "GET /dash/sites/{site}/queue", least: viewer, handle: (*call).queue},
		{pattern: "POST /dash/sites/{site}/queue", least: member, handle: (*call).judge},

		{pattern: "GET /dash/sites/{site}/visitors", least: viewer, handle: (*call).visitors},
		{pattern: "GET /dash/sites/{site}/visitors/{visitor}", least: viewer, handle: (*call).visitor},
		{pattern: "POST /dash/sites/{site}/visitors/{visitor}/block", least: member, handle: (*call).blockVisitor},
		{pattern: "POST /dash/sites/{site}/visitors/{visitor}/unblock", least: member, handle: (*call).unblockVisitor},
		{pattern: "POST /dash/sites/{site}/visitors/{visitor}/export", least: member, handle: (*call).exportVisitor},
		{pattern: "POST /dash/sites/{site}/visitors/{visitor}/delete", least: admin, proof: true, handle: (*call).deleteVisitor},

		{pattern: "GET /dash/sites/{site}/posts", least: viewer, handle: (*call).posts},
		{pattern: "POST /dash/sites/{site}/posts", least: member, handle: (*call).createPost},
		{pattern: "GET /dash/sites/{site}/posts/new", least: member, handle: (*call).newPost},
		{pattern: "POST /dash/sites/{site}/posts/bulk", least: member, handle: (*call).bulk},
		{pattern: "POST /dash/sites/{site}/views", least: member, handle: (*call).saveView},
		{pattern: "POST /dash/sites/{site}/views/change", least: member, handle: (*call).changeView},
		{pattern: "POST /dash/sites/{site}/views/{view}", least: member, handle: (*call).renameView},
		{pattern: "POST /dash/sites/{site}/views/{view}/delete", least: member, handle: (*call).deleteView},
		{pattern: "GET /dash/sites/{site}/posts/{post}", least: viewer, handle: (*call).post},
		{pattern: "GET /dash/sites/{site}/posts/{post}/next", least: viewer, handle: (*call).nextPost},
		{pattern: "POST /dash/sites/{site}/posts/{post}/comments", least: member, handle: (*call).comment},
		{pattern: "GET /dash/sites/{site}/posts/{post}/comments/{comment}", least: member, handle: (*call).editComment},
		{pattern: "POST /dash/sites/{site}/posts/{post}/comments/{comment}", least: member, handle: (*call).saveComment},
		{pattern: "POST /dash/sites/{site}/posts/{post}/comments/{comment}/hide", least: member, handle: (*call).hideComment},
		{pattern: "POST /dash/sites/{site}/posts/{post}/comments/{comment}/delete", least: member, handle: (*call).deleteComment},
		{pattern: "GET /dash/sites/{site}/posts/{post}/similar", least: viewer, handle: (*call).similarPosts},
		{pattern: "POST /dash/sites/{site}/posts/{post}/status", least: member, handle: (*call).changeStatus},
		{pattern: "POST /dash/sites/{site}/posts/{post}/flags", least: member, handle: (*call).setFlag},
		{pattern: "POST /dash/sites/{site}/posts/{post}/move", least: member, handle: (*call).movePost},
		{pattern: "POST /dash/sites/{site}/posts/{post}/tags", least: member, handle: (*call).tagPost},
		{pattern: "GET /dash/sites/{site}/posts/{post}/edit", least: member, handle: (*call).editPost},
		{pattern: "POST /dash/sites/{site}/posts/{post}/edit", least: member, handle: (*call).savePost},
		{pattern: "POST /dash/sites/{site}/posts/{post}/votes", least: member, handle: (*call).vote},
		{pattern: "GET /dash/sites/{site}/posts/{post}/voters", least: member, handle: (*call).voters},
		{pattern: "GET /dash/sites/{site}/posts/{post}/merge", least: member, handle: (*call).mergePreview},
		{pattern: "POST /dash/sites/{site}/posts/{post}/merge", least: member, handle: (*call).merge},
		{pattern: "POST /dash/sites/{site}/actions/{action}/undo", least: member, handle: (*call).undo},

		{pattern: "GET /dash/sites/{site}/boards", least: viewer, handle: (*call).boards},
		{pattern: "POST /dash/sites/{site}/boards", least: admin, handle: (*call).createBoard},
		{pattern: "GET /dash/sites/{site}/boards/{board}", least: admin, handle: (*call).board},
		{pattern: "POST /dash/sites/{site}/boards/{board}", least: admin, handle: (*call).saveBoard},
		{pattern: "POST /dash/sites/{site}/boards/{board}/remove", least: admin, handle: (*call).removeBoard},
		{pattern: "GET /dash/sites/{site}/statuses", least: viewer, handle: (*call).statuses},
		{pattern: "POST /dash/sites/{site}/statuses", least: admin, handle: (*call).createStatus},
		{pattern: "POST /dash/sites/{site}/statuses/order", least: admin, handle: (*call).orderStatus},
		{pattern: "GET /dash/sites/{site}/statuses/{status}", least: admin, handle: (*call).status},
		{pattern: "POST /dash/sites/{site}/statuses/{status}", least: admin, handle: (*call).saveStatus},
		{pattern: "POST /dash/sites/{site}/statuses/{status}/remove", least: admin, handle: (*call).removeStatus},
		{pattern: "GET /dash/sites/{site}/tags", least: viewer, handle: (*call).tags},
		{pattern: "POST /dash/sites/{site}/tags", least: member, handle: (*call).createTag},
		{pattern: "POST /dash/sites/{site}/tags/{tag}", least: member, handle: (*call).saveTag},
		{pattern: "POST /dash/sites/{site}/tags/{tag}/remove", least: admin, handle: (*call).removeTag},

		{pattern: "GET /dash/sites/{site}/changelog", least: viewer, handle: (*call).changelog},
		{pattern: "GET /dash/sites/{site}/changelog/new", least: member, handle: (*call).newEntry},
		{pattern: "POST /dash/sites/{site}/changelog", least: member, handle: (*call).createEntry},
		{pattern: "POST /dash/sites/{site}/changelog/preview", least: member, handle: (*call).previewEntry},
		{pattern: "POST /dash/sites/{site}/changelog/find", least: member, handle: (*call).findLinks},
		{pattern: "GET /dash/sites/{site}/changelog/{entry}", least: viewer, handle: (*call).entry},
		{pattern: "POST /dash/sites/{site}/changelog/{entry}", least: member, handle: (*call).saveEntry},
		{pattern: "POST /dash/sites/{site}/changelog/{entry}/publish", least: member, handle: (*call).publishEntry},
		{pattern: "POST /dash/sites/{site}/changelog/{entry}/unpublish", least: member, handle: (*call).unpublishEntry},
		{pattern: "POST /dash/sites/{site}/changelog/{entry}/unschedule", least: member, handle: (*call).unscheduleEntry},

		{pattern: "GET /dash/sites/{site}/automation", least: viewer, handle: (*call).automation},
		{pattern: "POST /dash/sites/{site}/automation", least: member, handle: (*call).startRun},
		{pattern: "GET /dash/sites/{site}/automation/{run}", least: viewer, handle: (*call).showOneRun},
		{pattern: "POST /dash/sites/{site}/automation/{run}/complete", least: member, handle: (*call).completeRun},
		{pattern: "GET /dash/sites/{site}/insights", least: viewer, handle: (*call).insights},
		{pattern: "GET /dash/sites/{site}/insights/run", least: viewer, handle: (*call).insightState},
		{pattern: "POST /dash/sites/{site}/insights/run", least: member, handle: (*call).runInsights},
		{pattern: "GET /dash/sites/{site}/insights/themes/{theme}", least: viewer, handle: (*call).theme},

		{pattern: "GET /dash/sites/{site}/webhooks", least: viewer, handle: (*call).webhooks},
		{pattern: "POST /dash/sites/{site}/webhooks", least: admin, proof: true, handle: (*call).createEndpoint},
		{pattern: "GET /dash/sites/{site}/webhooks/{endpoint}", least: viewer, handle: (*call).endpoint},
		{pattern: "POST /dash/sites/{site}/webhooks/{endpoint}", least: admin, proof: true, handle: (*call).saveEndpoint},
		{pattern: "POST /dash/sites/{site}/webhooks/{endpoint}/switch", least: admin, handle: (*call).switchEndpoint},
		{pattern: "POST /dash/sites/{site}/webhooks/{endpoint}/rotate", least: admin, proof: true, handle: (*call).rotateSecret},
		{pattern: "POST /dash/sites/{site}/webhooks/{endpoint}/test", least: admin, handle: (*call).testEndpoint},
		{pattern: "POST /dash/sites/{site}/webhooks/{endpoint}/remove", least: admin, proof: true, handle: (*call).deleteEndpoint},
		{pattern: "GET /dash/sites/{site}/webhooks/{endpoint}/{delivery}", least: viewer, handle: (*call).delivery},
		{pattern: "POST /dash/sites/{site}/webhooks/{endpoint}/{delivery}/redeliver", least: admin, handle: (*call).redeliver},

		{pattern: "GET /dash/operator", least: owner, operator: true, handle: (*call).operator},
		{pattern: "POST /dash/operator/accounts/{account}/plan", least: owner, operator: true, proof: true, handle: (*call).setPlan},
		{pattern: "POST /dash/operator/backup", least: owner, operator: true, proof: true, handle: (*call).backup},
		{pattern: "GET /dash/operator/work", least: owner, operator: true, handle: (*call).work},
		{pattern: "GET /dash/operator/mail", least: owner, operator: true, handle: (*call).outbox},
		{pattern: "POST /dash/operator/mail/test", least: owner, operator: true, proof: true, handle: (*call).tryMail},
		{pattern: "GET /dash/operator/mail/{mail}", least: owner, operator: true, handle: (*call).mail},
		{pattern: "POST /dash/operator/mail/{mail}/read", least: owner, operator: true, proof: true, handle: (*call).readMail},
		{pattern: "POST /dash/operator/mail/{mail}/resend", least: owner, operator: true, handle: (*call).resendMail},
	}
}
