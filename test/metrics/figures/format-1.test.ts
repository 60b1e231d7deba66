/** A data file as the version before wrote it: its figures are counted again, its history and its schedules stay. */

import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newDirectory, openStore, openedCache } from './ground.ts'
import { scores, write } from './measured.ts'

const tally = {
  all: 3,
  datasets: 2,
  distributions: 4,
  score: [2, 300],
  dimensions: { findability: [2, 100] },
  bands: { badScoring: 2 },
  answers: { keywordAvailability: [1, 1] },
  codes: { accessUrlStatusCode: { 200: 3, 404: 1 } },
}

function writeFormat1(directory: string): void {
  const file = new DatabaseSync(join(directory, 'figures.sqlite'))
  file.exec(`
    CREATE TABLE state (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
    CREATE TABLE edition (number INTEGER PRIMARY KEY AUTOINCREMENT, catalogue TEXT NOT NULL);
    CREATE TABLE catalogue (id TEXT PRIMARY KEY, edition INTEGER NOT NULL, tally TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE history (
      kind TEXT NOT NULL, key TEXT NOT NULL, day TEXT NOT NULL, tally TEXT NOT NULL, PRIMARY KEY (kind, key, day)) WITHOUT ROWID;
    CREATE TABLE schedule (id TEXT PRIMARY KEY, kept TEXT NOT NULL, since INTEGER NOT NULL, last INTEGER) WITHOUT ROWID;
    INSERT INTO state VALUES ('whole', 1763719200000), ('number', 7), ('at', 1763719200000);
    INSERT INTO catalogue VALUES ('city', 1, '{}');
    PRAGMA user_version = 1;
  `)
  const add = file.prepare('INSERT INTO history VALUES (?, ?, ?, ?)')
  add.run('global', '', '2026-11-20', JSON.stringify(tally))
  add.run('catalogue', 'city', '2026-11-20', JSON.stringify(tally))
  const trigger = {
    id: 'noon',
    status: 'disabled',
    timing: { kind: 'cron', expression: '0 12 * * *' },
  }
  file.prepare('INSERT INTO schedule VALUES (?, ?, 0, NULL)').run('noon', JSON.stringify(trigger))
  file.close()
}

it('is opened, counted again by itself, and goes on with its history', async () => {
  const store = await openStore()
  await write(store, { id: 'city', datasets: [{ id: 'a', values: scores(30, 0, 0, 0, 0) }] })
  const directory = newDirectory()
  writeFormat1(directory)
  const { figures, clock } = openedCache({ store, directory })
  expect(figures.refreshed()?.number).toBe(7)
  clock.forward(60_000)
  await expect.poll(() => figures.refreshed()?.number).toBe(8)
  const span = { from: '2026-11-01', to: '2026-11-30', resolution: 'day' } as const
  for (const scope of ['global', { catalogue: 'city' }] as const)
    expect(figures.history(scope, span)).toMatchObject([
      {
        day: '2026-11-20',
        aggregate: {
          score: 150,
          dimensions: { findability: { points: 50, percentage: 50, max: 100 }, reusability: null },
          metrics: {
            keywordAvailability: [{ percentage: 50 }, { percentage: 50 }],
            accessUrlAccessibility: [{ percentage: 75 }, { percentage: 25 }],
          },
        },
      },
      { day: '2026-11-22', aggregate: { score: 30 } },
    ])
})
