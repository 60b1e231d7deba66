/**
 * The data file of the figures: its tables, and who writes them. A refresh writes the rows of each catalogue under a new edition
 * number beside those that are served, in small transactions so that requests are answered meanwhile. One transaction then makes
 * the new editions the served ones and adds a row for today to the history; rows of old editions are deleted afterwards.
 * Everything but the history and the schedules can be counted again from the metrics graphs.
 */

import type { Row, Sqlite } from '../../sqlite.ts'
import type { YieldWhenDue } from '../../workers/event-loop.ts'
import { indicatorOf } from '../indicators.ts'
import { scopeCounts, scopeKey } from './counts.ts'
import type { CountedDataset } from './dataset-reader.ts'
import type { CatalogueFigures, Scope, ScoreBand } from './figures.ts'

/**
 * Every figure is a sum over `counts`: of a catalogue (publisher `''`) and of each publisher in it, how often a metric has a value
 * (kind `metric`), a rule was broken (`rule`: property, component and severity) and a host did not answer (`host`, with the status).
 * `datasets` counts datasets once per name; `note` is a text that belongs to the name. `problems` are the rows of lists: results of
 * validations (kind `violation`, by property) and bad URLs (`url`). `facts` are JSON. Tables of older formats are dropped, and
 * what they held is counted again.
 */
export const schema = `
DROP VIEW IF EXISTS served; DROP TABLE IF EXISTS edition; DROP TABLE IF EXISTS catalogue; DROP TABLE IF EXISTS part;
DROP TABLE IF EXISTS figure; DROP TABLE IF EXISTS dataset; DROP TABLE IF EXISTS violation; DROP TABLE IF EXISTS rule;
DROP TABLE IF EXISTS url; DROP TABLE IF EXISTS host; DROP TABLE IF EXISTS catalogues; DROP TABLE IF EXISTS publishers;
DROP TABLE IF EXISTS measurements; DROP TABLE IF EXISTS datasets; DROP TABLE IF EXISTS violations; DROP TABLE IF EXISTS rules;
DROP TABLE IF EXISTS urls; DROP TABLE IF EXISTS hosts;
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS schedule (id TEXT PRIMARY KEY, kept TEXT NOT NULL, since INTEGER NOT NULL, last INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS history (
  kind TEXT NOT NULL, key TEXT NOT NULL, day TEXT NOT NULL, tally TEXT NOT NULL, PRIMARY KEY (kind, key, day)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS editions (
  edition INTEGER PRIMARY KEY, id TEXT NOT NULL, is_served INTEGER NOT NULL, country TEXT, facts TEXT NOT NULL, score REAL);
CREATE INDEX IF NOT EXISTS editions_id ON editions (is_served, id);
CREATE VIEW IF NOT EXISTS live AS SELECT * FROM editions WHERE is_served = 1;
CREATE TABLE IF NOT EXISTS counts (
  edition INTEGER NOT NULL, kind TEXT NOT NULL, publisher TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
  count REAL NOT NULL, datasets INTEGER NOT NULL, note TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS counts_value ON counts (edition, kind, publisher, name, value);
CREATE TABLE IF NOT EXISTS scores (
  edition INTEGER NOT NULL, id TEXT NOT NULL, publisher TEXT, score REAL, facts TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS scores_id ON scores (edition, id);
CREATE INDEX IF NOT EXISTS scores_order ON scores (edition, score, id);
CREATE INDEX IF NOT EXISTS scores_all ON scores (score, id);
CREATE INDEX IF NOT EXISTS scores_publisher ON scores (publisher, score, id) WHERE publisher IS NOT NULL;
CREATE TABLE IF NOT EXISTS problems (
  edition INTEGER NOT NULL, kind TEXT NOT NULL, dataset TEXT NOT NULL, place TEXT NOT NULL, facts TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS problems_place ON problems (edition, kind, dataset, place);
`

/** Of the schema. */
export const figuresFormat = 3

/** Tables whose rows belong to an edition. */
const editionTables = ['counts', 'scores', 'problems'] as const

type Value = string | number | null

const insert = (file: Sqlite, table: string, values: readonly Value[], onConflict = ''): number =>
  file.run(
    `INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')}) ${onConflict}`,
    ...values,
  ).serial

/** Starts an edition of a catalogue that is not served yet; answers its number. */
export function beginEdition(file: Sqlite, catalogue: CatalogueFigures): number {
  const { id, country, titles, descriptions, languages, type } = catalogue
  const facts = JSON.stringify({ titles, descriptions, languages, type })
  const edition = insert(file, 'editions', [null, id, 0, country, facts, null])
  // So that a catalogue without datasets has counts, too.
  insertCount(file, edition, '', ['metric', 'datasets', 'all', 0, 0, ''])
  return edition
}

