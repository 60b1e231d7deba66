/** Pages about metadata quality of all catalogues, and of one catalogue. */

import { Failure } from '../../errors.ts'
import { shortText } from '../../text/code-points.ts'
import { type Fields, isJsonObject, listed, memberFields, textAt, textOr } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { linkIf } from '../desk/desk-lists.ts'
import { mayWriteIn, pathToField } from '../desk/field-links.ts'
import { html, type HtmlContent, type HtmlMarkup, joinHtml } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { breadcrumbs, pageSection } from '../parts/blocks.ts'
import { prefixedName } from '../parts/findings.ts'
import {
  shareBadge,
  type PageIndicator,
  qualityDimensions,
  type ShareOf,
  scoreBadge,
} from '../parts/quality.ts'
import {
  badStatusCodes,
  listSections,
  overviewSections,
  pointCells,
  pointHeads,
  reportSummary,
  shareInReport,
  reportTitle,
} from '../parts/quality-report.ts'
import { scrollRegion, textTable } from '../parts/table.ts'
import { fieldsAt, listAt, numberAt } from '../record.ts'

/** Text of a page without figures. */
export const notMeasured = ({ t }: PageContext): HtmlMarkup =>
  html`<p class="close">${t('not-measured')}</p>`

/** Catalogues on one page of the list, and the last page that can be requested. */
const [perPage, mostPages] = [50, 200]

/**
 * Page about the quality of all catalogues: common figures, a list of the catalogues, and the method; further pages of the list
 * have the list alone. Rejects with `Failure`.
 */
export async function reportsPage(context: PageContext): Promise<PageContent> {
  const { t, language, query, ask } = context
  const page = Math.max(1, Math.min(mostPages, Math.trunc(Number(query.get('page'))) || 1))
  const order = query.get('order') === 'worst' ? 'worst' : 'best'
  const offset = (page - 1) * perPage
  const list = `locale=${language}&order=${order}&offset=${offset}&limit=${perPage}`
  const report = memberFields(await ask('reports', `/portal.json?${list}`))
  const catalogues = catalogueList(context, report, { page, order })
  const sections = [
    ...figuresOf(context, report, catalogues),
    pageSection('how', t('how-quality'), explanation(context)),
  ]
  return {
    title: t('quality-title'),
    section: 'quality',
    body: html`${reportHeader(context, t('quality-title'), report)}<p class="prose close">${t('quality-lead')}</p>
      ${page === 1 ? sections : catalogues} ${reportAsData(context, 'portal')}`,
  }
}

/** Title of a report, and the day of its figures. */
const reportHeader = ({ t, formats }: PageContext, title: string, report: Fields): HtmlMarkup =>
  html`<header class="title"><h1>${title}</h1><p class="by">${joinHtml([t('measured-by'), formats.day(report['refreshed'])], ' · ')}</p></header>`

const reportAsData = ({ t, root, language }: PageContext, path: string): HtmlMarkup => {
  const address = `${root}api/mqa/reports/${path}`
  return html`<p class="take close"><span>${t('as-data')}</span>
    <a href="${address}.csv?locale=${language}">CSV</a><a href="${address}.json?locale=${language}">JSON</a></p>`
}

/**
 * Content of a report: score, `list`, bands, history, indicators, and lists of violations, hosts and datasets; without figures a
 * notice and `list`.
 */
const figuresOf = (
  context: PageContext,
  report: Fields,
  list: HtmlContent = false,
): readonly HtmlContent[] =>
  isJsonObject(report['measured'])
    ? [
        reportSummary(context, report),
        list,
        overviewSections(context, report),
        reportIndicators(context, report),
        listSections(context, report),
      ]
    : [notMeasured(context), html`<p>${context.t('after-run')}</p>`, list]

type ListPosition = { readonly page: number; readonly order: 'best' | 'worst' }

