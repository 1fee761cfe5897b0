package store

import (
	"context"
	"time"

	"heed/internal/feedback"
)

// Visitor finds the visitor a site's caller knows by ref, or makes one.
func (tx *Tx) Visitor(ctx context.Context, site feedback.SiteID, ref feedback.VisitorRef) (feedback.VisitorID, error) {
	find := func() (id feedback.VisitorID, err error) {
		_, err = tx.row(ctx, `SELECT id FROM visitors WHERE site_id = $1 AND ref = $2`, []any{site, ref}, &id)
		return id, wrap("visitor", err)
	}
	if id, err := find(); id != 0 || err != nil {
		return id, err
	}
	id := feedback.VisitorID(tx.NextID())
	n, err := tx.exec(ctx, `
		INSERT INTO visitors (site_id, id, ref, created_at)
		VALUES ($1, $2, $3, $4)
		ON CONFLICT (site_id, ref) DO NOTHING`,
		site, id, ref, micros(tx.Now))
	if err != nil {
		return 0, wrap("insert visitor", err)
	}
	if n == 0 {
		return find() // another node was faster
	}
	return id, nil
}

const visitorColumns = `site_id, id, ref, COALESCE(name, ''), COALESCE(email, ''), verified_at, locale,
		       mail_status, mail_replies, mail_changelog, subscribed_at IS NOT NULL, created_at`

func scanVisitor(r rows, v *feedback.Visitor) error {
	return r.Scan(&v.SiteID, &v.ID, &v.Ref, &v.Name, &v.Email, at(&v.VerifiedAt), &v.Locale,
		&v.Mail.Status, &v.Mail.Replies, &v.Mail.Changelog, &v.Mail.Subscribed, at(&v.CreatedAt))
}

// VisitorByID returns a visitor, or nil.
func (tx *Tx) VisitorByID(ctx context.Context, site feedback.SiteID, id feedback.VisitorID) (*feedback.Visitor, error) {
	v, err := first(collect(ctx, tx, `
		SELECT `+visitorColumns+`
		FROM   visitors
		WHERE  site_id = $1 AND id = $2`, []any{site, id}, scanVisitor))
	return v, wrap("visitor", err)
}

// VisitorByRef returns the visitor known by ref, or nil.
func (tx *Tx) VisitorByRef(ctx context.Context, site feedback.SiteID, ref feedback.VisitorRef) (*feedback.Visitor, error) {
	v, err := first(collect(ctx, tx, `
		SELECT `+visitorColumns+`
		FROM   visitors
		WHERE  site_id = $1 AND ref = $2`, []any{site, ref}, scanVisitor))
	return v, wrap("visitor", err)
}

// VisitorByEmail returns the visitor who proved to have an address, or nil.
func (tx *Tx) VisitorByEmail(ctx context.Context, site feedback.SiteID, email string) (*feedback.Visitor, error) {
	v, err := first(collect(ctx, tx, `
		SELECT `+visitorColumns+`
		FROM   visitors
		WHERE  site_id = $1 AND email = $2 AND verified_at IS NOT NULL`, []any{site, email}, scanVisitor))
	return v, wrap("visitor", err)
}

// UpdateVisitor stores what can change in a visitor.
func (tx *Tx) UpdateVisitor(ctx context.Context, v *feedback.Visitor) error {
	var name, email any
	if v.Name != "" {
		name = v.Name
	}
	if v.Email != "" {
		email = v.Email
	}
	_, err := tx.exec(ctx, `
		UPDATE visitors
		SET    ref = $1, name = $2, email = $3, verified_at = $4, locale = $5,
		       mail_status = $6, mail_replies = $7, mail_changelog = $8
		WHERE  site_id = $9 AND id = $10`,
		v.Ref, name, email, micros(v.VerifiedAt), v.Locale, v.Mail.Status, v.Mail.Replies, v.Mail.Changelog, v.SiteID, v.ID)
	if err != nil {
		return wrap("update visitor", err)
	}
	query, args := `
		UPDATE visitors SET subscribed_at = NULL
		WHERE  site_id = $1 AND id = $2`, []any{v.SiteID, v.ID}
	if v.Mail.Subscribed {
		query, args = `
		UPDATE visitors SET subscribed_at = COALESCE(subscribed_at, $1)
		WHERE  site_id = $2 AND id = $3`, []any{micros(tx.Now), v.SiteID, v.ID}
	}
	if _, err = tx.exec(ctx, query, args...); err != nil {
		return wrap("update subscription", err)
	}
	return tx.indexVisitor(ctx, v.SiteID, v.ID, v.Name, v.Email)
}

