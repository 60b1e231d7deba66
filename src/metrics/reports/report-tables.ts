/** The tables of a report: pages show them, CSV has one row for each of their values. */

import { dimensions, isReachable, pseudoCodes } from '../indicators.ts'
import { clipped, type LocalText } from '../localized-texts.ts'
import {
  compact,
  constraintName,
  dimensionWords,
  figureRules,
  indicatorWords,
  longDay,
  percent,
  tenths,
} from './indicator-texts.ts'
import {
  type CatalogueList,
  type DatasetRow,
  type IndicatorFigure,
  type MeasuredReport,
  type Points,
  pointsOf,
} from './report.ts'

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
const pointFigures: readonly Figure[] = [
  ['findability', 'Find'],
  ['accessibility', 'Access'],
  ['interoperability', 'Interop'],
  ['reusability', 'Reuse'],
  ['contextuality', 'Context'],
  ['score', 'Score'],
]
const bandFigure: Figure = ['band', 'Band', 'band']

const pointValues = (points: Points, score: number | null): readonly FigureValue[] => [
  ...dimensions.map((name) => points[name]),
  score,
]

/** Of everything that was measured, in the order of the page. */
export const measuredTables = (measured: MeasuredReport): readonly FigureTable[] => [
  bandTable(measured),
  historyTable(measured),
  dimensionTable(measured),
  indicatorTable(measured.worstIndicators, {
    id: 'worst-indicators',
    heading: 'Where most is missing',
    rule: figureRules.worstIndicators,
    note: measured.indicators.some(({ share }) => share !== null)
      ? 'Nothing: every indicator that was measured is fulfilled everywhere.'
      : 'No indicator was measured.',
  }),
  violationTable(measured),
  hostTable(measured),
  datasetTable('worst', 'Datasets with the lowest scores', measured.worst),
  datasetTable('best', 'Datasets with the highest scores', measured.best),
  indicatorTable(measured.indicators, {
    section: 'indicator',
    id: 'indicators',
    heading: 'Every indicator and its rule',
    rule: figureRules.indicators,
  }),
]

function bandTable({ byBand }: MeasuredReport): FigureTable {
  const all = byBand.reduce((sum, { datasets }) => sum + datasets, 0)
  const row = ({ band, datasets }: (typeof byBand)[number]): FigureRow => ({
    id: band.id,
    title: text(band.title),
    values: [datasets, all === 0 ? 0 : tenths((datasets / all) * 100)],
  })
  return {
    section: 'band',
    id: 'bands',
    heading: 'Datasets by band',
    rule: figureRules.bands,
    figures: [
      ['datasets', 'Datasets'],
      ['share', 'Share', 'percent'],
    ],
    rows: byBand.toReversed().map(row),
  }
}

const historyTable = ({ history }: MeasuredReport): FigureTable => ({
  section: 'history',
  id: 'over-time',
  heading: 'Score over time',
  rule: figureRules.history,
  figures: pointFigures,
  rows: history.map((moment) => ({
    id: moment.day,
    title: text(''),
    shown: longDay(moment.day),
    values: pointValues(pointsOf(moment.dimensions), moment.score),
  })),
})

const dimensionTable = (measured: MeasuredReport): FigureTable => ({
  section: 'dimension',
  id: 'dimensions',
  heading: 'Five dimensions',
  rule: figureRules.dimensions,
  figures: [
    ['points', 'Points'],
    ['max', 'Most'],
    ['percentage', 'Share', 'percent'],
  ],
  rows: dimensions.map((name) => {
    const { points = null, max = null, percentage = null } = measured.dimensions[name] ?? {}
    const { label, rule } = dimensionWords[name]
    return { id: name, title: text(label), below: rule, values: [points, max, percentage] }
  }),
})

