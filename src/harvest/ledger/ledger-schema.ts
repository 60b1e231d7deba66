/** Schema of `harvest.sqlite`. */

/**
 * Tables; times are in ms since 1970.
 *
 *     record      one row per harvested or adopted dataset: its owner, the hash at the last write, the number of missed runs;
 *                 `source` is empty until the source offers an adopted record, `first_run` is the one in which its owner first
 *                 wrote it; empty after an adoption, the removing run after a restoration, kept by `transfer`
 *     likeness    digests of identifier and landing page, for finding duplicates in other catalogues
 *     pipe        last complete run of each pipe; `alive` is that of the last run that was complete or found nothing modified
 *     place       file of each pipe at its last run that was no dry run
 *     held        removals that wait for consent
 *     removed     removals that can be undone
 *     target      address of the repository from which a run removed records or holds removals; empty if it is this process's own
 *     checkpoint  counts of a run that can be resumed; the rows that it was offered have its id as `last_run`
 *     age         number of changes, and whether the file was ever found to be an older copy (`doubted`)
 *     present     original ids in the catalogues of active runs; temporary
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
  CREATE TABLE IF NOT EXISTS target (run TEXT PRIMARY KEY, address TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS checkpoint (run TEXT PRIMARY KEY, offered INTEGER NOT NULL, nameless INTEGER NOT NULL, time INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS age (id INTEGER PRIMARY KEY CHECK (id = 1), changes INTEGER NOT NULL, doubted INTEGER NOT NULL) STRICT;
  CREATE TEMP TABLE present (run TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (run, id)) WITHOUT ROWID;
`

/** Version of the schema, which files carry as their format. */
export const ledgerFormat = 1