/** Adds a dataset to an edition: its own rows, and what it adds to the sums of the catalogue and of its publisher. */
export function addDataset(
  file: Sqlite,
  edition: number,
  dataset: CountedDataset,
  bands: readonly ScoreBand[],
): void {
  const { id, publisher, titles, languages, isMeasured, score, points, violations, urls } = dataset
  const counts = countsOf(dataset, bands)
  file.transaction(() => {
    for (const count of counts) insertCount(file, edition, '', count)
    if (publisher) {
      const { key, name } = publisher
      insertCount(file, edition, key, ['publisher', '', '', 1, 1, name === key ? '' : name])
      for (const count of counts) insertCount(file, edition, key, count)
    }
    if (!isMeasured) return
    const facts = JSON.stringify({ titles, languages, points })
    insert(file, 'scores', [edition, id, publisher?.key ?? null, score, facts])
    for (const one of violations)
      insert(file, 'problems', [edition, 'violation', id, one.path, JSON.stringify(one)])
    for (const one of urls)
      insert(file, 'problems', [edition, 'url', id, one.url, JSON.stringify(one)])
  })
}

type Count = readonly [
  kind: string,
  name: string,
  value: string,
  count: number,
  datasets: number,
  note: string,
]

const onConflict =
  'ON CONFLICT (edition, kind, publisher, name, value) DO UPDATE SET count = count + excluded.count, ' +
  'datasets = datasets + excluded.datasets, note = max(note, excluded.note)'

function insertCount(file: Sqlite, edition: number, publisher: string, count: Count): void {
  const [kind, ...rest] = count
  insert(file, 'counts', [edition, kind, publisher, ...rest], onConflict)
}

/** What one dataset adds; booleans and status codes are counted over it and its distributions. */
function countsOf(dataset: CountedDataset, bands: readonly ScoreBand[]): readonly Count[] {
  const counts = new Map<string, Count>()
  const names = new Set<string>()
  const add = (kind: string, name: string, value: string, { by = 1, note = '' } = {}) => {
    const [key, base] = [`${kind} ${name} ${value}`, `${kind} ${name}`]
    const [, , , before = 0, datasets = names.has(base) ? 0 : 1] = counts.get(key) ?? []
    counts.set(key, [kind, name, value, before + by, datasets, note])
    names.add(base)
  }
  const { isMeasured, distributions, score, points, counted, violations, urls } = dataset
  add('metric', 'datasets', 'all')
  if (!isMeasured) return [...counts.values()]
  add('metric', 'datasets', 'measured')
  add('metric', 'datasets', 'distributions', { by: distributions })
  const band = bands.find(({ from, to }) => score !== null && score >= from && score <= to)
  if (band) add('metric', 'bands', band.id)
  for (const [name, value] of Object.entries({ scoring: score, ...points }))
    if (value !== null) {
      add('metric', name, 'count')
      add('metric', name, 'sum', { by: value })
    }
  for (const { metric, value } of counted)
    if (typeof value === 'boolean' || indicatorOf(metric)?.type === 'status')
      add('metric', metric, String(value))
  for (const { path, component, severity, messages } of violations)
    add('rule', `${path} ${component} ${severity}`, '', { note: JSON.stringify(messages) })
  for (const { url, status } of urls) add('host', URL.parse(url)?.host ?? '', String(status))
  return [...counts.values()]
}

