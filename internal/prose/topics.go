package prose

// topic is a corner of the product. Its verbs are done to its things; parts are
// what a thing has, places where one sees it.
type topic struct {
	tag    string
	thing  string
	things string
	verbs  []string
	parts  []string
	places []string
}

// Tags are all tags that posts can get.
func Tags() []string {
	all := []string{"Regression", "Quick win", "Enterprise", "Onboarding", "Customer call"}
	for _, t := range topics {
		all = append(all, t.tag)
	}
	return all
}

var topics = []topic{
	{"Tasks", "task", "tasks",
		[]string{"assign", "duplicate", "archive", "snooze", "split", "reopen", "convert", "reorder", "pin", "estimate", "batch-edit"},
		[]string{"due date", "assignee", "checklist", "priority", "estimate", "description", "parent task", "recurrence", "watcher list"},
		[]string{"list view", "board view", "my tasks page", "task detail panel", "quick-add dialog", "sprint backlog"}},
	{"Boards", "board", "boards",
		[]string{"duplicate", "share", "filter", "export", "archive", "collapse", "rename", "template", "lock"},
		[]string{"swimlanes", "column limits", "background", "card cover", "column order", "saved filter", "card density"},
		[]string{"board view", "board settings", "sidebar", "workspace home", "presentation mode"}},
	{"Timeline", "timeline", "timelines",
		[]string{"zoom", "print", "share", "baseline", "export", "compare", "embed"},
		[]string{"dependencies", "milestones", "critical path", "time zone", "week numbers", "working days", "lag between bars"},
		[]string{"Gantt chart", "timeline view", "portfolio page", "roadmap page", "project overview"}},
	{"Reports", "report", "reports",
		[]string{"schedule", "export", "share", "clone", "filter", "pin", "annotate", "drill into"},
		[]string{"date range", "grouping", "burndown chart", "velocity chart", "totals row", "colour scale", "cycle time"},
		[]string{"dashboard", "report builder", "weekly digest", "portfolio page", "printed report"}},
	{"Notifications", "notification", "notifications",
		[]string{"mute", "group", "snooze", "filter", "forward", "mark as read", "batch"},
		[]string{"quiet hours", "digest time", "sound", "badge count", "mention rules", "channel", "priority"},
		[]string{"inbox", "notification settings", "e-mail digest", "mobile lock screen", "desktop app"}},
	{"Search", "search", "searches",
		[]string{"save", "share", "refine", "sort", "pin", "export"},
		[]string{"operators", "recent queries", "result preview", "ranking", "archived results", "attachments", "exact phrases"},
		[]string{"command palette", "search page", "quick switcher", "mobile search", "filter bar"}},
	{"Time tracking", "time entry", "time entries",
		[]string{"edit", "approve", "round", "export", "lock", "copy", "merge", "tag"},
		[]string{"billable flag", "timer", "rate", "approval", "overtime", "weekly total", "client code"},
		[]string{"timesheet", "timer widget", "invoice draft", "approval page", "menu bar app"}},
	{"Automation", "rule", "rules",
		[]string{"pause", "copy", "test", "version", "schedule", "share", "debug"},
		[]string{"conditions", "trigger", "run history", "error log", "branches", "rate limit", "variables"},
		[]string{"rule editor", "automation log", "project settings", "template gallery"}},
	{"Integrations", "integration", "integrations",
		[]string{"disconnect", "re-authorise", "configure", "sync", "pause", "map", "audit"},
		[]string{"field mapping", "sync direction", "webhook", "OAuth scope", "error queue", "last sync time", "service account"},
		[]string{"integrations page", "workspace settings", "connection log", "setup wizard"}},
	{"Mobile", "mobile app", "mobile apps",
		[]string{"lock", "sync", "personalise", "update", "pair"},
		[]string{"offline mode", "widgets", "share sheet", "dark theme", "swipe actions", "voice input", "tablet layout"},
		[]string{"home screen", "task detail screen", "camera upload", "login screen", "Android widget", "iPad split view"}},
	{"Permissions", "role", "roles",
		[]string{"copy", "restrict", "audit", "delegate", "expire", "preview"},
		[]string{"guest invitation", "default role", "field-level rights", "approval step", "SCIM groups", "audit trail", "read-only mode"},
		[]string{"members page", "admin console", "project settings", "invitation dialog", "share dialog"}},
	{"Files", "attachment", "attachments",
		[]string{"preview", "version", "annotate", "move", "bulk-download", "replace", "compress"},
		[]string{"version history", "size limit", "thumbnail", "expiry date", "link permissions", "file name", "virus scan"},
		[]string{"files tab", "comment box", "task detail panel", "document editor", "upload dialog"}},
	{"Calendar", "calendar", "calendars",
		[]string{"subscribe to", "overlay", "share", "print", "colour-code", "sync"},
		[]string{"working hours", "public holidays", "all-day events", "week start", "time zone", "recurring events", "capacity bar"},
		[]string{"calendar view", "month view", "planning page", "team availability page"}},
	{"Editor", "document", "documents",
		[]string{"import", "export", "link", "embed", "version", "comment on", "publish"},
		[]string{"tables", "code blocks", "headings", "mentions", "templates", "table of contents", "keyboard shortcuts", "footnotes"},
		[]string{"document editor", "description field", "comment box", "wiki home", "full-screen mode"}},
	{"Billing", "invoice", "invoices",
		[]string{"download", "split", "forward", "dispute", "prepay", "consolidate"},
		[]string{"VAT number", "purchase order", "seat count", "billing address", "currency", "payment method", "renewal date"},
		[]string{"billing page", "checkout", "admin console", "receipt e-mail"}},
	{"Forms", "form", "forms",
		[]string{"embed", "duplicate", "brand", "translate", "close", "prefill", "route"},
		[]string{"conditional fields", "confirmation message", "spam filter", "hidden fields", "file upload", "response limit", "required fields"},
		[]string{"form builder", "public form", "submissions tab", "intake queue"}},
	{"Accessibility", "shortcut", "shortcuts",
		[]string{"remap", "disable", "list", "reset"},
		[]string{"focus ring", "contrast", "screen reader label", "reduced motion", "tab order", "text size", "skip link"},
		[]string{"board view", "date picker", "command palette", "comment box", "settings page", "drag handle"}},
	{"Import", "import", "imports",
		[]string{"schedule", "preview", "undo", "resume", "map", "repeat"},
		[]string{"CSV columns", "duplicate detection", "user matching", "date format", "progress bar", "error report", "attachments"},
		[]string{"import wizard", "admin console", "new workspace page", "API"}},
}

