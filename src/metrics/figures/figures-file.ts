/**
 * The data file of the figures: its tables, and who writes them. A refresh writes the rows of each catalogue under a new edition
 * number beside those that are served, in small transactions so that requests are answered meanwhile. One transaction then makes
 * the new editions the served ones and adds a row for today to the history; rows of old editions are deleted afterwards.
 * Everything but the history and the schedules can be counted again from the metrics graphs.
 */

import type { Sqlite } from '../../sqlite.ts'
import type { YieldWhenDue } from '../../workers/event-loop.ts'
import { dimensions, indicatorOf } from '../indicators.ts'
import { scopeCounts, scopeKey, type ScopeCounts } from './counts.ts'
import type { DatasetMeasurements, ReadDataset } from './dataset-reader.ts'
import type { CatalogueFigures, Scope, ScoreBand } from './figures.ts'

/**
 * `measurements` holds how often a metric has a value, over all datasets of a catalogue (publisher `''`) and over those of each
 * publisher; every figure is a sum over it. The tables of format 1 are dropped: their figures are counted again.
 */
export const schema = `
DROP TABLE IF EXISTS edition; DROP TABLE IF EXISTS catalogue; DROP TABLE IF EXISTS part; DROP TABLE IF EXISTS figure;
DROP TABLE IF EXISTS dataset; DROP TABLE IF EXISTS violation; DROP TABLE IF EXISTS rule; DROP TABLE IF EXISTS url;
DROP TABLE IF EXISTS host;
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS schedule (id TEXT PRIMARY KEY, kept TEXT NOT NULL, since INTEGER NOT NULL, last INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS history (
  kind TEXT NOT NULL, key TEXT NOT NULL, day TEXT NOT NULL, tally TEXT NOT NULL, PRIMARY KEY (kind, key, day)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS catalogues (
  edition INTEGER PRIMARY KEY, id TEXT NOT NULL, is_served INTEGER NOT NULL, titles TEXT NOT NULL, descriptions TEXT NOT NULL,
  languages TEXT NOT NULL, country TEXT, type TEXT, score REAL);
CREATE INDEX IF NOT EXISTS catalogues_id ON catalogues (is_served, id);
CREATE VIEW IF NOT EXISTS served AS SELECT * FROM catalogues WHERE is_served = 1;
CREATE TABLE IF NOT EXISTS publishers (edition INTEGER NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, datasets INTEGER NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS publishers_edition ON publishers (edition, key);
CREATE INDEX IF NOT EXISTS publishers_key ON publishers (key);
CREATE TABLE IF NOT EXISTS measurements (
  edition INTEGER NOT NULL, publisher TEXT NOT NULL, metric TEXT NOT NULL, value TEXT NOT NULL, count REAL NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS measurements_value ON measurements (edition, publisher, metric, value);
CREATE TABLE IF NOT EXISTS datasets (
  edition INTEGER NOT NULL, id TEXT NOT NULL, publisher TEXT, titles TEXT NOT NULL, languages TEXT NOT NULL, score REAL,
  points TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS datasets_id ON datasets (edition, id);
CREATE INDEX IF NOT EXISTS datasets_score ON datasets (edition, score, id);
CREATE INDEX IF NOT EXISTS datasets_all_scores ON datasets (score, id);
CREATE INDEX IF NOT EXISTS datasets_publisher ON datasets (publisher, score, id) WHERE publisher IS NOT NULL;
CREATE TABLE IF NOT EXISTS violations (
  edition INTEGER NOT NULL, dataset TEXT NOT NULL, path TEXT NOT NULL, number INTEGER NOT NULL, severity TEXT NOT NULL,
  component TEXT NOT NULL, value TEXT, messages TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS violations_dataset ON violations (edition, dataset, path, number);
CREATE TABLE IF NOT EXISTS rules (
  edition INTEGER NOT NULL, publisher TEXT NOT NULL, path TEXT NOT NULL, component TEXT NOT NULL, severity TEXT NOT NULL,
  count INTEGER NOT NULL, datasets INTEGER NOT NULL, messages TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS rules_rule ON rules (edition, publisher, path, component, severity);
CREATE TABLE IF NOT EXISTS urls (
  edition INTEGER NOT NULL, dataset TEXT NOT NULL, url TEXT NOT NULL, number INTEGER NOT NULL, distribution TEXT NOT NULL,
  type TEXT NOT NULL, status INTEGER NOT NULL, checked TEXT);
CREATE INDEX IF NOT EXISTS urls_dataset ON urls (edition, dataset, url, number);
CREATE TABLE IF NOT EXISTS hosts (
  edition INTEGER NOT NULL, publisher TEXT NOT NULL, host TEXT NOT NULL, status INTEGER NOT NULL, urls INTEGER NOT NULL,
  datasets INTEGER NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS hosts_host ON hosts (edition, publisher, host, status);
`

/** Of the schema. */
export const figuresFormat = 2

/** Tables whose rows belong to an edition. */
const editionTables = [
  'publishers',
  'measurements',
  'datasets',
  'violations',
  'rules',
  'urls',
  'hosts',
] as const

