package demo

import "heed/internal/feedback"

// script is the run of an agent, as it is to be told.
type script struct {
	post    string // its title; "": about none
	title   string
	kind    int
	mode    feedback.RunMode
	repo    string
	age     float64 // days since it began
	steps   []line
	outcome feedback.Outcome // "": it goes on
	entry   string           // the changelog entry that it publishes
	done    bool             // its post moves to Done
}

// line is a step so many minutes after the one before.
type line struct {
	after  float64
	tone   feedback.Tone
	label  string
	detail string
	code   string
	meta   string
	ci     feedback.CIResult
	pr     int64
}

const (
	web    = "northwind/web"
	mobile = "northwind/mobile"
	server = "northwind/server"
)

var scripts = []script{
	{
		title: "Weekly dependency updates", kind: 2, mode: feedback.Manual, repo: server, age: 26,
		steps: []line{
			{after: 1, tone: "DONE", label: "Listed outdated modules", meta: "14 modules", detail: "11 patch releases, 3 minor releases. None is a security fix."},
			{after: 6, tone: "DONE", label: "Updated and ran the tests", code: "go get -u=patch ./... && go test ./...", meta: "2,318 passed"},
			{after: 2, tone: "DONE", label: "Opened a pull request", pr: 1871, ci: "PENDING"},
			{after: 9, tone: "DONE", label: "All checks are green", ci: "GREEN"},
			{after: 41, tone: "CLOSED", label: "Merged by Marcus Webb"},
		}, outcome: "SHIPPED",
	},
	{
		post: "Sort by due date puts empty dates first", kind: 0, mode: feedback.Autopilot, repo: web, age: 24.5,
		steps: []line{
			{after: 1, tone: "DONE", label: "Read the request and 3 comments"},
			{after: 3, tone: "DONE", label: "Found the comparison", code: "src/list/compare.ts:88", detail: "An empty date compares as the year 1970, so it comes before every other."},
			{after: 8, tone: "DONE", label: "Wrote a failing test, then the fix", meta: "+31 −4"},
			{after: 2, tone: "DONE", label: "Opened a pull request", pr: 4402, ci: "PENDING"},
			{after: 12, tone: "DONE", label: "All checks are green", ci: "GREEN"},
			{after: 190, tone: "CLOSED", label: "Merged by Marcus Webb"},
		}, outcome: "SHIPPED",
	},
	{
		post: "Better screen reader support on the board", kind: 1, mode: feedback.Autopilot, repo: web, age: 15,
		steps: []line{
			{after: 2, tone: "DONE", label: "Read the request and 2 comments"},
			{after: 11, tone: "DONE", label: "Mapped the board to a list of lists", detail: "Columns become labelled lists, cards become items with a position."},
			{after: 38, tone: "BUILDING", label: "Changing the drag library", meta: "27 files"},
			{after: 55, tone: "FAILED", label: "The library cannot announce a move", detail: "It draws a copy of the card while it is dragged, which screen readers read twice. A change here needs a decision by a person.", ci: "RED"},
		}, outcome: "FAILED",
	},
	{
		post: "Undo for everything, for at least a minute", kind: 0, mode: feedback.Autopilot, repo: web, age: 8,
		steps: []line{
			{after: 2, tone: "DONE", label: "Read the request and its 124 votes", detail: "Archive, move, delete and bulk edits are named; comments are not."},
			{after: 14, tone: "DONE", label: "Proposed a journal of reversible actions", detail: "Each action records how to take itself back. The server keeps it for ten minutes."},
			{after: 50, tone: "DONE", label: "Archive and move can be undone", meta: "+612 −148"},
			{after: 35, tone: "DONE", label: "Delete and bulk edits can be undone", meta: "+388 −61"},
			{after: 5, tone: "DONE", label: "Opened a pull request", pr: 4471, ci: "PENDING"},
			{after: 16, tone: "FAILED", label: "One check is red: undo after sign-out", ci: "RED"},
			{after: 22, tone: "DONE", label: "The journal now belongs to the session", meta: "+44 −9", ci: "PENDING"},
			{after: 15, tone: "DONE", label: "All checks are green", ci: "GREEN"},
			{after: 5300, tone: "CLOSED", label: "Reviewed and merged by Marcus Webb"},
		}, outcome: "SHIPPED", entry: "Undo, for a whole minute", done: true,
	},
	{
		post: "Custom fields on the mobile app", kind: 1, mode: feedback.Autopilot, repo: mobile, age: 4.2,
		steps: []line{
			{after: 2, tone: "DONE", label: "Read the request and 1 comment"},
			{after: 9, tone: "DONE", label: "The API already sends custom fields", detail: "The app ignores them: no change on the server is needed for reading."},
			{after: 64, tone: "DONE", label: "Built the list of fields, for all eight kinds", meta: "+903 −77"},
			{after: 18, tone: "DONE", label: "Screenshots on four devices, light and dark", meta: "8 images"},
			{after: 3, tone: "DONE", label: "Opened a pull request", pr: 918, ci: "PENDING"},
			{after: 31, tone: "DONE", label: "All checks are green", ci: "GREEN"},
			{after: 2750, tone: "CLOSED", label: "Released in version 4.8"},
		}, outcome: "SHIPPED", entry: "Read your custom fields on the phone", done: true,
	},
	{
		post: "Numbers are formatted the American way everywhere", kind: 2, mode: feedback.Autopilot, repo: web, age: 3.4,
		steps: []line{
			{after: 2, tone: "DONE", label: "Read the request"},
			{after: 7, tone: "DONE", label: "Found 214 places that format a number", code: "grep -rn 'toFixed\\|toLocaleString' src | wc -l"},
			{after: 43, tone: "BUILDING", label: "Replacing them by one function"},
			{after: 70, tone: "FAILED", label: "Reports disagree with their exports", detail: "The PDF is made by another service that does not know the reader's language. Half of the numbers would change and half would not, so I stopped.", ci: "RED"},
		}, outcome: "FAILED",
	},
	{
		post: "Due times, not only due dates", kind: 0, mode: feedback.Autopilot, repo: server, age: 2.6,
		steps: []line{
			{after: 3, tone: "DONE", label: "Read the request and 1 comment"},
			{after: 12, tone: "DONE", label: "Sketched the migration", detail: "A due date becomes a date with an optional time and a zone. 41 queries compare dates."},
			{after: 20, tone: "BUILDING", label: "Needs a decision: whose time zone counts for reminders?", detail: "Of the assignee, of the project, or of the reader. The comments disagree."},
		}, outcome: "BLOCKED",
	},
	{
		post: "Dragging a card to another column sometimes creates a copy", kind: 1, mode: feedback.Autopilot, repo: web, age: 1.3,
		steps: []line{
			{after: 2, tone: "DONE", label: "Read the report and 3 comments"},
			{after: 16, tone: "DONE", label: "Reproduced it with two windows", detail: "A move and an edit of the same card, less than 300 ms apart."},
			{after: 9, tone: "DONE", label: "Found the cause", code: "src/board/optimistic.ts:141", detail: "Cards are matched by their index. After a move the index belongs to another card."},
			{after: 21, tone: "DONE", label: "Matched by id, with a test of 500 random interleavings", meta: "+127 −38"},
			{after: 3, tone: "DONE", label: "Opened a pull request", pr: 4498, ci: "PENDING"},
			{after: 17, tone: "DONE", label: "All checks are green", ci: "GREEN"},
		}, outcome: "NEEDS_REVIEW",
	},
	{
		post: "Excel import that updates instead of duplicates", kind: 0, mode: feedback.Manual, repo: server, age: 0.9,
		steps: []line{
			{after: 2, tone: "DONE", label: "Read the request and the beta feedback"},
			{after: 33, tone: "DONE", label: "Rows are matched by a chosen column", meta: "+266 −90"},
			{after: 3, tone: "DONE", label: "Opened a pull request", pr: 1902, ci: "PENDING"},
			{after: 14, tone: "FAILED", label: "One check is red: empty cells clear the field", detail: "An empty cell should leave the field alone unless the column is marked to clear.", ci: "RED"},
			{after: 6, tone: "BUILDING", label: "Adding the choice to the wizard"},
		},
	},
	{
		post: "Board is slow with more than 2,000 cards", kind: 1, mode: feedback.Autopilot, repo: web, age: 0.7,
		steps: []line{
			{after: 3, tone: "DONE", label: "Read the report and 2 comments"},
			{after: 25, tone: "DONE", label: "Measured a board of 5,000 cards", detail: "14.1 s to open, of which 11.8 s draw cards that nobody sees.", meta: "14.1 s"},
			{after: 80, tone: "DONE", label: "Only visible cards are drawn", meta: "0.9 s"},
			{after: 24, tone: "DONE", label: "Search in the page still finds hidden cards"},
			{after: 4, tone: "DONE", label: "Opened a pull request", pr: 4503, ci: "PENDING"},
			{after: 19, tone: "DONE", label: "All checks are green", ci: "GREEN"},
		},
	},
	{
		post: "Timeline: drag a whole group of tasks", kind: 2, mode: feedback.Autopilot, repo: web, age: 0.31,
		steps: []line{
			{after: 2, tone: "DONE", label: "Read the request and 2 comments"},
			{after: 48, tone: "DONE", label: "Dependencies move along with a group", meta: "+341 −112"},
			{after: 26, tone: "DONE", label: "One undo for the whole move", detail: "As asked for in the comments."},
			{after: 4, tone: "DONE", label: "Opened a pull request", pr: 4507, ci: "PENDING"},
		},
	},
	{
		post: "Better screen reader support on the board", kind: 0, mode: feedback.Manual, repo: web, age: 0.16,
		steps: []line{
			{after: 2, tone: "DONE", label: "Read the request and the failed run #3"},
			{after: 13, tone: "DONE", label: "Decided by Marcus Webb: a \"move to…\" menu, no drag library", detail: "It also helps people who use a keyboard and can see."},
			{after: 45, tone: "BUILDING", label: "Writing the menu and what it announces"},
		},
	},
	{
		post: "Recurring tasks that skip holidays", kind: 1, mode: feedback.Autopilot, repo: server, age: 0.09,
		steps: []line{
			{after: 2, tone: "DONE", label: "Read the request and 4 comments"},
			{after: 19, tone: "DONE", label: "Added calendars of 94 countries", meta: "1.2 MB"},
			{after: 22, tone: "BUILDING", label: "Moving occurrences to the next working day"},
		},
	},
	{
		post: "MCP server for coding agents", kind: 2, mode: feedback.Manual, repo: server, age: 0.05,
		steps: []line{
			{after: 1, tone: "DONE", label: "Read the request and 3 comments"},
			{after: 12, tone: "BUILDING", label: "Writing the read tools, with the scopes of API keys"},
		},
	},
	{post: "Guest access for clients, free of charge", kind: 0, mode: feedback.Autopilot, repo: server, age: 0.03},
	{post: "Board swimlanes by assignee, priority or any field", kind: 1, mode: feedback.Autopilot, repo: web, age: 0.02},
}
