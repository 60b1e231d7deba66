/** The feeds bound to their routes. */

import { hash } from 'node:crypto'
import { Failure } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { isFresh } from '../../http/conditions.ts'
import { longAnswer } from '../../http/shell/flow.ts'
import { atomText, atomType } from './atom.ts'
import { feedOf, type Feed, type FeedDeps } from './feed.ts'
import { feedRoutes } from './routes.ts'
import { rssText, rssType } from './rss.ts'

const forms = {
  atom: { type: atomType, write: atomText },
  rss: { type: rssType, write: rssText },
} as const satisfies Record<string, { type: string; write: (feed: Feed) => string }>

/** `/{lang}/feeds/datasets.atom` and `.rss`. */
export function bindFeeds(app: App, deps: FeedDeps): void {
  const answer = async (c: AppContext, lang: string, form: keyof typeof forms) => {
    const { address, root } = c.var
    const { searchParams: query } = new URL(c.req.url)
    const wanted = { address, root, query, language: languageOf(lang), form }
    const { type, write } = forms[form]
    const text = write(await feedOf(deps, wanted, c.var.signal))
    const tag = hash('sha256', text, 'hex').slice(0, 32)
    c.header('ETag', `W/"${tag}"`)
    if (isFresh(c.req.raw.headers, tag)) return c.body(null, 304)
    return c.body(text, 200, { 'Content-Type': `${type}; charset=utf-8` })
  }
  app.openapi(feedRoutes.atom, (c) =>
    longAnswer(c, () => answer(c, c.req.valid('param').lang, 'atom')),
  )
  app.openapi(feedRoutes.rss, (c) =>
    longAnswer(c, () => answer(c, c.req.valid('param').lang, 'rss')),
  )
}

/** Throws `not-found`. */
function languageOf(lang: string): string {
  if (/^[a-z]{2,3}$/.test(lang)) return lang
  throw new Failure('not-found', 'a feed is named by a language code such as en')
}
