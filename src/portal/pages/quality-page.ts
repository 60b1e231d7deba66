/** How good the metadata of one dataset is, and what to do first to make it better. */

import { parse } from '../../rdf/parse.ts'
import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import type { PageContent } from '../page.ts'
import { dimensionScores } from './dataset-page.ts'
import { crumbs, pageSection, stateMark } from '../parts/blocks.ts'
import { measuredValues, type PageIndicator, pageIndicators, shareOf } from '../parts/indicators.ts'
import { leftOutTable } from '../parts/left-out.ts'
import {
  dimensionBars,
  mostPoints,
  nextStep,
  qualityDimensions,
  qualityMark,
} from '../parts/quality.ts'
import { type ShaclResult, shaclResultsOf, shaclTable } from '../parts/shacl-results.ts'
import { askPort, ServiceRefusal } from '../ports.ts'
import { fieldsAt, memberFields, textAt, valueAt } from '../record.ts'

const mostFixes = 5

/** Throws `ServiceRefusal` and `Failure`. */
export async function qualityPage(context: PageContext, id: string): Promise<PageContent> {
  const { t, pathTo, plainTitle, titleOf, readRecord, aside, ask } = context
  const path = `/datasets/${encodeURIComponent(id)}`
  const [record, measured, leftOut, shacl] = await Promise.all([
    readRecord('datasets', id),
    ask('metrics', path).catch(() => undefined),
    context.askAside('search', `${path}/findings`),
    aside(shaclOf(context, path)),
  ])
  const result = fieldsAt(measured, 'result.results.0')
  const score = valueAt(result, 'info.score')
  const title = t('quality-of', { title: plainTitle(record) })
  const catalogue = fieldsAt(record, 'catalog')
  const base = pathTo('datasets', id)
  const body =
    typeof score === 'number'
      ? measuredParts(context, {
          id,
          result,
          score,
          scores: dimensionScores(memberFields(measured)),
          results: shacl?.results ?? [],
        })
      : html`<p class="close">${t('not-measured')}</p>`
  return {
    title,
    section: 'quality',
    isIndexed: false,
    canonical: `datasets/${encodeURIComponent(id)}/quality`,
    body: html`${crumbs(
      context,
      ...(catalogue['id'] === undefined
        ? []
        : [
            {
              href: pathTo('catalogues', textAt(catalogue, 'id') ?? ''),
              label: titleOf(catalogue),
            },
          ]),
      { href: base, label: titleOf(record) },
    )} <header class="title"> <h1>${title}</h1> <p class="by">${t('measured-by')}</p> </header> ${body} ${leftOutTable(context, leftOut)}`,
  }
}

type Measured = {
  readonly id: string
  readonly result: Fields
  readonly score: number
  readonly scores: Readonly<Record<string, number>>
  readonly results: readonly ShaclResult[]
}

function measuredParts(context: PageContext, measured: Measured): HtmlContent {
  const { t, root } = context
  const { id, result, score, scores, results } = measured
  const next = nextStep(score)
  const points = fieldsAt(result, 'points')
  const values = measuredValues(result)
  const rows = pageIndicators.map((one) => {
    const own = memberFields(points[one.key])
    const share = shareOf(values.get(one.key))
    return { ...one, share, points: Number(own['points'] ?? 0), most: Number(own['max'] ?? 0) }
  })
  return html`<div class="verdict close"> <div> <p class="score">
    <strong>${Math.round(score)}</strong><span class="soft">${t('of-points', { count: mostPoints })}</span> </p>
    <p> ${qualityMark(context, score)}${next && html` · ${t('points-to', { count: Math.ceil(next.missing), step: t(`quality-${next.key}`) })}`}
    </p> </div> ${dimensionBars(context, scores, true)} </div> ${fixes(context, rows)}
    ${findings(context, results)}
    ${pageSection('all', t('all-indicators'), indicatorTable(context, rows, scores))} <p class="take close">
    <span>${t('as-data')}</span><a href="${root}api/hub/repo/datasets/${encodeURIComponent(id)}/metrics">DQV (Turtle)</a><a href="${root}api/mqa/cache/datasets/${encodeURIComponent(id)}">JSON</a>
    </p>`
}

