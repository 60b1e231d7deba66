/** The figures out of their data file: every number is a sum over its rows, every list a page of them. */

import type { Names } from '../../rdf/names.ts'
import type { Row, Sqlite } from '../../sqlite.ts'
import { aggregateOf, scopeCounts, measuredCounts, rowsOf, type Maxima } from './counts.ts'
import { figuresState } from './figures-file.ts'
import type {
  BrokenRule,
  CatalogueFigures,
  DatasetFigures,
  Figures,
  Page,
  PublisherFigures,
  RankedCatalogue,
  Scope,
  ScoreBand,
  Severity,
  UnreachableHost,
  UnreachableRow,
  ViolationRow,
} from './figures.ts'
import { historyOf } from './history.ts'

type FiguresReaderOptions = {
  readonly file: Sqlite
  readonly names: Names
  readonly maxima: Maxima
  readonly bands: readonly ScoreBand[]
}

export function figuresReader(context: FiguresReaderOptions): Figures {
  const { file, names, maxima, bands } = context
  return {
    ...describedScopes(file, maxima),
    aggregate: (scope) =>
      optional(scopeCounts(file, scope), (counts) => aggregateOf(counts, maxima)),
    measured: (scope) =>
      optional(scopeCounts(file, scope), (counts) => measuredCounts(counts, bands)),
    // A catalogue that is hidden now keeps its history, and nobody sees it.
    history: (scope, span) =>
      scopeCounts(file, scope) === undefined
        ? []
        : historyOf(file, scope, span).map(({ day, counts }) => ({
            day,
            aggregate: aggregateOf(counts, maxima),
          })),
    best: (scope, limit) => datasetsAt(file, names, { scope, order: 'best', limit }),
    worst: (scope, limit) => datasetsAt(file, names, { scope, order: 'worst', limit }),
    violations: (catalogue, page) => ({
      count: numberOf(file, totalSql('rules', 'count'), catalogue),
      rows: rowsAt(file, violationsSql, catalogue, page).map((row) => violationOf(row, names)),
    }),
    unreachable: (catalogue, page) => ({
      count: numberOf(file, totalSql('hosts', 'urls'), catalogue),
      rows: rowsAt(file, urlsSql, catalogue, page).map((row) => unreachableOf(row, names)),
    }),
    violationsByRule: (scope, limit) => brokenRules(file, scope, limit),
    unreachableByHost: (scope, limit) => unreachableHosts(file, scope, limit),
  }
}

/** What there is, and how it is called. */
const describedScopes = (file: Sqlite, maxima: Maxima) => ({
  refreshed: () => {
    const [number, at] = [figuresState(file, 'number'), figuresState(file, 'at')]
    return number === undefined || at === undefined ? undefined : { at: new Date(at), number }
  },
  catalogues: () => file.rows('SELECT * FROM served ORDER BY id').map(catalogueOf),
  catalogue: (id: string) =>
    optional(file.first('SELECT * FROM served WHERE id = ?', id), catalogueOf),
  rankedCatalogues: (order: keyof typeof orders, { offset, limit }: Page) => ({
    count: numberOf(file, 'SELECT count(*) AS n FROM served'),
    rows: file
      .rows(rankedSql(order), limit, offset)
      .map((row) => ranked(catalogueOf(row), file, maxima)),
  }),
  countries: () =>
    file
      .rows('SELECT DISTINCT country FROM served WHERE country IS NOT NULL ORDER BY country')
      .map(({ country }) => String(country)),
  publishers: ({ offset, limit }: Page) => ({
    count: numberOf(file, publisherCountSql),
    rows: file.rows(publishersSql, limit, offset).map(publisherOf),
  }),
  publisher: (key: string) =>
    optional(file.first(`${publisherSql} WHERE key = ? GROUP BY key`, key), publisherOf),
})

const numberOf = (file: Sqlite, sql: string, ...values: string[]) =>
  Number(file.first(sql, ...values)?.['n'] ?? 0)

const optional = <In, Out>(given: In | undefined, of: (given: In) => Out): Out | undefined =>
  given === undefined ? undefined : of(given)

const orders = { best: 'DESC', worst: 'ASC' } as const

const rankedSql = (order: keyof typeof orders) =>
  `SELECT * FROM served ORDER BY score IS NULL, score ${orders[order]}, id LIMIT ? OFFSET ?`

function ranked(catalogue: CatalogueFigures, file: Sqlite, maxima: Maxima): RankedCatalogue {
  const counts = scopeCounts(file, { catalogue: catalogue.id }) ?? {}
  const { score, dimensions } = aggregateOf(counts, maxima)
  return { catalogue, score, datasets: counts['datasets']?.['measured'] ?? 0, dimensions }
}

const catalogueOf = (row: Row): CatalogueFigures => ({
  id: String(row['id']),
  titles: JSON.parse(String(row['titles'])),
  descriptions: JSON.parse(String(row['descriptions'])),
  languages: JSON.parse(String(row['languages'])),
  country: textOf(row['country']),
  type: textOf(row['type']),
})

/** What is empty in a key of the file is nothing. */
const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** A publisher that has a name in some catalogue has it everywhere. */
const publisherSql =
  'SELECT key, coalesce(max(nullif(name, key)), key) AS name FROM publishers JOIN served USING (edition)'

const publishersSql = `${publisherSql} GROUP BY key ORDER BY sum(datasets) DESC, key LIMIT ? OFFSET ?`

const publisherCountSql =
  'SELECT count(DISTINCT key) AS n FROM publishers JOIN served USING (edition)'