// VisitorPosts returns the ids of the posts that a visitor wrote, newest first,
// below the one given.
func (tx *Tx) VisitorPosts(ctx context.Context, site feedback.SiteID, visitor feedback.VisitorID, below feedback.PostID, limit int) ([]feedback.PostID, error) {
	ids, err := tx.idColumn(ctx, `
		SELECT id FROM posts
		WHERE  site_id = $1 AND author_id = $2 AND id < $3
		ORDER  BY id DESC
		LIMIT  $4 + 0`, []any{site, visitor, int64(below), limit})
	return postIDs(ids), wrap("visitor's posts", err)
}

// VisitorHeld returns the posts of a visitor that wait for approval or did not
// get it.
func (tx *Tx) VisitorHeld(ctx context.Context, site feedback.SiteID, visitor feedback.VisitorID, limit int) ([]feedback.HeldPost, error) {
	out, err := collect(ctx, tx, `
		SELECT p.id, p.title, p.archived, `+rejectionNote+`
		FROM   posts p
		WHERE  p.site_id = $1 AND p.author_id = $2 AND p.held AND NOT (p.archived AND p.locked)
		ORDER  BY p.id DESC
		LIMIT  $3 + 0`, []any{site, visitor, limit}, func(r rows, h *feedback.HeldPost) error {
		return r.Scan(&h.ID, &h.Title, &h.Rejected, &h.Note)
	})
	return out, wrap("held posts", err)
}

// VisitorVotes returns the ids of the posts that a visitor voted for, newest
// first, below the one given.
func (tx *Tx) VisitorVotes(ctx context.Context, site feedback.SiteID, visitor feedback.VisitorID, below feedback.PostID, limit int) ([]feedback.PostID, error) {
	ids, err := tx.idColumn(ctx, `
		SELECT post_id FROM votes
		WHERE  site_id = $1 AND visitor_id = $2 AND post_id < $3
		ORDER  BY post_id DESC
		LIMIT  $4 + 0`, []any{site, visitor, int64(below), limit})
	return postIDs(ids), wrap("visitor's votes", err)
}

// VisitorComments lists what a visitor said, newest first, below the one given.
func (tx *Tx) VisitorComments(ctx context.Context, site feedback.SiteID, visitor feedback.VisitorID, below feedback.CommentID, limit int) ([]feedback.Comment, error) {
	out, err := collect(ctx, tx, `
		SELECT `+commentColumns+`
		FROM   comments
		WHERE  site_id = $1 AND visitor_id = $2 AND id < $3
		ORDER  BY id DESC
		LIMIT  $4 + 0`, []any{site, visitor, int64(below), limit}, scanComment)
	return out, wrap("visitor's comments", err)
}

// UniteVisitors has everything of one visitor belong to another, and forgets the
// first. A post that both voted for keeps one vote.
func (tx *Tx) UniteVisitors(ctx context.Context, site feedback.SiteID, from, to feedback.VisitorID) error {
	both, err := tx.idColumn(ctx, `
		SELECT f.post_id FROM votes f
		JOIN   votes t ON t.site_id = f.site_id AND t.post_id = f.post_id AND t.visitor_id = $1
		WHERE  f.site_id = $2 AND f.visitor_id = $3`, []any{to, site, from})
	if err != nil {
		return wrap("shared votes", err)
	}
	for _, post := range both {
		if _, _, err := tx.TakeVote(ctx, site, feedback.PostID(post), from); err != nil {
			return err
		}
	}
	for _, step := range []struct{ doing, query string }{
		{"move votes", `UPDATE votes SET visitor_id = $1 WHERE site_id = $2 AND visitor_id = $3`},
		{"move posts", `UPDATE posts SET author_id = $1 WHERE site_id = $2 AND author_id = $3`},
		{"move comments", `UPDATE comments SET visitor_id = $1 WHERE site_id = $2 AND visitor_id = $3`},
		{"move votes of merges", `
			UPDATE action_votes SET visitor_id = $1
			WHERE  site_id = $2 AND visitor_id = $3 AND action_id NOT IN (
				SELECT action_id FROM action_votes WHERE site_id = $2 AND visitor_id = $1)`},
	} {
		if _, err := tx.exec(ctx, step.query, to, site, from); err != nil {
			return wrap(step.doing, err)
		}
	}
	return tx.dropVisitor(ctx, site, from)
}