type Value = string | number | null

const insert = (file: Sqlite, table: string, values: readonly Value[], onConflict = ''): number =>
  file.run(
    `INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')}) ${onConflict}`,
    ...values,
  ).serial

/** Starts an edition of a catalogue that is not served yet; answers its number. */
export function beginEdition(file: Sqlite, catalogue: CatalogueFigures): number {
  const { id, titles, descriptions, languages, country, type } = catalogue
  const texts = [titles, descriptions, languages].map((value) => JSON.stringify(value))
  const edition = insert(file, 'catalogues', [null, id, 0, ...texts, country, type, null])
  // So that a catalogue without datasets has counts, too.
  addCounts(file, edition, '', { datasets: { all: 0 } })
  return edition
}

/** Adds a dataset to an edition: its own rows, and what it adds to the sums of the catalogue and of its publisher. */
export function addDataset(
  file: Sqlite,
  edition: number,
  dataset: ReadDataset,
  bands: readonly ScoreBand[],
): void {
  const { publisher, measured } = dataset
  const counts = countsOfDataset(measured, bands)
  file.transaction(() => {
    if (publisher)
      insert(file, 'publishers', [edition, publisher.key, publisher.name, 1], onPublisher)
    for (const part of publisher ? ['', publisher.key] : ['']) {
      addCounts(file, edition, part, counts)
      if (measured) addProblems(file, edition, part, measured)
    }
    if (measured) addRows(file, edition, dataset, measured)
  })
}

/** A name that some dataset has is better than the key, which is what those without a name have. */
const onPublisher =
  'ON CONFLICT (edition, key) DO UPDATE SET ' +
  'name = CASE name WHEN key THEN excluded.name ELSE name END, datasets = datasets + 1'

const onCount = (keys: string, count: string) =>
  `ON CONFLICT (edition, publisher, ${keys}) DO UPDATE SET ${count} = ${count} + excluded.${count}`
const onMeasurement = onCount('metric, value', 'count')
const datasetsToo = ', datasets = datasets + excluded.datasets'
const onRule = onCount('path, component, severity', 'count') + datasetsToo
const onHost = onCount('host, status', 'urls') + datasetsToo

/** What one dataset adds; booleans and status codes are counted over it and its distributions. */
function countsOfDataset(
  measured: DatasetMeasurements | undefined,
  bands: readonly ScoreBand[],
): ScopeCounts {
  if (!measured) return { datasets: { all: 1 } }
  const { distributions, score, points, counted } = measured
  const counts: Record<string, Record<string, number>> = {
    datasets: { all: 1, measured: 1, distributions },
  }
  const band = bands.find(({ from, to }) => score !== null && score >= from && score <= to)
  if (band) counts['bands'] = { [band.id]: 1 }
  for (const [name, value] of [
    ['scoring', score] as const,
    ...dimensions.map((one) => [one, points[one]] as const),
  ])
    if (value !== null) counts[name] = { count: 1, sum: value }
  for (const { metric, value, count } of counted) {
    if (typeof value !== 'boolean' && indicatorOf(metric)?.type !== 'status') continue
    const own = (counts[metric] ??= {})
    own[String(value)] = (own[String(value)] ?? 0) + count
  }
  return counts
}

function addCounts(file: Sqlite, edition: number, publisher: string, counts: ScopeCounts): void {
  for (const [metric, values] of Object.entries(counts))
    for (const [value, count] of Object.entries(values))
      insert(file, 'measurements', [edition, publisher, metric, value, count], onMeasurement)
}

/** Rules that were broken and hosts that did not answer. Of a host the dataset counts under its first status there. */
function addProblems(
  file: Sqlite,
  edition: number,
  publisher: string,
  { violations, urls }: DatasetMeasurements,
): void {
  for (const some of Map.groupBy(
    violations,
    (one) => `${one.path} ${one.component} ${one.severity}`,
  ).values())
    for (const { path, component, severity, messages } of some.slice(0, 1)) {
      const row = [path, component, severity, some.length, 1, JSON.stringify(messages)]
      insert(file, 'rules', [edition, publisher, ...row], onRule)
    }
  for (const [host, own] of Map.groupBy(urls, ({ url }) => URL.parse(url)?.host ?? ''))
    for (const [status, some] of Map.groupBy(own, (one) => one.status)) {
      const row = [edition, publisher, host, status, some.length, some[0] === own[0] ? 1 : 0]
      insert(file, 'hosts', row, onHost)
    }
}

function addRows(
  file: Sqlite,
  edition: number,
  { id, publisher, titles, languages }: ReadDataset,
  { score, points, violations, urls }: DatasetMeasurements,
): void {
  const texts = [titles, languages].map((value) => JSON.stringify(value))
  const key = publisher?.key ?? null
  insert(file, 'datasets', [edition, id, key, ...texts, score, JSON.stringify(points)])
  for (const [number, { path, severity, component, value, messages }] of violations.entries()) {
    const row = [path, number, severity, component, value, JSON.stringify(messages)]
    insert(file, 'violations', [edition, id, ...row])
  }
  for (const [number, { url, distribution, type, status, checked }] of urls.entries())
    insert(file, 'urls', [edition, id, url, number, distribution, type, status, checked])
}

