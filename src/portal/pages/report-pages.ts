/** The quality of all catalogues, and of one: the figures of the metrics in the frame of the portal. */

import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import type { PageContent } from '../page.ts'
import { crumbs, pageSection } from '../parts/blocks.ts'
import { measuredValues, pageIndicators, shareOf } from '../parts/indicators.ts'
import { dimensionBars, qualityDimensions, qualityMark } from '../parts/quality.ts'
import { dataTable } from '../parts/table.ts'
import { fieldsAt, listAt, memberFields, textAt, valueAt } from '../record.ts'

/** All catalogues with their scores. Throws `ServiceRefusal` and `Failure`. */
export async function reportsPage(context: PageContext): Promise<PageContent> {
  const { t, formats, labelOf, pathTo, ask } = context
  const body = await ask('metrics', '/catalogues')
  const rows = listAt(body, 'result.results').map((one) => {
    const id = textAt(one, 'info.id') ?? ''
    const score = one['score']
    return [
      html`<a href="${pathTo('quality', 'catalogues', id)}">${labelOf(valueAt(one, 'info.title')) ?? id}</a>`,
      typeof score === 'number' ? formats.number(Math.round(score)) : '–',
      typeof score === 'number' ? qualityMark(context, score) : t('not-measured'),
    ]
  })
  const columns = [
    { label: t('facet-catalog') },
    { label: t('points'), isNumber: true },
    { label: t('metadata-quality') },
  ]
  return {
    title: t('quality-title'),
    section: 'quality',
    body: html`<h1>${t('quality-title')}</h1> <p class="prose close">${t('quality-lead')}</p> ${
      rows.length === 0
        ? html`<p class="close">${t('not-measured')}</p>`
        : dataTable({ label: t('menu-catalogues'), columns, rows })
    } ${pageSection('how', t('how-quality'), explanation(context))}`,
  }
}

/** What the dimensions ask, and what each indicator can earn. */
function explanation({ t }: PageContext): HtmlContent {
  return qualityDimensions.map(({ key, most }) => {
    const own = pageIndicators.filter(({ dimension }) => dimension === key)
    return html`<h3 class="close">${t(key)} · ${t('n-points', { count: most })}</h3> <ul class="prose">
      ${own.map((one) => html`<li>${t(`indicator-${one.key}`)} (${t('n-points', { count: one.most })}): ${t(`fix-${one.key}-text`)}</li>`)}
      </ul>`
  })
}

/** One catalogue. Throws `ServiceRefusal` and `Failure`. */
export async function catalogueReportPage(context: PageContext, id: string): Promise<PageContent> {
  const { t, root, language, labelOf, pathTo, ask } = context
  const body = await ask('metrics', `/catalogues/${encodeURIComponent(id)}`)
  const result = fieldsAt(body, 'result.results.0')
  const name = labelOf(valueAt(result, 'info.title')) ?? id
  const score = result['score']
  const scores = Object.fromEntries(
    qualityDimensions.map(({ key }) => [key, Number(valueAt(result, `${key}.score.points`) ?? 0)]),
  )
  const report = `${root}api/mqa/reports/catalogues/${encodeURIComponent(id)}`
  return {
    title: t('quality-of', { title: textAt(result, 'info.title') ?? id }),
    section: 'quality',
    body: html`${crumbs(
      context,
      { href: pathTo('quality'), label: t('menu-quality') },
      { href: pathTo('catalogues', id), label: name },
    )} <header class="title"> <h1>${t('quality-of', { title: textAt(result, 'info.title') ?? id })}</h1> </header> ${
      typeof score === 'number'
        ? html`<div class="verdict close"> <div> <p class="score">
          <strong>${Math.round(score)}</strong><span class="soft">${t('points-on-average')}</span> </p>
          <p>${qualityMark(context, score)}</p> </div> ${dimensionBars(context, scores, true)} </div>
          ${pageSection('all', t('all-indicators'), shares(context, result))}`
        : html`<p class="close">${t('not-measured')}</p>`
    } <p class="take close"> <span>${t('full-report')}:</span><a href="${report}.html?locale=${language}">HTML</a><a href="${report}.csv">CSV</a><a href="${report}.json">JSON</a> </p>`,
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

/** Which share of the datasets or distributions fulfils each indicator. */
function shares(context: PageContext, result: Fields): HtmlMarkup {
  const { t, formats } = context
  const values = new Map([
    ...measuredValues(result),
    ...qualityDimensions.flatMap(({ key }) => Object.entries(memberFields(result[key]))),
  ])
  const bodies = qualityDimensions.map(({ key }) => {
    const rows = pageIndicators
      .filter(({ dimension }) => dimension === key)
      .map((one) => {
        const share = shareOf(values.get(inCatalogues[one.key] ?? one.key))
        return html`<tr> <th scope="row">${t(`indicator-${one.key}`)}</th>
          <td>${one.property !== undefined && html`<code>${one.property}</code>`}</td> <td class="num">
          ${share === undefined ? '–' : `${formats.number(Math.round(share * 100))} %`} </td> </tr>`
      })
    return html`<tbody> <tr> <th scope="rowgroup" id="${key}" colspan="3">${t(key)}</th> </tr> ${rows} </tbody>`
  })
  return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="all">
    <table class="table indicators"> <thead> <tr> <th scope="col">${t('indicator')}</th>
    <th scope="col">${t('property')}</th> <th scope="col" class="num">${t('fulfilled')}</th> </tr> </thead>
    ${bodies} </table> </div>`
}