const indicatorTable = (
  indicators: readonly IndicatorFigure[],
  about: Omit<FigureTable, 'figures' | 'rows'>,
): FigureTable => ({
  ...about,
  figures: [
    ['yes', 'Fulfilled', 'percent'],
    ['points', 'Points'],
    ['missing', 'Points missing'],
  ],
  rows: indicators.map((one) => {
    const { label, rule } = indicatorWords[one.name]
    return {
      id: one.name,
      title: text(label),
      below: [rule, badCodes(one)].join(' ').trim(),
      values: [one.share, one.points, one.share === null ? null : tenths(one.missing)],
      more: one.codes.map(({ name, percentage }) => [`status ${name}`, percentage] as const),
      rule,
    }
  }),
})

/** The most frequent bad answers of URLs that are named. */
const mostCodes = 3

function badCodes({ codes }: IndicatorFigure): string {
  const bad = codes.filter(({ name }) => !isReachable(Number(name)))
  const texts = bad.map(({ name, percentage }) => `${statusName(name)} ${percent(percentage)}`)
  if (bad.length === 0) return ''
  return `(${texts.slice(0, mostCodes).join(', ')}${bad.length > mostCodes ? ', …' : ''})`
}

/** A status code, or words in place of a pseudo code. */
export function statusName(code: string | number): string {
  if (Number(code) === pseudoCodes.connectionFailure) return 'no connection'
  if (Number(code) === pseudoCodes.invalidUrl) return 'no valid URL'
  return String(code)
}

function violationTable({ violations, indicators }: MeasuredReport): FigureTable {
  const wasValidated = indicators.some(
    ({ name, share }) => name === 'dcatApCompliance' && share !== null,
  )
  return {
    section: 'violation',
    id: 'violations',
    heading: 'Most frequent violations',
    rule: figureRules.violations,
    figures: [
      ['datasets', 'Datasets'],
      ['times', 'Times'],
    ],
    rows: violations.map(({ path, component, severity, message, datasets, count }) => ({
      id: [path, component, severity].filter((part) => part !== null).join(' '),
      title: message,
      below: clipped(
        [
          path === null ? 'the dataset' : compact(path),
          severity.toLowerCase(),
          ...(component ? [constraintName(component)] : []),
        ].join(', '),
        160,
      ),
      values: [datasets, count],
    })),
    note: wasValidated
      ? 'Validation found nothing to complain about.'
      : 'Nothing was validated: validation is for catalogues that say they are DCAT-AP.',
  }
}

const hostTable = ({ hosts, indicators }: MeasuredReport): FigureTable => ({
  section: 'host',
  id: 'hosts',
  heading: 'Broken links by host',
  rule: figureRules.hosts,
  figures: [
    ['urls', 'URLs'],
    ['datasets', 'Datasets'],
    ['most frequent status', 'Mostly', 'status'],
  ],
  rows: hosts.map(({ host, urls, datasets, status }) => ({
    id: host,
    title: text(''),
    shown: host === '' ? 'no host' : clipped(host, 120),
    values: [urls, datasets, status],
  })),
  note: indicators.some(({ codes }) => codes.length > 0)
    ? 'Every URL that was asked answered.'
    : 'No URL was asked.',
})

const datasetTable = (
  end: 'worst' | 'best',
  heading: string,
  rows: readonly DatasetRow[],
): FigureTable => ({
  section: `${end} dataset`,
  id: `${end}-datasets`,
  heading,
  rule: figureRules[end],
  figures: [...pointFigures, bandFigure],
  rows: rows.map((row) => ({
    id: row.id,
    title: row.title,
    below: clipped(row.catalogue, 60),
    link: { address: row.iri },
    values: [...pointValues(row.points, row.score), row.band?.id ?? null],
  })),
  note: 'No dataset has a score.',
})

/** A page of the list of catalogues. */
export const catalogueTable = ({ rows }: CatalogueList): FigureTable => ({
  section: 'catalogue',
  id: 'catalogues',
  heading: 'Catalogues',
  rule: figureRules.catalogues,
  figures: [...pointFigures, bandFigure, ['datasets', 'Datasets']],
  rows: rows.map((row) => ({
    id: row.id,
    title: row.title,
    link: { catalogue: row.id },
    values: [...pointValues(row.points, row.score), row.band?.id ?? null, row.datasets],
  })),
})
