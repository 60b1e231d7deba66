/** The file of the figures: rows per catalogue and edition, what they add up to, and snapshots of it by day. */

/**
 * A refresh writes a new edition of a catalogue beside the old one; the catalogue's row then names the new one, and the rows
 * of the old are deleted. Rows of the publisher `''` are those of the whole catalogue.
 */
export const schema = `
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS edition (number INTEGER PRIMARY KEY AUTOINCREMENT, catalogue TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS catalogue (
  id TEXT PRIMARY KEY, edition INTEGER NOT NULL, titles TEXT NOT NULL, descriptions TEXT NOT NULL, languages TEXT NOT NULL,
  country TEXT, type TEXT, score REAL, tally TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS catalogue_score ON catalogue (score, id);
CREATE INDEX IF NOT EXISTS catalogue_country ON catalogue (country);
CREATE INDEX IF NOT EXISTS catalogue_edition ON catalogue (edition);
CREATE TABLE IF NOT EXISTS part (
  edition INTEGER NOT NULL, publisher TEXT NOT NULL, tally TEXT NOT NULL, PRIMARY KEY (edition, publisher)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS part_publisher ON part (publisher, edition);
CREATE TABLE IF NOT EXISTS figure (
  kind TEXT NOT NULL, key TEXT NOT NULL, name TEXT, datasets INTEGER NOT NULL, tally TEXT NOT NULL,
  PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS figure_datasets ON figure (kind, datasets DESC, key);
CREATE TABLE IF NOT EXISTS dataset (
  edition INTEGER NOT NULL, id TEXT NOT NULL, publisher TEXT, titles TEXT NOT NULL, languages TEXT NOT NULL, score REAL,
  points TEXT NOT NULL, PRIMARY KEY (edition, id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS dataset_score ON dataset (edition, score, id);
CREATE INDEX IF NOT EXISTS dataset_publisher ON dataset (publisher, score, id) WHERE publisher IS NOT NULL;
CREATE TABLE IF NOT EXISTS violation (
  edition INTEGER NOT NULL, dataset TEXT NOT NULL, path TEXT NOT NULL, number INTEGER NOT NULL, severity TEXT NOT NULL,
  component TEXT NOT NULL, value TEXT, messages TEXT NOT NULL, PRIMARY KEY (edition, dataset, path, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rule (
  edition INTEGER NOT NULL, publisher TEXT NOT NULL, path TEXT NOT NULL, component TEXT NOT NULL, severity TEXT NOT NULL,
  count INTEGER NOT NULL, datasets INTEGER NOT NULL, messages TEXT NOT NULL,
  PRIMARY KEY (edition, publisher, path, component, severity)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS rule_publisher ON rule (publisher, edition);
CREATE TABLE IF NOT EXISTS url (
  edition INTEGER NOT NULL, dataset TEXT NOT NULL, url TEXT NOT NULL, number INTEGER NOT NULL, distribution TEXT NOT NULL,
  type TEXT NOT NULL, status INTEGER NOT NULL, checked TEXT, PRIMARY KEY (edition, dataset, url, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS host (
  edition INTEGER NOT NULL, publisher TEXT NOT NULL, host TEXT NOT NULL, status INTEGER NOT NULL, urls INTEGER NOT NULL,
  datasets INTEGER NOT NULL, PRIMARY KEY (edition, publisher, host, status)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS host_publisher ON host (publisher, edition);
CREATE TABLE IF NOT EXISTS history (
  kind TEXT NOT NULL, key TEXT NOT NULL, day TEXT NOT NULL, tally TEXT NOT NULL, PRIMARY KEY (kind, key, day)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS schedule (id TEXT PRIMARY KEY, kept TEXT NOT NULL, since INTEGER NOT NULL, last INTEGER) WITHOUT ROWID;
`

/** Of the schema. */
export const figuresFormat = 1
