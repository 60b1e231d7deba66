/** Page about a problem, in place of the one that was requested: not found, removed, invalid request, not available. */

import { unescape } from 'node:querystring'
import { Failure } from '../../errors.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent } from '../html.ts'
import { type PageContent, searchBar } from '../layout.ts'
import { pageSection, pairList } from '../parts/blocks.ts'
import { datasetList } from '../parts/hits.ts'
import { textOr } from '../../text/json.ts'

/** Problem that a page describes. */
type PageProblem = {
  readonly status: number
  /** Detail of the problem in English, shown beside the message of the portal; not for the statuses 404, 410 and 503. */
  readonly detail?: string
  /** Seconds after which the page reloads itself. */
  readonly retryAfter?: number
  /** Content that helps the reader, such as links and dates. */
  readonly help?: HtmlContent
}

/** Path of the page of a record, or of its former page in CKAN. */
const recordPage = /^(?:\/[a-z]{2})?\/(datasets?|catalogues?|organization)\/([^/]+)/

/**
 * Help for a missing page: when a record was removed and until when it can be restored (status 410), else datasets that match the
 * words of the path. Nothing for other statuses than 404 and 410.
 */
export async function helpFor(
  context: PageContext,
  path: string,
  { status }: PageProblem,
): Promise<Partial<PageProblem>> {
  if (status !== 404 && status !== 410) return {}
  const { t, optional, find } = context
  const [, kind = '', id] = recordPage.exec(path.slice(context.base.length - 1)) ?? []
  const list = kind.startsWith('dataset') ? 'datasets' : 'catalogues'
  const removalText = id !== undefined && (await removal(context, `/${list}/${id}`))
  if (removalText) return { status: 410, help: removalText }
  const q = wordsOf(path)
  const result =
    q.length < 3 ? undefined : await optional(find({ filters: 'dataset', q, limit: 5 }))
  if (!result || result.records.length === 0) return {}
  const similar = datasetList(context, result.records, () => [])
  return { help: pageSection('similar', t('similar'), similar) }
}

/** Dates and catalogue of a record that was removed; `undefined` where there was none. `path` is that in the repository. */
async function removal(context: PageContext, path: string): Promise<HtmlContent> {
  const { t, formats, ask, optional, pathTo, titleOf, readRecord } = context
  const refusal: unknown = await ask('repository', path).catch((error: unknown) => error)
  if (!(refusal instanceof Failure && refusal.kind === 'gone')) return undefined
  const { deletedAt, restorableUntil, catalogue, reason, replacement } = refusal.members
  const catalogueId = textOr(catalogue)
  const record =
    catalogueId === undefined ? undefined : await optional(readRecord('catalogues', catalogueId))
  const name = record ? titleOf(record) : catalogueId
  return pairList([
    [t('removed-reason'), textOr(reason) && html`<bdi>${reason}</bdi>`],
    [t('replaced-by'), textOr(replacement) && html`<a href="${replacement}">${replacement}</a>`],
    [t('removed-on'), formats.moment(deletedAt)],
    [t('restorable-until'), formats.moment(restorableUntil)],
    [
      t('facet-catalog'),
      catalogueId && html`<a href="${pathTo('catalogues', catalogueId)}">${name}</a>`,
    ],
  ])
}

/** Statuses with messages of their own: `error-{status}` and `error-{status}-text`. */
const describedStatuses: ReadonlySet<number> = new Set([404, 406, 410, 413, 429, 503])

/** Page about a problem; `path` is the requested one. */
export function errorPage(
  context: PageContext,
  path: string,
  { status, detail, retryAfter, help }: PageProblem,
): PageContent {
  const { t, requestId } = context
  const kind = describedStatuses.has(status) ? status : status >= 500 ? 500 : 400
  const title = t(`error-${kind}`)
  const isMissing = status === 404 || status === 410
  const isUnavailable = status === 503
  const explanation =
    status === 404 ? html`${t('nothing-at')} <code>${path}</code>` : t(`error-${kind}-text`)
  return {
    title,
    isIndexed: false,
    // Keeps the words of a search that failed.
    query: isUnavailable && (context.query.get('q') ?? false),
    head: retryAfter !== undefined && html`<meta http-equiv="refresh" content="${retryAfter}" />`,
    body: html`<div class="error"><p class="code" aria-hidden="true">${status}</p><h1>${title}</h1> <p>${explanation}</p>
      ${!isMissing && !isUnavailable && detail !== undefined && html`<p class="soft"><bdi>${detail}</bdi></p>`}
      ${help}${isMissing && searchBar(context, wordsOf(path))}
      ${isUnavailable && html`<p class="row"><a class="button" href="">${t('try-again')}</a></p>`}
      <p class="soft small">${t('programs-get')} <code>application/problem+json</code>. ${t('reference')}
      <code>${requestId.slice(0, 8)}</code></p></div>`,
  }
}

/** Words in the last segment of a path; invalid percent-encoding stays as it is. */
const wordsOf = (path: string): string =>
  unescape(path.split('/').at(-1) ?? '')
    .replaceAll(/[-_.]+/g, ' ')
    .slice(0, 100)
