-- +goose Up

-- Tables that are not spread: accounts and what is looked up before the site is
-- known.
CREATE TABLE accounts (
	id         BIGINT PRIMARY KEY,
	name       TEXT   NOT NULL,
	plan       TEXT   NOT NULL,
	created_at BIGINT NOT NULL
);

CREATE TABLE members (
	id            BIGINT PRIMARY KEY,
	account_id    BIGINT NOT NULL,
	email         TEXT   NOT NULL,
	name          TEXT   NOT NULL,
	role          TEXT   NOT NULL,
	password_hash TEXT   NOT NULL,
	created_at    BIGINT NOT NULL,
	UNIQUE (account_id, email)
);
CREATE INDEX members_email ON members (email);

CREATE TABLE sites (
	id         BIGINT PRIMARY KEY,
	account_id BIGINT NOT NULL,
	name       TEXT   NOT NULL,
	slug       TEXT   NOT NULL UNIQUE,
	run_count  BIGINT NOT NULL,
	created_at BIGINT NOT NULL
);
CREATE INDEX sites_account ON sites (account_id, id);

CREATE TABLE api_keys (
	id           BIGINT PRIMARY KEY,
	account_id   BIGINT NOT NULL,
	site_id      BIGINT,
	name         TEXT   NOT NULL,
	scopes       TEXT   NOT NULL,
	hash         BYTEA  NOT NULL UNIQUE,
	start        TEXT   NOT NULL,
	last4        TEXT   NOT NULL,
	created_by   BIGINT,
	created_at   BIGINT NOT NULL,
	last_used_at BIGINT,
	expires_at   BIGINT,
	revoked_at   BIGINT
);
CREATE INDEX api_keys_account ON api_keys (account_id, id);

CREATE TABLE idempotency (
	account_id BIGINT  NOT NULL,
	key        TEXT    NOT NULL,
	operation  BYTEA   NOT NULL,
	body       BYTEA   NOT NULL,
	status     BIGINT  NOT NULL,
	response   BYTEA   NOT NULL,
	sealed     BOOLEAN NOT NULL,
	created_at BIGINT  NOT NULL,
	PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

CREATE TABLE run_sites (
	run_id  BIGINT PRIMARY KEY,
	site_id BIGINT NOT NULL
);

-- Tenant tables: every primary and unique key starts with site_id, so that the
-- database can be spread by site without a change of schema.
CREATE TABLE visitors (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	ref        TEXT   NOT NULL,
	name       TEXT,
	email      TEXT,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, id),
	UNIQUE (site_id, ref)
);

CREATE TABLE boards (
	site_id     BIGINT  NOT NULL,
	id          BIGINT  NOT NULL,
	name        TEXT    NOT NULL,
	slug        TEXT    NOT NULL,
	description TEXT,
	private     BOOLEAN NOT NULL,
	post_count  BIGINT  NOT NULL,
	created_at  BIGINT  NOT NULL,
	PRIMARY KEY (site_id, id),
	UNIQUE (site_id, slug)
);

CREATE TABLE statuses (
	site_id         BIGINT  NOT NULL,
	id              BIGINT  NOT NULL,
	name            TEXT    NOT NULL,
	color           TEXT    NOT NULL,
	position        BIGINT  NOT NULL,
	done_flag       BOOLEAN NOT NULL,
	show_on_roadmap BOOLEAN NOT NULL,
	is_default      BOOLEAN NOT NULL,
	notify_mode     TEXT    NOT NULL,
	created_at      BIGINT  NOT NULL,
	PRIMARY KEY (site_id, id),
	UNIQUE (site_id, name)
);

CREATE TABLE tags (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	name       TEXT   NOT NULL,
	color      TEXT   NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, id),
	UNIQUE (site_id, name)
);

CREATE TABLE posts (
	site_id       BIGINT  NOT NULL,
	id            BIGINT  NOT NULL,
	board_id      BIGINT  NOT NULL,
	status_id     BIGINT,
	author_id     BIGINT  NOT NULL,
	vote_count    BIGINT  NOT NULL,
	comment_count BIGINT  NOT NULL,
	pinned        BOOLEAN NOT NULL,
	archived      BOOLEAN NOT NULL,
	locked        BOOLEAN NOT NULL,
	held          BOOLEAN NOT NULL,
	merged_into   BIGINT,
	created_at    BIGINT  NOT NULL,
	title         TEXT    NOT NULL,
	body          TEXT    NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX posts_board ON posts (site_id, board_id, id);
CREATE INDEX posts_status_votes ON posts (site_id, status_id, vote_count, id);
CREATE INDEX posts_author ON posts (site_id, author_id, id);

CREATE TABLE post_tags (
	site_id BIGINT NOT NULL,
	post_id BIGINT NOT NULL,
	tag_id  BIGINT NOT NULL,
	PRIMARY KEY (site_id, post_id, tag_id)
);
CREATE INDEX post_tags_tag ON post_tags (site_id, tag_id, post_id);

CREATE TABLE votes (
	site_id    BIGINT NOT NULL,
	post_id    BIGINT NOT NULL,
	visitor_id BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, post_id, visitor_id)
);
CREATE INDEX votes_visitor ON votes (site_id, visitor_id, post_id);

