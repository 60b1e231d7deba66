/** What stands in place of a page that cannot be shown: nothing there, removed, not possible, not now. */

import type { PageContext } from '../context.ts'
import { html, type HtmlContent } from '../html.ts'
import { type PageContent, searchBar } from '../page.ts'
import { pageSection } from '../parts/blocks.ts'
import { entries } from '../parts/hits.ts'
import { memberFields, textOr } from '../record.ts'

export type PageProblem = {
  readonly status: number
  /** Words of the service, for what nobody foresaw. */
  readonly detail?: string | undefined
  /** Seconds until the page asks again. */
  readonly retryAfter?: number | undefined
  /** What helps: links, dates. */
  readonly help?: HtmlContent
}

/** A record of the portal by its page. */
const recordPage = /^\/[a-z]{2}\/(datasets|catalogues)\/([^/]+)/

/** For what is not there: when it was removed and until when it can come back (410), else records with similar titles. */
export async function helpFor(
  context: PageContext,
  path: string,
  { status }: PageProblem,
): Promise<Partial<PageProblem>> {
  if (status !== 404 && status !== 410) return {}
  const [, kind, id] = recordPage.exec(path.slice(new URL(context.root).pathname.length - 1)) ?? []
  const removed =
    kind !== undefined && id !== undefined && (await removal(context, `/${kind}/${id}`))
  if (removed) return { status: 410, help: removed }
  const words = wordsOf(path)
  const query = new URLSearchParams({
    filters: 'dataset',
    q: words,
    limit: '5',
    aggregation: 'false',
  })
  const found = words.length < 3 ? undefined : await quietly(context.find(query.toString()))
  if (!found || found.records.length === 0) return {}
  return {
    help: pageSection(
      'similar',
      context.t('similar'),
      entries(context, found.records, () => []),
    ),
  }
}

const quietly = <T>(asked: Promise<T>): Promise<T | undefined> => asked.catch(() => undefined)

/** What is left of a record that was removed; `false` where there was none. */
async function removal(context: PageContext, path: string): Promise<HtmlContent> {
  const { t, formats, ports, signal, pathTo } = context
  const headers = { Accept: 'text/turtle' }
  const answer = await quietly(ports.repository(path, { signal, headers }))
  if (answer?.status !== 410) {
    await answer?.body?.cancel()
    return false
  }
  const { deletedAt, restorableUntil, catalogue } = memberFields(await quietly(answer.json()))
  const home = textOr(catalogue)
  const rows = [
    [t('removed-on'), formats.moment(deletedAt)],
    [t('restorable-until'), formats.moment(restorableUntil)],
    [
      t('facet-catalog'),
      home !== undefined && html`<a href="${pathTo('catalogues', home)}">${home}</a>`,
    ],
  ] as const
  const shown = rows.filter(([, value]) => value !== undefined && value !== false)
  return html`<dl class="pairs">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

const known: ReadonlySet<number> = new Set([404, 406, 410, 413, 429, 503])

/** `path` is what was asked for. */
export function errorPage(
  context: PageContext,
  path: string,
  { status, detail, retryAfter, help }: PageProblem,
): PageContent {
  const { t, requestId } = context
  const kind = known.has(status) ? String(status) : status >= 500 ? '500' : '400'
  const words = wordsOf(path)
  const hasSearch = status === 404 || status === 410
  return {
    title: t(`error-${kind}`),
    isIndexed: false,
    query: false,
    head: retryAfter !== undefined && html`<meta http-equiv="refresh" content="${retryAfter}" />`,
    body: html`<div class="error"> <p class="code" aria-hidden="true">${status}</p>
      <h1>${t(`error-${kind}`)}</h1> <p>
      ${status === 404 ? html`${t('nothing-at')} <code>${path}</code>` : t(`error-${kind}-text`)} </p>
      ${detail !== undefined && !known.has(status) && html`<p class="soft"><bdi>${detail}</bdi></p>`}${help}${
        hasSearch && searchBar(context, words)
      }${status === 503 && html`<p class="row"><a class="button" href="${path}">${t('try-again')}</a></p>`} <p class="soft small">${t('programs-get')} <code>application/problem+json</code>. ${t('reference')} <code>${requestId.slice(0, 8)}</code></p> </div>`,
  }
}

const wordsOf = (path: string): string =>
  (decodedPath(path).split('/').at(-1) ?? '').replaceAll(/[-_.]+/g, ' ').slice(0, 100)

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
