/** The tables of a report: pages show them, CSV has one row for each of their values. */

import { dimensions, isReachable } from '../indicators.ts'
import { clipped, type LocalText } from '../localized-texts.ts'
import { compact, tenths } from './rdf-names.ts'
import {
  type CatalogueList,
  type DatasetRow,
  type IndicatorFigure,
  type MeasuredReport,
  type Points,
  pointsOf,
} from './report.ts'
import type { ReportWords } from './report-words.ts'

/** `null`: not measured. */
export type FigureValue = string | number | null

/** A column: its name in CSV, that on the page, and what its values are where they are not plain numbers. */
export type Figure = readonly [name: string, label: string, unit?: 'percent' | 'band' | 'status']

/** What one thing has in the columns of a table. */
export type FigureRow = {
  readonly id: string
  /** Empty where the id says it all. */
  readonly title: LocalText
  /** What a page shows in the place of the title, and below it. */
  readonly shown?: string
  readonly below?: string
  /** An address where the row is described, of whatever scheme, or the id of a catalogue. */
  readonly link?: { readonly address: string } | { readonly catalogue: string }
  /** In the order of the figures. */
  readonly values: readonly FigureValue[]
  /** Figures of this row alone, for CSV. */
  readonly more?: readonly (readonly [name: string, value: FigureValue])[]
  /** In the place of the rule of the table. */
  readonly rule?: string
}

/** One section of the page, one kind of rows in CSV. */
export type FigureTable = {
  /** In CSV; absent: only the page has it. */
  readonly section?: string
  /** Anchor and heading on the page. */
  readonly id: string
  readonly heading: string
  readonly rule: string
  readonly figures: readonly Figure[]
  readonly rows: readonly FigureRow[]
  /** What a page says where there are no rows. */
  readonly note?: string
}

const text = (plain: string): LocalText => ({ text: plain })

/** Points of the five dimensions, with names that are not wider than the numbers below them. */
const pointFigures = (words: ReportWords): readonly Figure[] => [
  ...dimensions.map((name): Figure => [name, words.dimensions[name].short]),
  ['score', words.columns.score],
]
const bandFigure = ({ columns }: ReportWords): Figure => ['band', columns.band, 'band']

const pointValues = (points: Points, score: number | null): readonly FigureValue[] => [
  ...dimensions.map((name) => points[name]),
  score,
]

/** Of everything that was measured, in the order of the page. */
export const measuredTables = (
  measured: MeasuredReport,
  words: ReportWords,
): readonly FigureTable[] => [
  bandTable(measured, words),
  historyTable(measured, words),
  dimensionTable(measured, words),
  indicatorTable(measured.worstIndicators, words, {
    id: 'worst-indicators',
    heading: words.headings.worstIndicators,
    rule: words.figures.worstIndicators,
    note: measured.indicators.some(({ share }) => share !== null)
      ? words.notes.nothingMissing
      : words.notes.noIndicator,
  }),
  violationTable(measured, words),
  hostTable(measured, words),
  datasetTable('worst', measured.worst, words),
  datasetTable('best', measured.best, words),
  indicatorTable(measured.indicators, words, {
    section: 'indicator',
    id: 'indicators',
    heading: words.headings.indicators,
    rule: words.figures.indicators,
  }),
]

function bandTable({ byBand }: MeasuredReport, words: ReportWords): FigureTable {
  const all = byBand.reduce((sum, { datasets }) => sum + datasets, 0)
  const row = ({ band, datasets }: (typeof byBand)[number]): FigureRow => ({
    id: band.id,
    title: text(words.bandTitle(band)),
    values: [datasets, all === 0 ? 0 : tenths((datasets / all) * 100)],
  })
  return {
    section: 'band',
    id: 'bands',
    heading: words.headings.bands,
    rule: words.figures.bands,
    figures: [
      ['datasets', words.columns.datasets],
      ['share', words.columns.share, 'percent'],
    ],
    rows: byBand.toReversed().map(row),
  }
}

const historyTable = ({ history }: MeasuredReport, words: ReportWords): FigureTable => ({
  section: 'history',
  id: 'over-time',
  heading: words.headings.history,
  rule: words.figures.history,
  figures: pointFigures(words),
  rows: history.map((moment) => ({
    id: moment.day,
    title: text(''),
    shown: words.longDay(moment.day),
    values: pointValues(pointsOf(moment.dimensions), moment.score),
  })),
})

