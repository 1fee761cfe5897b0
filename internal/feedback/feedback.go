// Package feedback holds the nouns of the service (sites, boards, posts, votes,
// runs, ...) and the rules that are true of them whatever the transport or the
// database: lengths, states, plans, scopes, and the one error type that crosses
// all layers. It does no I/O and reads no clock, so every rule here can be
// tested with plain values. A limit that a person can meet is written here and
// nowhere else; the API document and the forms read it from the types.
package feedback

import "heed/internal/ids"

// The identifiers, each a type of its own. The kinds are unexported: they exist
// only to give a prefix to a type.
type (
	AccountID  = ids.ID[accountKind]
	MemberID   = ids.ID[memberKind]
	KeyID      = ids.ID[keyKind]
	SiteID     = ids.ID[siteKind]
	BoardID    = ids.ID[boardKind]
	PostID     = ids.ID[postKind]
	CommentID  = ids.ID[commentKind]
	StatusID   = ids.ID[statusKind]
	TagID      = ids.ID[tagKind]
	EntryID    = ids.ID[entryKind]
	ActionID   = ids.ID[actionKind]
	RunID      = ids.ID[runKind]
	StepID     = ids.ID[stepKind]
	EndpointID = ids.ID[endpointKind]
	DeliveryID = ids.ID[deliveryKind]
	MessageID  = ids.ID[messageKind]
	NoticeID   = ids.ID[noticeKind]
	ThemeID    = ids.ID[themeKind]
	// InsightRunID names a search for themes. It never leaves the service but
	// in the output of commands.
	InsightRunID = ids.ID[insightRunKind]
	MailID       = ids.ID[mailKind]
	ViewID       = ids.ID[viewKind]
	// VisitorID is our own name for a visitor. Callers know a visitor by
	// their own [VisitorRef]; only the team's pages show this id.
	VisitorID = ids.ID[visitorKind]
)

type (
	accountKind    struct{}
	memberKind     struct{}
	keyKind        struct{}
	siteKind       struct{}
	boardKind      struct{}
	postKind       struct{}
	commentKind    struct{}
	statusKind     struct{}
	tagKind        struct{}
	entryKind      struct{}
	actionKind     struct{}
	runKind        struct{}
	stepKind       struct{}
	endpointKind   struct{}
	deliveryKind   struct{}
	messageKind    struct{}
	noticeKind     struct{}
	themeKind      struct{}
	insightRunKind struct{}
	mailKind       struct{}
	viewKind       struct{}
	visitorKind    struct{}
)

func (accountKind) Prefix() string    { return "acct" }
func (memberKind) Prefix() string     { return "mem" }
func (keyKind) Prefix() string        { return "key" }
func (siteKind) Prefix() string       { return "site" }
func (boardKind) Prefix() string      { return "brd" }
func (postKind) Prefix() string       { return "post" }
func (commentKind) Prefix() string    { return "cmt" }
func (statusKind) Prefix() string     { return "sts" }
func (tagKind) Prefix() string        { return "tag" }
func (entryKind) Prefix() string      { return "chg" }
func (actionKind) Prefix() string     { return "act" }
func (runKind) Prefix() string        { return "run" }
func (stepKind) Prefix() string       { return "step" }
func (endpointKind) Prefix() string   { return "we" }
func (deliveryKind) Prefix() string   { return "dlv" }
func (messageKind) Prefix() string    { return "msg" }
func (noticeKind) Prefix() string     { return "ntc" }
func (themeKind) Prefix() string      { return "thm" }
func (insightRunKind) Prefix() string { return "ins" }
func (mailKind) Prefix() string       { return "mail" }
func (viewKind) Prefix() string       { return "view" }
func (visitorKind) Prefix() string    { return "vis" }
