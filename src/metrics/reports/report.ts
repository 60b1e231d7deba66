/**
 * Quality reports out of the figures of the last refresh, as the document that programs and the portal read. Every list in it is
 * bounded. Titles and messages are in the language of the reader where there is one; all other words are English.
 */

import type { Band } from '../../search-index/index-settings.ts'
import { accessibilityMetrics } from '../figures/counts.ts'
import type {
  Aggregate,
  CatalogueFigures,
  DatasetFigures,
  PageRange,
  Scope,
} from '../figures/figures.ts'
import type { Figures } from '../figures/figures-reader.ts'
import { byDimension, indicators } from '../indicators.ts'
import { pickLocalText, type LocalizedTexts } from '../localized-texts.ts'
import type { Weights } from '../measure/weights.ts'
import texts from './report-texts.json' with { type: 'json' }

/** Dependencies of reports. */
export type ReportContext = {
  readonly figures: Figures
  readonly bands: readonly Band[]
  readonly weights: Weights
  /** Configured name of the portal. */
  readonly portal: string
}

/** Request for the report of a catalogue, or of the portal with a page of its list of catalogues. */
export type ReportRequest = {
  /** Language of titles and messages (BCP 47). */
  readonly locale: string
  readonly catalogue?: CatalogueFigures
  readonly list?: { readonly order: 'best' | 'worst'; readonly page: PageRange }
}

/** Report of a catalogue or of the portal: plain values in the members of its JSON document. */
export type Report = ReturnType<typeof reportOf>

/** Figures of the portal or of a catalogue. */
export type MeasuredReport = NonNullable<Report['measured']>

/** Most rows of each list. */
const maxRows = { indicators: 6, rules: 15, hosts: 15, datasets: 10 } as const

/**
 * Makes a report. After the first page of the list of catalogues it has that list alone. `most` is the score of a dataset that
 * fulfils all indicators.
 */
export function reportOf(context: ReportContext, { locale, catalogue, list }: ReportRequest) {
  const { figures, bands, weights, portal } = context
  const refreshed = figures.refreshed()
  const isList = (list?.page.offset ?? 0) > 0
  const scope = catalogue ? { catalogue: catalogue.id } : 'global'
  return {
    report: catalogue ? 'catalogue' : 'portal',
    id: catalogue?.id ?? null,
    ...(catalogue ? titleOf(catalogue, locale) : { title: portal }),
    description:
      (catalogue &&
        titleOf({ ...catalogue, titles: catalogue.descriptions, id: '' }, locale).title) ||
      null,
    locale,
    refreshed: refreshed?.at.toISOString() ?? null,
    refresh: refreshed?.number ?? null,
    most: Object.values(weights).reduce((sum, { yes }) => sum + yes, 0),
    bands: ascending(bands),
    measured: isList ? null : measuredIn(context, scope, locale),
    catalogues: list && catalogueList(context, list, locale),
    rules: texts.figures,
  }
}

const ascending = (bands: readonly Band[]): readonly Band[] =>
  bands.toSorted((a, b) => a.from - b.from)

/** Id of the band of a score; between two bands the lower one, `null` below all of them and without a score. */
const bandOf = (bands: readonly Band[], score: number | null): string | null =>
  (score !== null && ascending(bands).findLast(({ from }) => score >= from)?.id) || null

/** Rounds to one decimal. */
export const roundToTenths = (value: number): number => Math.round(value * 10) / 10

type LocalizedTitle = {
  readonly id: string
  readonly titles: LocalizedTexts
  readonly languages: readonly string[]
}

/** Title in the language of the reader, else in another one, with the tag of its language where it is known. */
function titleOf({ id, titles, languages }: LocalizedTitle, locale: string) {
  const { text: title, language: titleLanguage } = pickLocalText(titles, { locale, languages, id })
  return { title, titleLanguage }
}

