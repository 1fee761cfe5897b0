-- +goose Up

-- Posts that wait for a moderator, and posts that one has turned down: these
-- pile up, and the queue must not read past them.
DROP INDEX posts_held;
CREATE INDEX posts_waiting ON posts (site_id, id) WHERE held AND NOT archived;
CREATE INDEX posts_rejected ON posts (site_id, id) WHERE held AND archived;

-- The words of visitors' names and addresses, folded as those of posts are.
CREATE TABLE visitor_words (
	site_id    BIGINT NOT NULL,
	word       TEXT   NOT NULL,
	visitor_id BIGINT NOT NULL,
	PRIMARY KEY (site_id, word, visitor_id)
) WITHOUT ROWID;
CREATE INDEX visitor_words_visitor ON visitor_words (site_id, visitor_id);
CREATE INDEX visitors_known ON visitors (site_id, id) WHERE verified_at IS NOT NULL;
