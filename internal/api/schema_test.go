package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"heed/internal/feedback"
)

// objects are the tables of the specification: the members of every object and
// their types. "?" ends an optional member, "|null" a nullable type.
const objects = `
Site: id string, name string, slug string, createdAt time
Board: id string, name string, slug string, description string|null, private boolean, postCount integer
Post: id string, siteId string, boardId string, boardName string, title string, statusName string|null, voteCount integer, pinned boolean, archived boolean, locked boolean, tags []Tag, createdAt time
Tag: id string, name string, color string
Comment: id string, postId string, parentId string|null, body string, authorType enum, internal boolean, createdAt time
Status: id string, name string, color string, order integer, doneFlag boolean, showOnRoadmap boolean, isDefault boolean
ChangelogEntry: id string, title string, slug string, body string, label string|null, status enum, publishedAt time|null, createdAt time
SearchResult: postId string, siteId string, title string, boardName string, statusName string|null, voteCount integer
ChangePostStatusResult: postId string, fromStatusId string|null, toStatusId string|null, enteredDoneState boolean
MergeResult: ok boolean, loserId string, winnerId string, actionId string|null, reason enum|null
VoteResult: postId string, visitorId string, created boolean, voteCount integer
InsightsSummary: hasInsights boolean, lastRunAt time|null, quotaPaused boolean, themes []InsightTheme
InsightTheme: clusterId string, siteId string, label string, summary string|null, sentiment enum|null, postCount integer, trend enum, trendDelta integer
AutopilotQueue: items []QueueItem
QueueItem: id string, runId? string, title string, stage enum, votes integer
AgentRun: id string, runNumber integer, title string, agentKind enum, status enum, ciResult enum, repo string|null, prUrl string|null, notifiedCount integer
AgentRunStep: id string, runId string, seq integer, tone enum, label string
Error: error ErrorBody
ErrorBody: code string, message string, details? object, docs? string, hint? string
PostContent: postId string, body string, authorVisitorId string
UndoResult: actionId string, loserId string, winnerId string, undoneAt time
CreateBoardRequest: name string, description? string, private? boolean, slug? string
CreatePostRequest: boardId string, title string, body? string, onBehalfVisitorId string
ChangePostStatusRequest: statusId string|null, note? string
MergePostsRequest: winnerId string
CreateCommentRequest: body string, parentId? string, internal? boolean
CreateVoteRequest: onBehalfVisitorId string
CreateStatusRequest: name string, color? string, doneFlag? boolean, showOnRoadmap? boolean, notifyMode? enum
StartAgentRunRequest: siteId string, agentKind enum, postId? string, repo? string, mode? enum, title? string
AppendAgentRunStepRequest: tone enum, label string, detail? string, code? string, labelMeta? string, at? time, ciResult? enum, prUrl? string, prNumber? integer, repo? string
CompleteAgentRunRequest: outcome enum, changelogEntryId? string, doneStatusId? string
CreateChangelogEntryRequest: title string, body string, label? string, postIds? []string
SiteList: data []Site, nextCursor string|null
BoardList: data []Board, nextCursor string|null
PostList: data []Post, nextCursor string|null
CommentList: data []Comment, nextCursor string|null
StatusList: data []Status, nextCursor string|null
ChangelogEntryList: data []ChangelogEntry, nextCursor string|null
SearchResultList: data []SearchResult, nextCursor string|null
AgentRunList: data []AgentRun, nextCursor string|null
AgentRunStepList: data []AgentRunStep, nextCursor string|null
WebhookEndpoint: id string, siteId string, url string, description string|null, eventTypes []enum, enabled boolean, disabledReason enum|null, disabledAt time|null, consecutiveFailures integer, previousSecretExpiresAt time|null, createdAt time, updatedAt time
WebhookEndpointWithSecret: id string, siteId string, url string, description string|null, eventTypes []enum, enabled boolean, disabledReason enum|null, disabledAt time|null, consecutiveFailures integer, previousSecretExpiresAt time|null, createdAt time, updatedAt time, secret string
WebhookDelivery: id string, endpointId string, messageId string, type enum, status enum, trigger enum, attemptCount integer, nextAttemptAt time|null, createdAt time, completedAt time|null
WebhookDeliveryDetail: id string, endpointId string, messageId string, type enum, status enum, trigger enum, attemptCount integer, nextAttemptAt time|null, createdAt time, completedAt time|null, payload object, attempts []DeliveryAttempt
DeliveryAttempt: number integer, startedAt time, durationMs integer, responseStatus integer|null, responseBody string|null, responseTruncated boolean, error string|null
CreateWebhookEndpointRequest: url string, description? string, eventTypes? []enum
UpdateWebhookEndpointRequest: url? string, description? string|null, eventTypes? []enum, enabled? boolean
RotateWebhookSecretRequest: graceSeconds? integer
TestWebhookEndpointRequest: type? enum
WebhookEndpointList: data []WebhookEndpoint, nextCursor string|null
WebhookDeliveryList: data []WebhookDelivery, nextCursor string|null
PostCreatedEvent: type enum, data PostCreated
PostStatusChangedEvent: type enum, data PostStatusChanged
PostMovedEvent: type enum, data PostMoved
PostMergedEvent: type enum, data PostMerged
CommentCreatedEvent: type enum, data CommentCreated
ChangelogPublishedEvent: type enum, data ChangelogPublished
PostCreated: siteId string, occurredAt time, post Post, visitorId string, source enum
PostStatusChanged: siteId string, occurredAt time, post Post, fromStatusId string|null, toStatusId string|null, enteredDoneState boolean, note string|null
PostMoved: siteId string, occurredAt time, post Post, fromBoardId string, toBoardId string
PostMerged: siteId string, occurredAt time, loserId string, winnerId string, actionId string, post Post
CommentCreated: siteId string, occurredAt time, comment Comment, postId string, postTitle string
ChangelogPublished: siteId string, occurredAt time, entry ChangelogEntry`