/** Figures of a scope; `null` where nothing was measured. */
function measuredIn({ figures, bands, weights }: ReportContext, scope: Scope, locale: string) {
  const [aggregate, measured] = [figures.aggregate(scope), figures.measured(scope)]
  if (aggregate === undefined || measured === undefined || measured.datasets === 0) return null
  const { score, dimensions, metrics } = aggregate
  const rows = indicatorFigures(metrics, weights)
  const inBand = new Map<string, number>(measured.bands.map(({ id, datasets }) => [id, datasets]))
  const row = (dataset: DatasetFigures) => datasetRow(dataset, bands, locale)
  return {
    score,
    band: bandOf(bands, score),
    all: measured.all,
    datasets: measured.datasets,
    distributions: measured.distributions,
    byBand: ascending(bands).map(({ id }) => ({ band: id, datasets: inBand.get(id) ?? 0 })),
    dimensions,
    history: historyOf(figures, scope),
    indicators: rows.map(({ missing, ...row }) => ({
      ...row,
      missing: missing && roundToTenths(missing),
    })),
    worstIndicators: rows
      .flatMap(({ name, missing }) => (missing === null || missing <= 0 ? [] : [{ name, missing }]))
      .toSorted((a, b) => b.missing - a.missing)
      .slice(0, maxRows.indicators)
      .map(({ name }) => name),
    violations: figures.violationsByRule(scope, maxRows.rules).map(({ messages, ...rule }) => {
      const message = pickLocalText(messages, { locale, languages: [], id: '' })
      return { ...rule, message: message.text, messageLanguage: message.language }
    }),
    hosts: figures.unreachableByHost(scope, maxRows.hosts),
    worst: figures.worst(scope, maxRows.datasets).map(row),
    best: figures.best(scope, maxRows.datasets).map(row),
  }
}

/**
 * All indicators, dimension by dimension. `yes`: percentage that fulfils it, `null` where it was not measured; `missing`: the
 * points that it loses by the share that does not; `codes`: status codes of URLs with their shares.
 */
const indicatorFigures = (metrics: Aggregate['metrics'], weights: Weights) =>
  indicators.map(({ name, type }) => {
    const { dimension, yes: points, no } = weights[name]
    // Whether a URL works is in the share of good status codes.
    const shares = metrics[accessibilityMetrics[name] ?? name]
    const yes = shares && (shares.find((share) => share.name === 'yes')?.percentage ?? 0)
    const { label: title, rule } = texts.indicators[name]
    const missing = yes === null ? null : ((points - no) * (100 - yes)) / 100
    const codes = type === 'status' ? (metrics[name] ?? []) : undefined
    return { name, dimension, points, title, rule, yes, missing, codes }
  })

/** Months up to which a history is shown day by day. */
const fewMonths = 6
/** Maximum number of snapshots: more than the months that the data file keeps (eleven years) and than the days of six months. */
const maxSnapshots = 240

/** Scores by month, ascending; by day (`YYYY-MM-DD`) in the first months of a portal. */
function historyOf(figures: Figures, scope: Scope) {
  const always = { from: '1970-01-01', to: '9999-12-31' } as const
  const months = figures.history(scope, { ...always, resolution: 'month' })
  const snapshots =
    months.length > fewMonths ? months : figures.history(scope, { ...always, resolution: 'day' })
  return snapshots.slice(-maxSnapshots).map(({ day, aggregate: { score, dimensions } }) => ({
    day,
    score,
    dimensions,
  }))
}

function datasetRow(dataset: DatasetFigures, bands: readonly Band[], locale: string) {
  const { id, iri, catalogue, score, points } = dataset
  return {
    id,
    iri,
    catalogue,
    ...titleOf(dataset, locale),
    score,
    band: bandOf(bands, score),
    points,
  }
}

function catalogueList(
  { figures, bands }: ReportContext,
  { order, page }: NonNullable<ReportRequest['list']>,
  locale: string,
) {
  const { count, rows } = figures.rankedCatalogues(order, page)
  const results = rows.map(({ catalogue, score, datasets, dimensions }) => ({
    id: catalogue.id,
    ...titleOf(catalogue, locale),
    datasets,
    score,
    band: bandOf(bands, score),
    points: byDimension((name) => dimensions[name]?.points ?? null),
  }))
  return { count, ...page, order, results }
}