const dimensionTable = (measured: MeasuredReport, words: ReportWords): FigureTable => ({
  section: 'dimension',
  id: 'dimensions',
  heading: words.headings.dimensions,
  rule: words.figures.dimensions,
  figures: [
    ['points', words.columns.points],
    ['max', words.columns.most],
    ['percentage', words.columns.share, 'percent'],
  ],
  rows: dimensions.map((name) => {
    const { points = null, max = null, percentage = null } = measured.dimensions[name] ?? {}
    const { label, rule } = words.dimensions[name]
    return { id: name, title: text(label), below: rule, values: [points, max, percentage] }
  }),
})

const indicatorTable = (
  indicators: readonly IndicatorFigure[],
  words: ReportWords,
  about: Omit<FigureTable, 'figures' | 'rows'>,
): FigureTable => ({
  ...about,
  figures: [
    ['yes', words.columns.fulfilled, 'percent'],
    ['points', words.columns.points],
    ['missing', words.columns.missing],
  ],
  rows: indicators.map((one) => {
    const { label, rule } = words.indicators[one.name]
    return {
      id: one.name,
      title: text(label),
      below: [rule, badCodes(one, words)].join(' ').trim(),
      values: [one.share, one.points, one.share === null ? null : tenths(one.missing)],
      more: one.codes.map(({ name, percentage }) => [`status ${name}`, percentage] as const),
      rule,
    }
  }),
})

/** The most frequent bad answers of URLs that are named. */
const mostCodes = 3

function badCodes({ codes }: IndicatorFigure, { percent, statusName }: ReportWords): string {
  const bad = codes.filter(({ name }) => !isReachable(Number(name)))
  const texts = bad.map(({ name, percentage }) => `${statusName(name)} ${percent(percentage)}`)
  if (bad.length === 0) return ''
  return `(${texts.slice(0, mostCodes).join(', ')}${bad.length > mostCodes ? ', …' : ''})`
}

function violationTable(
  { violations, indicators }: MeasuredReport,
  words: ReportWords,
): FigureTable {
  const wasValidated = indicators.some(
    ({ name, share }) => name === 'dcatApCompliance' && share !== null,
  )
  return {
    section: 'violation',
    id: 'violations',
    heading: words.headings.violations,
    rule: words.figures.violations,
    figures: [
      ['datasets', words.columns.datasets],
      ['times', words.columns.times],
    ],
    rows: violations.map(({ path, component, severity, message, datasets, count }) => ({
      id: [path, component, severity].filter((part) => part !== null).join(' '),
      title: message,
      below: clipped(
        [
          path === null ? words.page.dataset : compact(path),
          words.severity(severity),
          ...(component ? [words.constraint(component)] : []),
        ].join(', '),
        160,
      ),
      values: [datasets, count],
    })),
    note: wasValidated ? words.notes.noViolation : words.notes.notValidated,
  }
}

const hostTable = ({ hosts, indicators }: MeasuredReport, words: ReportWords): FigureTable => ({
  section: 'host',
  id: 'hosts',
  heading: words.headings.hosts,
  rule: words.figures.hosts,
  figures: [
    ['urls', words.columns.urls],
    ['datasets', words.columns.datasets],
    ['most frequent status', words.columns.status, 'status'],
  ],
  rows: hosts.map(({ host, urls, datasets, status }) => ({
    id: host,
    title: text(''),
    shown: host === '' ? words.page.noHost : clipped(host, 120),
    values: [urls, datasets, status],
  })),
  note: indicators.some(({ codes }) => codes.length > 0)
    ? words.notes.allReachable
    : words.notes.noUrl,
})

const datasetTable = (
  end: 'worst' | 'best',
  rows: readonly DatasetRow[],
  words: ReportWords,
): FigureTable => ({
  section: `${end} dataset`,
  id: `${end}-datasets`,
  heading: words.headings[end],
  rule: words.figures[end],
  figures: [...pointFigures(words), bandFigure(words)],
  rows: rows.map((row) => ({
    id: row.id,
    title: row.title,
    below: clipped(row.catalogue, 60),
    link: { address: row.iri },
    values: [...pointValues(row.points, row.score), row.band?.id ?? null],
  })),
  note: words.notes.noScore,
})

/** A page of the list of catalogues. */
export const catalogueTable = ({ rows }: CatalogueList, words: ReportWords): FigureTable => ({
  section: 'catalogue',
  id: 'catalogues',
  heading: words.headings.catalogues,
  rule: words.figures.catalogues,
  figures: [...pointFigures(words), bandFigure(words), ['datasets', words.columns.datasets]],
  rows: rows.map((row) => ({
    id: row.id,
    title: row.title,
    link: { catalogue: row.id },
    values: [...pointValues(row.points, row.score), row.band?.id ?? null, row.datasets],
  })),
})