type Change = {
  /** Editions that are served from now on, in place of those of the same catalogues. */
  readonly editions: readonly number[]
  /** Ids of catalogues that are hidden now: their history stays, unseen. */
  readonly hidden: readonly string[]
  /** Ids of catalogues that are no more. */
  readonly gone: readonly string[]
  /** All catalogues were counted. */
  readonly isComplete: boolean
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Serves new editions, and adds the figures of all that they are part of to the history. Answers the number of the refresh. */
export function serveEditions(file: Sqlite, change: Change): number {
  const { editions, hidden, gone, isComplete, at } = change
  return file.transaction(() => {
    const ids = column(file, `SELECT id FROM catalogues WHERE edition IN ${listed}`, editions)
    const old = [...ids, ...hidden, ...gone]
    const before = column(file, `SELECT edition FROM served WHERE id IN ${listed}`, old)
    const changed = [...editions, ...before.map(Number)]
    file.run(
      `UPDATE catalogues SET is_served = 0 WHERE is_served = 1 AND id IN ${listed}`,
      JSON.stringify(old),
    )
    file.run(serveSql, JSON.stringify(editions))
    file.run(
      `DELETE FROM history WHERE kind = 'catalogue' AND key IN ${listed}`,
      JSON.stringify(gone),
    )
    const countries = `SELECT DISTINCT country FROM catalogues WHERE country NOTNULL AND edition IN ${listed}`
    const publishers = `SELECT DISTINCT key FROM publishers WHERE edition IN ${listed}`
    const scopes: readonly Scope[] = [
      'global',
      ...ids.map((catalogue) => ({ catalogue })),
      ...column(file, countries, changed).map((country) => ({ country })),
      ...column(file, publishers, changed).map((publisher) => ({ publisher })),
    ]
    for (const scope of scopes) addToHistory(file, scope, dayOf(at))
    thinHistory(file, dayOf(at))
    if (isComplete) setState(file, 'complete', at)
    return nextNumber(file, at)
  }, 'durable')
}

/** Of a parameter that is a JSON array. */
const listed = '(SELECT value FROM json_each(?))'

const serveSql =
  'UPDATE catalogues SET is_served = 1, score = (SELECT total.count / number.count FROM measurements AS total ' +
  'JOIN measurements AS number USING (edition, publisher, metric) WHERE total.edition = catalogues.edition ' +
  `AND publisher = '' AND metric = 'scoring' AND total.value = 'sum' AND number.value = 'count') WHERE edition IN ${listed}`

const column = (file: Sqlite, sql: string, list: readonly unknown[]): readonly string[] =>
  file.rows(sql, JSON.stringify(list)).flatMap((row) => Object.values(row).map(String))

/** `YYYY-MM-DD` in UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** One row per scope and day, that of the last refresh of the day. Publishers, of which there are many, have one row per month. */
function addToHistory(file: Sqlite, scope: Scope, day: string): void {
  const counts = scopeCounts(file, scope)
  if (!counts) return
  const [kind, key] = scopeKey(scope)
  file.run(
    'INSERT OR REPLACE INTO history VALUES (?, ?, ?, ?)',
    kind,
    key,
    day,
    JSON.stringify(counts),
  )
  if (kind !== 'publisher') return
  const older = 'DELETE FROM history WHERE kind = ? AND key = ? AND day >= ? AND day < ?'
  file.run(older, kind, key, `${day.slice(0, 7)}-01`, day)
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
 * What the file knows of itself: `complete` is when all catalogues were counted last, `at` and `number` are of the last change
 * of what is served, `thinned` the year in which the history was. `undefined` in a file that is new or was cleared.
 */
export function figuresState(
  file: Sqlite,
  name: 'complete' | 'at' | 'number' | 'thinned',
): number | undefined {
  const value = file.first('SELECT value FROM state WHERE name = ?', name)?.['value']
  return value === undefined ? undefined : Number(value)
}

/** Removes all figures and the history; the rows of the editions go with the next refresh. */
export const clearFigures = (file: Sqlite, at: number): void =>
  file.transaction(() => {
    file.run('UPDATE catalogues SET is_served = 0')
    file.run('DELETE FROM history')
    file.run("DELETE FROM state WHERE name = 'complete'")
    nextNumber(file, at)
  }, 'durable')

/** Deletes editions that are not served: those of before, and what a crash or an abort left. `turn` lets others work. */
export async function deleteOldEditions(file: Sqlite, turn: YieldWhenDue): Promise<void> {
  for (const { edition } of file.rows('SELECT edition FROM catalogues WHERE is_served = 0')) {
    for (const table of editionTables) {
      const some = `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE edition = ? LIMIT 500)`
      while (file.run(some, Number(edition)).changes > 0) await turn()
    }
    file.run('DELETE FROM catalogues WHERE edition = ?', Number(edition))
  }
}
