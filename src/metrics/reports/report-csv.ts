/** A report as CSV (RFC 4180): one figure a row, so that all of a report fits into one table. */

import { byDimension, dimensions } from '../indicators.ts'
import titles from './report-texts.json' with { type: 'json' }
import { type MeasuredReport, type Report, roundToTenths } from './report.ts'

const columns = ['section', 'id', 'title', 'figure', 'value', 'rule'] as const

type Value = string | number | null
/** A cell for each column. */
type Row = readonly Value[]

/** Writes a report as CSV. Every line ends with CRLF, the last one too. */
export const reportCsv = (report: Report): string =>
  [columns, ...rowsOf(report)].map((row) => `${row.map(cell).join(',')}\r\n`).join('')

/** Rows about one thing, one for each of its figures. */
const rowsAbout = (
  about: readonly [section: string, id: string, title: string],
  rule: string,
  figures: Readonly<Record<string, Value>>,
): readonly Row[] =>
  Object.entries(figures).map(([figure, value]) => [...about, figure, value, rule])

function rowsOf(report: Report): readonly Row[] {
  const { id, title, refreshed, refresh, measured, catalogues, rules } = report
  const listed = (catalogues?.results ?? []).flatMap((catalogue) => {
    const figures = {
      ...catalogue.points,
      score: catalogue.score,
      band: catalogue.band,
      datasets: catalogue.datasets,
    }
    return rowsAbout(['catalogue', catalogue.id, catalogue.title], rules.catalogues, figures)
  })
  return [
    ...rowsAbout(['report', id ?? '', title], '', { refreshed, refresh }),
    ...(measured ? [...scopeRows(measured, report), ...listRows(measured, report)] : []),
    ...listed,
  ]
}

/** Figures of all datasets together. */
function scopeRows(measured: MeasuredReport, { most, bands, rules }: Report): readonly Row[] {
  const { score, band, all, datasets, distributions, byBand, history } = measured
  const sum = byBand.reduce((total, row) => total + row.datasets, 0)
  return [
    ...rowsAbout(['score', '', 'Score'], rules.score, { points: score }),
    ...rowsAbout(['score', '', 'Score'], '', { most }),
    ...rowsAbout(['score', '', 'Score'], rules.band, { band }),
    ...rowsAbout(['measured', '', 'Measured'], '', { all, datasets, distributions }),
    ...byBand.toReversed().flatMap((row) => {
      const title = bands.find(({ id }) => id === row.band)?.title ?? ''
      const share = sum === 0 ? 0 : roundToTenths((row.datasets / sum) * 100)
      return rowsAbout(['band', row.band, title], rules.bands, { datasets: row.datasets, share })
    }),
    ...history.flatMap(({ day, score: dayScore, dimensions: scores }) => {
      const points = byDimension((name) => scores[name]?.points ?? null)
      return rowsAbout(['history', day, ''], rules.history, { ...points, score: dayScore })
    }),
    ...dimensions.flatMap((name) => {
      const { points = null, max = null, percentage = null } = measured.dimensions[name] ?? {}
      const about = ['dimension', name, titles.dimensions[name]] as const
      return rowsAbout(about, rules.dimensions, { points, max, percentage })
    }),
  ]
}

/** Lists of violations, hosts, datasets and indicators. */
function listRows(measured: MeasuredReport, { rules }: Report): readonly Row[] {
  const datasetRows = (end: 'worst' | 'best') =>
    measured[end].flatMap(({ id, title, points, score, band }) =>
      rowsAbout([`${end} dataset`, id, title], rules[end], { ...points, score, band }),
    )
  return [
    ...measured.violations.flatMap(({ path, component, severity, message, datasets, count }) => {
      const id = [path, component, severity].filter((part) => part !== null).join(' ')
      return rowsAbout(['violation', id, message], rules.violations, { datasets, times: count })
    }),
    ...measured.hosts.flatMap(({ host, urls, datasets, status }) =>
      rowsAbout(['host', host, ''], rules.hosts, {
        urls,
        datasets,
        'most frequent status': status,
      }),
    ),
    ...datasetRows('worst'),
    ...datasetRows('best'),
    ...measured.indicators.flatMap(({ name, title, rule, yes, points, missing, codes = [] }) => {
      const shares = codes.map((code) => [`status ${code.name}`, code.percentage] as const)
      const figures = { yes, points, missing, ...Object.fromEntries(shares) }
      return rowsAbout(['indicator', name, title], rule, figures)
    }),
  ]
}

/** Spreadsheets take a cell that begins so for a formula, some of them after blanks too; a quote in front makes it text. */
const formula = /^[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

function cell(value: Value): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
