-- +goose Up

-- Whoever holds the lease of an endpoint, and nobody else, sends to it: so one
-- process counts what is in flight there, and a delivery needs no claim of its
-- own. deleted_at hides an endpoint until its log has been removed.
CREATE TABLE webhook_endpoints (
	site_id              BIGINT  NOT NULL,
	id                   BIGINT  NOT NULL,
	url                  TEXT    NOT NULL,
	description          TEXT,
	event_types          TEXT    NOT NULL,
	enabled              BOOLEAN NOT NULL,
	disabled_reason      TEXT    NOT NULL,
	disabled_at          BIGINT,
	consecutive_failures BIGINT  NOT NULL,
	secret               BLOB    NOT NULL,
	previous_secret      BLOB,
	previous_expires_at  BIGINT,
	cancel_below         BIGINT,
	lease_owner          BIGINT,
	leased_until         BIGINT,
	created_at           BIGINT  NOT NULL,
	updated_at           BIGINT  NOT NULL,
	deleted_at           BIGINT,
	PRIMARY KEY (site_id, id)
) WITHOUT ROWID;
CREATE INDEX webhook_endpoints_id ON webhook_endpoints (id);

CREATE TABLE deliveries (
	site_id         BIGINT NOT NULL,
	endpoint_id     BIGINT NOT NULL,
	id              BIGINT NOT NULL,
	message_id      BIGINT NOT NULL,
	type            TEXT   NOT NULL,
	cause           TEXT   NOT NULL,
	status          TEXT   NOT NULL,
	attempt_count   BIGINT NOT NULL,
	next_attempt_at BIGINT,
	created_at      BIGINT NOT NULL,
	completed_at    BIGINT,
	PRIMARY KEY (site_id, endpoint_id, id)
) WITHOUT ROWID;
-- What is waiting, endpoint by endpoint: the worker steps from one endpoint to
-- the next and never through the backlog of one.
CREATE INDEX deliveries_waiting ON deliveries (endpoint_id, next_attempt_at, id) WHERE status = 'pending';
-- Most deliveries succeed, and those that did not are found without leafing
-- through them. (With OR, not IN: SQLite sees no further.) There are few indexes
-- here: every event pays for each of them.
CREATE INDEX deliveries_unsent ON deliveries (site_id, endpoint_id, status, id) WHERE status = 'failed' OR status = 'cancelled';
CREATE INDEX deliveries_again ON deliveries (site_id, message_id) WHERE cause = 'redelivery';

CREATE TABLE delivery_attempts (
	site_id            BIGINT  NOT NULL,
	endpoint_id        BIGINT  NOT NULL,
	delivery_id        BIGINT  NOT NULL,
	number             BIGINT  NOT NULL,
	started_at         BIGINT  NOT NULL,
	duration           BIGINT  NOT NULL,
	response_status    BIGINT  NOT NULL,
	response_truncated BOOLEAN NOT NULL,
	error              TEXT    NOT NULL,
	response_body      TEXT    NOT NULL,
	PRIMARY KEY (site_id, endpoint_id, delivery_id, number)
) WITHOUT ROWID;

ALTER TABLE notices ADD COLUMN endpoint_id BIGINT;
