/** A report for programs: as CSV (RFC 4180), one figure a row, so that all of a report fits into one table, and as JSON. */

import { dimensions } from '../indicators.ts'
import { dimensionWords, figureRules, indicatorWords, tenths } from './indicator-texts.ts'
import type { CatalogueRow, DatasetRow, MeasuredReport, Report } from './report.ts'

const columns = ['section', 'id', 'title', 'figure', 'value', 'rule'] as const

type Value = string | number | null
type Row = readonly [
  section: string,
  id: string,
  title: string,
  figure: string,
  value: Value,
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
    yield* scoreRows(measured, most)
    yield* indicatorRows(measured)
    yield* problemRows(measured)
    for (const row of measured.worst) yield* scoredRows('worst dataset', row, figureRules.worst)
    for (const row of measured.best) yield* scoredRows('best dataset', row, figureRules.best)
  }
  for (const row of catalogues?.rows ?? []) {
    yield* scoredRows('catalogue', row, figureRules.catalogues)
    yield ['catalogue', row.id, row.title.text, 'datasets', row.datasets, '']
  }
}

function* scoreRows(measured: MeasuredReport, most: number): Generator<Row> {
  const { band, score, byBand, history } = measured
  yield ['score', '', 'Score', 'points', score, figureRules.score]
  yield ['score', '', 'Score', 'most', most, '']
  yield ['score', '', 'Score', 'band', band?.id ?? null, figureRules.band]
  for (const figure of ['all', 'datasets', 'distributions'] as const)
    yield ['measured', '', 'Measured', figure, measured[figure], '']
  for (const { band: one, datasets } of byBand)
    yield ['band', one.id, one.title, 'datasets', datasets, figureRules.bands]
  for (const name of dimensions) {
    const found = measured.dimensions[name]
    const about = ['dimension', name, dimensionWords[name].label] as const
    for (const figure of ['points', 'percentage', 'max'] as const)
      yield [...about, figure, found?.[figure] ?? null, figureRules.dimensions]
  }
  for (const { day, score: past, dimensions: scores } of history) {
    yield ['history', day, '', 'score', past, figureRules.history]
    for (const name of dimensions)
      yield ['history', day, '', name, scores[name]?.points ?? null, figureRules.history]
  }
}

function* indicatorRows({ indicators }: MeasuredReport): Generator<Row> {
  for (const { name: id, points, share, missing, codes } of indicators) {
    const { label, rule } = indicatorWords[id]
    const row = (figure: string, value: Value): Row => ['indicator', id, label, figure, value, rule]
    yield row('points', points)
    yield row('yes', share)
    yield row('missing', share === null ? null : tenths(missing))
    for (const { name, percentage } of codes) yield row(`status ${name}`, percentage)
  }
}

function* problemRows({ violations, hosts }: MeasuredReport): Generator<Row> {
  for (const { path, component, severity, message, count, datasets } of violations) {
    const name = [path, component, severity].filter((part) => part !== null).join(' ')
    yield ['violation', name, message.text, 'datasets', datasets, figureRules.violations]
    yield ['violation', name, message.text, 'times', count, figureRules.violations]
  }
  for (const { host, urls, datasets, status } of hosts) {
    yield ['host', host, '', 'urls', urls, figureRules.hosts]
    yield ['host', host, '', 'datasets', datasets, figureRules.hosts]
    yield ['host', host, '', 'most frequent status', status, figureRules.hosts]
  }
}

type ScoredRow = Pick<DatasetRow, 'id' | 'title' | 'score' | 'points'>

function* scoredRows(section: string, row: ScoredRow, rule: string): Generator<Row> {
  const about = [section, row.id, row.title.text] as const
  yield [...about, 'score', row.score, rule]
  for (const name of dimensions) yield [...about, name, row.points[name], rule]
}

/** Spreadsheets take a cell that begins so for a formula, some of them after blanks too; a quote in front makes it text. */
const formula = /^[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

function cell(value: Value): string {
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
