/** Sections of a quality report (of the whole portal or of one catalogue) for the pages about metadata quality. */

import { shortText } from '../../text/code-points.ts'
import { type Fields, textAt, valueAt } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { fieldsAt, listAt, numberAt, textsAt } from '../record.ts'
import { pageSection, stateBadge } from './blocks.ts'
import { prefixedName } from './findings.ts'
import {
  dimensionBars,
  shareBadge,
  qualityDimensions,
  scoreText,
  type ShareOf,
  scoreBadge,
  scoreSummary,
} from './quality.ts'
import { scoreChart } from './score-chart.ts'
import { textTable } from './table.ts'

/** Most rows of the table of the history, the newest measurements; the chart has all of them. */
const mostHistoryRows = 12

/** Keys of the column heads for `pointCells`. */
export const pointHeads = [...qualityDimensions.map(({ key }) => `short-${key}`), 'points']

/** Cells with the points of each dimension and the score; a dash where nothing was scored. */
export const pointCells = (points: Fields, score: unknown): readonly (string | number)[] =>
  [...qualityDimensions.map(({ key }) => points[key]), score].map((value) =>
    typeof value === 'number' ? value : '–',
  )

/** Dimension → points. In `dimensions` of a report, each dimension is an object with the member `points`. */
const pointsIn = (dimensions: Fields): Fields =>
  Object.fromEntries(
    qualityDimensions.map(({ key }) => [key, valueAt(dimensions, `${key}.points`)]),
  )

/** Title of a row, shortened. `name` is the member with the title, `{name}Language` the one with its language. */
export const reportTitle = (
  { inLanguage }: PageContext,
  row: Fields,
  name = 'title',
): HtmlContent =>
  inLanguage({ text: shortText(textAt(row, name) ?? ''), language: textAt(row, `${name}Language`) })

/** Section with an explanation of its figures; `{key}` and `{key}-text` are messages. */
const explainedSection = ({ t }: PageContext, key: string, body: HtmlContent): HtmlMarkup =>
  pageSection(key, t(key), html`<p class="soft">${t(`${key}-text`)}</p>${body}`)

/** Score with the bars of the dimensions, and the number of measured datasets. */
export function reportSummary(context: PageContext, { measured }: Fields): HtmlMarkup {
  const { t } = context
  const [score, dimensions] = [valueAt(measured, 'score'), fieldsAt(measured, 'dimensions')]
  const counts = {
    datasets: numberAt(measured, 'datasets'),
    all: numberAt(measured, 'all'),
    distributions: numberAt(measured, 'distributions'),
  }
  const figures =
    typeof score === 'number'
      ? scoreSummary(
          scoreText(context, score, t('points-on-average')),
          dimensionBars(context, pointsIn(dimensions), true),
        )
      : html`<p class="close">${t('no-scores')}</p>`
  return html`${figures}<p class="close">${t('measured-datasets', counts)} ${t('score-text')}</p>`
}

/** Sections before the indicators: bands, history, and the indicators that cost the most points. */
export const overviewSections = (context: PageContext, report: Fields): HtmlContent => [
  bandSection(context, report),
  historySection(context, report),
  missingSection(context, report),
]

/** Title of a default band → key of its message; bands of the operator keep their titles. */
const bandKeys: Readonly<Record<string, string>> = {
  Excellent: 'quality-excellent',
  Good: 'quality-good',
  Sufficient: 'quality-sufficient',
  Bad: 'quality-poor',
}

/** Bands of scores; the titles of the default ones are translated. */
function bandsOf({ t }: PageContext, report: Fields) {
  return listAt(report, 'bands').map((band) => {
    const title = textAt(band, 'title') ?? ''
    const key = bandKeys[title]
    const name = key === undefined ? title : t(key)
    return { id: textAt(band, 'id'), from: numberAt(band, 'from'), title: name }
  })
}

