-- +goose Up

-- How many posts of a board the public sees. post_count is what the list of the
-- API holds, and archived posts are part of that.
ALTER TABLE boards ADD COLUMN shown_count BIGINT NOT NULL DEFAULT 0;
UPDATE boards SET shown_count = (
	SELECT COUNT(*) FROM posts p
	WHERE  p.site_id = boards.site_id AND p.board_id = boards.id
	AND    NOT p.held AND NOT p.archived AND p.merged_into IS NULL);

-- Every list of the portal in every order, of a status on a board. The list of a
-- whole board is put together from these: an index of its own would have to be
-- written with every vote.
DROP INDEX posts_trending;
DROP INDEX posts_top;
CREATE INDEX posts_listed_newest ON posts (site_id, board_id, status_id, id) WHERE NOT held AND NOT archived AND merged_into IS NULL;
CREATE INDEX posts_listed_trending ON posts (site_id, board_id, status_id, trend, id) WHERE NOT held AND NOT archived AND merged_into IS NULL;
CREATE INDEX posts_listed_top ON posts (site_id, board_id, status_id, vote_count, id) WHERE NOT held AND NOT archived AND merged_into IS NULL;

-- And of a tag, newest first. What the lists of a tag go by is copied from the
-- post: an index cannot reach into another table. Votes and heat are not: they
-- would have to be written with every vote. A status that is zero is none.
ALTER TABLE post_tags ADD COLUMN shown BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE post_tags ADD COLUMN board_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE post_tags ADD COLUMN status_id BIGINT NOT NULL DEFAULT 0;
UPDATE post_tags SET (shown, board_id, status_id) = (
	SELECT NOT p.held AND NOT p.archived AND p.merged_into IS NULL, p.board_id, COALESCE(p.status_id, 0)
	FROM   posts p
	WHERE  p.site_id = post_tags.site_id AND p.id = post_tags.post_id)
WHERE EXISTS (SELECT 1 FROM posts p WHERE p.site_id = post_tags.site_id AND p.id = post_tags.post_id);
CREATE INDEX post_tags_newest ON post_tags (site_id, tag_id, board_id, status_id, post_id) WHERE shown;