/** Section with a page of the catalogues by score, and links to the neighbouring pages and to the other order. */
function catalogueList(
  context: PageContext,
  report: Fields,
  { page, order }: ListPosition,
): HtmlContent {
  const { t, pathTo } = context
  const count = numberAt(report, 'catalogues.count')
  const rows = listAt(report, 'catalogues.results').map((row) => {
    const href = pathTo('quality', 'catalogues', textAt(row, 'id') ?? '')
    const { score } = row
    const step = scoreBadge(context, score) || t('not-measured')
    const link = html`<a href="${href}">${reportTitle(context, row)}</a>`
    return [link, ...pointCells(fieldsAt(row, 'points'), score), step, numberAt(row, 'datasets')]
  })
  const other = order === 'best' ? 'worst' : 'best'
  const pageLink = (number: number, text: string, by = order) => {
    const query = {
      ...(by === 'worst' && { order: by }),
      ...(number > 1 && { page: String(number) }),
    }
    return html`<a href="${pathTo('quality')}?${new URLSearchParams(query).toString()}#catalogues">${text}</a>`
  }
  const heads = ['facet-catalog', ...pointHeads, 'metadata-quality', 'datasets-title']
  const links = [
    page > 1 && pageLink(page - 1, t('previous')),
    page * perPage < count && page < mostPages && pageLink(page + 1, t('next')),
    count > 1 && pageLink(1, t(`${other}-first`), other),
  ]
  const body = html`${rows.length > 0 && textTable(context, 'menu-catalogues', heads, rows)}
    <nav class="pages" aria-label="${t('pages')}">${links}</nav>`
  return pageSection('catalogues', t('n-catalogues', { count }), body)
}

/** Headings of the dimensions with their indicators, the points of each, and how it is fulfilled. */
function explanation({ t }: PageContext): HtmlContent {
  const points = (count: number) => t('n-points', { count })
  return qualityDimensions.map(({ key, most, indicators }) => {
    const items = indicators.map(
      (indicator) =>
        html`<li>${t(`indicator-${indicator.key}`)} (${points(indicator.most)}): ${t(`fix-${indicator.key}-text`)}</li>`,
    )
    return html`<h3 class="close">${t(key)} · ${points(most)}</h3><ul class="prose">${items}</ul>`
  })
}

/** Page about the quality of a catalogue. Rejects with `Failure`. */
export async function catalogueReportPage(context: PageContext, id: string): Promise<PageContent> {
  const { t, language, pathTo, ask } = context
  const path = `catalogues/${encodeURIComponent(id)}`
  /** Report without figures, for a catalogue that the reports do not know yet; rejects with `cause` for other failures. */
  const withoutFigures = async (cause: unknown): Promise<Fields> => {
    if (!(cause instanceof Failure) || cause.kind !== 'unknown-catalogue') throw cause
    const info = fieldsAt(await ask('metrics', `/${path}?filter=info`), 'result.results.0.info')
    return { title: id, ...info }
  }
  const answer = ask('reports', `/${path}.json?locale=${language}`)
  const report = await answer.then(memberFields).catch(withoutFigures)
  const title = t('quality-of', { title: shortText(textAt(report, 'title') ?? id) })
  const steps = [
    { href: pathTo('quality'), label: t('menu-quality') },
    { href: pathTo('catalogues', id), label: reportTitle(context, report) },
  ]
  return {
    title,
    section: 'quality',
    body: html`${breadcrumbs(context, ...steps)}${reportHeader(context, title, report)}
      ${figuresOf(context, report)} ${await findingList(context, id)} ${reportAsData(context, path)}`,
  }
}

/** Section with findings of the validation by dataset, which lead to their fields; nothing for who may not correct them. */
async function findingList(context: PageContext, catalogue: string): Promise<HtmlContent> {
  const { t, language, pathTo } = context
  if (!mayWriteIn(context, { id: '-', catalogue })) return false
  const list = `/catalogues/${encodeURIComponent(catalogue)}/violations?limit=${perPage}&locale=${language}`
  const found = listAt(await context.askOptional('metrics', list), 'result.results')
  const rows = found.map((finding) => {
    const [id = '', path = ''] = ['dataset-id', 'resultPath'].map((name) => textAt(finding, name))
    const wrong = { fix: 'dcatApCompliance', path, value: textAt(finding, 'value') }
    return [
      html`<a href="${pathTo('datasets', id, 'quality')}">${reportTitle(context, finding)}</a>`,
      linkIf(
        pathToField(context, { id, catalogue }, wrong),
        path === '' ? '–' : html`<code>${shortText(prefixedName(path))}</code>`,
      ),
      html`<bdi>${textAt(finding, 'resultMessage')}</bdi>`,
    ]
  })
  const table = textTable(context, 'findings', ['record', 'property', 'what-is-wrong'], rows)
  return rows.length > 0 && pageSection('findings', t('findings'), table)
}