function bandSection(context: PageContext, report: Fields): HtmlMarkup {
  const bands = bandsOf(context, report)
  const bandCounts = listAt(report, 'measured.byBand')
  const datasetCount = bandCounts.reduce((sum, entry) => sum + numberAt(entry, 'datasets'), 0)
  const rows = bandCounts.toReversed().map((entry) => {
    const count = numberAt(entry, 'datasets')
    const title = bands.find(({ id }) => id === entry['band'])?.title
    return [title, count, percent(context, datasetCount === 0 ? 0 : (count / datasetCount) * 100)]
  })
  const heads = ['metadata-quality', 'datasets-title', 'share']
  return explainedSection(context, 'score-bands', textTable(context, 'score-bands', heads, rows))
}

/** Percentage with at most one decimal: `97.5 %`. */
const percent = ({ t, formats }: PageContext, share: number): string =>
  t('in-part', { share: formats.number(Math.round(share * 10) / 10) })

function historySection(context: PageContext, report: Fields): HtmlMarkup {
  const { t, formats } = context
  const history = listAt(report, 'measured.history')
  const moments = history.map((measurement) => {
    const { score } = measurement
    return {
      day: textAt(measurement, 'day') ?? '',
      score: typeof score === 'number' ? score : undefined,
    }
  })
  const rows = history
    .slice(-mostHistoryRows)
    .toReversed()
    .map((measurement) => [
      formats.day(measurement['day']),
      ...pointCells(pointsIn(fieldsAt(measurement, 'dimensions')), measurement['score']),
    ])
  const { length: count } = history
  const scale = { bands: bandsOf(context, report), most: numberAt(report, 'most') }
  const body = html`${scoreChart(context, moments, scale)}
    ${count > mostHistoryRows && html`<p class="soft close">${t('newest-measurements', { shown: mostHistoryRows, count })}</p>`}
    ${textTable(context, 'score-over-time', ['day', ...pointHeads], rows)}`
  return explainedSection(context, 'score-over-time', body)
}

/** Sections after the indicators: violations, broken links, worst and best datasets. */
export const listSections = (context: PageContext, report: Fields): HtmlContent => [
  violationSection(context, report),
  hostSection(context, report),
  ...['worst', 'best'].map((end) => datasetSection(context, report, end)),
]

const hasIndicator = (report: Fields, isWanted: (indicator: Fields) => boolean) =>
  listAt(report, 'measured.indicators').some(isWanted)

function violationSection(context: PageContext, report: Fields): HtmlMarkup {
  const { t } = context
  const rows = listAt(report, 'measured.violations').map((violation) => {
    const [path, component, message] = ['path', 'component', 'message'].map((key) =>
      textAt(violation, key),
    )
    const isError = violation['severity'] === 'Violation'
    const constraint = component !== undefined && html`<code>sh:${shortText(component)}</code>`
    return [
      message ? reportTitle(context, violation, 'message') : constraint || '–',
      path === undefined ? '–' : html`<code>${shortText(prefixedName(path))}</code>`,
      isError ? stateBadge('bad', t('error')) : stateBadge('warn', t('warning')),
      numberAt(violation, 'datasets'),
      numberAt(violation, 'count'),
    ]
  })
  const wasValidated = hasIndicator(
    report,
    ({ name, yes }) => name === 'dcatApCompliance' && yes !== null,
  )
  const heads = ['what-is-wrong', 'property', 'severity', 'datasets-title', 'times']
  const none = html`<p>${t(wasValidated ? 'no-violations' : 'not-validated')}</p>`
  return explainedSection(
    context,
    'violations',
    rows.length > 0 ? textTable(context, 'violations', heads, rows) : none,
  )
}

/** Status code, or a message for a pseudo code of the metrics (`pseudoCodes`): no connection, or not a URL. */
const statusName = ({ t }: PageContext, status: unknown): string =>
  status === 1100 ? t('link-unreachable') : status === 1300 ? t('link-invalid') : String(status)

