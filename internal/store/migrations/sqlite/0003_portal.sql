-- +goose Up

-- Posts as the portal lists them. trend is the sum of a post's votes, each worth
-- half as much for every week of its age, as a logarithm: votes fade alike, so
-- the order of two posts changes only when one of them gets a vote.
ALTER TABLE posts ADD COLUMN trend BIGINT NOT NULL DEFAULT 0;
UPDATE posts SET trend = created_at / 604800;
CREATE INDEX posts_trending ON posts (site_id, board_id, trend, id) WHERE NOT held AND NOT archived AND merged_into IS NULL;
CREATE INDEX posts_top ON posts (site_id, board_id, vote_count, id) WHERE NOT held AND NOT archived AND merged_into IS NULL;
CREATE INDEX posts_status ON posts (site_id, status_id, id);
CREATE INDEX posts_pinned ON posts (site_id, id) WHERE pinned;
CREATE INDEX posts_held ON posts (site_id, id) WHERE held;
CREATE INDEX posts_merged ON posts (site_id, merged_into, id) WHERE merged_into IS NOT NULL;
CREATE INDEX comments_visitor ON comments (site_id, visitor_id, id) WHERE visitor_id IS NOT NULL;
CREATE INDEX entries_published ON entries (site_id, published_at, id) WHERE published_at IS NOT NULL;

-- What a site's portal looks like and whom it lets in.
CREATE TABLE site_settings (
	site_id        INTEGER PRIMARY KEY,
	accent         TEXT    NOT NULL,
	scheme         TEXT    NOT NULL,
	locale         TEXT    NOT NULL,
	intro          TEXT    NOT NULL,
	host           TEXT    NOT NULL,
	logo_hash      TEXT    NOT NULL,
	anonymous      BOOLEAN NOT NULL,
	moderation     BOOLEAN NOT NULL,
	widget_origins TEXT    NOT NULL,
	sso_secret     BLOB,
	updated_at     BIGINT  NOT NULL
);

CREATE TABLE site_logos (
	site_id INTEGER PRIMARY KEY,
	hash    TEXT NOT NULL,
	type    TEXT NOT NULL,
	data    BLOB NOT NULL
);

-- Looked up before the site is known.
CREATE TABLE site_hosts (
	host    TEXT   NOT NULL PRIMARY KEY,
	site_id BIGINT NOT NULL
) WITHOUT ROWID;

ALTER TABLE visitors ADD COLUMN locale TEXT NOT NULL DEFAULT '';
ALTER TABLE visitors ADD COLUMN mail_status BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE visitors ADD COLUMN mail_replies BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE visitors ADD COLUMN mail_changelog BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE visitors ADD COLUMN verified_at BIGINT;
ALTER TABLE visitors ADD COLUMN subscribed_at BIGINT;
CREATE UNIQUE INDEX visitors_email ON visitors (site_id, email) WHERE verified_at IS NOT NULL;
CREATE INDEX visitors_subscribed ON visitors (site_id, id) WHERE subscribed_at IS NOT NULL;

CREATE TABLE visitor_sessions (
	site_id    BIGINT NOT NULL,
	hash       BLOB   NOT NULL,
	visitor_id BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, hash)
) WITHOUT ROWID;
CREATE INDEX visitor_sessions_visitor ON visitor_sessions (site_id, visitor_id);

-- Proofs of an address that are under way: to sign in, or to subscribe.
CREATE TABLE challenges (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	kind       TEXT   NOT NULL,
	email      TEXT   NOT NULL,
	code_hash  BLOB   NOT NULL,
	attempts   BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	used_at    BIGINT,
	PRIMARY KEY (site_id, id)
) WITHOUT ROWID;

CREATE TABLE sso_tokens (
	site_id    BIGINT NOT NULL,
	jti        TEXT   NOT NULL,
	expires_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, jti)
) WITHOUT ROWID;

-- Posts a visitor wants no more mail about.
CREATE TABLE post_mutes (
	site_id    BIGINT NOT NULL,
	post_id    BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, post_id, visitor_id)
) WITHOUT ROWID;

CREATE TABLE blocks (
	site_id    BIGINT NOT NULL,
	kind       TEXT   NOT NULL,
	value      TEXT   NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, kind, value)
) WITHOUT ROWID;

-- The outbox: every mail there ever was to send. A notice reaches a visitor once.
CREATE TABLE mails (
	site_id         BIGINT NOT NULL,
	id              BIGINT NOT NULL,
	kind            TEXT   NOT NULL,
	notice_id       BIGINT,
	visitor_id      BIGINT,
	to_email        TEXT   NOT NULL,
	to_name         TEXT   NOT NULL,
	subject         TEXT   NOT NULL,
	text_part       TEXT   NOT NULL,
	html_part       TEXT   NOT NULL,
	unsubscribe     TEXT   NOT NULL,
	state           TEXT   NOT NULL,
	attempts        BIGINT NOT NULL,
	next_attempt_at BIGINT NOT NULL,
	lease_until     BIGINT,
	sent_at         BIGINT,
	error           TEXT   NOT NULL,
	created_at      BIGINT NOT NULL,
	PRIMARY KEY (site_id, id),
	UNIQUE (site_id, notice_id, visitor_id)
) WITHOUT ROWID;
CREATE INDEX mails_due ON mails (next_attempt_at, id) WHERE state = 'pending';
CREATE INDEX mails_held ON mails (lease_until) WHERE lease_until IS NOT NULL;

-- How far a notice has been told.
ALTER TABLE notices ADD COLUMN told_until BIGINT NOT NULL DEFAULT 0;
