-- +goose Up

-- Posts that wait for a moderator, and posts that one has turned down: these
-- pile up, and the queue must not read past them.
DROP INDEX posts_held;
CREATE INDEX posts_waiting ON posts (site_id, id) WHERE held AND NOT archived;
CREATE INDEX posts_rejected ON posts (site_id, id) WHERE held AND archived;

-- The words of visitors' names and addresses, folded as those of posts are.
-- Beginnings of words are found by a range, which needs the order of bytes.
CREATE TABLE visitor_words (
	site_id    BIGINT NOT NULL,
	word       TEXT   COLLATE "C" NOT NULL,
	visitor_id BIGINT NOT NULL,
	PRIMARY KEY (site_id, word, visitor_id)
);
CREATE INDEX visitor_words_visitor ON visitor_words (site_id, visitor_id);
CREATE INDEX visitors_known ON visitors (site_id, id) WHERE verified_at IS NOT NULL;
ALTER TABLE visitors ALTER COLUMN ref TYPE TEXT COLLATE "C";
