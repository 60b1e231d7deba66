/** The quality of all catalogues, and of one: the figures of the metrics in the frame of the portal. */

import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import type { PageContent } from '../page.ts'
import { crumbs, pageSection } from '../parts/blocks.ts'
import { indicatorShares, indicatorTable, pageIndicators } from '../parts/indicators.ts'
import {
  dimensionBars,
  qualityDimensions,
  qualityMark,
  scoreText,
  verdict,
} from '../parts/quality.ts'
import { textTable } from '../parts/table.ts'
import { fieldsAt, listAt, numberAt, textAt, valueAt } from '../record.ts'

/** All catalogues with their scores. Throws `ServiceRefusal` and `Failure`. */
export async function reportsPage(context: PageContext): Promise<PageContent> {
  const { t, formats, labelOf, pathTo, ask } = context
  const rows = listAt(await ask('metrics', '/catalogues'), 'result.results').map((one) => {
    const id = textAt(one, 'info.id') ?? ''
    const { score } = one
    return [
      html`<a href="${pathTo('quality', 'catalogues', id)}">${labelOf(valueAt(one, 'info.title')) ?? id}</a>`,
      ...(typeof score === 'number'
        ? [formats.number(Math.round(score)), qualityMark(context, score)]
        : ['–', t('not-measured')]),
    ]
  })
  const heads = ['facet-catalog', { label: t('points'), isNumber: true }, 'metadata-quality']
  const table =
    rows.length === 0
      ? html`<p class="close">${t('not-measured')}</p>`
      : textTable(context, 'menu-catalogues', heads, rows)
  return {
    title: t('quality-title'),
    section: 'quality',
    body: html`<h1>${t('quality-title')}</h1><p class="prose close">${t('quality-lead')}</p>${table}
      ${pageSection('how', t('how-quality'), explanation(context))}`,
  }
}

/** What the dimensions ask, and what each indicator can earn. */
function explanation({ t }: PageContext): HtmlContent {
  const points = (count: number) => t('n-points', { count })
  return qualityDimensions.map(({ key, most }) => {
    const own = pageIndicators.filter(({ dimension }) => dimension === key)
    return html`<h3 class="close">${t(key)} · ${points(most)}</h3><ul class="prose">
      ${own.map((one) => html`<li>${t(`indicator-${one.key}`)} (${points(one.most)}): ${t(`fix-${one.key}-text`)}</li>`)}</ul>`
  })
}

/** One catalogue. Throws `ServiceRefusal` and `Failure`. */
export async function catalogueReportPage(context: PageContext, id: string): Promise<PageContent> {
  const { t, root, language, labelOf, pathTo, ask } = context
  const path = `catalogues/${encodeURIComponent(id)}`
  const result = fieldsAt(await ask('metrics', `/${path}`), 'result.results.0')
  const title = t('quality-of', { title: textAt(result, 'info.title') ?? id })
  const steps = [
    { href: pathTo('quality'), label: t('menu-quality') },
    { href: pathTo('catalogues', id), label: labelOf(valueAt(result, 'info.title')) ?? id },
  ]
  const report = `${root}api/mqa/reports/${path}`
  return {
    title,
    section: 'quality',
    body: html`${crumbs(context, ...steps)}<header class="title"><h1>${title}</h1></header>
      ${figures(context, result)}<p class="take close"><span>${t('full-report')}:</span>
      <a href="${report}.html?locale=${language}">HTML</a><a href="${report}.csv">CSV</a><a href="${report}.json">JSON</a></p>`,
  }
}

/** Names of indicators of a dataset that are others in the figures of catalogues. */
const inCatalogues: Readonly<Record<string, string>> = {
  accessUrlStatusCode: 'accessUrlAccessibility',
  downloadUrlStatusCode: 'downloadUrlAccessibility',
  formatMediaTypeVocabularyAlignment: 'formatMediaTypeAlignment',
  formatMediaTypeMachineInterpretable: 'formatMediaTypeMachineReadable',
  knownLicence: 'licenceAlignment',
  accessRightsVocabularyAlignment: 'accessRightsAlignment',
}

/** The mean of its datasets, and which share of them or of their distributions fulfils each indicator. */
function figures(context: PageContext, result: Fields): HtmlMarkup {
  const { t, formats } = context
  const { score } = result
  if (typeof score !== 'number') return html`<p class="close">${t('not-measured')}</p>`
  const points = qualityDimensions.map(({ key }) => [key, numberAt(result, `${key}.score.points`)])
  const bars = dimensionBars(context, Object.fromEntries(points), true)
  const shareOf = indicatorShares(result)
  const percent = ({ key }: { readonly key: string }) => {
    const share = shareOf(inCatalogues[key] ?? key)
    return [share === undefined ? '–' : `${formats.number(Math.round(share * 100))} %`]
  }
  const table = indicatorTable(context, {
    rows: pageIndicators,
    heads: ['fulfilled'],
    cells: percent,
  })
  return html`${verdict(scoreText(context, score, t('points-on-average')), bars)}
    ${pageSection('all', t('all-indicators'), table)}`
}
