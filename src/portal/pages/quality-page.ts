/** How good the metadata of one dataset is, and what to do first to make it better. */

import { parse } from '../../rdf/parse.ts'
import type { Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon } from '../html.ts'
import type { PageContent } from '../page.ts'
import { crumbs, pageSection, stateMark } from '../parts/blocks.ts'
import {
  indicatorShares,
  indicatorTable,
  type PageIndicator,
  pageIndicators,
} from '../parts/indicators.ts'
import { leftOutTable } from '../parts/left-out.ts'
import { dimensionBars, missingPoints, scoreText, verdict } from '../parts/quality.ts'
import {
  countedResults,
  type ShaclResult,
  shaclResultsOf,
  shaclTable,
} from '../parts/shacl-results.ts'
import { askText } from '../ports.ts'
import { fieldsAt, numberAt, textAt } from '../record.ts'

const mostFixes = 5

/** Throws `ServiceRefusal` and `Failure`. */
export async function qualityPage(context: PageContext, id: string): Promise<PageContent> {
  const { t, root, pathTo, plainTitle, titleOf, readRecord, aside, ask } = context
  const path = `datasets/${encodeURIComponent(id)}`
  const [record, measured, leftOut, results] = await Promise.all([
    readRecord('datasets', id),
    ask('metrics', `/${path}`).catch(() => undefined),
    context.askAside('search', `/${path}/findings`),
    aside(shaclOf(context, `/${path}/metrics`)),
  ])
  const title = t('quality-of', { title: plainTitle(record) })
  const catalogue = fieldsAt(record, 'catalog')
  const above = textAt(catalogue, 'id')
  const steps = [
    ...(above === undefined
      ? []
      : [{ href: pathTo('catalogues', above), label: titleOf(catalogue) }]),
    { href: pathTo('datasets', id), label: titleOf(record) },
  ]
  const data = html`<p class="take close"><span>${t('as-data')}</span>
    <a href="${root}api/hub/repo/${path}/metrics">DQV (Turtle)</a><a href="${root}api/mqa/cache/${path}">JSON</a></p>`
  const shown = measuredParts(context, fieldsAt(measured, 'result.results.0'), results ?? [])
  return {
    title,
    section: 'quality',
    isIndexed: false,
    canonical: `${path}/quality`,
    body: html`${crumbs(context, ...steps)}
      <header class="title"><h1>${title}</h1><p class="by">${t('measured-by')}</p></header>
      ${shown ? [shown, data] : html`<p class="close">${t('not-measured')}</p>`}${leftOutTable(context, leftOut)}`,
  }
}

/** The report of the validation, which the repository keeps with the measurements (DQV). */
async function shaclOf({ ports, signal }: PageContext, path: string) {
  const headers = { Accept: 'application/n-triples' }
  const text = await askText(ports.repository, path, { headers, signal })
  return shaclResultsOf(await parse(text, 'ntriples', { baseIri: 'urn:report' }))
}

/** `points` of `most` that an indicator earns in the record. */
type Row = PageIndicator & { readonly share: number | undefined; readonly points: number }

function measuredParts(
  context: PageContext,
  result: Fields,
  results: readonly ShaclResult[],
): HtmlContent {
  const { t } = context
  const { score } = fieldsAt(result, 'info')
  if (typeof score !== 'number') return false
  const scores = fieldsAt(result, 'info.scores')
  const shareOf = indicatorShares(result)
  const rows = pageIndicators.map((one): Row => {
    const { key } = one
    const [points, most] = [`points.${key}.points`, `points.${key}.max`]
    return {
      ...one,
      share: shareOf(key),
      points: numberAt(result, points),
      most: numberAt(result, most),
    }
  })
  const table = indicatorTable(context, {
    rows,
    heads: ['fulfilled', 'points'],
    cells: ({ share, points, most }) => [fulfilled(context, share), `${points} / ${most}`],
    sum: ({ key, most }) => `${Math.round(numberAt(scores, key))} / ${most}`,
  })
  const text = scoreText(context, score, undefined, missingPoints(context, score))
  const findings = html`<p>${countedResults(context, results)}</p>${shaclTable(context, 'findings', results)}`
  return html`${verdict(text, dimensionBars(context, scores, true))}
    ${pageSection('fix', t('what-to-fix'), fixes(context, rows))}
    ${results.length > 0 && pageSection('shacl', t('findings'), findings)}
    ${pageSection('all', t('all-indicators'), table)}`
}

/** What would earn most, first. */
function fixes({ t, pathTo }: PageContext, rows: readonly Row[]): HtmlMarkup {
  const missing = rows
    .map((row) => ({ ...row, gain: row.most - row.points }))
    .filter(({ gain }) => gain > 0)
    .toSorted((a, b) => b.gain - a.gain)
  if (missing.length === 0) return html`<p>${t('nothing-to-fix')}</p>`
  const example = (turtle: string) =>
    html`<pre tabindex="0" aria-label="${t('example-turtle')}"><code>${turtle}</code></pre>`
  const items = missing.slice(0, mostFixes).map(
    (
      one,
    ) => html`<li><h3>${t(`fix-${one.key}`)}</h3><span class="gain">+ ${t('n-points', { count: one.gain })}</span>
      <p>${t(`fix-${one.key}-text`)}</p>${one.example !== undefined && example(one.example)}</li>`,
  )
  return html`<ol class="fixes" role="list">${items}</ol>
    <p class="close"><a class="button" href="${pathTo('check')}">${icon('wrench')} ${t('try-corrected')}</a></p>`
}

function fulfilled({ t, formats }: PageContext, share: number | undefined): HtmlMarkup {
  if (share === undefined) return stateMark('idle', t('not-measured'))
  if (share >= 0.999) return stateMark('good', t('yes'))
  if (share <= 0.001) return stateMark('bad', t('no'))
  return stateMark('warn', t('in-part', { share: formats.number(Math.round(share * 100)) }))
}
