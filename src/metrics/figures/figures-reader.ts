/** Reads the figures from their data file: numbers are sums over its rows, lists are pages of them. Reads are synchronous. */

import type { Names } from '../../rdf/names.ts'
import type { Row, Sqlite } from '../../sqlite.ts'
import { severityOf } from '../measure/validation-report.ts'
import {
  aggregateOf,
  historyCounts,
  scopeCondition,
  scopeCounts,
  scopeKey,
  type Maxima,
} from './counts.ts'
import type { CountedDataset } from './dataset-reader.ts'
import { figuresState } from './figures-file.ts'
import type {
  Aggregate,
  BrokenRule,
  CatalogueFigures,
  DatasetFigures,
  HistorySnapshot,
  HistorySpan,
  ListPart,
  PageRange,
  PublisherFigures,
  Scope,
  ScoreBand,
  UnreachableHost,
  UnreachableRow,
  ViolationRow,
} from './figures.ts'

type FiguresContext = {
  readonly file: Sqlite
  readonly names: Names
  readonly maxima: Maxima
  readonly bands: readonly ScoreBand[]
}

/**
 * Figures of the last refresh. For a scope that is unknown or hidden they are `undefined`, and its lists and its history are
 * empty.
 */
export type Figures = ReturnType<typeof figuresReader>

/** Makes the reader of a file that has the tables of `figuresSchema`. */
export const figuresReader = (context: FiguresContext) => ({
  ...scopesIn(context),
  ...numbersIn(context),
  ...listsIn(context),
})

/** Scopes that have figures, with their names. */
const scopesIn = ({ file, maxima }: FiguresContext) => ({
  /** Time and number of the last change; `undefined` before the first one. */
  refreshed: () => {
    const [number, at] = [figuresState(file, 'number'), figuresState(file, 'at')]
    return number === undefined || at === undefined ? undefined : { at: new Date(at), number }
  },
  /** Catalogues with figures, by id. */
  catalogues: (): readonly CatalogueFigures[] =>
    file.rows('SELECT * FROM counted_catalogue ORDER BY id').map(catalogueOf),
  catalogue: (id: string): CatalogueFigures | undefined =>
    file.rows('SELECT * FROM counted_catalogue WHERE id = ?', id).map(catalogueOf)[0],
  /** Catalogues by score, ties by id; those without a score are last in both orders. `datasets` counts the measured ones. */
  rankedCatalogues: (order: 'best' | 'worst', { offset, limit }: PageRange) => {
    const direction = order === 'best' ? 'DESC' : 'ASC'
    const sql = `SELECT * FROM counted_catalogue ORDER BY score IS NULL, score ${direction}, id LIMIT ? OFFSET ?`
    const rows = file.rows(sql, limit, offset).map((row) => {
      const catalogue = catalogueOf(row)
      const counts = scopeCounts(file, { catalogue: catalogue.id }) ?? {}
      const { score, dimensions } = aggregateOf(counts, maxima)
      return { catalogue, score, datasets: counts['datasets']?.['measured'] ?? 0, dimensions }
    })
    return { count: numberIn(file, 'SELECT count(*) AS n FROM counted_catalogue'), rows }
  },
  /** Countries with catalogues: alpha-3 codes in order. */
  countries: (): readonly string[] =>
    file
      .rows('SELECT DISTINCT country FROM counted_catalogue WHERE country NOTNULL ORDER BY country')
      .map(({ country }) => String(country)),
  /** Publishers, those with the most datasets first. */
  publishers: ({ offset, limit }: PageRange): ListPart<PublisherFigures> => {
    const order = 'GROUP BY publisher ORDER BY sum(count) DESC, publisher LIMIT ? OFFSET ?'
    return {
      count: numberIn(file, `SELECT count(DISTINCT publisher) AS n ${fromPublishers}`),
      rows: file.rows(`${publisherSql} ${order}`, limit, offset).map(publisherOf),
    }
  },
  publisher: (key: string): PublisherFigures | undefined =>
    file.rows(`${publisherSql} AND publisher = ? GROUP BY publisher`, key).map(publisherOf)[0],
})

const fromPublishers =
  "FROM measurement WHERE kind = 'publisher' AND version IN (SELECT version FROM counted_catalogue)"
/** A publisher that has a name in some catalogue has it everywhere. */
const publisherSql = `SELECT publisher, max(note) AS name ${fromPublishers}`

