/** The figures out of their data file: every number is a sum over its rows, every list a page of them. */

import type { Names } from '../../rdf/names.ts'
import type { Row, Sqlite } from '../../sqlite.ts'
import { aggregateOf, historyCounts, rowsOf, scopeCounts, type Maxima } from './counts.ts'
import { severityOf } from '../measure/validation-report.ts'
import { figuresState } from './figures-file.ts'
import type {
  Aggregate,
  BrokenRule,
  CatalogueFigures,
  DatasetFigures,
  HistorySnapshot,
  HistorySpan,
  Listed,
  Page,
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

/** Reading what the last refresh found; nothing waits. What is unknown or hidden is `undefined`, and its lists are empty. */
export type Figures = ReturnType<typeof figuresReader>

/** Of a file that `schema` has made. */
export function figuresReader({ file, names, maxima, bands }: FiguresContext) {
  return {
    ...scopesIn(file, maxima),
    ...numbersIn(file, maxima, bands),
    /** By score, ties by id; datasets without a score are in neither. */
    best: (scope: Scope, limit: number) =>
      datasetsAt(file, names, scope, `DESC, datasets.id LIMIT ${limit}`),
    worst: (scope: Scope, limit: number) =>
      datasetsAt(file, names, scope, `ASC, datasets.id LIMIT ${limit}`),
    /** In the order of dataset ids, then of paths. */
    violations: (catalogue: string, page: Page): Listed<ViolationRow> => ({
      count: countIn(file, totalSql('rules', 'count'), catalogue),
      rows: file
        .rows(listSql('violations', 'path'), catalogue, page.limit, page.offset)
        .map((row) => ({
          dataset: describedOf(row['dataset'], row, names),
          ...ruleOf(row),
          value: stringOf(row['value']),
        })),
    }),
    /** In the order of dataset ids, then of URLs. */
    unreachable: (catalogue: string, page: Page): Listed<UnreachableRow> => ({
      count: countIn(file, totalSql('hosts', 'urls'), catalogue),
      rows: file
        .rows(listSql('urls', 'url'), catalogue, page.limit, page.offset)
        .map((row) => unreachableOf(row, names)),
    }),
    /** The most frequent first. */
    violationsByRule: (scope: Scope, limit: number) => brokenRules(file, scope, limit),
    unreachableByHost: (scope: Scope, limit: number) => unreachableHosts(file, scope, limit),
  }
}

/** What there is, and how it is called. */
const scopesIn = (file: Sqlite, maxima: Maxima) => ({
  /** When and as which number the figures became what they are; `undefined` before the first refresh. */
  refreshed: () => {
    const [number, at] = [figuresState(file, 'number'), figuresState(file, 'at')]
    return number === undefined || at === undefined ? undefined : { at: new Date(at), number }
  },
  /** By id. */
  catalogues: (): readonly CatalogueFigures[] =>
    file.rows('SELECT * FROM served ORDER BY id').map(catalogueOf),
  catalogue: (id: string): CatalogueFigures | undefined =>
    file.rows('SELECT * FROM served WHERE id = ?', id).map(catalogueOf)[0],
  /** By score, ties by id; those without a score are last in both orders. */
  rankedCatalogues: (order: 'best' | 'worst', { offset, limit }: Page) => ({
    count: countIn(file, 'SELECT count(*) AS n FROM served'),
    rows: file
      .rows(
        `SELECT * FROM served ORDER BY score IS NULL, score ${order === 'best' ? 'DESC' : 'ASC'}, id LIMIT ? OFFSET ?`,
        limit,
        offset,
      )
      .map((row) => {
        const catalogue = catalogueOf(row)
        const counts = scopeCounts(file, { catalogue: catalogue.id }) ?? {}
        const { score, dimensions } = aggregateOf(counts, maxima)
        return { catalogue, score, datasets: counts['datasets']?.['measured'] ?? 0, dimensions }
      }),
  }),
  /** Alpha-3 codes in order. */
  countries: (): readonly string[] =>
    file
      .rows('SELECT DISTINCT country FROM served WHERE country IS NOT NULL ORDER BY country')
      .map(({ country }) => String(country)),
  /** With the most datasets first. */
  publishers: ({ offset, limit }: Page): Listed<PublisherFigures> => ({
    count: countIn(
      file,
      'SELECT count(DISTINCT key) AS n FROM publishers JOIN served USING (edition)',
    ),
    rows: file
      .rows(
        `${publisherSql} GROUP BY key ORDER BY sum(datasets) DESC, key LIMIT ? OFFSET ?`,
        limit,
        offset,
      )
      .map(publisherOf),
  }),
  publisher: (key: string): PublisherFigures | undefined =>
    file.rows(`${publisherSql} WHERE key = ? GROUP BY key`, key).map(publisherOf)[0],
})

/** A publisher that has a name in some catalogue has it everywhere. */
const publisherSql =
  'SELECT key, coalesce(max(nullif(name, key)), key) AS name FROM publishers JOIN served USING (edition)'

const publisherOf = ({ key, name }: Row): PublisherFigures => ({
  key: String(key),
  name: String(name),
})

const numbersIn = (file: Sqlite, maxima: Maxima, bands: readonly ScoreBand[]) => ({
  aggregate: (scope: Scope): Aggregate | undefined => {
    const counts = scopeCounts(file, scope)
    return counts && aggregateOf(counts, maxima)
  },
  /** How many datasets there are, how many of them were measured, and how many of these were scored in each band. */
  measured: (scope: Scope) => {
    const counts = scopeCounts(file, scope)
    const { all = 0, measured = 0, distributions = 0 } = counts?.['datasets'] ?? {}
    const inBand = bands.map(({ id }) => ({ id, datasets: counts?.['bands']?.[id] ?? 0 }))
    return counts && { all, datasets: measured, distributions, bands: inBand }
  },
  /** Ascending; periods without a refresh are left out. A catalogue that is hidden now keeps its history unseen. */
  history: (scope: Scope, span: HistorySpan): readonly HistorySnapshot[] =>
    scopeCounts(file, scope) === undefined
      ? []
      : historyCounts(file, scope, span).map(({ day, counts }) => ({
          day,
          aggregate: aggregateOf(counts, maxima),
        })),
})

const countIn = (file: Sqlite, sql: string, ...values: string[]) =>
  Number(file.first(sql, ...values)?.['n'] ?? 0)

const catalogueOf = (row: Row): CatalogueFigures => ({
  id: String(row['id']),
  titles: JSON.parse(String(row['titles'])),
  descriptions: JSON.parse(String(row['descriptions'])),
  languages: JSON.parse(String(row['languages'])),
  country: textOf(row['country']),
  type: textOf(row['type']),
})

const stringOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** What is empty in a key of the file is nothing. */
const textOf = (value: unknown): string | null => stringOf(value) || null

/** One edition is read by its index on scores, the whole portal by the index on all scores. */
function datasetsAt(
  file: Sqlite,
  names: Names,
  scope: Scope,
  order: string,
): readonly DatasetFigures[] {
  const [where, ...values] =
    scope === 'global'
      ? ['']
      : 'catalogue' in scope
        ? ['AND datasets.edition = (SELECT edition FROM served WHERE id = ?)', scope.catalogue]
        : 'country' in scope
          ? ['AND served.country = ?', scope.country]
          : ['AND datasets.publisher = ?', scope.publisher]
  const sql =
    'SELECT datasets.id, served.id AS catalogue, datasets.titles, datasets.languages, datasets.score, points ' +
    `FROM datasets CROSS JOIN served USING (edition) WHERE datasets.score IS NOT NULL ${where} ORDER BY datasets.score ${order}`
  return file.rows(sql, ...values).map((row) => ({
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

const ruleOf = ({ severity, path, component, messages }: Row) => ({
  severity: severityOf(String(severity)),
  path: textOf(path),
  component: textOf(component),
  messages: JSON.parse(String(messages)),
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
  const sql =
    'SELECT path, component, severity, sum(count) AS count, sum(datasets) AS datasets, min(messages) AS messages ' +
    `FROM rules WHERE ${where} GROUP BY path, component, severity ` +
    `ORDER BY sum(count) DESC, path, component, severity LIMIT ${limit}`
  return file.rows(sql, ...values).map((row) => ({
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
  const sql =
    'SELECT host, sum(urls) AS urls, sum(datasets) AS datasets, max(iif(is_first, status, NULL)) AS status ' +
    `FROM (SELECT *, ${first} FROM (${ofStatus})) GROUP BY host ORDER BY sum(urls) DESC, host LIMIT ${limit}`
  return file.rows(sql, ...values).map(({ host, urls, datasets, status }) => ({
    host: String(host),
    urls: Number(urls),
    datasets: Number(datasets),
    status: Number(status),
  }))
}