type Row = PageIndicator & { readonly share: number | undefined; readonly points: number }

/** Those that would earn most first. */
function fixes(context: PageContext, rows: readonly Row[]): HtmlContent {
  const { t, pathTo } = context
  const missing = rows
    .filter(({ points, most }) => points < most)
    .toSorted((a, b) => b.most - b.points - (a.most - a.points))
  if (missing.length === 0)
    return pageSection('fix', t('what-to-fix'), html`<p>${t('nothing-to-fix')}</p>`)
  const items = missing.slice(0, mostFixes).map(
    ({ key, most, points, example }) =>
      html`<li> <h3>${t(`fix-${key}`)}</h3>
          <span class="gain">+ ${t('n-points', { count: most - points })}</span> <p>${t(`fix-${key}-text`)}</p>
          ${example !== undefined && html`<pre tabindex="0" aria-label="${t('example-turtle')}"><code>${example}</code></pre>`}
          </li>`,
  )
  return pageSection(
    'fix',
    t('what-to-fix'),
    html`<ol class="fixes" role="list"> ${items} </ol> <p class="close">
      <a class="button" href="${pathTo('check')}">${icon('wrench')} ${t('try-corrected')}</a> </p>`,
  )
}

/** The report of the validation, which the repository keeps with the measurements (DQV). */
async function shaclOf({ ports, signal }: PageContext, path: string) {
  const headers = { Accept: 'application/n-triples' }
  const answer = await askPort(ports.repository, `${path}/metrics`, { headers, signal })
  const text = await answer.text()
  if (!answer.ok) throw new ServiceRefusal(answer.status, {})
  return { results: shaclResultsOf(await parse(text, 'ntriples', { baseIri: 'urn:report' })) }
}

function findings(context: PageContext, results: readonly ShaclResult[]): HtmlContent {
  const { t } = context
  if (results.length === 0) return false
  const errors = results.filter(({ isError }) => isError).length
  return pageSection(
    'shacl',
    t('findings'),
    html`<p>${t('n-findings', { errors, warnings: results.length - errors })}</p>
    ${shaclTable(context, t('findings'), results)}`,
  )
}

function indicatorTable(
  context: PageContext,
  rows: readonly Row[],
  scores: Readonly<Record<string, number>>,
): HtmlMarkup {
  const { t } = context
  const bodies = qualityDimensions.map(({ key, most }) => {
    const own = rows.filter(({ dimension }) => dimension === key)
    const lines = own.map(
      (one) =>
        html`<tr> <th scope="row">${t(`indicator-${one.key}`)}</th>
          <td>${one.property !== undefined && html`<code>${one.property}</code>`}</td>
          <td>${fulfilled(context, one.share)}</td> <td class="num">${one.points} / ${one.most}</td> </tr>`,
    )
    return html`<tbody> <tr> <th scope="rowgroup" id="${key}" colspan="3">${t(key)}</th>
      <td class="num group-sum">${Math.round(scores[key] ?? 0)} / ${most}</td> </tr> ${lines} </tbody>`
  })
  return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="all">
    <table class="table indicators"> <thead> <tr> <th scope="col">${t('indicator')}</th>
    <th scope="col">${t('property')}</th> <th scope="col">${t('fulfilled')}</th>
    <th scope="col" class="num">${t('points')}</th> </tr> </thead> ${bodies} </table> </div>`
}

function fulfilled({ t, formats }: PageContext, share: number | undefined): HtmlMarkup {
  if (share === undefined) return stateMark('idle', t('not-measured'))
  if (share >= 0.999) return stateMark('good', t('yes'))
  if (share <= 0.001) return stateMark('bad', t('no'))
  return stateMark('warn', t('in-part', { share: formats.number(Math.round(share * 100)) }))
}