// dropVisitor forgets a visitor that owns nothing any more.
func (tx *Tx) dropVisitor(ctx context.Context, site feedback.SiteID, id feedback.VisitorID) error {
	// A mail that was sent stays in the outbox, to nobody's account.
	if _, err := tx.exec(ctx, `UPDATE mails SET visitor_id = NULL WHERE site_id = $1 AND visitor_id = $2`, site, id); err != nil {
		return wrap("forget visitor", err)
	}
	for _, table := range []string{"visitor_sessions", "post_mutes", "action_votes", "visitor_words"} {
		if _, err := tx.exec(ctx, `DELETE FROM `+table+` WHERE site_id = $1 AND visitor_id = $2`, site, id); err != nil {
			return wrap("forget visitor", err)
		}
	}
	_, err := tx.exec(ctx, `DELETE FROM visitors WHERE site_id = $1 AND id = $2`, site, id)
	return wrap("forget visitor", err)
}

// EmptyComments takes away what a visitor said, and leaves the places where it
// stood: others have answered there.
func (tx *Tx) EmptyComments(ctx context.Context, site feedback.SiteID, visitor feedback.VisitorID) error {
	_, err := tx.exec(ctx, `UPDATE comments SET body = '' WHERE site_id = $1 AND visitor_id = $2`, site, visitor)
	return wrap("empty comments", err)
}

// OthersOn reports whether anybody but a visitor voted for or commented on a
// post.
func (tx *Tx) OthersOn(ctx context.Context, site feedback.SiteID, post feedback.PostID, visitor feedback.VisitorID) (bool, error) {
	var n int
	_, err := tx.row(ctx, `
		SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM votes WHERE site_id = $1 AND post_id = $2 AND visitor_id <> $3 LIMIT 1) AS v)
		     + (SELECT COUNT(*) FROM (SELECT 1 FROM comments WHERE site_id = $1 AND post_id = $2 AND (visitor_id IS NULL OR visitor_id <> $3) LIMIT 1) AS c)`,
		[]any{site, post, visitor}, &n)
	return n > 0, wrap("others on post", err)
}

// EmptyPost takes away what a post says and has nobody find it any more.
func (tx *Tx) EmptyPost(ctx context.Context, site feedback.SiteID, post feedback.PostID) error {
	err := tx.showing(ctx, site, post, `
		UPDATE posts SET title = '(deleted)', body = '', archived = TRUE, locked = TRUE
		WHERE  site_id = $1 AND id = $2`, site, post)
	if err != nil {
		return wrap("empty post", err)
	}
	return tx.UnindexPost(ctx, site, post)
}

// InsertVisitorSession remembers that a visitor is signed in by the hash of a token.
func (tx *Tx) InsertVisitorSession(ctx context.Context, site feedback.SiteID, hash []byte, visitor feedback.VisitorID, until time.Time) error {
	_, err := tx.exec(ctx, `
		INSERT INTO visitor_sessions (site_id, hash, visitor_id, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5)`, site, hash, visitor, micros(tx.Now), micros(until))
	return wrap("insert session", err)
}

// SessionVisitor returns the visitor signed in by the hash of a token, or nil.
func (tx *Tx) SessionVisitor(ctx context.Context, site feedback.SiteID, hash []byte) (*feedback.Visitor, error) {
	v, err := first(collect(ctx, tx, `
		SELECT `+visitorColumns+`
		FROM   visitors
		WHERE  site_id = $1 AND id = (
			SELECT visitor_id FROM visitor_sessions
			WHERE  site_id = $1 AND hash = $2 AND expires_at > $3)`, []any{site, hash, micros(tx.Now)}, scanVisitor))
	return v, wrap("session", err)
}

// DeleteVisitorSession ends a session.
func (tx *Tx) DeleteVisitorSession(ctx context.Context, site feedback.SiteID, hash []byte) error {
	_, err := tx.exec(ctx, `DELETE FROM visitor_sessions WHERE site_id = $1 AND hash = $2`, site, hash)
	return wrap("end session", err)
}

// DeleteVisitorSessions ends every session of a visitor.
func (tx *Tx) DeleteVisitorSessions(ctx context.Context, site feedback.SiteID, visitor feedback.VisitorID) error {
	_, err := tx.exec(ctx, `DELETE FROM visitor_sessions WHERE site_id = $1 AND visitor_id = $2`, site, visitor)
	return wrap("end sessions", err)
}

// Challenge is the proof of an address under way.
type Challenge struct {
	ID        int64
	Kind      string
	Email     string
	CodeHash  []byte
	Attempts  int
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time
}

// InsertChallenge stores a new challenge.
func (tx *Tx) InsertChallenge(ctx context.Context, site feedback.SiteID, c *Challenge) error {
	_, err := tx.exec(ctx, `
		INSERT INTO challenges (site_id, id, kind, email, code_hash, attempts, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, 0, $6, $7)`,
		site, c.ID, c.Kind, c.Email, c.CodeHash, micros(c.CreatedAt), micros(c.ExpiresAt))
	return wrap("insert challenge", err)
}

