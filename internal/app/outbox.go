package app

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"heed/internal/feedback"
	"heed/internal/i18n"
	"heed/internal/letter"
	"heed/internal/store"
)

// frame is what surrounds a letter of a portal.
func (a *App) frame(p *Portal, locale string) letter.Frame {
	l := letter.Catalog.Locale(locale)
	if l == nil {
		l = cmp.Or(letter.Catalog.Locale(p.Settings.Locale), letter.Catalog.Locale(i18n.Languages()[0]))
	}
	return letter.Frame{Locale: l, Site: p.Site.Name, SiteURL: a.URL(p)}
}

// queue puts a letter into the outbox.
func (tx *Tx) queue(ctx context.Context, m *feedback.Mail, l letter.Letter) error {
	m.ID = feedback.MailID(tx.s.NextID())
	m.Kind, m.Subject, m.Text, m.HTML = l.Kind, l.Subject, l.Text, l.HTML
	tx.s.AfterCommit(tx.app.mailWaits)
	return tx.s.InsertMail(ctx, m)
}

// mailWaits hints that there is mail to send. It never blocks.
func (a *App) mailWaits() {
	select {
	case a.mail <- struct{}{}:
	default:
	}
}

// MailWaits receives when there may be mail to send or notices to tell.
func (a *App) MailWaits() <-chan struct{} { return a.mail }

// TellOwners puts a letter to every owner of the account into the outbox: of a
// webhook endpoint that was turned off, say.
func (tx *Tx) TellOwners(ctx context.Context, write func(letter.Frame) letter.Letter) error {
	emails, err := tx.s.OwnerEmails(ctx, tx.actor.Account.ID)
	if err != nil {
		return err
	}
	f := letter.Frame{Locale: letter.Catalog.Locale("en"), Site: tx.actor.Account.Name, SiteURL: tx.app.BaseURL()}
	var site feedback.SiteID
	if tx.site != nil {
		f.Site, site = tx.site.Name, tx.site.ID
	}
	l := write(f)
	for _, email := range emails {
		if err := tx.queue(ctx, &feedback.Mail{SiteID: site, ToEmail: email}, l); err != nil {
			return err
		}
	}
	return nil
}

// mailInvitation puts an invitation to join the account into the outbox. link is where
// it is accepted.
func (tx *Tx) mailInvitation(ctx context.Context, email, by, link string) error {
	f := letter.Frame{Locale: letter.Catalog.Locale("en"), Site: tx.actor.Account.Name, SiteURL: tx.app.BaseURL()}
	return tx.queue(ctx, &feedback.Mail{ToEmail: email}, letter.Invitation(f, tx.actor.Account.Name, by, link))
}

// Outbox lists the site's mails, newest first.
func (tx *Tx) Outbox(ctx context.Context, w feedback.Window) (feedback.Page[feedback.Mail], error) {
	var page feedback.Page[feedback.Mail]
	if err := w.Check(); err != nil {
		return page, err
	}
	all, err := tx.s.Mails(ctx, tx.site.ID, feedback.MailID(at(w, 0, newest)), w.Limit+1)
	if err != nil {
		return page, err
	}
	return feedback.PageOf(all, w.Limit, func(m *feedback.Mail) feedback.Position { return feedback.Position{int64(m.ID)} }), nil
}

// noticeBatch is how many people one transaction tells.
const noticeBatch = 200

// TellNext tells the next people of the oldest notice: it puts their mails into
// the outbox and notes how far it came, in one transaction. more is false when
// there is nothing left to tell.
func (a *App) TellNext(ctx context.Context) (more bool, err error) {
	err = a.db.Write(ctx, func(s *store.Tx) error {
		more = false
		n, told, err := s.DueNotice(ctx)
		if err != nil || n == nil {
			return err
		}
		more = true
		p, err := loadPortal(ctx, s, n.SiteID.String(), func(s *store.Tx) (*store.PortalSite, error) {
			return s.PortalSiteByID(ctx, n.SiteID)
		})
		if feedback.IsNotFound(err) {
			return s.ToldNotice(ctx, n, told, true) // the site is gone
		}
		if err != nil {
			return err
		}
		tx := &Tx{s: s, app: a, actor: p.Visitor(nil, ""), site: &p.Site}
		last, done, err := tx.tell(ctx, n, told)
		if err != nil {
			return err
		}
		return s.ToldNotice(ctx, n, last, done)
	})
	return more, err
}

// tell puts mails for the next people of a notice into the outbox.
func (tx *Tx) tell(ctx context.Context, n *feedback.Notice, after feedback.VisitorID) (last feedback.VisitorID, done bool, err error) {
	switch n.Kind {
	case feedback.NoticeStatus, feedback.NoticeShipped:
		return tx.tellStatus(ctx, n, after)
	case feedback.NoticeComment:
		return 0, true, tx.tellReply(ctx, n)
	case feedback.NoticeChangelog:
		return tx.tellChangelog(ctx, n, after)
	case feedback.NoticeWebhookDisabled:
		return 0, true, tx.tellWebhook(ctx, n)
	}
	return 0, true, nil
}

// tellWebhook tells the owners that an endpoint gets no more deliveries.
func (tx *Tx) tellWebhook(ctx context.Context, n *feedback.Notice) error {
	e, err := tx.s.Endpoint(ctx, tx.site.ID, n.EndpointID)
	if err != nil || e == nil {
		return err
	}
	return tx.TellOwners(ctx, func(f letter.Frame) letter.Letter {
		return letter.WebhookDisabled(f, e.URL, tx.app.BaseURL()+"/dash/sites/"+tx.site.ID.String()+"/webhooks/"+e.ID.String())
	})
}

// noticed returns the post of a notice if the public sees it.
func (tx *Tx) noticed(ctx context.Context, id feedback.PostID) (*feedback.PublicPost, error) {
	posts, err := tx.publicPosts(ctx, []feedback.PostID{id})
	if err != nil || len(posts) == 0 {
		return nil, err
	}
	return &posts[0], nil
}

func (tx *Tx) tellStatus(ctx context.Context, n *feedback.Notice, after feedback.VisitorID) (feedback.VisitorID, bool, error) {
	post, err := tx.noticed(ctx, n.PostID)
	if err != nil || post == nil {
		return 0, true, err
	}
	var entry *feedback.Entry
	if n.EntryID != 0 {
		if entry, err = tx.s.Entry(ctx, tx.site.ID, n.EntryID); err != nil {
			return 0, true, err
		}
	}
	people, err := tx.s.Followers(ctx, tx.site.ID, []feedback.PostID{post.ID}, after, noticeBatch)
	if err != nil {
		return 0, true, err
	}
	url := tx.app.URL(tx.actor.portal) + "/posts/" + post.ID.String()
	for _, v := range people {
		after = v.ID
		if !v.Mail.Status {
			continue
		}
		err := tx.mailTo(ctx, n, &v, wishStatus, post.ID, func(f letter.Frame) letter.Letter {
			if n.Kind == feedback.NoticeShipped {
				title := ""
				if entry != nil && !entry.PublishedAt.IsZero() {
					title = entry.Title
				}
				return letter.Shipped(f, post.Title, title, url)
			}
			name := ""
			if s := tx.actor.portal.Status(n.StatusID); s != nil {
				name = s.Name
			}
			return letter.Status(f, post.Title, name, n.Note, url)
		})
		if err != nil {
			return 0, true, err
		}
	}
	return after, len(people) < noticeBatch, nil
}

// tellReply tells the author of the post and the author of the comment that was
// answered, but nobody of their own words.
func (tx *Tx) tellReply(ctx context.Context, n *feedback.Notice) error {
	post, err := tx.noticed(ctx, n.PostID)
	if err != nil || post == nil {
		return err
	}
	c, err := tx.s.Comment(ctx, tx.site.ID, post.ID, n.CommentID)
	if err != nil || c == nil || c.Internal || c.Body == "" {
		return err
	}
	to := []feedback.VisitorID{post.AuthorID}
	if c.ParentID != 0 {
		parent, err := tx.s.Comment(ctx, tx.site.ID, post.ID, c.ParentID)
		if err != nil {
			return err
		}
		if parent != nil && parent.VisitorID != 0 {
			to = append(to, parent.VisitorID)
		}
	}
	slices.Sort(to)
	who, err := tx.authorName(ctx, c)
	if err != nil {
		return err
	}
	url := tx.app.URL(tx.actor.portal) + "/posts/" + post.ID.String() + "?at=" + c.ID.String() + "#" + c.ID.String()
	for _, id := range slices.Compact(to) {
		v, err := tx.s.VisitorByID(ctx, tx.site.ID, id)
		if err != nil {
			return err
		}
		if v == nil || id == c.VisitorID || v.Email == "" || !v.Known() || !v.Mail.Replies {
			continue
		}
		muted, err := tx.s.Muted(ctx, tx.site.ID, post.ID, id)
		if err != nil {
			return err
		}
		if muted {
			continue
		}
		err = tx.mailTo(ctx, n, v, wishReplies, post.ID, func(f letter.Frame) letter.Letter {
			return letter.Reply(f, who, post.Title, letter.Plain(c.Body, 1500), url)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// authorName is what the author of a comment is called, or empty.
func (tx *Tx) authorName(ctx context.Context, c *feedback.Comment) (string, error) {
	if c.AuthorType == feedback.ByMember {
		return tx.site.Name, nil
	}
	v, err := tx.s.VisitorByID(ctx, tx.site.ID, c.VisitorID)
	if err != nil || v == nil {
		return "", err
	}
	return v.Name, nil
}

// tellChangelog tells those who follow a post that the entry answers, and those
// who asked for every entry. The followers of the notice's own post learn of it
// in another way.
func (tx *Tx) tellChangelog(ctx context.Context, n *feedback.Notice, after feedback.VisitorID) (feedback.VisitorID, bool, error) {
	entry, err := tx.s.Entry(ctx, tx.site.ID, n.EntryID)
	if err != nil || entry == nil || entry.PublishedAt.IsZero() {
		return 0, true, err
	}
	linked, err := tx.s.EntryPosts(ctx, tx.site.ID, entry.ID)
	if err != nil {
		return 0, true, err
	}
	public, err := tx.publicPosts(ctx, linked)
	if err != nil {
		return 0, true, err
	}
	var posts []feedback.PostID
	for _, p := range public {
		if p.ID != n.PostID {
			posts = append(posts, p.ID)
		}
	}
	followers, err := tx.s.Followers(ctx, tx.site.ID, posts, after, noticeBatch)
	if err != nil {
		return 0, true, err
	}
	subscribers, err := tx.s.Subscribers(ctx, tx.site.ID, after, noticeBatch)
	if err != nil {
		return 0, true, err
	}
	people := slices.Concat(followers, subscribers)
	slices.SortFunc(people, func(a, b feedback.Visitor) int { return cmp.Compare(a.ID, b.ID) })
	people = slices.CompactFunc(people, func(a, b feedback.Visitor) bool { return a.ID == b.ID })
	done := len(followers) < noticeBatch && len(subscribers) < noticeBatch && len(people) <= noticeBatch
	people = people[:min(len(people), noticeBatch)]
	url := tx.app.URL(tx.actor.portal) + "/changelog/" + entry.Slug
	for _, v := range people {
		after = v.ID
		if !v.Mail.Changelog && !v.Mail.Subscribed {
			continue
		}
		if n.PostID != 0 {
			told, err := tx.s.Voted(ctx, tx.site.ID, v.ID, []feedback.PostID{n.PostID})
			if err != nil {
				return 0, true, err
			}
			if told[n.PostID] {
				continue
			}
		}
		err := tx.mailTo(ctx, n, &v, wishChangelog, 0, func(f letter.Frame) letter.Letter {
			return letter.Changelog(f, entry.Title, entry.Body, url)
		})
		if err != nil {
			return 0, true, err
		}
	}
	return after, done, nil
}

// What a link at the end of a mail ends.
const (
	wishStatus int64 = iota + 1
	wishReplies
	wishChangelog
)

// mailTo puts a letter to a visitor into the outbox, with the ways to end such
// letters.
func (tx *Tx) mailTo(ctx context.Context, n *feedback.Notice, v *feedback.Visitor, wish int64, post feedback.PostID, write func(letter.Frame) letter.Letter) error {
	f := tx.app.frame(tx.actor.portal, v.Locale)
	token := tx.app.sign("unsubscribe", tx.site.ID, int64(v.ID), wish, int64(post))
	f.Unsubscribe = f.SiteURL + "/unsubscribe?t=" + token
	f.Preferences = f.SiteURL + "/preferences?t=" + token
	return tx.queue(ctx, &feedback.Mail{
		SiteID: tx.site.ID, NoticeID: n.ID, VisitorID: v.ID, ToEmail: v.Email, ToName: v.Name, Unsubscribe: f.Unsubscribe,
	}, write(f))
}

// MailWish is what the link at the end of a mail is about.
type MailWish struct {
	Visitor *feedback.Visitor
	Kind    string // status, replies or changelog
	Post    feedback.PostID
	Title   string // of the post, if it is public
}

// MailWish reads the token of a link at the end of a mail.
func (tx *Tx) MailWish(ctx context.Context, token string) (*MailWish, error) {
	numbers := tx.app.verify("unsubscribe", tx.site.ID, token, 3)
	if numbers == nil {
		return nil, errLink()
	}
	v, err := tx.s.VisitorByID(ctx, tx.site.ID, feedback.VisitorID(numbers[0]))
	if err != nil {
		return nil, err
	}
	if v == nil || v.Email == "" {
		return nil, errLink()
	}
	w := &MailWish{Visitor: v, Post: feedback.PostID(numbers[2])}
	w.Kind = map[int64]string{wishStatus: "status", wishReplies: "replies", wishChangelog: "changelog"}[numbers[1]]
	if w.Post != 0 {
		post, err := tx.noticed(ctx, w.Post)
		if err != nil {
			return nil, err
		}
		if post != nil {
			w.Title = post.Title
		}
	}
	return w, nil
}

// Unsubscribe ends the kind of mail that a link is about. It may be repeated.
func (tx *Tx) Unsubscribe(ctx context.Context, token string) (*MailWish, error) {
	w, err := tx.MailWish(ctx, token)
	if err != nil {
		return nil, err
	}
	switch w.Kind {
	case "status":
		w.Visitor.Mail.Status = false
	case "replies":
		w.Visitor.Mail.Replies = false
	case "changelog":
		w.Visitor.Mail.Changelog, w.Visitor.Mail.Subscribed = false, false
	}
	return w, tx.s.UpdateVisitor(ctx, w.Visitor)
}

// SetWishes changes which mail the visitor of a link wants, without signing in,
// and whether they want any about the post of the link.
func (tx *Tx) SetWishes(ctx context.Context, token string, wishes feedback.MailWishes, mute bool) error {
	w, err := tx.MailWish(ctx, token)
	if err != nil {
		return err
	}
	w.Visitor.Mail = wishes
	if w.Post != 0 {
		if err := tx.s.SetMute(ctx, tx.site.ID, w.Post, w.Visitor.ID, mute); err != nil {
			return err
		}
	}
	return tx.s.UpdateVisitor(ctx, w.Visitor)
}

// ClaimMails takes mails that are due, for a while: nobody else gets them.
func (a *App) ClaimMails(ctx context.Context, limit int, lease time.Duration) (due []feedback.Mail, err error) {
	err = a.db.Write(ctx, func(s *store.Tx) error {
		if _, err := s.OrphanMails(ctx); err != nil {
			return err
		}
		due, err = s.ClaimMails(ctx, s.Now.Add(lease), limit)
		return err
	})
	return due, err
}

// HandOver notes that a claimed mail is about to be given to the server. False
// means that it is not to be sent any more.
func (a *App) HandOver(ctx context.Context, m *feedback.Mail, lease time.Duration) (send bool, err error) {
	err = a.db.Write(ctx, func(s *store.Tx) error {
		send, err = s.HandOver(ctx, m, s.Now.Add(lease))
		return err
	})
	return send, err
}

// mailDelays are how long a mail waits after each attempt that failed for now.
var mailDelays = []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}

// Outcome is what became of a mail that was handed over.
type Outcome struct {
	State  feedback.MailState // sent, failed, unsure, or pending to be tried again
	Reason string
	// NotCounted: the mail is not to blame and loses no attempt; the server
	// turned us away, and an operator has to do something about it.
	NotCounted bool
}

// notCountedDelay is how long a mail waits for an operator to set things right.
const notCountedDelay = 10 * time.Minute

// Settle notes what became of a mail that was handed over. A mail to be tried
// again waits longer after every attempt, and has failed after the last.
func (a *App) Settle(ctx context.Context, m *feedback.Mail, o Outcome) error {
	return a.db.Write(ctx, func(s *store.Tx) error {
		settled := *m
		settled.State, settled.Error, settled.NextAttempt = o.State, strings.ToValidUTF8(o.Reason, ""), s.Now
		settled.Attempts++
		switch {
		case o.State == feedback.MailSent:
			settled.SentAt = s.Now
		case o.State == feedback.MailPending && o.NotCounted:
			settled.Attempts, settled.NextAttempt = m.Attempts, s.Now.Add(notCountedDelay)
		case o.State == feedback.MailPending && m.Attempts >= len(mailDelays):
			settled.State = feedback.MailFailed
		case o.State == feedback.MailPending:
			settled.NextAttempt = s.Now.Add(mailDelays[m.Attempts])
		}
		if _, secret := secretMail[m.Kind]; secret && settled.State == feedback.MailSent {
			// Its reader has it, and nobody else needs it.
			if err := s.EraseMail(ctx, m); err != nil {
				return err
			}
		}
		return s.SettleMail(ctx, &settled)
	})
}

// keepMails is how long mails that are done with can be read in the outbox.
const keepMails = feedback.DaysKept * 24 * time.Hour

// SweepPortal forgets old mails and what of visitors' sessions has expired.
func (a *App) SweepPortal(ctx context.Context) error {
	return a.db.Write(ctx, func(s *store.Tx) error {
		if _, err := s.SweepMails(ctx, s.Now.Add(-keepMails)); err != nil {
			return err
		}
		return s.SweepVisitors(ctx)
	})
}
