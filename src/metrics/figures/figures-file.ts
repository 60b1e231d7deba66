/**
 * The data file of the figures. A refresh writes the rows of each catalogue under a new version number, in small transactions so
 * that requests are answered meanwhile. One transaction then makes the new versions the ones that are served and adds the day to
 * the history. Rows of versions that are not served are deleted before and after each refresh. Everything but history and
 * schedules can be counted again from the metrics graphs.
 */

import type { Sqlite } from '../../sqlite.ts'
import type { YieldWhenDue } from '../../workers/event-loop.ts'
import { indicatorOf } from '../indicators.ts'
import { scopeCounts, scopeKey } from './counts.ts'
import type { CountedDataset } from './dataset-reader.ts'
import type { CatalogueFigures, Scope, ScoreBand } from './figures.ts'

/** Tables of formats 1 to 3. */
const oldTables =
  'editions counts scores problems edition catalogue part figure dataset violation rule url host catalogues publishers measurements datasets violations rules urls hosts'.split(
    ' ',
  )

/**
 * Tables of the data file. `counted_catalogue` names the served version of each catalogue. `measurement` has the counts that
 * figures are sums of, of a catalogue (publisher `''`) and of each of its publishers, by kind: `metric` (name, value), `rule`
 * (property, component, severity; its messages as the note), `host` (name, status) and `publisher` (its name as the note).
 * `datasets` counts a dataset once per metric, rule or host. `scored_dataset` has the measured datasets, also those without a
 * score. `problem` has the rows of lists: results of validations (kind `violation`, by property) and bad URLs (`url`). `facts`
 * and `tally`, the counts of a day in `history`, are JSON. `schedule` belongs to `refresh-schedules.ts`, `state` is read by
 * `figuresState`. The tables of older formats are dropped; what they held is counted again soon after the start.
 */
export const figuresSchema = `
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS schedule (id TEXT PRIMARY KEY, kept TEXT NOT NULL, since INTEGER NOT NULL, last INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS history (
  kind TEXT NOT NULL, key TEXT NOT NULL, day TEXT NOT NULL, tally TEXT NOT NULL, PRIMARY KEY (kind, key, day)) WITHOUT ROWID;
DELETE FROM state WHERE name = 'counted' AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'measurement');
DROP VIEW IF EXISTS live; DROP VIEW IF EXISTS served;
${oldTables.map((name) => `DROP TABLE IF EXISTS ${name};`).join(' ')}
CREATE TABLE IF NOT EXISTS counted_catalogue (
  id TEXT PRIMARY KEY, version INTEGER NOT NULL, country TEXT, score REAL, facts TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS measurement (
  version INTEGER NOT NULL, kind TEXT NOT NULL, publisher TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
  detail TEXT NOT NULL, count REAL NOT NULL, datasets INTEGER NOT NULL, note TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS measurement_key ON measurement (version, kind, publisher, name, value, detail);
CREATE TABLE IF NOT EXISTS scored_dataset (
  version INTEGER NOT NULL, id TEXT NOT NULL, publisher TEXT, score REAL, facts TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS scored_dataset_id ON scored_dataset (version, id);
CREATE INDEX IF NOT EXISTS scored_dataset_order ON scored_dataset (version, score, id);
CREATE INDEX IF NOT EXISTS scored_dataset_all ON scored_dataset (score, id);
CREATE INDEX IF NOT EXISTS scored_dataset_publisher ON scored_dataset (publisher, score, id) WHERE publisher IS NOT NULL;
CREATE TABLE IF NOT EXISTS problem (
  version INTEGER NOT NULL, kind TEXT NOT NULL, dataset TEXT NOT NULL, place TEXT NOT NULL, facts TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS problem_place ON problem (version, kind, dataset, place);
`

/** Format number of the data file. */
export const figuresFormat = 4

