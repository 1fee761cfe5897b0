package dashboard

import (
	"net/http"
	"runtime"
	"strconv"
	"time"

	"heed/internal/app"
)

// workView is what goes on behind the pages.
type workView struct {
	*app.Work
	Sends bool // there is a server that sends mail
}

func (c *call) work() error {
	work, err := c.cfg.App.Work(c.ctx)
	if err != nil {
		return err
	}
	_, sends := c.cfg.App.MailServer()
	return c.render(http.StatusOK, workPage(c.chrome("Background work", "operator"), workView{work, sends}))
}

// queueRow is a queue as the page tells of it.
type queueRow struct {
	Key, Name, About, URL string
	// Bad: that anything is in it needs somebody.
	Bad bool
}

func queueRows(sends bool) []queueRow {
	mails := queueRow{Key: "mails", Name: "Messages to send", About: "tried again for up to two days", URL: "/dash/operator/mail?state=pending"}
	if !sends {
		mails.Name, mails.About = "Messages kept", "no mail server is set; they can be read in the outbox"
	}
	return []queueRow{
		mails,
		{Key: "mails being sent", Name: "Messages on their way", About: "handed to the server, which has not answered yet", URL: "/dash/operator/mail?state=sending"},
		{Key: "mails failed", Name: "Messages that failed", About: "given up; they can be sent again", URL: "/dash/operator/mail?state=failed", Bad: true},
		{Key: "mails unsure", Name: "Messages in doubt", About: "may have arrived; they can be sent again", URL: "/dash/operator/mail?state=unsure", Bad: true},
		{Key: "notices", Name: "News to be told", About: "still to become messages"},
		{Key: "resets", Name: "Wishes for a new password", About: "still to become messages"},
		{Key: "deliveries", Name: "Webhook deliveries", About: "due, or waiting for their next attempt"},
		{Key: "insight runs", Name: "Insight runs", About: "waiting or at work"},
	}
}

// backup sends everything the database holds as a file.
func (c *call) backup() error {
	c.secret()
	h := c.w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="heed-`+c.cfg.Now().UTC().Format("2006-01-02-150405")+`.backup"`)
	// A large database takes longer than a page may.
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Time{})
	out := &begun{ResponseWriter: c.w}
	if err := c.cfg.App.Backup(c.ctx, c.who.Actor, out); err != nil {
		if !out.yes {
			h.Del("Content-Disposition")
			return err
		}
		// The head of the answer is out: a broken download is better than
		// one that looks whole. Restoring such a file would be refused.
		c.cfg.Log.Error("backup", "err", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// begun remembers whether an answer has begun.
type begun struct {
	http.ResponseWriter
	yes bool
}

func (b *begun) Write(p []byte) (int, error) {
	b.yes = true
	return b.ResponseWriter.Write(p)
}

// longTime says a length of time as people do.
func longTime(d time.Duration) string {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		switch {
		case d == unit.size:
			return unit.name
		case d > unit.size && d%unit.size == 0:
			return plural(int(d/unit.size), unit.name)
		}
	}
	return d.String()
}

// taskRound is how exactly the page says how long a task took.
const taskRound = 10 * time.Microsecond

// megabytes spells a number of bytes.
func megabytes(n int64) string { return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) }

// buildName says what the program was built with.
func buildName() string { return runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH }
