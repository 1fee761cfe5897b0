-- +goose Up

-- Ways of looking at the posts of a site, by name. Without a member it is the
-- team's.
CREATE TABLE saved_views (
	site_id    BIGINT  NOT NULL,
	id         BIGINT  NOT NULL,
	member_id  BIGINT,
	name       TEXT    NOT NULL,
	board_id   BIGINT,
	status_id  BIGINT,
	tag_id     BIGINT,
	shown      TEXT    NOT NULL,
	days       BIGINT  NOT NULL,
	by_votes   BOOLEAN NOT NULL,
	query      TEXT    NOT NULL,
	created_at BIGINT  NOT NULL,
	PRIMARY KEY (site_id, id)
);
CREATE UNIQUE INDEX saved_views_name ON saved_views (site_id, COALESCE(member_id, 0), name);

-- Withheld posts are not offered to agents.
ALTER TABLE posts ADD COLUMN withheld BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX posts_withheld ON posts (site_id, id) WHERE withheld;

-- Posts as the team lists them: what was archived, merged or is held costs the
-- reader of the others nothing.
CREATE INDEX posts_current ON posts (site_id, id) WHERE NOT held AND NOT archived AND merged_into IS NULL;
CREATE INDEX posts_board_current ON posts (site_id, board_id, id) WHERE NOT held AND NOT archived AND merged_into IS NULL;

-- A comment that was public and is hidden has become internal; comments that
-- were hidden together share the moment.
ALTER TABLE comments ADD COLUMN edited_at BIGINT;
ALTER TABLE comments ADD COLUMN hidden_at BIGINT;

-- When a draft is to be published by itself.
ALTER TABLE entries ADD COLUMN publish_at BIGINT;
CREATE INDEX entries_due ON entries (publish_at, id) WHERE publish_at IS NOT NULL;
