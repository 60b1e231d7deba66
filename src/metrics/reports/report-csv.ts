/** A report as CSV (RFC 4180): one figure a row, so that all of a report fits into one table. */

import { dimensions } from '../indicators.ts'
import type { CatalogueList, DatasetRow, MeasuredReport, Points, Report } from './report.ts'
import { dimensionWords, figureRules, indicatorWords, tenths } from './indicator-texts.ts'

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

function* rows(report: Report): Generator<Row> {
  const { subject, refreshed, measured, catalogues } = report
  const about = (figure: string, value: Value): Row => [
    'report',
    subject.id ?? '',
    subject.title.text,
    figure,
    value,
    '',
  ]
  yield about('refreshed', refreshed?.at.toISOString() ?? null)
  yield about('refresh', refreshed?.number ?? null)
  if (measured) yield* measuredRows(report, measured)
  if (catalogues) yield* catalogueRows(catalogues)
}

function* measuredRows({ most }: Report, measured: MeasuredReport): Generator<Row> {
  const { band, score } = measured
  yield ['score', '', 'Score', 'points', score, figureRules.score]
  yield ['score', '', 'Score', 'most', most, '']
  yield ['score', '', 'Score', 'band', band?.id ?? null, figureRules.band]
  for (const figure of ['all', 'datasets', 'distributions'] as const)
    yield ['measured', '', 'Measured', figure, measured[figure], '']
  for (const { band: one, datasets } of measured.byBand)
    yield ['band', one.id, one.title, 'datasets', datasets, figureRules.bands]
  for (const name of dimensions) {
    const { label } = dimensionWords[name]
    const found = measured.dimensions[name]
    for (const figure of ['points', 'percentage', 'max'] as const)
      yield ['dimension', name, label, figure, found?.[figure] ?? null, figureRules.dimensions]
  }
  yield* pastRows(measured)
  yield* indicatorRows(measured)
  yield* troubleRows(measured)
  yield* datasetRows('worst dataset', measured.worst, figureRules.worst)
  yield* datasetRows('best dataset', measured.best, figureRules.best)
}

function* pastRows({ history }: MeasuredReport): Generator<Row> {
  for (const { day, score, dimensions: scores } of history) {
    yield ['history', day, '', 'score', score, figureRules.history]
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

function* troubleRows({ violations, hosts }: MeasuredReport): Generator<Row> {
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

function* datasetRows(section: string, found: readonly DatasetRow[], rule: string): Generator<Row> {
  for (const { id, title, score, points } of found)
    yield* scored(section, { id, title: title.text, score, points, rule })
}

function* catalogueRows({ rows: found }: CatalogueList): Generator<Row> {
  for (const { id, title, score, points, datasets } of found) {
    const rule = figureRules.catalogues
    yield* scored('catalogue', { id, title: title.text, score, points, rule })
    yield ['catalogue', id, title.text, 'datasets', datasets, '']
  }
}

type Scored = {
  readonly id: string
  readonly title: string
  readonly score: number | null
  readonly points: Points
  readonly rule: string
}

function* scored(section: string, { id, title, score, points, rule }: Scored): Generator<Row> {
  yield [section, id, title, 'score', score, rule]
  for (const name of dimensions) yield [section, id, title, name, points[name], rule]
}

/** Spreadsheets take a cell that begins so for a formula, some of them behind blanks too; a quote in front makes it text. */
const formula = /^[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

function cell(value: Value): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
