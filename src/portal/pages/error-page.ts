/** What stands in place of a page that cannot be shown: nothing there, removed, not possible, not now. */

import { html, type HtmlContent } from '../html.ts'
import { pathTo, type PageContent, type PageContext } from '../page.ts'

export type PageProblem = {
  readonly status: number
  /** Words of the service, for what nobody foresaw. */
  readonly detail?: string | undefined
  /** Seconds until the page asks again. */
  readonly retryAfter?: number | undefined
  /** What helps: links, dates. */
  readonly help?: HtmlContent
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
  const words =
    decodedPath(path)
      .split('/')
      .at(-1)
      ?.replaceAll(/[-_.]+/g, ' ') ?? ''
  const hasSearch = status === 404 || status === 410
  return {
    title: t(`error-${kind}`),
    isIndexed: false,
    query: false,
    head: retryAfter !== undefined && html`<meta http-equiv="refresh" content="${retryAfter}" />`,
    body: html`<div class="error"> <p class="code" aria-hidden="true">${status}</p> <h1>${t(`error-${kind}`)}</h1> <p> ${status === 404 ? html`${t('nothing-at')} <code>${path}</code>` : t(`error-${kind}-text`)} </p> ${detail !== undefined && status !== 404 && html`<p class="soft"><bdi>${detail}</bdi></p>`}${help}${
      hasSearch &&
      html`<search> <form class="searchbar" action="${pathTo(context, 'datasets')}"> <label class="vh" for="q">${t('search-datasets')}</label><input type="search" id="q" name="q" value="${words}" /><button class="button primary"> ${t('search')} </button> </form> </search>`
    }${status === 503 && html`<p class="row"><a class="button" href="${path}">${t('try-again')}</a></p>`} <p class="soft small">${t('reference')} <code>${requestId.slice(0, 8)}</code></p> </div>`,
  }
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
