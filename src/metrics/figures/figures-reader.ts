/** The figures out of their data file: every number is a sum over its rows, every list a page of them. */

import type { Names } from '../../rdf/names.ts'
import type { Row, Sqlite } from '../../sqlite.ts'
import { severityOf } from '../measure/validation-report.ts'
import { aggregateOf, historyCounts, countsWhere, scopeCounts, type Maxima } from './counts.ts'
import type { CountedDataset } from './dataset-reader.ts'
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
export const figuresReader = (context: FiguresContext) => ({
  ...scopesIn(context),
  ...numbersIn(context),
  ...listsIn(context),
})

/** What there is, and how it is called. */
const scopesIn = ({ file, maxima }: FiguresContext) => ({
  /** When and as which number the figures became what they are; `undefined` before the first refresh. */
  refreshed: () => {
    const [number, at] = [figuresState(file, 'number'), figuresState(file, 'at')]
    return number === undefined || at === undefined ? undefined : { at: new Date(at), number }
  },
  /** By id. */
  catalogues: (): readonly CatalogueFigures[] =>
    file.rows('SELECT * FROM live ORDER BY id').map(catalogueOf),
  catalogue: (id: string): CatalogueFigures | undefined =>
    file.rows('SELECT * FROM live WHERE id = ?', id).map(catalogueOf)[0],
  /** By score, ties by id; those without a score are last in both orders. */
  rankedCatalogues: (order: 'best' | 'worst', { offset, limit }: Page) => {
    const direction = order === 'best' ? 'DESC' : 'ASC'
    const sql = `SELECT * FROM live ORDER BY score IS NULL, score ${direction}, id LIMIT ? OFFSET ?`
    const rows = file.rows(sql, limit, offset).map((row) => {
      const catalogue = catalogueOf(row)
      const counts = scopeCounts(file, { catalogue: catalogue.id }) ?? {}
      const { score, dimensions } = aggregateOf(counts, maxima)
      return { catalogue, score, datasets: counts['datasets']?.['measured'] ?? 0, dimensions }
    })
    return { count: countIn(file, 'SELECT count(*) AS n FROM live'), rows }
  },
  /** Alpha-3 codes in order. */
  countries: (): readonly string[] =>
    file
      .rows('SELECT DISTINCT country FROM live WHERE country IS NOT NULL ORDER BY country')
      .map(({ country }) => String(country)),
  /** With the most datasets first. */
  publishers: ({ offset, limit }: Page): Listed<PublisherFigures> => ({
    count: countIn(file, `SELECT count(DISTINCT publisher) AS n ${fromPublishers}`),
    rows: file
      .rows(
        `${publisherSql} GROUP BY publisher ORDER BY sum(count) DESC, publisher LIMIT ? OFFSET ?`,
        limit,
        offset,
      )
      .map(publisherOf),
  }),
  publisher: (key: string): PublisherFigures | undefined =>
    file.rows(`${publisherSql} AND publisher = ? GROUP BY publisher`, key).map(publisherOf)[0],
})

const fromPublishers =
  "FROM counts WHERE kind = 'publisher' AND edition IN (SELECT edition FROM live)"
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

const listsIn = (context: FiguresContext) => ({
  /** By score, ties by id; datasets without a score are in neither. */
  best: (scope: Scope, limit: number) =>
    datasetsAt(context, scope, `DESC, scores.id LIMIT ${limit}`),
  worst: (scope: Scope, limit: number) =>
    datasetsAt(context, scope, `ASC, scores.id LIMIT ${limit}`),
  /** In the order of dataset ids, then of paths. */
  violations: (catalogue: string, page: Page): Listed<ViolationRow> => ({
    count: problemsOf(context, catalogue, 'rule'),
    rows: problemsIn(context, catalogue, 'violation', page).map(
      ({ dataset, path, component, severity, messages, value }) => ({
        dataset,
        path: textOf(path),
        component: textOf(component),
        severity,
        messages,
        value,
      }),
    ),
  }),
  /** In the order of dataset ids, then of URLs. */
  unreachable: (catalogue: string, page: Page): Listed<UnreachableRow> => ({
    count: problemsOf(context, catalogue, 'host'),
    rows: problemsIn(context, catalogue, 'url', page).map(
      ({ dataset, distribution: iri, type, url, status, checked }) => ({
        dataset,
        distribution: { id: context.names.idOf('distribution', iri) ?? iri, iri },
        type,
        url: textOf(url),
        status,
        checked,
      }),
    ),
  }),
  /** The most frequent first. */
  violationsByRule: (scope: Scope, limit: number) => brokenRules(context, scope, limit),
  unreachableByHost: (scope: Scope, limit: number) => unreachableHosts(context, scope, limit),
})

const countIn = (file: Sqlite, sql: string, ...values: string[]) =>
  Number(file.first(sql, ...values)?.['n'] ?? 0)

function catalogueOf({ id, country, facts }: Row): CatalogueFigures {
  const rest: Omit<CatalogueFigures, 'id' | 'country'> = JSON.parse(String(facts))
  return { id: String(id), country: typeof country === 'string' ? country : null, ...rest }
}

