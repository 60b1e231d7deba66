/** A report as a thing of its own, put together from the figures of the last refresh; HTML, CSV and JSON show it. Every list in it has an end. */

import type { Band } from '../../search-index/index-settings.ts'
import type {
  Aggregate,
  BrokenRule,
  CatalogueFigures,
  DatasetFigures,
  DimensionScore,
  Figures,
  Listed,
  MetricName,
  Page,
  Scope,
  Shares,
  UnreachableHost,
} from '../figures/figures.ts'
import {
  type Dimension,
  dimensions,
  type Indicator,
  type IndicatorName,
  indicators,
} from '../indicators.ts'
import { type LocalText, localText, type LocalizedTexts } from '../localized-texts.ts'
import type { Weights } from '../measure/weights.ts'

export type Report = {
  /** Whose report; a catalogue has an id. */
  readonly subject: {
    readonly id?: string
    readonly title: LocalText
    readonly description?: LocalText
  }
  /** Language of the texts of others. */
  readonly locale: string
  /** `undefined` before the first refresh. */
  readonly refreshed: { readonly at: Date; readonly number: number } | undefined
  /** Highest score. */
  readonly most: number
  readonly bands: readonly Band[]
  /** Absent where only the list of catalogues goes on, and where nothing was measured yet. */
  readonly measured?: MeasuredReport
  /** Of the portal only. */
  readonly catalogues?: CatalogueList
}

export type MeasuredReport = {
  /** `null`: measured but not scored. */
  readonly score: number | null
  readonly band: Band | undefined
  /** All datasets, those that were measured, and their distributions. */
  readonly all: number
  readonly datasets: number
  readonly distributions: number
  readonly byBand: readonly { readonly band: Band; readonly datasets: number }[]
  readonly dimensions: Dimensions
  /** Ascending. */
  readonly history: readonly Moment[]
  readonly indicators: readonly IndicatorFigure[]
  /** What would bring most comes first. */
  readonly worstIndicators: readonly IndicatorFigure[]
  readonly violations: readonly RuleFigure[]
  readonly hosts: readonly UnreachableHost[]
  readonly worst: readonly DatasetRow[]
  readonly best: readonly DatasetRow[]
}

export type Moment = {
  /** `YYYY-MM-DD` */
  readonly day: string
  readonly score: number | null
  readonly dimensions: Dimensions
}

export type IndicatorFigure = {
  readonly name: IndicatorName
  readonly dimension: Dimension
  readonly type: Indicator['type']
  readonly points: number
  /** Percent that fulfil it; `null` when it was not measured. */
  readonly share: number | null
  /** Points times the share that does not fulfil it. */
  readonly missing: number
  /** Of URLs: the status codes and their shares, the largest first. */
  readonly codes: Shares
}

export type RuleFigure = BrokenRule & { readonly message: LocalText }

export type DatasetRow = {
  readonly id: string
  readonly iri: string
  readonly title: LocalText
  readonly catalogue: string
  readonly score: number | null
  readonly band: Band | undefined
  readonly points: Points
}

export type CatalogueRow = {
  readonly id: string
  readonly title: LocalText
  /** Measured ones. */
  readonly datasets: number
  readonly score: number | null
  readonly band: Band | undefined
  readonly points: Points
}

export type RankOrder = 'best' | 'worst'

export type CatalogueList = Listed<CatalogueRow> & {
  readonly page: Page
  readonly order: RankOrder
}

// The five dimensions: as they were reckoned, and their points alone.

type Dimensions = Readonly<Record<Dimension, DimensionScore | null>>

export type Points = Readonly<Record<Dimension, number | null>>

export function pointsOf(scores: Dimensions): Points {
  const rows = dimensions.map((name) => [name, scores[name]?.points ?? null] as const)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets the keys
  return Object.fromEntries(rows) as Points
}

// Bands: how a score is called.

/** The band of a score; between two bands the lower one. `undefined` below all of them. */
export const bandOf = (bands: readonly Band[], score: number): Band | undefined =>
  ascending(bands).findLast(({ from }) => score >= from)

/** From the lowest on. */
const ascending = (bands: readonly Band[]): readonly Band[] =>
  bands.toSorted((one, other) => one.from - other.from)

/** Where a band stands among the others: 0 the lowest, 3 the highest. There are four colours. */
export function rank(bands: readonly Band[], id: string): 0 | 1 | 2 | 3 {
  const order = ascending(bands)
  const place = order.findIndex((band) => band.id === id)
  const share = order.length < 2 ? 1 : Math.max(place, 0) / (order.length - 1)
  return share > 5 / 6 ? 3 : share >= 0.5 ? 2 : share > 1 / 6 ? 1 : 0
}

// The indicators of a report: how many fulfil each, and what is missing.

/** Whether a URL works is told by the share of good status codes. */
const derived: Partial<Record<IndicatorName, MetricName>> = {
  accessUrlStatusCode: 'accessUrlAccessibility',
  downloadUrlStatusCode: 'downloadUrlAccessibility',
}

/** All of them, dimension by dimension. */
const indicatorFigures = (
  metrics: Aggregate['metrics'],
  weights: Weights,
): readonly IndicatorFigure[] =>
  indicators.map(({ name, type }) => {
    const { dimension, yes: points, no } = weights[name]
    const share = yesOf(metrics[derived[name] ?? name])
    return {
      name,
      dimension,
      type,
      points,
      share,
      missing: share === null ? 0 : ((points - no) * (100 - share)) / 100,
      codes: type === 'status' ? (metrics[name] ?? []) : [],
    }
  })

