// Package config lists the settings of the service: every one has a flag, an
// environment variable, a default and a line that explains it, all in the struct
// below. It reads nothing by itself and judges nothing: the program fills it in
// and each part of the service receives its own part of it. The page of settings
// in the documentation is made from this struct.
package config

// Database says where the data is.
type Database struct {
	DB        string `name:"db" env:"HEED_DB" default:"sqlite:heed.db" placeholder:"URL" help:"Where the data is: sqlite:PATH or postgres://..."`
	SecretKey string `name:"secret-key" env:"HEED_SECRET_KEY" placeholder:"BASE64" help:"Base64 of 32 bytes. Encrypts webhook secrets and signs cursors and cookies. With SQLite it is made once beside the database when unset; with PostgreSQL it is required, the same on every node."`
}

// Rules are the settings that change what the service allows.
type Rules struct {
	DefaultPlan string `name:"default-plan" env:"HEED_DEFAULT_PLAN" default:"STUDIO" placeholder:"PLAN" help:"The plan of a new account: FREE, PRO or STUDIO."`
	PlanLimits  string `name:"plan-limits" env:"HEED_PLAN_LIMITS" default:"FREE=1/2,PRO=3/10,STUDIO=100/500" placeholder:"LIMITS" help:"Sites and seats by plan."`
	AgentKinds  string `name:"agent-kinds" env:"HEED_AGENT_KINDS" default:"KIND_A,KIND_B,KIND_C" placeholder:"NAMES" help:"The wire names of the three agent kinds, in order."`
}

// Server says how the service is reached.
type Server struct {
	Addr       string `name:"addr" env:"HEED_ADDR" default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where to listen."`
	BaseURL    string `name:"base-url" env:"HEED_BASE_URL" placeholder:"URL" help:"How the outside reaches the service; http:// and the address when unset."`
	RateLimits string `name:"rate-limits" env:"HEED_RATE_LIMITS" default:"PRO=3000/min:500,STUDIO=6000/min:1000" placeholder:"RATES" help:"Requests and burst for each key by plan, or off."`
	LogFormat  string `name:"log-format" env:"HEED_LOG_FORMAT" default:"text" enum:"text,json" placeholder:"FORMAT" help:"How log lines are written: text or json."`
	LogLevel   string `name:"log-level" env:"HEED_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"What is logged: debug, info, warn or error."`
}

// Webhooks says how events are sent to those who listen.
type Webhooks struct {
	Schedule     string `name:"webhook-schedule" env:"HEED_WEBHOOK_SCHEDULE" default:"0s,5s,5m,30m,2h,5h,10h,14h,20h,24h" placeholder:"DELAYS" help:"How long to wait before each attempt at a delivery."`
	DisableAfter int    `name:"webhook-disable-after" env:"HEED_WEBHOOK_DISABLE_AFTER" default:"5" placeholder:"N" help:"How many deliveries in a row may fail for good before their endpoint is disabled."`
	AllowCIDRs   string `name:"webhook-allow-cidrs" env:"HEED_WEBHOOK_ALLOW_CIDRS" placeholder:"CIDRS" help:"Private networks that endpoints may be in, such as 10.0.0.0/8; any port is allowed there. HTTPS stays required."`
	ExtraCA      string `name:"webhook-extra-ca" env:"HEED_WEBHOOK_EXTRA_CA" type:"path" placeholder:"FILE" help:"PEM file of a certificate authority to trust beside the system's."`
}

// AI names a provider for insights. Without one the model in the program does
// everything.
type AI struct {
	AIURL          string `name:"ai-url" env:"HEED_AI_URL" placeholder:"URL" help:"An OpenAI-compatible provider for insights, up to and including /v1. Unset: the model in the program."`
	AIKey          string `name:"ai-key" env:"HEED_AI_KEY" placeholder:"KEY" help:"The provider's API key; none is sent when unset."`
	AIEmbedModel   string `name:"ai-embed-model" env:"HEED_AI_EMBED_MODEL" placeholder:"MODEL" help:"The provider's model that turns posts into vectors. Unset: the model in the program."`
	AIChatModel    string `name:"ai-chat-model" env:"HEED_AI_CHAT_MODEL" placeholder:"MODEL" help:"The provider's model that names themes and sums them up. Unset: they are named with words of the posts."`
	AIMonthlyUnits int    `name:"ai-monthly-units" env:"HEED_AI_MONTHLY_UNITS" default:"100000" placeholder:"UNITS" help:"How much of the provider an account may use in a month (UTC): 1 unit a post, 5 a theme that is named. 0: nothing."`
}

// Mail says how mail is sent. Without a server it is kept in the outbox.
type Mail struct {
	SMTPURL  string `name:"smtp-url" env:"HEED_SMTP_URL" placeholder:"URL" help:"The mail server: smtp://user:password@host:587 or smtps://... Unset: mail is kept in the outbox."`
	MailFrom string `name:"mail-from" env:"HEED_MAIL_FROM" placeholder:"ADDRESS" help:"The address mail comes from, such as Heed <feedback@example.com>."`
}

// SignOn names an OpenID Connect provider that members can sign in by.
type SignOn struct {
	OIDCIssuer       string `name:"oidc-issuer" env:"HEED_OIDC_ISSUER" placeholder:"URL" help:"The OpenID Connect provider that members can sign in by, such as https://login.example.com. Its callback address is the base URL and /signin/oidc/callback. Unset: none."`
	OIDCClientID     string `name:"oidc-client-id" env:"HEED_OIDC_CLIENT_ID" placeholder:"ID" help:"Who the service is at the provider."`
	OIDCClientSecret string `name:"oidc-client-secret" env:"HEED_OIDC_CLIENT_SECRET" placeholder:"SECRET" help:"The secret of that client."`
	OIDCName         string `name:"oidc-name" env:"HEED_OIDC_NAME" placeholder:"NAME" help:"What the button of the sign-in calls the provider; the host of the issuer when unset."`
}