function hostSection(context: PageContext, report: Fields): HtmlMarkup {
  const { t } = context
  const rows = listAt(report, 'measured.hosts').map((entry) => {
    const host = textAt(entry, 'host')
    return [
      host ? html`<bdi>${shortText(host)}</bdi>` : t('no-host'),
      numberAt(entry, 'urls'),
      numberAt(entry, 'datasets'),
      statusName(context, entry['status']),
    ]
  })
  const wasAsked = hasIndicator(report, (indicator) => listAt(indicator, 'codes').length > 0)
  const heads = ['host', 'urls', 'datasets-title', 'mostly']
  const none = html`<p>${t(wasAsked ? 'no-broken-links' : 'no-urls')}</p>`
  return explainedSection(
    context,
    'broken-links',
    rows.length > 0 ? textTable(context, 'broken-links', heads, rows) : none,
  )
}

/** Section with the worst or best datasets that the report lists; the report of the portal names their catalogues. */
function datasetSection(context: PageContext, report: Fields, end: string): HtmlMarkup {
  const { t, pathTo } = context
  const isPortal = report['report'] === 'portal'
  const rows = listAt(report, `measured.${end}`).map((dataset) => {
    const [id, catalogue] = [textAt(dataset, 'id') ?? '', textAt(dataset, 'catalogue') ?? '']
    const link = html`<a href="${pathTo('datasets', id, 'quality')}">${reportTitle(context, dataset)}</a>`
    const cells = [
      ...pointCells(fieldsAt(dataset, 'points'), dataset['score']),
      scoreBadge(context, dataset['score']),
    ]
    return isPortal ? [link, shortText(catalogue, 60), ...cells] : [link, ...cells]
  })
  const heads = [
    'record',
    ...(isPortal ? ['facet-catalog'] : []),
    ...pointHeads,
    'metadata-quality',
  ]
  const table =
    rows.length > 0
      ? textTable(context, `${end}-datasets`, heads, rows)
      : html`<p>${t('no-scores')}</p>`
  return pageSection(`${end}-datasets`, t(`${end}-datasets`), table)
}

/** Most status codes that are named for an indicator. */
const mostCodes = 3

/** Most frequent status codes outside 200 to 299 of the URLs of an indicator, with their shares. */
export function badStatusCodes(context: PageContext, indicator: Fields | undefined): HtmlContent {
  const badCodes = listAt(indicator, 'codes').filter(({ name }) => !/^2\d\d$/.test(String(name)))
  const codeTexts = badCodes
    .slice(0, mostCodes)
    .map((code) =>
      [
        statusName(context, Number(code['name'])),
        percent(context, numberAt(code, 'percentage')),
      ].join(' '),
    )
  return (
    codeTexts.length > 0 &&
    html` <span class="soft">${codeTexts.join(', ')}${badCodes.length > mostCodes && ', …'}</span>`
  )
}

/** Makes the function that returns the share of an indicator in a report. */
export function shareInReport(report: Fields): ShareOf {
  const shares = new Map(
    listAt(report, 'measured.indicators').map(({ name, yes }) => [name, yes] as const),
  )
  return (indicator) => {
    const yes = shares.get(indicator)
    return typeof yes === 'number' ? yes / 100 : undefined
  }
}

/** Section with the indicators that cost the most points; a message where none costs any or none was measured. */
function missingSection(context: PageContext, report: Fields): HtmlMarkup {
  const { t } = context
  const shareOf = shareInReport(report)
  const indicators = listAt(report, 'measured.indicators')
  const rows = textsAt(report, 'measured.worstIndicators').flatMap((name) => {
    const entry = indicators.find((indicator) => indicator['name'] === name)
    const cells = [
      shareBadge(context, shareOf(name)),
      numberAt(entry, 'points'),
      numberAt(entry, 'missing'),
    ]
    return [[t(`indicator-${name}`), ...cells]]
  })
  const wasMeasured = indicators.some(({ yes }) => yes !== null)
  const heads = ['indicator', 'fulfilled', 'points', 'points-missing']
  const none = html`<p>${t(wasMeasured ? 'nothing-missing' : 'no-indicators')}</p>`
  return explainedSection(
    context,
    'most-missing',
    rows.length > 0 ? textTable(context, 'most-missing', heads, rows) : none,
  )
}
