/**
 * A report put together from the figures of the last refresh; HTML, CSV and JSON show it. Every list in it has an end. Texts of
 * others are in the language of the reader where there are any.
 */

import type { Band } from '../../search-index/index-settings.ts'
import { derived } from '../figures/counts.ts'
import { byDimension, type Dimension, indicators } from '../indicators.ts'
import type { Figures } from '../figures/figures-reader.ts'
import type {
  Aggregate,
  CatalogueFigures,
  DatasetFigures,
  Page,
  Scope,
  Shares,
} from '../figures/figures.ts'
import { type LocalText, localText } from '../localized-texts.ts'
import type { Weights } from '../measure/weights.ts'

/** What reports are made of. */
export type ReportContext = {
  readonly figures: Figures
  readonly bands: readonly Band[]
  readonly weights: Weights
  /** The configured name of the portal. */
  readonly portal: string
}

/** A report as values: nothing in it has to be looked up any more. */
export type Report = ReturnType<typeof head> & {
  /** Whose report; a catalogue has an id. */
  readonly subject: {
    readonly id?: string
    readonly title: LocalText
    readonly description?: LocalText
  }
  /** Absent where only the list of catalogues goes on, and where nothing was measured yet. */
  readonly measured?: MeasuredReport
  /** Of the portal only. */
  readonly catalogues?: CatalogueList
}

/** What was measured of the portal or of a catalogue. */
export type MeasuredReport = NonNullable<ReturnType<typeof measuredReport>>
/** One measurement of the history. */
export type Moment = MeasuredReport['history'][number]
/** An indicator with its share (percent) and the points that are missing on average. */
export type IndicatorFigure = ReturnType<typeof indicatorFigures>[number]
/** A dataset in a list by score. */
export type DatasetRow = ReturnType<typeof datasetRow>
/** A page of the list of catalogues. */
export type CatalogueList = ReturnType<typeof catalogueList>
export type CatalogueRow = CatalogueList['rows'][number]
/** The highest or the lowest score first. */
export type RankOrder = 'best' | 'worst'
/** Points of the dimensions; `null` where one was not scored. */
export type Points = Readonly<Record<Dimension, number | null>>

/** The points of the five dimensions alone. */
export const pointsOf = (scores: Aggregate['dimensions']): Points =>
  byDimension((name) => scores[name]?.points ?? null)

/** The band of a score; between two bands the lower one. `undefined` below all of them, and without a score. */
export const bandOf = (bands: readonly Band[], score: number | null): Band | undefined =>
  score === null ? undefined : ascending(bands).findLast(({ from }) => score >= from)

const ascending = (bands: readonly Band[]): readonly Band[] =>
  bands.toSorted((one, other) => one.from - other.from)

/** The place of a band among the others: 0 the lowest, 3 the highest. There are four colours. */
export function rank(bands: readonly Band[], id: string): 0 | 1 | 2 | 3 {
  const order = ascending(bands)
  const place = order.findIndex((band) => band.id === id)
  const share = order.length < 2 ? 1 : Math.max(place, 0) / (order.length - 1)
  return share > 5 / 6 ? 3 : share >= 0.5 ? 2 : share > 1 / 6 ? 1 : 0
}

/**
 * All indicators, dimension by dimension: `share` is the percentage that fulfils one (`null` when it was not measured),
 * `missing` its points times the share that does not. `codes` are the status codes of URLs with their shares.
 */
const indicatorFigures = (metrics: Aggregate['metrics'], weights: Weights) =>
  indicators.map(({ name, type }) => {
    const { dimension, yes: points, no } = weights[name]
    // Whether a URL works is in the share of good status codes.
    const shares = metrics[derived[name] ?? name]
    const share = shares && (shares.find((one) => one.name === 'yes')?.percentage ?? 0)
    const missing = share === null ? 0 : ((points - no) * (100 - share)) / 100
    const codes: Shares = type === 'status' ? (metrics[name] ?? []) : []
    return { name, dimension, type, points, share, missing, codes }
  })

/** Rows of the lists that only show the top of something. */
const top = { indicators: 6, rules: 15, hosts: 15, datasets: 10 } as const

