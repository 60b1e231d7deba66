/** Data files of earlier formats: history and schedules are kept, figures are counted again. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { newDirectory, openStore, cacheFixture } from './cache-fixture.ts'
import { scores, write } from './measured.ts'

/** A file of format 3, written an hour before the clock of the test. */
function writeFormat3(path: string): void {
  const file = new DatabaseSync(path)
  const at = Date.parse('2026-11-22T09:00:00Z')
  const counts = JSON.stringify({ scoring: { count: 2, sum: 50 } })
  const trigger = JSON.stringify({
    id: 'noon',
    status: 'enabled',
    timing: { kind: 'cron', expression: '0 12 * * *' },
  })
  file.exec(`
    CREATE TABLE state (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
    INSERT INTO state VALUES ('counted', ${at}), ('at', ${at}), ('number', 7), ('thinned', 2026);
    CREATE TABLE schedule (id TEXT PRIMARY KEY, kept TEXT NOT NULL, since INTEGER NOT NULL, last INTEGER) WITHOUT ROWID;
    INSERT INTO schedule VALUES ('noon', '${trigger}', ${at}, NULL);
    CREATE TABLE history (kind TEXT NOT NULL, key TEXT NOT NULL, day TEXT NOT NULL, tally TEXT NOT NULL,
      PRIMARY KEY (kind, key, day)) WITHOUT ROWID;
    INSERT INTO history VALUES ('global', '', '2026-11-20', '${counts}'), ('catalogue', 'north', '2026-11-20', '${counts}');
    CREATE TABLE editions (edition INTEGER PRIMARY KEY, id TEXT NOT NULL, is_served INTEGER NOT NULL, country TEXT,
      facts TEXT NOT NULL, score REAL);
    INSERT INTO editions VALUES (1, 'north', 1, NULL, '{}', 25);
    CREATE VIEW live AS SELECT * FROM editions WHERE is_served = 1;
    CREATE TABLE counts (edition INTEGER NOT NULL, kind TEXT NOT NULL);
    CREATE TABLE scores (edition INTEGER NOT NULL, id TEXT NOT NULL);
    CREATE TABLE problems (edition INTEGER NOT NULL, kind TEXT NOT NULL);
    PRAGMA user_version = 3`)
  file.close()
}

it('of format 3 keeps history, schedules and the number of the refresh, and is counted within a minute', async () => {
  const directory = newDirectory()
  const path = join(directory, 'figures.sqlite')
  writeFormat3(path)
  const store = await openStore()
  await write(store, { id: 'north', datasets: [{ id: 'n', values: scores(30, 0, 0, 0, 0) }] })
  const { cache, figures, clock, stop } = cacheFixture({ store, directory })
  expect([figures.catalogues(), figures.refreshed()?.number]).toEqual([[], 7])
  expect(cache.schedules.all()).toMatchObject([
    { id: 'noon', next: Date.parse('2026-11-22T12:00:00Z') },
  ])
  clock.forward(60_000)
  await expect.poll(() => figures.refreshed()?.number).toBe(8)
  const span = { from: '2026-11-01', to: '2026-11-30', resolution: 'day' } as const
  for (const scope of ['global', { catalogue: 'north' }] as const)
    expect(
      figures.history(scope, span).map(({ day, aggregate: { score } }) => [day, score]),
    ).toEqual([
      ['2026-11-20', 25],
      ['2026-11-22', 30],
    ])
  await stop()
  const file = new DatabaseSync(path)
  expect(file.prepare('PRAGMA user_version').get()).toEqual({ user_version: 4 })
  const old =
    "SELECT name FROM sqlite_master WHERE name IN ('editions', 'live', 'counts', 'scores', 'problems')"
  expect(file.prepare(old).all()).toEqual([])
  file.close()
  const again = cacheFixture({ store, directory, at: '2026-11-22T10:05:00Z' })
  expect(again.figures.aggregate('global')?.score).toBe(30)
})
