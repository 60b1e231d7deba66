/** Schema of `harvest.sqlite`. */

/**
 * `record`: who owns what; `source` is empty for a record that was handed over and not offered yet, `hash` is that of the
 * source at the last write, `state` is `owned` or `restored`, `first_run` that of its pipe. `pipe`: the last complete run of
 * each. `place`: in which file of which source a pipe stood. `held` and `removed`: what runs wanted to remove and did.
 * `likeness`: digests of what a record shares with one of another catalogue when both are the same. `checkpoint`: from where a
 * run may go on; the rows that it had met until then have it as their `last_run`. `present`: what a catalogue holds. `age`: how
 * many changes there were, and whether the file was an older copy. Times are ms.
 */
export const ledgerSchema = `
  PRAGMA cache_size = -16384;
  CREATE TABLE IF NOT EXISTS record (
    serial INTEGER PRIMARY KEY AUTOINCREMENT, catalogue TEXT NOT NULL, original TEXT NOT NULL, pipe TEXT NOT NULL, source TEXT NOT NULL,
    hash TEXT, platform TEXT, state TEXT NOT NULL DEFAULT 'owned', first_run TEXT NOT NULL, last_run TEXT NOT NULL,
    missed INTEGER NOT NULL DEFAULT 0, written INTEGER NOT NULL, UNIQUE (catalogue, original)) STRICT;
  CREATE INDEX IF NOT EXISTS record_source ON record (catalogue, pipe, source);
  CREATE TABLE IF NOT EXISTS likeness (serial INTEGER PRIMARY KEY, identifier INTEGER, page INTEGER) STRICT;
  CREATE INDEX IF NOT EXISTS likeness_identifier ON likeness (identifier) WHERE identifier IS NOT NULL;
  CREATE INDEX IF NOT EXISTS likeness_page ON likeness (page) WHERE page IS NOT NULL;
  CREATE TABLE IF NOT EXISTS pipe (
    pipe TEXT PRIMARY KEY, catalogue TEXT NOT NULL, run TEXT NOT NULL, time INTEGER NOT NULL, alive INTEGER NOT NULL, fingerprint TEXT NOT NULL,
    nameless INTEGER NOT NULL, shape TEXT, transformation TEXT NOT NULL, validators TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS place (pipe TEXT PRIMARY KEY, source TEXT NOT NULL, file TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS held (run TEXT NOT NULL, serial INTEGER NOT NULL, PRIMARY KEY (run, serial)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS removed (
    serial INTEGER PRIMARY KEY, run TEXT NOT NULL, catalogue TEXT NOT NULL, pipe TEXT NOT NULL, original TEXT NOT NULL,
    source TEXT NOT NULL, platform TEXT NOT NULL, time INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS removed_run ON removed (run);
  CREATE INDEX IF NOT EXISTS removed_platform ON removed (platform);
  CREATE TABLE IF NOT EXISTS checkpoint (run TEXT PRIMARY KEY, offered INTEGER NOT NULL, nameless INTEGER NOT NULL, time INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS age (id INTEGER PRIMARY KEY CHECK (id = 1), changes INTEGER NOT NULL, doubted INTEGER NOT NULL) STRICT;
  CREATE TEMP TABLE present (run TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (run, id)) WITHOUT ROWID;
`

/** Version of the schema. */
export const ledgerFormat = 1
