/** Puts a report together from the figures of the last refresh; every list in it has an end. */

import type { CatalogueFigures, DatasetFigures, Figures, Page, Scope } from '../figures/figures.ts'
import type { Weights } from '../scoring/weights.ts'
import { ascending, bandOf, type Band } from './bands.ts'
import { indicatorFigures, worstOf } from './indicators.ts'
import { pointsOf } from './points.ts'
import type { CatalogueList, DatasetRow, MeasuredReport, Moment, Order, Report } from './report.ts'
import { localText, type Texts } from '../localized-texts.ts'

export type Ground = {
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
export function catalogueReport(ground: Ground, found: CatalogueFigures, { locale }: Wish): Report {
  const { id, titles, descriptions, languages } = found
  const title = localText(titles, { locale, languages, id })
  const description = localText(descriptions, { locale, languages, id: '' })
  const measured = measuredReport(ground, { catalogue: id }, { locale })
  return {
    ...head(ground, locale),
    subject: { id, title, ...(description.text !== '' && { description }) },
    ...(measured && { measured }),
  }
}

/** The figures of all catalogues together, and a page of the list of them; behind its first page only the list. */
export function portalReport(
  ground: Ground,
  { locale, order, page }: Wish & { readonly order: Order; readonly page: Page },
): Report {
  const measured = page.offset > 0 ? undefined : measuredReport(ground, 'global', { locale })
  return {
    ...head(ground, locale),
    subject: { title: { text: ground.portal } },
    ...(measured && { measured }),
    catalogues: catalogueList(ground, { locale, order, page }),
  }
}

const head = ({ figures, bands, weights }: Ground, locale: string) => ({
  locale,
  refreshed: figures.refreshed(),
  most: Object.values(weights).reduce((sum, { yes }) => sum + yes, 0),
  bands: ascending(bands),
})

function measuredReport(ground: Ground, scope: Scope, wish: Wish): MeasuredReport | undefined {
  const { figures, bands } = ground
  const [aggregate, measured] = [figures.aggregate(scope), figures.measured(scope)]
  if (aggregate === undefined || measured === undefined || measured.datasets === 0) return undefined
  const indicators = indicatorFigures(aggregate.metrics, ground.weights)
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

const messageOf = (texts: Texts, { locale }: Wish) =>
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
  { figures, bands }: Ground,
  { locale, order, page }: Wish & { readonly order: Order; readonly page: Page },
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