// TestDocumentObjects holds every object against the tables, both ways.
func TestDocumentObjects(t *testing.T) {
	_, d := describe(t, feedback.DefaultAgentKinds())
	schemas := d.root["components"].(object)["schemas"].(object)
	known := map[string]bool{}
	for line := range strings.SplitSeq(strings.TrimSpace(objects), "\n") {
		name, want, _ := strings.Cut(line, ": ")
		known[name] = true
		s, ok := schemas[name].(object)
		if !ok {
			t.Errorf("there is no %s", name)
			continue
		}
		var got []string
		required, _ := s["required"].([]any)
		for _, member := range slices.Sorted(maps.Keys(s["properties"].(object))) {
			spelled := member
			if !slices.Contains(required, any(member)) {
				spelled += "?"
			}
			got = append(got, spelled+" "+typeOf(s["properties"].(object)[member].(object)))
		}
		wanted := strings.Split(want, ", ")
		slices.Sort(wanted)
		slices.SortFunc(got, strings.Compare)
		if !slices.Equal(got, wanted) {
			t.Errorf("%s has\n\t%v; want\n\t%v", name, got, wanted)
		}
	}
	for name := range schemas {
		if !known[name] {
			t.Errorf("an object that nobody asked for: %s", name)
		}
	}
}

// typeOf spells the type of a schema as the tables do.
func typeOf(s object) string {
	null := ""
	typ, _ := s["type"].(string)
	if types, ok := s["type"].([]any); ok {
		typ, null = types[0].(string), "|null"
		if len(types) != 2 || types[1] != "null" || s["enum"] != nil && !slices.Contains(s["enum"].([]any), nil) {
			return fmt.Sprintf("a nullable type that is wrong: %v %v", types, s["enum"])
		}
	}
	switch {
	case s["$ref"] != nil:
		typ = strings.TrimPrefix(s["$ref"].(string), "#/components/schemas/")
	case s["enum"] != nil:
		typ = "enum"
	case s["format"] == "date-time":
		typ = "time"
	case typ == "array":
		typ = "[]" + typeOf(s["items"].(object))
	}
	return typ + null
}