// words are the parts that any topic can use.
var words = map[string][]string{
	"tool": {"Slack", "Microsoft Teams", "Google Calendar", "Outlook", "GitHub", "GitLab", "Jira", "Figma", "Zendesk", "HubSpot",
		"Salesforce", "Notion", "Zapier", "Google Sheets", "Excel", "Power BI", "Okta", "Linear", "Intercom", "Dropbox", "Miro", "Sentry"},
	"platform": {"Firefox on Linux", "Safari on macOS", "Chrome on Windows", "Edge on Windows", "the Android app", "the iOS app",
		"an iPad in landscape", "Chrome on ChromeOS", "the desktop app on Windows", "the desktop app on macOS", "Safari on iOS"},
	"person": {"guests", "project leads", "new hires", "contractors", "our finance team", "managers", "clients", "our QA team",
		"freelancers", "the whole company", "department heads", "stakeholders", "admins", "field workers", "our designers"},
	"event": {"the last update", "switching workspaces", "a page reload", "the daylight saving change", "losing the connection",
		"changing the language", "an import", "moving the project", "renaming a column", "signing in again", "a long idle time"},
	"condition": {"the project has more than {many} {things}", "two people edit at once", "the name contains an ampersand",
		"a filter is active", "the window is narrow", "the account has single sign-on", "the network is slow",
		"the browser language is not English", "dark theme is on", "the list is sorted by {part}", "there is no {part}"},
	"symptom": {"does not load", "shows the wrong {part}", "flickers", "loses the {part}", "jumps back to the top",
		"freezes for several seconds", "shows an empty page", "ignores the {part}", "resets to the default", "shows duplicates",
		"is cut off", "keeps spinning", "shows yesterday's data", "throws a generic error"},
	"when": {"from the {place}", "without opening it", "in bulk", "for {person}", "across projects", "with one click",
		"by drag and drop", "from the keyboard", "while offline", "on a schedule", "by e-mail", "through the API", "per project"},
	"unit": {"week", "sprint", "month", "quarter", "release", "day"},
}