/** What is empty in the file is nothing. */
const textOf = (text: string): string | null => text || null

/** One edition is read by its index on scores, the whole portal by the index on all scores. */
function datasetsAt(
  { file, names }: FiguresContext,
  scope: Scope,
  order: string,
): readonly DatasetFigures[] {
  const [where, ...values] =
    scope === 'global'
      ? ['']
      : 'catalogue' in scope
        ? ['AND scores.edition = (SELECT edition FROM live WHERE id = ?)', scope.catalogue]
        : 'country' in scope
          ? ['AND live.country = ?', scope.country]
          : ['AND scores.publisher = ?', scope.publisher]
  const sql =
    'SELECT scores.id, live.id AS catalogue, scores.score, scores.facts FROM scores CROSS JOIN live USING (edition) ' +
    `WHERE scores.score IS NOT NULL ${where} ORDER BY scores.score ${order}`
  return file.rows(sql, ...values).map(({ id, catalogue, score, facts }) => {
    const { points }: Pick<DatasetFigures, 'points'> = JSON.parse(String(facts))
    const dataset = describedOf(id, facts, names)
    return { ...dataset, catalogue: String(catalogue), score: Number(score), points }
  })
}

function describedOf(id: unknown, facts: unknown, names: Names): ViolationRow['dataset'] {
  const { titles, languages }: ViolationRow['dataset'] = JSON.parse(String(facts))
  return { id: String(id), iri: names.dataset(String(id)), titles, languages }
}

/** Rows of lists as a refresh writes them. */
type ProblemFacts = {
  readonly violation: CountedDataset['violations'][number]
  readonly url: CountedDataset['urls'][number]
}

/** How many rows the list of a catalogue has. */
const problemsOf = ({ file }: FiguresContext, catalogue: string, kind: 'rule' | 'host'): number => {
  const { where, values } = countsWhere({ catalogue })
  const sql = `SELECT sum(count) AS n FROM counts WHERE kind = '${kind}' AND ${where}`
  return countIn(file, sql, ...values)
}

/** A page of a list of a catalogue: rows as they were written, with their datasets. */
function problemsIn<Kind extends keyof ProblemFacts>(
  { file, names }: FiguresContext,
  catalogue: string,
  kind: Kind,
  { limit, offset }: Page,
) {
  const sql =
    'SELECT listed.dataset, listed.facts, scores.facts AS about FROM ' +
    '(SELECT rowid, * FROM problems WHERE edition = (SELECT edition FROM live WHERE id = ?) AND kind = ? ' +
    'ORDER BY dataset, place, rowid LIMIT ? OFFSET ?) AS listed ' +
    'JOIN scores ON scores.edition = listed.edition AND scores.id = listed.dataset ' +
    'ORDER BY listed.dataset, place, listed.rowid'
  return file.rows(sql, catalogue, kind, limit, offset).map(({ dataset, facts, about }) => {
    const written: ProblemFacts[Kind] = JSON.parse(String(facts))
    return { ...written, dataset: describedOf(dataset, about, names) }
  })
}

function brokenRules({ file }: FiguresContext, scope: Scope, limit: number): readonly BrokenRule[] {
  const { where, values } = countsWhere(scope)
  const sql =
    'SELECT name, sum(count) AS count, sum(datasets) AS datasets, max(note) AS messages FROM counts ' +
    `WHERE kind = 'rule' AND ${where} GROUP BY name ORDER BY sum(count) DESC, name LIMIT ${limit}`
  return file.rows(sql, ...values).map(({ name, count, datasets, messages }) => {
    const [path = '', component = '', severity = ''] = String(name).split(' ')
    return {
      path: textOf(path),
      component: textOf(component),
      severity: severityOf(severity),
      messages: JSON.parse(String(messages)),
      count: Number(count),
      datasets: Number(datasets),
    }
  })
}

/** The status of a host is its most frequent one. */
function unreachableHosts(
  { file }: FiguresContext,
  scope: Scope,
  limit: number,
): readonly UnreachableHost[] {
  const { where, values } = countsWhere(scope)
  const ofStatus = `SELECT name, value, sum(count) AS urls, sum(datasets) AS datasets FROM counts WHERE kind = 'host' AND ${where} GROUP BY name, value`
  const first = 'row_number() OVER (PARTITION BY name ORDER BY urls DESC, value) = 1 AS is_first'
  const sql =
    'SELECT name, sum(urls) AS urls, sum(datasets) AS datasets, max(iif(is_first, value, NULL)) AS status ' +
    `FROM (SELECT *, ${first} FROM (${ofStatus})) GROUP BY name ORDER BY sum(urls) DESC, name LIMIT ${limit}`
  return file.rows(sql, ...values).map(({ name, urls, datasets, status }) => ({
    host: String(name),
    urls: Number(urls),
    datasets: Number(datasets),
    status: Number(status),
  }))
}