const yesOf = (shares: Shares | null): number | null =>
  shares === null ? null : (shares.find(({ name }) => name === 'yes')?.percentage ?? 0)

/** Those that something is missing of, the most first. */
const worstOf = (figures: readonly IndicatorFigure[]): readonly IndicatorFigure[] =>
  figures.filter(({ missing }) => missing > 0).toSorted((one, other) => other.missing - one.missing)

// Puts a report together from the figures of the last refresh; every list in it has an end.

export type ReportContext = {
  readonly figures: Figures
  readonly bands: readonly Band[]
  readonly weights: Weights
  /** What the portal is called. */
  readonly portal: string
}

/** Language of the texts of others. */
type Wish = { readonly locale: string }

/** Rows of the lists that only show the top of something. */
const top = { indicators: 6, rules: 15, hosts: 15, datasets: 10 } as const

/** `found`: a catalogue of the figures, measured or not. */
export function catalogueReport(
  context: ReportContext,
  found: CatalogueFigures,
  { locale }: Wish,
): Report {
  const { id, titles, descriptions, languages } = found
  const title = localText(titles, { locale, languages, id })
  const description = localText(descriptions, { locale, languages, id: '' })
  const measured = measuredReport(context, { catalogue: id }, { locale })
  return {
    ...head(context, locale),
    subject: { id, title, ...(description.text !== '' && { description }) },
    ...(measured && { measured }),
  }
}

/** The figures of all catalogues together, and a page of the list of them; behind its first page only the list. */
export function portalReport(
  context: ReportContext,
  { locale, order, page }: Wish & { readonly order: RankOrder; readonly page: Page },
): Report {
  const measured = page.offset > 0 ? undefined : measuredReport(context, 'global', { locale })
  return {
    ...head(context, locale),
    subject: { title: { text: context.portal } },
    ...(measured && { measured }),
    catalogues: catalogueList(context, { locale, order, page }),
  }
}

const head = ({ figures, bands, weights }: ReportContext, locale: string) => ({
  locale,
  refreshed: figures.refreshed(),
  most: Object.values(weights).reduce((sum, { yes }) => sum + yes, 0),
  bands: ascending(bands),
})

function measuredReport(
  context: ReportContext,
  scope: Scope,
  wish: Wish,
): MeasuredReport | undefined {
  const { figures, bands } = context
  const [aggregate, measured] = [figures.aggregate(scope), figures.measured(scope)]
  if (aggregate === undefined || measured === undefined || measured.datasets === 0) return undefined
  const indicators = indicatorFigures(aggregate.metrics, context.weights)
  const { score } = aggregate
  const row = (dataset: DatasetFigures) => datasetRow(dataset, bands, wish)
  const inBand = new Map<string, number>(measured.bands.map((band) => [band.id, band.datasets]))
  return {
    score,
    band: score === null ? undefined : bandOf(bands, score),
    all: measured.all,
    datasets: measured.datasets,
    distributions: measured.distributions,
    byBand: ascending(bands).map((band) => ({ band, datasets: inBand.get(band.id) ?? 0 })),
    dimensions: aggregate.dimensions,
    history: historyOf(figures, scope),
    indicators,
    worstIndicators: worstOf(indicators).slice(0, top.indicators),
    violations: figures.violationsByRule(scope, top.rules).map((rule) => ({
      ...rule,
      message: messageOf(rule.messages, wish),
    })),
    hosts: figures.unreachableByHost(scope, top.hosts),
    worst: figures.worst(scope, top.datasets).map(row),
    best: figures.best(scope, top.datasets).map(row),
  }
}

const messageOf = (texts: LocalizedTexts, { locale }: Wish) =>
  localText(texts, { locale, languages: [], id: '' })

/** Months that make a line; fewer are told day by day. */
const fewMonths = 6
/** Ten years by month is what is kept. */
const mostMoments = 240

/** By month, but the first months of a portal by day. */
function historyOf(figures: Figures, scope: Scope): readonly Moment[] {
  const always = { from: '1970-01-01', to: '9999-12-31' } as const
  const months = figures.history(scope, { ...always, resolution: 'month' })
  const snapshots =
    months.length > fewMonths ? months : figures.history(scope, { ...always, resolution: 'day' })
  return snapshots.slice(-mostMoments).map(({ day, aggregate }) => ({
    day,
    score: aggregate.score,
    dimensions: aggregate.dimensions,
  }))
}

function datasetRow(dataset: DatasetFigures, bands: readonly Band[], { locale }: Wish): DatasetRow {
  const { id, iri, catalogue, titles, languages, score, points } = dataset
  return {
    id,
    iri,
    catalogue,
    title: localText(titles, { locale, languages, id }),
    score,
    band: score === null ? undefined : bandOf(bands, score),
    points,
  }
}

function catalogueList(
  { figures, bands }: ReportContext,
  { locale, order, page }: Wish & { readonly order: RankOrder; readonly page: Page },
): CatalogueList {
  const { count, rows } = figures.rankedCatalogues(order, page)
  return {
    count,
    page,
    order,
    rows: rows.map(({ catalogue, score, datasets, dimensions }) => ({
      id: catalogue.id,
      title: localText(catalogue.titles, {
        locale,
        languages: catalogue.languages,
        id: catalogue.id,
      }),
      datasets,
      score,
      band: score === null ? undefined : bandOf(bands, score),
      points: pointsOf(dimensions),
    })),
  }
}