/** Section of a report with all indicators: the share that fulfils each, and its points. */
function reportIndicators(context: PageContext, report: Fields): HtmlMarkup {
  const measured = fieldsAt(report, 'measured')
  const byName = new Map(
    listAt(measured, 'indicators').map((entry) => [textAt(entry, 'name'), entry]),
  )
  return indicatorTable(context, shareInReport(report), {
    pointsOf: ({ key }) => String(numberAt(byName.get(key), 'points')),
    sumOf: ({ key }) =>
      ['points', 'max']
        .map((member) => numberAt(measured, `dimensions.${key}.${member}`))
        .join(' / '),
    noteOf: ({ key }) => badStatusCodes(context, byName.get(key)),
  })
}

/** Makes the function that returns the share of an indicator in the answer of the metrics about a dataset or a distribution. */
export function sharesIn(result: Fields): ShareOf {
  // Indicators of dates are measured on the dataset and on its distributions; those of the dataset count here.
  const parts = qualityDimensions
    .flatMap(({ key }) => listAt(result, key))
    .flatMap((part) => [part, ...listAt(part, 'dataset')])
  const values = new Map(parts.flatMap((part) => Object.entries(part)))
  return (indicator) => {
    const value = values.get(indicator)
    if (typeof value === 'boolean') return Number(value)
    const entries = listed(value).filter(isJsonObject)
    const good = entries.filter(({ name }) => /^(?:yes|[23]\d\d)$/.test(textOr(name) ?? ''))
    const share = good.reduce((sum, { percentage }) => sum + Number(percentage) / 100, 0)
    return entries.length === 0 ? undefined : share
  }
}

/** Cells of the column with the points: for an indicator, and the sum for a dimension. */
type PointsColumn = {
  readonly pointsOf: (indicator: PageIndicator) => string
  readonly sumOf: (dimension: (typeof qualityDimensions)[number]) => string
  /** Content shown next to the name of an indicator. */
  readonly noteOf?: (indicator: PageIndicator) => HtmlContent
  /** Path of a page on which an indicator is mended; `undefined` where there is none. */
  readonly linkOf?: (indicator: PageIndicator) => string | undefined
}

/** Section with a table of all indicators by dimension. */
export function indicatorTable(
  context: PageContext,
  shareOf: ShareOf,
  column: PointsColumn,
): HtmlMarkup {
  const { t } = context
  const bodies = qualityDimensions.map((dimension) => {
    const rows = dimension.indicators.map((indicator) => {
      const { key, property } = indicator
      const heading = linkIf(column.linkOf?.(indicator), t(`indicator-${key}`))
      return html`<tr><th scope="row">${heading}${column.noteOf?.(indicator)}</th>
        <td>${property !== undefined && html`<code>${property}</code>`}</td><td>${shareBadge(context, shareOf(key))}</td>
        <td class="num">${column.pointsOf(indicator)}</td></tr>`
    })
    const name = html`<th scope="rowgroup" id="${dimension.key}" colspan="3">${t(dimension.key)}</th>`
    return html`<tbody><tr>${name}<td class="num group-sum">${column.sumOf(dimension)}</td></tr>${rows}</tbody>`
  })
  const heads = ['indicator', 'property', 'fulfilled'].map(
    (key) => html`<th scope="col">${t(key)}</th>`,
  )
  const last = html`<th scope="col" class="num">${t('points')}</th>`
  const table = html`<table class="table indicators"><thead><tr>${heads}${last}</tr></thead>${bodies}</table>`
  return pageSection('all', t('all-indicators'), scrollRegion(t('all-indicators'), table))
}