/** `found`: a catalogue of the figures, measured or not. */
export function catalogueReport(
  context: ReportContext,
  found: CatalogueFigures,
  { locale }: { readonly locale: string },
): Report {
  const { id, titles, descriptions, languages } = found
  const title = localText(titles, { locale, languages, id })
  const description = localText(descriptions, { locale, languages, id: '' })
  const measured = measuredReport(context, { catalogue: id }, locale)
  return {
    ...head(context, locale),
    subject: { id, title, ...(description.text !== '' && { description }) },
    ...(measured && { measured }),
  }
}

type ListRequest = { readonly locale: string; readonly order: RankOrder; readonly page: Page }

/** The figures of all catalogues together, and a page of the list of them; after its first page only the list. */
export function portalReport(context: ReportContext, request: ListRequest): Report {
  const { locale, page } = request
  const measured = page.offset > 0 ? undefined : measuredReport(context, 'global', locale)
  return {
    ...head(context, locale),
    subject: { title: { text: context.portal } },
    ...(measured && { measured }),
    catalogues: catalogueList(context, request),
  }
}

/** `most`: the highest score. `refreshed` is `undefined` before the first refresh. */
const head = ({ figures, bands, weights, portal }: ReportContext, locale: string) => ({
  locale,
  site: portal,
  refreshed: figures.refreshed(),
  most: Object.values(weights).reduce((sum, { yes }) => sum + yes, 0),
  bands: ascending(bands),
})

/** What was measured of a scope; `score` is `null` where nothing was scored. The worst indicators would bring most. */
function measuredReport({ figures, bands, weights }: ReportContext, scope: Scope, locale: string) {
  const [aggregate, measured] = [figures.aggregate(scope), figures.measured(scope)]
  if (aggregate === undefined || measured === undefined || measured.datasets === 0) return undefined
  const all = indicatorFigures(aggregate.metrics, weights)
  const row = (dataset: DatasetFigures) => datasetRow(dataset, bands, locale)
  const inBand = new Map<string, number>(measured.bands.map((band) => [band.id, band.datasets]))
  return {
    score: aggregate.score,
    band: bandOf(bands, aggregate.score),
    all: measured.all,
    datasets: measured.datasets,
    distributions: measured.distributions,
    byBand: ascending(bands).map((band) => ({ band, datasets: inBand.get(band.id) ?? 0 })),
    dimensions: aggregate.dimensions,
    history: historyOf(figures, scope),
    indicators: all,
    worstIndicators: all
      .filter(({ missing }) => missing > 0)
      .toSorted((one, other) => other.missing - one.missing)
      .slice(0, top.indicators),
    violations: figures.violationsByRule(scope, top.rules).map((rule) => ({
      ...rule,
      message: localText(rule.messages, { locale, languages: [], id: '' }),
    })),
    hosts: figures.unreachableByHost(scope, top.hosts),
    worst: figures.worst(scope, top.datasets).map(row),
    best: figures.best(scope, top.datasets).map(row),
  }
}

/** Months that make a line; fewer are shown day by day. */
const fewMonths = 6
/** Ten years by month is what is kept. */
const mostMoments = 240

/** Ascending, by month, but the first months of a portal by day (`YYYY-MM-DD`). */
function historyOf(figures: Figures, scope: Scope) {
  const always = { from: '1970-01-01', to: '9999-12-31' } as const
  const months = figures.history(scope, { ...always, resolution: 'month' })
  const snapshots =
    months.length > fewMonths ? months : figures.history(scope, { ...always, resolution: 'day' })
  return snapshots.slice(-mostMoments).map(({ day, aggregate: { score, dimensions } }) => ({
    day,
    score,
    dimensions,
  }))
}

function datasetRow(dataset: DatasetFigures, bands: readonly Band[], locale: string) {
  const { id, iri, catalogue, titles, languages, score, points } = dataset
  const title = localText(titles, { locale, languages, id })
  return { id, iri, catalogue, title, score, band: bandOf(bands, score), points }
}

function catalogueList({ figures, bands }: ReportContext, { locale, order, page }: ListRequest) {
  const { count, rows } = figures.rankedCatalogues(order, page)
  return {
    count,
    page,
    order,
    rows: rows.map(({ catalogue: { id, titles, languages }, score, datasets, ...row }) => ({
      id,
      title: localText(titles, { locale, languages, id }),
      datasets,
      score,
      band: bandOf(bands, score),
      points: pointsOf(row.dimensions),
    })),
  }
}