CREATE TABLE comments (
	site_id     BIGINT  NOT NULL,
	id          BIGINT  NOT NULL,
	post_id     BIGINT  NOT NULL,
	parent_id   BIGINT,
	author_type TEXT    NOT NULL,
	visitor_id  BIGINT,
	member_id   BIGINT,
	internal    BOOLEAN NOT NULL,
	created_at  BIGINT  NOT NULL,
	body        TEXT    NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX comments_post ON comments (site_id, post_id, id);

CREATE TABLE entries (
	site_id      BIGINT NOT NULL,
	id           BIGINT NOT NULL,
	title        TEXT   NOT NULL,
	slug         TEXT   NOT NULL,
	label        TEXT,
	status       TEXT   NOT NULL,
	published_at BIGINT,
	created_at   BIGINT NOT NULL,
	body         TEXT   NOT NULL,
	PRIMARY KEY (site_id, id),
	UNIQUE (site_id, slug)
);

CREATE TABLE entry_posts (
	site_id  BIGINT NOT NULL,
	entry_id BIGINT NOT NULL,
	post_id  BIGINT NOT NULL,
	PRIMARY KEY (site_id, entry_id, post_id)
);
CREATE INDEX entry_posts_post ON entry_posts (site_id, post_id, entry_id);

-- A merge, and all it takes to undo it exactly.
CREATE TABLE actions (
	site_id        BIGINT  NOT NULL,
	id             BIGINT  NOT NULL,
	loser_id       BIGINT  NOT NULL,
	winner_id      BIGINT  NOT NULL,
	loser_archived BOOLEAN NOT NULL,
	loser_locked   BOOLEAN NOT NULL,
	created_at     BIGINT  NOT NULL,
	undone_at      BIGINT,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX actions_winner ON actions (site_id, winner_id, id);
CREATE INDEX actions_loser ON actions (site_id, loser_id, id);

CREATE TABLE action_votes (
	site_id    BIGINT  NOT NULL,
	action_id  BIGINT  NOT NULL,
	visitor_id BIGINT  NOT NULL,
	created_at BIGINT  NOT NULL,
	moved      BOOLEAN NOT NULL,
	PRIMARY KEY (site_id, action_id, visitor_id)
);

CREATE TABLE action_comments (
	site_id    BIGINT NOT NULL,
	action_id  BIGINT NOT NULL,
	comment_id BIGINT NOT NULL,
	PRIMARY KEY (site_id, action_id, comment_id)
);

CREATE TABLE action_tags (
	site_id   BIGINT  NOT NULL,
	action_id BIGINT  NOT NULL,
	tag_id    BIGINT  NOT NULL,
	moved     BOOLEAN NOT NULL,
	PRIMARY KEY (site_id, action_id, tag_id)
);

-- What happened to a post, and who did it.
CREATE TABLE post_changes (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	post_id    BIGINT NOT NULL,
	kind       TEXT   NOT NULL,
	from_id    BIGINT,
	to_id      BIGINT,
	note       TEXT   NOT NULL,
	actor_kind TEXT   NOT NULL,
	actor_id   BIGINT,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX post_changes_post ON post_changes (site_id, post_id, id);

CREATE TABLE runs (
	site_id        BIGINT NOT NULL,
	id             BIGINT NOT NULL,
	number         BIGINT NOT NULL,
	post_id        BIGINT,
	entry_id       BIGINT,
	title          TEXT   NOT NULL,
	kind           BIGINT NOT NULL,
	mode           TEXT   NOT NULL,
	status         TEXT   NOT NULL,
	ci_result      TEXT   NOT NULL,
	repo           TEXT,
	pr_url         TEXT,
	pr_number      BIGINT,
	notified_count BIGINT NOT NULL,
	step_count     BIGINT NOT NULL,
	created_at     BIGINT NOT NULL,
	completed_at   BIGINT,
	PRIMARY KEY (site_id, id),
	UNIQUE (site_id, number)
);
CREATE INDEX runs_post ON runs (site_id, post_id, id);
CREATE INDEX runs_shipped ON runs (site_id, completed_at) WHERE status = 'SHIPPED';
CREATE UNIQUE INDEX runs_active ON runs (site_id, post_id) WHERE status NOT IN ('SHIPPED', 'FAILED');

CREATE TABLE run_steps (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	run_id     BIGINT NOT NULL,
	seq        BIGINT NOT NULL,
	tone       TEXT   NOT NULL,
	label      TEXT   NOT NULL,
	detail     TEXT,
	code       TEXT,
	label_meta TEXT,
	at         BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (site_id, id),
	UNIQUE (site_id, run_id, seq)
);

CREATE TABLE events (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	type       TEXT   NOT NULL,
	created_at BIGINT NOT NULL,
	payload    TEXT   NOT NULL,
	PRIMARY KEY (site_id, id)
);

CREATE TABLE notices (
	site_id    BIGINT NOT NULL,
	id         BIGINT NOT NULL,
	kind       TEXT   NOT NULL,
	post_id    BIGINT,
	status_id  BIGINT,
	entry_id   BIGINT,
	comment_id BIGINT,
	note       TEXT   NOT NULL,
	created_at BIGINT NOT NULL,
	done_at    BIGINT,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX notices_due ON notices (id) WHERE done_at IS NULL;

-- The words of searchable posts, folded in Go. One row for each post that a
-- search may find. Without fastupdate a search never has to read a list of
-- entries that nobody has sorted in yet.
CREATE TABLE post_search (
	site_id BIGINT   NOT NULL,
	id      BIGINT   NOT NULL,
	words   TSVECTOR NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE INDEX post_search_words ON post_search USING gin (words) WITH (fastupdate = off);
