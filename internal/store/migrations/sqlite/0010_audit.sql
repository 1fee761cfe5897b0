-- +goose Up

-- What the subject of an entry was called, kept where it cannot be looked up
-- later: it was removed, or is another account's.
ALTER TABLE audit ADD COLUMN name TEXT NOT NULL DEFAULT '';
