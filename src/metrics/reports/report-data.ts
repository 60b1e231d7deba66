/** A report for programs: as CSV (RFC 4180), one figure a row, so that all of a report fits into one table, and as JSON. */

import { tenths } from './rdf-names.ts'
import { englishWords } from './report-words.ts'
import type { CatalogueRow, MeasuredReport, Report } from './report.ts'
import {
  catalogueTable,
  type FigureTable,
  type FigureValue,
  measuredTables,
} from './report-tables.ts'

const { figures: figureRules, indicators: indicatorWords } = englishWords

const columns = ['section', 'id', 'title', 'figure', 'value', 'rule'] as const

type Row = readonly [
  section: string,
  id: string,
  title: string,
  figure: string,
  value: FigureValue,
  rule: string,
]

/** Ends every line with CRLF, the last one too. */
export const reportCsv = (report: Report): string =>
  [columns, ...rows(report)].map((row) => `${row.map(cell).join(',')}\r\n`).join('')

function* rows({ subject, refreshed, most, measured, catalogues }: Report): Generator<Row> {
  const about = ['report', subject.id ?? '', subject.title.text] as const
  yield [...about, 'refreshed', refreshed?.at.toISOString() ?? null, '']
  yield [...about, 'refresh', refreshed?.number ?? null, '']
  if (measured) {
    yield ['score', '', 'Score', 'points', measured.score, figureRules.score]
    yield ['score', '', 'Score', 'most', most, '']
    yield ['score', '', 'Score', 'band', measured.band?.id ?? null, figureRules.band]
    for (const figure of ['all', 'datasets', 'distributions'] as const)
      yield ['measured', '', 'Measured', figure, measured[figure], '']
    for (const table of measuredTables(measured, englishWords)) yield* rowsOf(table)
  }
  if (catalogues) yield* rowsOf(catalogueTable(catalogues, englishWords))
}

function* rowsOf({ section, figures, rows: all, rule: shared }: FigureTable): Generator<Row> {
  if (section === undefined) return
  for (const { id, title, values, more = [], rule = shared } of all) {
    const named = figures.map(([name], at) => [name, values[at] ?? null] as const)
    for (const [name, value] of [...named, ...more])
      yield [section, id, title.text, name, value, rule]
  }
}

/** Spreadsheets take a cell that begins so for a formula, some of them after blanks too; a quote in front makes it text. */
const formula = /^[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

function cell(value: FigureValue): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The same figures as plain values, each indicator with its rule. */
export const reportJson = ({ subject, refreshed, measured, catalogues, ...report }: Report) => ({
  report: subject.id === undefined ? 'portal' : 'catalogue',
  id: subject.id ?? null,
  title: subject.title.text,
  description: subject.description?.text ?? null,
  locale: report.locale,
  refreshed: refreshed?.at.toISOString() ?? null,
  refresh: refreshed?.number ?? null,
  most: report.most,
  bands: report.bands,
  measured: measured ? measuredJson(measured) : null,
  ...(catalogues && {
    catalogues: {
      count: catalogues.count,
      ...catalogues.page,
      order: catalogues.order,
      results: catalogues.rows.map(rowJson),
    },
  }),
  rules: figureRules,
})

const measuredJson = (measured: MeasuredReport) => ({
  ...measured,
  band: measured.band?.id ?? null,
  byBand: measured.byBand.map(({ band, datasets }) => ({ band: band.id, datasets })),
  indicators: measured.indicators.map(({ share, missing, codes, ...indicator }) => ({
    ...indicator,
    title: indicatorWords[indicator.name].label,
    rule: indicatorWords[indicator.name].rule,
    yes: share,
    missing: share === null ? null : tenths(missing),
    type: undefined,
    ...(indicator.type === 'status' && { codes }),
  })),
  worstIndicators: measured.worstIndicators.map(({ name }) => name),
  violations: measured.violations.map(({ message, ...rule }) => ({
    ...rule,
    messages: undefined,
    message: message.text,
  })),
  worst: measured.worst.map(rowJson),
  best: measured.best.map(rowJson),
})

/** A dataset or a catalogue. */
const rowJson = <One extends Pick<CatalogueRow, 'title' | 'band'>>({
  title,
  band,
  ...row
}: One) => ({
  ...row,
  title: title.text,
  band: band?.id ?? null,
})
