-- +goose Up

-- What is published of a site's themes, and what the next run needs to know of
-- the last: with which model, how many posts there were when all were clustered
-- anew, how many and up to which now.
CREATE TABLE site_insights (
	site_id        BIGINT  PRIMARY KEY,
	insight_run_id BIGINT,
	published_at   BIGINT,
	quota_paused   BOOLEAN NOT NULL,
	model          TEXT    NOT NULL,
	full_posts     BIGINT  NOT NULL,
	post_count     BIGINT  NOT NULL,
	newest_post    BIGINT  NOT NULL,
	next_run_at    BIGINT,
	embedded_to    BIGINT  NOT NULL
);

-- The published themes. written_posts is how many posts there were when a
-- provider wrote the label, NULL when it is our own.
CREATE TABLE themes (
	site_id       BIGINT NOT NULL,
	id            BIGINT NOT NULL,
	position      BIGINT NOT NULL,
	label         TEXT   NOT NULL,
	summary       TEXT,
	sentiment     TEXT,
	post_count    BIGINT NOT NULL,
	trend         TEXT   NOT NULL,
	trend_delta   BIGINT NOT NULL,
	written_posts BIGINT,
	PRIMARY KEY (site_id, id)
);

-- Which post is in which theme, by run: the rows of a new run are written in
-- batches beside those of the published one, and count when it is published.
-- Without a theme, the post was seen and fits none. text_hash tells an edited
-- post.
CREATE TABLE theme_posts (
	site_id        BIGINT NOT NULL,
	insight_run_id BIGINT NOT NULL,
	post_id        BIGINT NOT NULL,
	theme_id       BIGINT,
	position       BIGINT NOT NULL,
	text_hash      BIGINT NOT NULL,
	PRIMARY KEY (site_id, insight_run_id, post_id)
);
CREATE INDEX theme_posts_theme ON theme_posts (site_id, insight_run_id, theme_id, position);

-- The meanings of posts, by model, each with the hash of the text it was made
-- of. version rises, so that a reader finds what is new.
CREATE TABLE post_vectors (
	site_id BIGINT NOT NULL,
	model   TEXT   NOT NULL,
	post_id BIGINT NOT NULL,
	version BIGINT NOT NULL,
	hash    TEXT   NOT NULL,
	vector  BYTEA  NOT NULL,
	PRIMARY KEY (site_id, model, post_id)
);
CREATE INDEX post_vectors_version ON post_vectors (site_id, model, version);

-- Runs, past and present. One at a time for a site; the holder of the lease
-- does it, and when it has run out another may.
CREATE TABLE insight_runs (
	site_id     BIGINT  NOT NULL,
	id          BIGINT  NOT NULL,
	status      TEXT    NOT NULL,
	asked       BOOLEAN NOT NULL,
	holder      BIGINT,
	lease_until BIGINT,
	attempts    BIGINT  NOT NULL,
	stage       TEXT    NOT NULL,
	done        BIGINT  NOT NULL,
	total       BIGINT  NOT NULL,
	is_full     BOOLEAN NOT NULL,
	post_count  BIGINT  NOT NULL,
	theme_count BIGINT  NOT NULL,
	failure     TEXT,
	created_at  BIGINT  NOT NULL,
	started_at  BIGINT,
	finished_at BIGINT,
	PRIMARY KEY (site_id, id)
);
CREATE UNIQUE INDEX insight_runs_active ON insight_runs (site_id) WHERE status IN ('queued', 'running');

-- What an account has used of the provider in a month, such as 202611.
CREATE TABLE ai_usage (
	account_id BIGINT NOT NULL,
	month      BIGINT NOT NULL,
	units      BIGINT NOT NULL,
	PRIMARY KEY (account_id, month)
);