const publisherOf = ({ publisher, name }: Row): PublisherFigures => ({
  key: String(publisher),
  name: String(name || publisher),
})

const numbersIn = ({ file, maxima, bands }: FiguresContext) => ({
  aggregate: (scope: Scope): Aggregate | undefined => {
    const counts = scopeCounts(file, scope)
    return counts && aggregateOf(counts, maxima)
  },
  /** Numbers of all datasets, of the measured ones with their distributions, and of those scored in each band. */
  measured: (scope: Scope) => {
    const counts = scopeCounts(file, scope)
    const { all = 0, measured = 0, distributions = 0 } = counts?.['datasets'] ?? {}
    const inBand = bands.map(({ id }) => ({ id, datasets: counts?.['bands']?.[id] ?? 0 }))
    return counts && { all, datasets: measured, distributions, bands: inBand }
  },
  /**
   * Snapshots in ascending order; periods without a refresh are left out. The history of a hidden catalogue is kept and not
   * shown.
   */
  history: (scope: Scope, span: HistorySpan): readonly HistorySnapshot[] =>
    scopeCounts(file, scope) === undefined
      ? []
      : historyCounts(file, scope, span).map(({ day, counts }) => ({
          day,
          aggregate: aggregateOf(counts, maxima),
        })),
})

const listsIn = (context: FiguresContext) => ({
  /** Datasets by score, ties by id; those without a score are neither in `best` nor in `worst`. */
  best: (scope: Scope, limit: number) => datasetsByScore(context, scope, 'DESC', limit),
  worst: (scope: Scope, limit: number) => datasetsByScore(context, scope, 'ASC', limit),
  /** Results of validations in the order of dataset ids, then of paths. */
  violations: (catalogue: string, page: PageRange): ListPart<ViolationRow> =>
    problemsIn(context, { catalogue, kind: 'violation', page }, ({ path, component, ...row }) => ({
      ...row,
      path: path || null,
      component: component || null,
    })),
  /** Unreachable URLs in the order of dataset ids, then of URLs. */
  unreachable: (catalogue: string, page: PageRange): ListPart<UnreachableRow> =>
    problemsIn(context, { catalogue, kind: 'url', page }, ({ distribution: iri, url, ...row }) => ({
      ...row,
      distribution: { id: context.names.idOf('distribution', iri) ?? iri, iri },
      url: url || null,
    })),
  /** Broken rules, those with the most results first. */
  violationsByRule: (scope: Scope, limit: number) => brokenRules(context, scope, limit),
  unreachableByHost: (scope: Scope, limit: number) => unreachableHosts(context, scope, limit),
})

const numberIn = (file: Sqlite, sql: string, ...values: string[]) =>
  Number(file.first(sql, ...values)?.['n'] ?? 0)

function catalogueOf({ id, country, facts }: Row): CatalogueFigures {
  const details: Omit<CatalogueFigures, 'id' | 'country'> = JSON.parse(String(facts))
  return { id: String(id), country: typeof country === 'string' ? country : null, ...details }
}

/**
 * Conditions of each kind of scope on `scored_dataset` and its catalogue. A catalogue is read by the index of its version, the
 * portal by that of all.
 */
const datasetConditions: Readonly<Record<string, string>> = {
  catalogue: 'AND scored_dataset.version = (SELECT version FROM counted_catalogue WHERE id = ?2)',
  country: 'AND counted.country = ?2',
  publisher: 'AND scored_dataset.publisher = ?2',
}

function datasetsByScore(
  { file, names }: FiguresContext,
  scope: Scope,
  order: 'ASC' | 'DESC',
  limit: number,
): readonly DatasetFigures[] {
  const [kind, key] = scopeKey(scope)
  const sql =
    'SELECT scored_dataset.id, counted.id AS catalogue, scored_dataset.score, scored_dataset.facts ' +
    'FROM scored_dataset CROSS JOIN counted_catalogue AS counted USING (version) ' +
    `WHERE scored_dataset.score NOTNULL ${datasetConditions[kind] ?? ''} ORDER BY scored_dataset.score ${order}, scored_dataset.id LIMIT ?1`
  const values = kind === 'global' ? [limit] : [limit, key]
  return file.rows(sql, ...values).map(({ id, catalogue, score, facts }) => {
    const { points }: Pick<DatasetFigures, 'points'> = JSON.parse(String(facts))
    const dataset = describedDataset(id, facts, names)
    return { ...dataset, catalogue: String(catalogue), score: Number(score), points }
  })
}