type Change = {
  /** Editions that are served from now on, in place of those of the same catalogues. */
  readonly editions: readonly number[]
  /** Ids of catalogues that are not served any more. */
  readonly gone: readonly string[]
  /** Those of them whose history goes too; that of hidden ones stays, unseen. */
  readonly forgotten: readonly string[]
  /** All catalogues were counted. */
  readonly isComplete: boolean
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Serves new editions, and adds the figures of all that they are part of to the history. Answers the number of the refresh. */
export function serveEditions(file: Sqlite, change: Change): number {
  const { editions, gone, forgotten, isComplete, at } = change
  return file.transaction(() => {
    const ids = column(file, `SELECT id FROM editions WHERE edition IN ${listed}`, editions)
    const old = [...ids, ...gone]
    const before = column(file, `SELECT edition FROM live WHERE id IN ${listed}`, old)
    const setServed = `UPDATE editions SET is_served = ?, score = ${meanScore} WHERE edition IN (SELECT value FROM json_each(?))`
    file.run(setServed, 0, JSON.stringify(before))
    file.run(setServed, 1, JSON.stringify(editions))
    const ofGone = `DELETE FROM history WHERE kind = 'catalogue' AND key IN ${listed}`
    file.run(ofGone, JSON.stringify(forgotten))
    const changed = [...editions, ...before.map(Number)]
    const countries = `SELECT DISTINCT country FROM editions WHERE country NOTNULL AND edition IN ${listed}`
    const publishers = `SELECT DISTINCT publisher FROM counts WHERE kind = 'publisher' AND edition IN ${listed}`
    const scopes: readonly Scope[] = [
      'global',
      ...ids.map((catalogue) => ({ catalogue })),
      ...column(file, countries, changed).map((country) => ({ country })),
      ...column(file, publishers, changed).map((publisher) => ({ publisher })),
    ]
    for (const scope of scopes) addToHistory(file, scope, dayOf(at))
    thinHistory(file, dayOf(at))
    if (isComplete) setState(file, 'counted', at)
    return nextNumber(file, at)
  }, 'durable')
}

/** Of a parameter that is a JSON array. */
const listed = '(SELECT value FROM json_each(?))'

/** Of the catalogue of a row of `editions`; it orders them. */
const meanScore =
  '(SELECT total.count / number.count FROM counts AS total JOIN counts AS number USING (edition, kind, publisher, name) ' +
  "WHERE total.edition = editions.edition AND kind = 'metric' AND publisher = '' AND name = 'scoring' " +
  "AND total.value = 'sum' AND number.value = 'count')"

const column = (file: Sqlite, sql: string, list: readonly unknown[]): readonly string[] =>
  file.rows(sql, JSON.stringify(list)).flatMap((row) => Object.values(row).map(String))

/** `YYYY-MM-DD` in UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** One row per scope and day, that of the last refresh of the day. Publishers, of which there are many, have one row per month. */
function addToHistory(file: Sqlite, scope: Scope, day: string): void {
  const counts = scopeCounts(file, scope)
  if (!counts) return
  const [kind, key] = scopeKey(scope)
  const since = kind === 'publisher' ? `${day.slice(0, 7)}-01` : day
  const sameTime = 'DELETE FROM history WHERE kind = ? AND key = ? AND day BETWEEN ? AND ?'
  file.run(sameTime, kind, key, since, day)
  insert(file, 'history', [kind, key, day, JSON.stringify(counts)])
}

/** Years before this one are kept by month, ten of them. Once a year there is something to do. */
function thinHistory(file: Sqlite, day: string): void {
  const year = Number(day.slice(0, 4))
  if (figuresState(file, 'thinned') === year) return
  file.run(
    'DELETE FROM history WHERE day < ? AND EXISTS (SELECT 1 FROM history AS later WHERE later.kind = history.kind ' +
      "AND later.key = history.key AND later.day > history.day AND later.day <= substr(history.day, 1, 7) || '-31')",
    `${year}-01-01`,
  )
  file.run('DELETE FROM history WHERE day < ?', `${year - 10}-01-01`)
  setState(file, 'thinned', year)
}

const setState = (file: Sqlite, name: string, value: number) =>
  file.run('INSERT OR REPLACE INTO state VALUES (?, ?)', name, value)

/** The number of what is served grows with everything that changes it. */
function nextNumber(file: Sqlite, at: number): number {
  const number = 1 + (figuresState(file, 'number') ?? 0)
  setState(file, 'number', number)
  setState(file, 'at', at)
  return number
}

/**
 * What the file knows of itself: `counted` is when all catalogues were counted last, `at` and `number` are of the last change
 * of what is served, `thinned` the year in which the history was. `undefined` in a file that is new or was cleared.
 */
export function figuresState(
  file: Sqlite,
  name: 'counted' | 'at' | 'number' | 'thinned',
): number | undefined {
  const row: Row | undefined = file.first('SELECT value FROM state WHERE name = ?', name)
  return row && Number(row['value'])
}

/** Removes all figures and the history; the rows of the editions go with the next refresh. */
export const clearFigures = (file: Sqlite, at: number): void =>
  file.transaction(() => {
    file.run('UPDATE editions SET is_served = 0')
    file.run('DELETE FROM history')
    file.run("DELETE FROM state WHERE name = 'counted'")
    nextNumber(file, at)
  }, 'durable')

/** Deletes editions that are not served: those of before, and what a crash or an abort left. `turn` lets others work. */
export async function deleteOldEditions(file: Sqlite, turn: YieldWhenDue): Promise<void> {
  for (const { edition } of file.rows('SELECT edition FROM editions WHERE is_served = 0')) {
    for (const table of editionTables) {
      const some = `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE edition = ? LIMIT 500)`
      while (file.run(some, Number(edition)).changes > 0) await turn()
    }
    file.run('DELETE FROM editions WHERE edition = ?', Number(edition))
  }
}
