-- +goose Up

-- Who is signed in to the dashboard. Only the hash of a session's token is kept.
CREATE TABLE sessions (
	id         BIGINT PRIMARY KEY,
	member_id  BIGINT NOT NULL,
	hash       BYTEA  NOT NULL UNIQUE,
	created_at BIGINT NOT NULL,
	seen_at    BIGINT NOT NULL,
	proven_at  BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	address    TEXT   NOT NULL,
	agent      TEXT   NOT NULL
);
CREATE INDEX sessions_member ON sessions (member_id, id);
CREATE INDEX sessions_age ON sessions (expires_at);

-- Links that work once: the first set-up, a new password.
CREATE TABLE one_time_links (
	hash       BYTEA  NOT NULL PRIMARY KEY,
	kind       TEXT   NOT NULL,
	member_id  BIGINT,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	used_at    BIGINT
);
CREATE INDEX one_time_links_age ON one_time_links (expires_at);

-- Invitations take a seat until they have ended: accepted, revoked or too old.
CREATE TABLE invitations (
	id         BIGINT PRIMARY KEY,
	account_id BIGINT NOT NULL,
	email      TEXT   NOT NULL,
	role       TEXT   NOT NULL,
	hash       BYTEA  NOT NULL UNIQUE,
	invited_by BIGINT,
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	ended_at   BIGINT
);
CREATE UNIQUE INDEX invitations_open ON invitations (account_id, email) WHERE ended_at IS NULL;

-- Who did what, when and from where.
CREATE TABLE audit (
	id         BIGINT PRIMARY KEY,
	account_id BIGINT NOT NULL,
	site_id    BIGINT,
	actor_kind TEXT   NOT NULL,
	actor_id   BIGINT,
	actor_name TEXT   NOT NULL,
	action     TEXT   NOT NULL,
	subject    TEXT   NOT NULL,
	address    TEXT   NOT NULL,
	created_at BIGINT NOT NULL
);
CREATE INDEX audit_account ON audit (account_id, id);
CREATE INDEX audit_action ON audit (account_id, action, id);
CREATE INDEX audit_actor ON audit (account_id, actor_id, id);

-- Members who have left keep their row, so that what they did keeps its author;
-- their address is free again.
ALTER TABLE members ADD COLUMN left_at BIGINT;

-- A second factor: the secret is sealed, totp_step is the last code that was
-- taken, so that none is taken twice.
ALTER TABLE members ADD COLUMN totp BYTEA;
ALTER TABLE members ADD COLUMN totp_step BIGINT NOT NULL DEFAULT 0;
CREATE TABLE recovery_codes (
	member_id BIGINT NOT NULL,
	hash      BYTEA  NOT NULL,
	PRIMARY KEY (member_id, hash)
);

-- Posts as the team lists them.
CREATE INDEX posts_board_status ON posts (site_id, board_id, status_id, id);
CREATE INDEX posts_votes ON posts (site_id, vote_count, id) WHERE NOT held AND NOT archived AND merged_into IS NULL;
CREATE INDEX posts_archived ON posts (site_id, id) WHERE archived;