const insert = (file: Sqlite, table: string, ...values: readonly (string | number | null)[]) =>
  file.run(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`, ...values)

type Measurement = {
  readonly kind: 'metric' | 'rule' | 'host' | 'publisher'
  readonly name: string
  readonly value?: string
  readonly detail?: string
  readonly count?: number | undefined
  readonly datasets?: number
  readonly note?: string
}

const addMeasurementSql =
  'INSERT INTO measurement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (version, kind, publisher, name, value, detail) ' +
  'DO UPDATE SET count = count + excluded.count, datasets = datasets + excluded.datasets, note = max(note, excluded.note)'

function addMeasurement(
  file: Sqlite,
  version: number,
  publisher: string,
  measurement: Measurement,
): void {
  const { kind, name, value = '', detail = '', count = 1, datasets = 1, note = '' } = measurement
  file.run(addMeasurementSql, version, kind, publisher, name, value, detail, count, datasets, note)
}

/** Starts the rows of a catalogue, which are not served yet; returns their version number. */
export function beginVersion(file: Sqlite): number {
  const row = file.first('SELECT coalesce(max(version), 0) + 1 AS n FROM measurement')
  const version = Number(row?.['n'])
  // Reserves the number, and gives a catalogue without datasets a row.
  const totalRow = {
    kind: 'metric',
    name: 'datasets',
    value: 'all',
    count: 0,
    datasets: 0,
  } as const
  addMeasurement(file, version, '', totalRow)
  return version
}

/**
 * Adds a dataset to a version: its part of the counts of the catalogue and of its publisher, and, when it was measured, its own
 * rows.
 */
export function addDataset(
  file: Sqlite,
  version: number,
  dataset: CountedDataset,
  bands: readonly ScoreBand[],
): void {
  const { id, publisher, titles, languages, isMeasured, score, points, violations, urls } = dataset
  const measurements = measurementsOf(dataset, bands)
  file.transaction(() => {
    for (const measurement of measurements) addMeasurement(file, version, '', measurement)
    if (publisher) {
      const note = publisher.name === publisher.key ? '' : publisher.name
      const publisherRow = { kind: 'publisher', name: '', note } as const
      for (const measurement of [publisherRow, ...measurements])
        addMeasurement(file, version, publisher.key, measurement)
    }
    if (!isMeasured) return
    const facts = JSON.stringify({ titles, languages, points })
    insert(file, 'scored_dataset', version, id, publisher?.key ?? null, score, facts)
    for (const violation of violations)
      insert(file, 'problem', version, 'violation', id, violation.path, JSON.stringify(violation))
    for (const url of urls)
      insert(file, 'problem', version, 'url', id, url.url, JSON.stringify(url))
  })
}

/** Counts of one dataset; booleans and status codes are counted over it and its distributions. */
function measurementsOf(
  dataset: CountedDataset,
  bands: readonly ScoreBand[],
): readonly Measurement[] {
  const { isMeasured, distributions, score, points, counted, violations, urls } = dataset
  const rows = new Map<string, Measurement>()
  const subjects = new Set<string>()
  const add = (measurement: Measurement, subject: string) => {
    const key = `${subject} ${measurement.value}`
    const { count = 0, datasets = subjects.has(subject) ? 0 : 1 } = rows.get(key) ?? {}
    rows.set(key, { ...measurement, count: count + (measurement.count ?? 1), datasets })
    subjects.add(subject)
  }
  const addMetric = (name: string, value: string, count?: number) =>
    add({ kind: 'metric', name, value, count }, `metric ${name}`)
  addMetric('datasets', 'all')
  if (!isMeasured) return [...rows.values()]
  addMetric('datasets', 'measured')
  addMetric('datasets', 'distributions', distributions)
  const band = bands.find(({ from, to }) => score !== null && score >= from && score <= to)
  if (band) addMetric('bands', band.id)
  for (const [name, value] of Object.entries({ scoring: score, ...points }))
    if (value !== null) {
      addMetric(name, 'count')
      addMetric(name, 'sum', value)
    }
  for (const { metric, value } of counted)
    if (typeof value === 'boolean' || indicatorOf(metric)?.type === 'status')
      addMetric(metric, String(value))
  for (const { path, component, severity, messages } of violations) {
    const rule = { name: path, value: component, detail: severity, note: JSON.stringify(messages) }
    add({ kind: 'rule', ...rule }, `rule ${path} ${component} ${severity}`)
  }
  for (const { url, status } of urls) {
    const host = URL.parse(url)?.host ?? ''
    add({ kind: 'host', name: host, value: String(status) }, `host ${host}`)
  }
  return [...rows.values()]
}

/** Change of what is served. */
type ServedChange = {
  /** Catalogues that were counted, with the versions that are served from now on. */
  readonly newVersions: ReadonlyMap<CatalogueFigures, number>
  /** Ids of catalogues that are not served any more. */
  readonly removedIds: readonly string[]
  /** Those of them whose history goes too; that of hidden ones is kept. */
  readonly forgottenIds: readonly string[]
  /** Whether all catalogues were counted. */
  readonly isComplete: boolean
  /** Milliseconds since 1970. */
  readonly at: number
}

/**
 * Serves new versions in place of those that were served, and adds the figures of every affected scope to the history. Returns
 * the number of the change.
 */
export function serveVersions(file: Sqlite, change: ServedChange): number {
  const { newVersions, removedIds, forgottenIds, isComplete, at } = change
  return file.transaction(() => {
    const ids = [...newVersions.keys()].map(({ id }) => id)
    const replacedIds = JSON.stringify([...ids, ...removedIds])
    const deleteRows = `DELETE FROM counted_catalogue WHERE id IN ${jsonElements} RETURNING version, country`
    const replacedRows = file.rows(deleteRows, replacedIds)
    for (const [catalogue, version] of newVersions) addCatalogue(file, catalogue, version)
    const deleteHistory = `DELETE FROM history WHERE kind = 'catalogue' AND key IN ${jsonElements}`
    file.run(deleteHistory, JSON.stringify(forgottenIds))
    const countries = [...newVersions.keys(), ...replacedRows].flatMap(({ country }) =>
      typeof country === 'string' ? country : [],
    )
    const versions = [
      ...newVersions.values(),
      ...replacedRows.map(({ version }) => Number(version)),
    ]
    const scopes: readonly Scope[] = [
      'global',
      ...ids.map((catalogue) => ({ catalogue })),
      ...[...new Set(countries)].map((country) => ({ country })),
      ...publishersIn(file, versions).map((publisher) => ({ publisher })),
    ]
    for (const scope of scopes) addToHistory(file, scope, dayOf(at))
    thinHistory(file, dayOf(at))
    if (isComplete) setState(file, 'counted', at)
    return nextNumber(file, at)
  }, 'durable')
}

function addCatalogue(file: Sqlite, catalogue: CatalogueFigures, version: number): void {
  const { id, country, titles, descriptions, languages, type } = catalogue
  const facts = JSON.stringify({ titles, descriptions, languages, type })
  insert(file, 'counted_catalogue', id, version, country, null, facts)
}

/** The elements of a parameter that is a JSON array. */
const jsonElements = '(SELECT value FROM json_each(?))'

function publishersIn(file: Sqlite, versions: readonly number[]): readonly string[] {
  const sql = `SELECT DISTINCT publisher FROM measurement WHERE kind = 'publisher' AND version IN ${jsonElements}`
  return file.rows(sql, JSON.stringify(versions)).map(({ publisher }) => String(publisher))
}

/** Formats a time as `YYYY-MM-DD` in UTC. */
export const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10)

/**
 * Adds the counts of a scope to the history: one row per scope and day, that of the last change of the day. Publishers, of which
 * there are many, have one row per month. Stores the score of a catalogue, too, by which lists are sorted.
 */
function addToHistory(file: Sqlite, scope: Scope, day: string): void {
  const counts = scopeCounts(file, scope)
  if (!counts) return
  const [kind, key] = scopeKey(scope)
  const { count = 0, sum = 0 } = counts['scoring'] ?? {}
  if (kind === 'catalogue' && count > 0)
    file.run('UPDATE counted_catalogue SET score = ? WHERE id = ?', sum / count, key)
  const since = kind === 'publisher' ? `${day.slice(0, 7)}-01` : day
  const deleteReplaced = 'DELETE FROM history WHERE kind = ? AND key = ? AND day BETWEEN ? AND ?'
  file.run(deleteReplaced, kind, key, since, day)
  insert(file, 'history', kind, key, day, JSON.stringify(counts))
}

/**
 * Thins the history: of the ten years before this one the last day of each month is kept, older years go. Once a year there is
 * something to do.
 */
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

/** Numbers every change of what is served. */
function nextNumber(file: Sqlite, timeMs: number): number {
  const number = 1 + (figuresState(file, 'number') ?? 0)
  setState(file, 'number', number)
  setState(file, 'at', timeMs)
  return number
}

/**
 * State of the file: `counted` is when all catalogues were counted last, `at` and `number` belong to the last change of what is
 * served, `thinned` is the year in which the history was thinned. `undefined` before the first change, and `counted` also after
 * `clearFigures`.
 */
export function figuresState(
  file: Sqlite,
  name: 'counted' | 'at' | 'number' | 'thinned',
): number | undefined {
  const row = file.first('SELECT value FROM state WHERE name = ?', name)
  return row && Number(row['value'])
}

/** Removes all figures and the history; the rows of the versions go with the next refresh, the schedules stay. */
export const clearFigures = (file: Sqlite, timeMs: number): void =>
  file.transaction(() => {
    file.run('DELETE FROM counted_catalogue')
    file.run('DELETE FROM history')
    file.run("DELETE FROM state WHERE name = 'counted'")
    nextNumber(file, timeMs)
  }, 'durable')

/** Versions with rows; each one is looked up in the index, where DISTINCT would read all of it. */
const versionsSql =
  'WITH RECURSIVE versions (n) AS (SELECT min(version) FROM measurement UNION ALL ' +
  'SELECT (SELECT min(version) FROM measurement WHERE version > n) FROM versions WHERE n NOTNULL) '

/**
 * Deletes versions that are not served: earlier ones, and those that a crash or an abort left. `yieldWhenDue` lets requests run.
 */
export async function deleteOldVersions(file: Sqlite, yieldWhenDue: YieldWhenDue): Promise<void> {
  const unservedVersions =
    'SELECT n FROM versions WHERE n NOT IN (SELECT version FROM counted_catalogue)'
  for (const { n } of file.rows(versionsSql + unservedVersions))
    // Measurements last: by their rows an interrupted deletion is found again.
    for (const table of ['problem', 'scored_dataset', 'measurement']) {
      const deletePart = `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE version = ? LIMIT 500)`
      while (file.run(deletePart, Number(n)).changes > 0) await yieldWhenDue()
    }
}
