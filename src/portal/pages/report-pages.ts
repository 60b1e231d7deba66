/** The quality of all catalogues, and of one: the figures of the metrics in the frame of the portal. */

import type { Fields } from '../../text/json.ts'
import { html, type Content, type Markup } from '../html.ts'
import { crumbs, pathTo, section, type PageContent, type PageContext } from '../page.ts'
import { indicators, measuredValues, shareOf } from '../parts/indicators.ts'
import { dimensionBars, dimensions, qualityMark } from '../parts/quality.ts'
import { readJson } from '../ports.ts'
import { at, fieldsOf, labelText, listOf, plain } from '../record.ts'

/** All catalogues with their scores. Throws `Refused` and `Failure`. */
export async function reportsPage(context: PageContext): Promise<PageContent> {
  const { t, ports, signal, formats } = context
  const body = await readJson(ports.metrics, '/catalogues', { signal })
  const rows = listOf(at(body, 'result.results'))
    .map(fieldsOf)
    .map((one) => {
      const id = plain(at(one, 'info.id')) ?? ''
      const score = one['score']
      return html`<tr role="row"> <th scope="row" role="rowheader" class="wide"> <a href="${pathTo(context, 'quality', 'catalogues', id)}">${labelText(context, at(one, 'info.title')) ?? id}</a> </th> <td role="cell" class="num" data-label="${t('points')}"> ${typeof score === 'number' ? formats.number(Math.round(score)) : '–'} </td> <td role="cell" data-label="${t('metadata-quality')}"> ${typeof score === 'number' ? qualityMark(context, score) : t('not-measured')} </td> </tr>`
    })
  return {
    title: t('quality-title'),
    section: 'quality',
    body: html`<h1>${t('quality-title')}</h1> <p class="prose close">${t('quality-lead')}</p> ${
      rows.length === 0
        ? html`<p class="close">${t('not-measured')}</p>`
        : html`<div class="scroll close" tabindex="0" role="group" aria-label="${t('menu-catalogues')}"> <table role="table" class="table stacks"> <thead role="rowgroup"> <tr role="row"> <th scope="col" role="columnheader">${t('facet-catalog')}</th> <th scope="col" role="columnheader" class="num">${t('points')}</th> <th scope="col" role="columnheader">${t('metadata-quality')}</th> </tr> </thead> <tbody role="rowgroup"> ${rows} </tbody> </table> </div>`
    } ${section('how', t('how-quality'), explanation(context))}`,
  }
}

/** What the dimensions ask, and what each indicator can earn. */
function explanation({ t }: PageContext): Content {
  return dimensions.map(({ key, most }) => {
    const own = indicators.filter(({ dimension }) => dimension === key)
    return html`<h3 class="close">${t(key)} · ${t('n-points', { count: most })}</h3> <ul class="prose"> ${own.map((one) => html`<li>${t(`indicator-${one.key}`)} (${t('n-points', { count: one.most })}): ${t(`fix-${one.key}-text`)}</li>`)} </ul>`
  })
}

/** One catalogue. Throws `Refused` and `Failure`. */
export async function catalogueReportPage(context: PageContext, id: string): Promise<PageContent> {
  const { t, ports, signal, root, language } = context
  const body = await readJson(ports.metrics, `/catalogues/${encodeURIComponent(id)}`, { signal })
  const result = fieldsOf(at(body, 'result.results.0'))
  const name = labelText(context, at(result, 'info.title')) ?? id
  const score = result['score']
  const scores = Object.fromEntries(
    dimensions.map(({ key }) => [key, Number(at(result, `${key}.score.points`) ?? 0)]),
  )
  const report = `${root}api/mqa/reports/catalogues/${encodeURIComponent(id)}`
  return {
    title: t('quality-of', { title: plain(at(result, 'info.title')) ?? id }),
    section: 'quality',
    body: html`${crumbs(context, [
      { href: pathTo(context, 'quality'), label: t('menu-quality') },
      { href: pathTo(context, 'catalogues', id), label: name },
    ])} <header class="title"> <h1>${t('quality-of', { title: plain(at(result, 'info.title')) ?? id })}</h1> </header> ${
      typeof score === 'number'
        ? html`<div class="verdict close"> <div> <p class="score"> <strong>${Math.round(score)}</strong><span class="soft">${t('points-on-average')}</span> </p> <p>${qualityMark(context, score)}</p> </div> ${dimensionBars(context, scores, true)} </div> ${section('all', t('all-indicators'), shares(context, result))}`
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
function shares(context: PageContext, result: Fields): Markup {
  const { t, formats } = context
  const values = new Map([
    ...measuredValues(result),
    ...dimensions.flatMap(({ key }) => Object.entries(fieldsOf(result[key]))),
  ])
  const bodies = dimensions.map(({ key }) => {
    const rows = indicators
      .filter(({ dimension }) => dimension === key)
      .map((one) => {
        const share = shareOf(values.get(inCatalogues[one.key] ?? one.key))
        return html`<tr> <th scope="row">${t(`indicator-${one.key}`)}</th> <td>${one.property !== undefined && html`<code>${one.property}</code>`}</td> <td class="num"> ${share === undefined ? '–' : `${formats.number(Math.round(share * 100))} %`} </td> </tr>`
      })
    return html`<tbody> <tr> <th scope="rowgroup" id="${key}" colspan="3">${t(key)}</th> </tr> ${rows} </tbody>`
  })
  return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="all"> <table class="table indicators"> <thead> <tr> <th scope="col">${t('indicator')}</th> <th scope="col">${t('property')}</th> <th scope="col" class="num">${t('fulfilled')}</th> </tr> </thead> ${bodies} </table> </div>`
}