// LockChallenge returns a challenge, or nil, and keeps it from changing until
// the transaction is over.
func (tx *Tx) LockChallenge(ctx context.Context, site feedback.SiteID, id int64) (*Challenge, error) {
	c, err := first(collect(ctx, tx, `
		SELECT id, kind, email, code_hash, attempts, created_at, expires_at, used_at
		FROM   challenges
		WHERE  site_id = $1 AND id = $2`+tx.d.forUpdate(), []any{site, id}, func(r rows, c *Challenge) error {
		return r.Scan(&c.ID, &c.Kind, &c.Email, &c.CodeHash, &c.Attempts, at(&c.CreatedAt), at(&c.ExpiresAt), at(&c.UsedAt))
	}))
	return c, wrap("challenge", err)
}

// TryChallenge counts a wrong code.
func (tx *Tx) TryChallenge(ctx context.Context, site feedback.SiteID, id int64) error {
	_, err := tx.exec(ctx, `UPDATE challenges SET attempts = attempts + 1 WHERE site_id = $1 AND id = $2`, site, id)
	return wrap("count attempt", err)
}

// UseChallenge marks a challenge as met: it works once.
func (tx *Tx) UseChallenge(ctx context.Context, site feedback.SiteID, id int64) error {
	_, err := tx.exec(ctx, `UPDATE challenges SET used_at = $1 WHERE site_id = $2 AND id = $3`, micros(tx.Now), site, id)
	return wrap("use challenge", err)
}

// UseSSOToken remembers the id of a token and reports whether it was new.
func (tx *Tx) UseSSOToken(ctx context.Context, site feedback.SiteID, jti string, until time.Time) (bool, error) {
	n, err := tx.exec(ctx, `
		INSERT INTO sso_tokens (site_id, jti, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (site_id, jti) DO NOTHING`, site, jti, micros(until))
	return n > 0, wrap("use token", err)
}

// SweepVisitors forgets sessions, challenges and token ids that have expired.
func (tx *Tx) SweepVisitors(ctx context.Context) error {
	for _, table := range []string{"visitor_sessions", "challenges", "sso_tokens"} {
		if _, err := tx.exec(ctx, `DELETE FROM `+table+` WHERE expires_at < $1`, micros(tx.Now.Add(-24*time.Hour))); err != nil {
			return wrap("sweep "+table, err)
		}
	}
	return nil
}

// SetMute says whether a visitor wants mail about a post.
func (tx *Tx) SetMute(ctx context.Context, site feedback.SiteID, post feedback.PostID, visitor feedback.VisitorID, mute bool) error {
	query, args := `DELETE FROM post_mutes WHERE site_id = $1 AND post_id = $2 AND visitor_id = $3`, []any{site, post, visitor}
	if mute {
		query, args = `
		INSERT INTO post_mutes (site_id, post_id, visitor_id, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (site_id, post_id, visitor_id) DO NOTHING`, append(args, micros(tx.Now))
	}
	_, err := tx.exec(ctx, query, args...)
	return wrap("mute", err)
}

// Muted reports whether a visitor wants no mail about a post.
func (tx *Tx) Muted(ctx context.Context, site feedback.SiteID, post feedback.PostID, visitor feedback.VisitorID) (bool, error) {
	var n int
	_, err := tx.row(ctx, `
		SELECT COUNT(*) FROM post_mutes
		WHERE  site_id = $1 AND post_id = $2 AND visitor_id = $3`, []any{site, post, visitor}, &n)
	return n > 0, wrap("muted", err)
}

// ReleasePost ends the wait of a held post, also of one that was rejected, and
// counts it on its board. Searches find it once it is indexed.
func (tx *Tx) ReleasePost(ctx context.Context, site feedback.SiteID, post feedback.PostID, board feedback.BoardID) error {
	err := tx.showing(ctx, site, post, `UPDATE posts SET held = FALSE, archived = FALSE WHERE site_id = $1 AND id = $2`, site, post)
	if err != nil {
		return wrap("release post", err)
	}
	return tx.addPosts(ctx, site, board, 1, 0)
}

// ForgetMails takes a visitor's mails out of the outbox.
func (tx *Tx) ForgetMails(ctx context.Context, site feedback.SiteID, visitor feedback.VisitorID) error {
	_, err := tx.exec(ctx, `DELETE FROM mails WHERE site_id = $1 AND visitor_id = $2`, site, visitor)
	return wrap("forget mails", err)
}