// TestDocumentRules holds the limits, patterns and sets of values.
func TestDocumentRules(t *testing.T) {
	_, d := describe(t, feedback.DefaultAgentKinds())
	schemas := d.root["components"].(object)["schemas"].(object)
	run := []string{"QUEUED", "RUNNING", "NEEDS_REVIEW", "BLOCKED", "SHIPPED", "FAILED"}
	ci, tones, kinds := []string{"NONE", "PENDING", "GREEN", "RED"}, []string{"DONE", "BUILDING", "CLOSED", "FAILED"}, []string{"KIND_A", "KIND_B", "KIND_C"}
	for place, want := range map[string]object{
		"CreateBoardRequest.name":                  {"minLength": 1, "maxLength": 80},
		"CreateBoardRequest.description":           {"maxLength": 2000},
		"CreateBoardRequest.slug":                  {"maxLength": 60, "pattern": `^[a-z0-9-]+$`},
		"CreatePostRequest.boardId":                {"minLength": 1},
		"CreatePostRequest.title":                  {"minLength": 1, "maxLength": 200},
		"CreatePostRequest.body":                   {"maxLength": 20000},
		"CreatePostRequest.onBehalfVisitorId":      {"minLength": 1, "maxLength": 200},
		"ChangePostStatusRequest.note":             {"maxLength": 2000},
		"MergePostsRequest.winnerId":               {"minLength": 1},
		"CreateCommentRequest.body":                {"minLength": 1, "maxLength": 10000},
		"CreateVoteRequest.onBehalfVisitorId":      {"minLength": 1, "maxLength": 200},
		"CreateStatusRequest.name":                 {"minLength": 1, "maxLength": 40},
		"CreateStatusRequest.color":                {"pattern": `^#[0-9a-fA-F]{6}$`},
		"CreateStatusRequest.notifyMode":           {"enum": []string{"NOTIFY", "SILENT", "NOTIFY_WITH_NOTE"}},
		"StartAgentRunRequest.siteId":              {"minLength": 1},
		"StartAgentRunRequest.agentKind":           {"enum": kinds},
		"StartAgentRunRequest.postId":              {"minLength": 1},
		"StartAgentRunRequest.repo":                {"minLength": 1},
		"StartAgentRunRequest.mode":                {"enum": []string{"AUTOPILOT", "MANUAL"}},
		"StartAgentRunRequest.title":               {"minLength": 1, "maxLength": 300},
		"AppendAgentRunStepRequest.tone":           {"enum": tones},
		"AppendAgentRunStepRequest.label":          {"minLength": 1, "maxLength": 300},
		"AppendAgentRunStepRequest.ciResult":       {"enum": ci},
		"AppendAgentRunStepRequest.prUrl":          {"format": "uri"},
		"AppendAgentRunStepRequest.at":             {"format": "date-time"},
		"CompleteAgentRunRequest.outcome":          {"enum": []string{"SHIPPED", "NEEDS_REVIEW", "BLOCKED", "FAILED"}},
		"CompleteAgentRunRequest.doneStatusId":     {"minLength": 1},
		"CreateChangelogEntryRequest.postIds":      {"maxItems": 100},
		"Comment.authorType":                       {"enum": []string{"visitor", "member"}},
		"ChangelogEntry.status":                    {"enum": []string{"draft", "published"}},
		"InsightTheme.trend":                       {"enum": []string{"up", "down", "flat", "new"}},
		"QueueItem.stage":                          {"enum": []string{"shipped", "pr_open", "building", "queued", "needs_review"}},
		"AgentRun.status":                          {"enum": run},
		"AgentRun.ciResult":                        {"enum": ci},
		"AgentRun.agentKind":                       {"enum": kinds},
		"AgentRunStep.tone":                        {"enum": tones},
		"CompleteAgentRunRequest.changelogEntryId": {"minLength": 1},
	} {
		name, member, _ := strings.Cut(place, ".")
		s, ok := schemas[name].(object)["properties"].(object)[member].(object)
		if !ok {
			t.Errorf("there is no %s", place)
			continue
		}
		got, _ := toFloats(s).(object)
		for rule, v := range want {
			a, _ := json.Marshal(got[rule])
			b, _ := json.Marshal(v)
			if string(a) != string(b) {
				t.Errorf("%s: %s is %s; want %s", place, rule, a, b)
			}
		}
	}
	for place, want := range map[string]string{
		"InsightTheme.sentiment": "[positive neutral negative <nil>]",
		"MergeResult.reason":     "[same_post loser_merged winner_merged winner_archived <nil>]",
	} {
		name, member, _ := strings.Cut(place, ".")
		if got := fmt.Sprint(schemas[name].(object)["properties"].(object)[member].(object)["enum"]); got != want {
			t.Errorf("%s is one of %s; want %s", place, got, want)
		}
	}
}