function describedDataset(id: unknown, facts: unknown, names: Names): ViolationRow['dataset'] {
  const { titles, languages }: ViolationRow['dataset'] = JSON.parse(String(facts))
  return { id: String(id), iri: names.dataset(String(id)), titles, languages }
}

/** Rows of lists as a refresh writes them. */
type ProblemFacts = {
  readonly violation: CountedDataset['violations'][number]
  readonly url: CountedDataset['urls'][number]
}

type ProblemList<Kind> = {
  readonly catalogue: string
  readonly kind: Kind
  readonly page: PageRange
}

/** A page of a list of a catalogue, each row with its dataset. */
function problemsIn<Kind extends keyof ProblemFacts, Listing>(
  { file, names }: FiguresContext,
  { catalogue, kind, page: { limit, offset } }: ProblemList<Kind>,
  rowOf: (row: ProblemFacts[Kind] & { readonly dataset: ViolationRow['dataset'] }) => Listing,
): ListPart<Listing> {
  const { where, values } = scopeCondition({ catalogue })
  const kindCondition = `kind = '${kind === 'url' ? 'host' : 'rule'}'`
  const sql =
    'SELECT listed.dataset, listed.facts, scored_dataset.facts AS about FROM ' +
    '(SELECT rowid, * FROM problem WHERE version = (SELECT version FROM counted_catalogue WHERE id = ?) AND kind = ? ' +
    'ORDER BY dataset, place, rowid LIMIT ? OFFSET ?) AS listed ' +
    'JOIN scored_dataset ON scored_dataset.version = listed.version AND scored_dataset.id = listed.dataset ' +
    'ORDER BY listed.dataset, place, listed.rowid'
  return {
    count: numberIn(
      file,
      `SELECT sum(count) AS n FROM measurement WHERE ${kindCondition} AND ${where}`,
      ...values,
    ),
    rows: file.rows(sql, catalogue, kind, limit, offset).map(({ dataset, facts, about }) => {
      const problem: ProblemFacts[Kind] = JSON.parse(String(facts))
      return rowOf({ ...problem, dataset: describedDataset(dataset, about, names) })
    }),
  }
}

function brokenRules({ file }: FiguresContext, scope: Scope, limit: number): readonly BrokenRule[] {
  const { where, values } = scopeCondition(scope)
  const sql =
    'SELECT name, value, detail, sum(count) AS count, sum(datasets) AS datasets, max(note) AS messages FROM measurement ' +
    `WHERE kind = 'rule' AND ${where} GROUP BY name, value, detail ORDER BY sum(count) DESC, name, value, detail LIMIT ${limit}`
  return file
    .rows(sql, ...values)
    .map(({ name: path, value: component, detail: severity, count, datasets, messages }) => ({
      path: String(path) || null,
      component: String(component) || null,
      severity: severityOf(String(severity)),
      messages: JSON.parse(String(messages)),
      count: Number(count),
      datasets: Number(datasets),
    }))
}

/** Hosts with unreachable URLs, those with the most first; the status of a host is its most frequent one. */
function unreachableHosts(
  { file }: FiguresContext,
  scope: Scope,
  limit: number,
): readonly UnreachableHost[] {
  const { where, values } = scopeCondition(scope)
  const byStatus = `SELECT name, value, sum(count) AS urls, sum(datasets) AS datasets FROM measurement WHERE kind = 'host' AND ${where} GROUP BY name, value`
  const isFirst = 'row_number() OVER (PARTITION BY name ORDER BY urls DESC, value) = 1 AS is_first'
  const sql =
    'SELECT name, sum(urls) AS urls, sum(datasets) AS datasets, max(iif(is_first, value, NULL)) AS status ' +
    `FROM (SELECT *, ${isFirst} FROM (${byStatus})) GROUP BY name ORDER BY sum(urls) DESC, name LIMIT ${limit}`
  return file.rows(sql, ...values).map(({ name, urls, datasets, status }) => ({
    host: String(name),
    urls: Number(urls),
    datasets: Number(datasets),
    status: Number(status),
  }))
}
