-- +goose Up

-- Addresses that somebody asked a new password for. Whether anybody has such an
-- address is looked up afterwards, so that asking costs the same for all.
CREATE TABLE reset_requests (
	id         INTEGER PRIMARY KEY,
	email      TEXT   NOT NULL,
	address    TEXT   NOT NULL,
	created_at BIGINT NOT NULL
);

-- How much of something was tried lately: the moment when all of it is paid off.
CREATE TABLE attempts (
	hash    BLOB   NOT NULL PRIMARY KEY,
	paid_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX attempts_age ON attempts (paid_at);

-- Challenges of a sign-in that were answered: each is answered once.
CREATE TABLE spent_challenges (
	hash       BLOB   NOT NULL PRIMARY KEY,
	expires_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX spent_challenges_age ON spent_challenges (expires_at);

-- Keys on members' devices. The record is sealed: nobody who can write here can
-- put in a key of their own.
CREATE TABLE passkeys (
	id         INTEGER PRIMARY KEY,
	member_id  BIGINT NOT NULL,
	credential BLOB   NOT NULL UNIQUE,
	record     BLOB   NOT NULL,
	name       TEXT   NOT NULL,
	created_at BIGINT NOT NULL,
	used_at    BIGINT
);
CREATE INDEX passkeys_member ON passkeys (member_id, id);

-- Who a member is at the provider of single sign-on.
CREATE TABLE identities (
	member_id  BIGINT NOT NULL,
	issuer     TEXT   NOT NULL,
	subject    TEXT   NOT NULL,
	created_at BIGINT NOT NULL,
	used_at    BIGINT NOT NULL,
	PRIMARY KEY (member_id, issuer)
) WITHOUT ROWID;
CREATE INDEX invitations_email ON invitations (email) WHERE ended_at IS NULL;

-- The outbox of the whole installation, as its operator lists it.
CREATE INDEX mails_newest ON mails (id);
CREATE INDEX mails_state ON mails (state, id);