const publisherOf = ({ key, name }: Row): PublisherFigures => ({
  key: String(key),
  name: String(name),
})

/** One edition is read by its index on scores, the whole portal by the index on all scores. */
function datasetsBySql(scope: Scope): { readonly where: string; readonly values: string[] } {
  if (scope === 'global') return { where: '', values: [] }
  if ('catalogue' in scope)
    return {
      where: 'AND datasets.edition = (SELECT edition FROM served WHERE id = ?)',
      values: [scope.catalogue],
    }
  return 'country' in scope
    ? { where: 'AND served.country = ?', values: [scope.country] }
    : { where: 'AND datasets.publisher = ?', values: [scope.publisher] }
}

type Ends = { readonly scope: Scope; readonly order: keyof typeof orders; readonly limit: number }

function datasetsAt(
  file: Sqlite,
  names: Names,
  { scope, order, limit }: Ends,
): readonly DatasetFigures[] {
  const { where, values } = datasetsBySql(scope)
  const columns =
    'datasets.id, served.id AS catalogue, datasets.titles, datasets.languages, datasets.score, points'
  return file
    .rows(
      `SELECT ${columns} FROM datasets CROSS JOIN served USING (edition) WHERE datasets.score IS NOT NULL ${where} ` +
        `ORDER BY datasets.score ${orders[order]}, datasets.id LIMIT ${limit}`,
      ...values,
    )
    .map((row) => ({
      ...describedOf(row['id'], row, names),
      catalogue: String(row['catalogue']),
      score: Number(row['score']),
      points: JSON.parse(String(row['points'])),
    }))
}

const describedOf = (id: unknown, row: Row, names: Names): ViolationRow['dataset'] => ({
  id: String(id),
  iri: names.dataset(String(id)),
  titles: JSON.parse(String(row['titles'])),
  languages: JSON.parse(String(row['languages'])),
})

const totalSql = (table: string, column: string) =>
  `SELECT sum(${column}) AS n FROM ${table} WHERE publisher = '' AND edition = (SELECT edition FROM served WHERE id = ?)`

/** Rows of a list of a catalogue with their datasets, in the order of dataset ids and of that column. */
const listSql = (table: string, column: string) =>
  `SELECT * FROM (SELECT * FROM ${table} WHERE edition = (SELECT edition FROM served WHERE id = ?) ` +
  `ORDER BY dataset, ${column}, number LIMIT ? OFFSET ?) AS listed ` +
  'JOIN datasets ON datasets.edition = listed.edition AND datasets.id = listed.dataset ' +
  `ORDER BY listed.dataset, ${column}, number`

const violationsSql = listSql('violations', 'path')
const urlsSql = listSql('urls', 'url')

const rowsAt = (file: Sqlite, sql: string, catalogue: string, { offset, limit }: Page) =>
  file.rows(sql, catalogue, limit, offset)

const ruleOf = (row: Row) => ({
  severity: severityOf(row['severity']),
  path: textOf(row['path']),
  component: textOf(row['component']),
  messages: JSON.parse(String(row['messages'])),
})

const severityOf = (value: unknown): Severity =>
  value === 'Violation' || value === 'Warning' ? value : 'Info'

const violationOf = (row: Row, names: Names): ViolationRow => ({
  dataset: describedOf(row['dataset'], row, names),
  ...ruleOf(row),
  value: typeof row['value'] === 'string' ? row['value'] : null,
})

function unreachableOf(row: Row, names: Names): UnreachableRow {
  const iri = String(row['distribution'])
  return {
    dataset: describedOf(row['dataset'], row, names),
    distribution: { id: names.idOf('distribution', iri) ?? iri, iri },
    type: row['type'] === 'accessUrl' ? 'accessUrl' : 'downloadUrl',
    url: textOf(row['url']),
    status: Number(row['status']),
    checked: textOf(row['checked']),
  }
}

function brokenRules(file: Sqlite, scope: Scope, limit: number): readonly BrokenRule[] {
  const { where, values } = rowsOf(scope)
  return file
    .rows(
      'SELECT path, component, severity, sum(count) AS count, sum(datasets) AS datasets, min(messages) AS messages ' +
        `FROM rules WHERE ${where} GROUP BY path, component, severity ` +
        `ORDER BY sum(count) DESC, path, component, severity LIMIT ${limit}`,
      ...values,
    )
    .map((row) => ({
      ...ruleOf(row),
      count: Number(row['count']),
      datasets: Number(row['datasets']),
    }))
}

/** The status of a host is its most frequent one. */
function unreachableHosts(file: Sqlite, scope: Scope, limit: number): readonly UnreachableHost[] {
  const { where, values } = rowsOf(scope)
  const ofStatus = `SELECT host, status, sum(urls) AS urls, sum(datasets) AS datasets FROM hosts WHERE ${where} GROUP BY host, status`
  const first = 'row_number() OVER (PARTITION BY host ORDER BY urls DESC, status) = 1 AS is_first'
  return file
    .rows(
      'SELECT host, sum(urls) AS urls, sum(datasets) AS datasets, max(iif(is_first, status, NULL)) AS status ' +
        `FROM (SELECT *, ${first} FROM (${ofStatus})) GROUP BY host ORDER BY sum(urls) DESC, host LIMIT ${limit}`,
      ...values,
    )
    .map(({ host, urls, datasets, status }) => ({
      host: String(host),
      urls: Number(urls),
      datasets: Number(datasets),
      status: Number(status),
    }))
}
