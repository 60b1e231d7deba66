/** What stands in place of a page that cannot be shown: nothing there, removed, not possible, not now. */

import { unescape } from 'node:querystring'
import { Failure } from '../../errors.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent } from '../html.ts'
import { type PageContent, searchBar } from '../layout.ts'
import { pageSection, pairList } from '../parts/blocks.ts'
import { datasetList } from '../parts/hits.ts'
import { textOr } from '../../text/json.ts'

type PageProblem = {
  readonly status: number
  /** Words of the service, in English: for what nobody foresaw. */
  readonly detail?: string
  /** Seconds until the page asks again. */
  readonly retryAfter?: number
  /** What helps: links, dates. */
  readonly help?: HtmlContent
}

/** A record of the portal by its page, or by that of a CKAN before it. */
const recordPage = /^(?:\/[a-z]{2})?\/(datasets?|catalogues?|organization)\/([^/]+)/

/** For what is not there: when it was removed and until when it can come back (410), else records with similar titles. */
export async function helpFor(
  context: PageContext,
  path: string,
  { status }: PageProblem,
): Promise<Partial<PageProblem>> {
  if (status !== 404 && status !== 410) return {}
  const { t, optional, find } = context
  const [, kind = '', id] = recordPage.exec(path.slice(context.base.length - 1)) ?? []
  const list = kind.startsWith('dataset') ? 'datasets' : 'catalogues'
  const removed = id !== undefined && (await removal(context, `/${list}/${id}`))
  if (removed) return { status: 410, help: removed }
  const q = wordsOf(path)
  const found = q.length < 3 ? undefined : await optional(find({ filters: 'dataset', q, limit: 5 }))
  if (!found || found.records.length === 0) return {}
  const similar = datasetList(context, found.records, () => [])
  return { help: pageSection('similar', t('similar'), similar) }
}

/** What is left of a record that was removed; `undefined` where there was none. */
async function removal(context: PageContext, path: string): Promise<HtmlContent> {
  const { t, formats, ask, optional, pathTo, titleOf, readRecord } = context
  const refusal: unknown = await ask('repository', path).catch((error: unknown) => error)
  if (!(refusal instanceof Failure && refusal.kind === 'gone')) return undefined
  const { deletedAt, restorableUntil, catalogue } = refusal.members
  const home = textOr(catalogue)
  const record = home === undefined ? undefined : await optional(readRecord('catalogues', home))
  const name = record ? titleOf(record) : home
  return pairList([
    [t('removed-on'), formats.moment(deletedAt)],
    [t('restorable-until'), formats.moment(restorableUntil)],
    [t('facet-catalog'), home && html`<a href="${pathTo('catalogues', home)}">${name}</a>`],
  ])
}

const known: ReadonlySet<number> = new Set([404, 406, 410, 413, 429, 503])

/** `path` is what was asked for. */
export function errorPage(
  context: PageContext,
  path: string,
  { status, detail, retryAfter, help }: PageProblem,
): PageContent {
  const { t, requestId } = context
  const kind = known.has(status) ? status : status >= 500 ? 500 : 400
  const title = t(`error-${kind}`)
  const isAbsent = status === 404 || status === 410
  const isAway = status === 503
  const about =
    status === 404 ? html`${t('nothing-at')} <code>${path}</code>` : t(`error-${kind}-text`)
  return {
    title,
    isIndexed: false,
    // Whoever searched need not type the words again.
    query: isAway && (context.query.get('q') ?? false),
    head: retryAfter !== undefined && html`<meta http-equiv="refresh" content="${retryAfter}" />`,
    body: html`<div class="error"><p class="code" aria-hidden="true">${status}</p><h1>${title}</h1> <p>${about}</p>
      ${!isAbsent && !isAway && detail !== undefined && html`<p class="soft"><bdi>${detail}</bdi></p>`}
      ${help}${isAbsent && searchBar(context, wordsOf(path))}
      ${isAway && html`<p class="row"><a class="button" href="">${t('try-again')}</a></p>`}
      <p class="soft small">${t('programs-get')} <code>application/problem+json</code>. ${t('reference')}
      <code>${requestId.slice(0, 8)}</code></p></div>`,
  }
}

/** Words in the last step of an address; what is encoded wrongly stays as it is. */
const wordsOf = (path: string): string =>
  unescape(path.split('/').at(-1) ?? '')
    .replaceAll(/[-_.]+/g, ' ')
    .slice(0, 100)
