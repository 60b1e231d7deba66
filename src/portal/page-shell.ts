/** What every page is made with and loads: style, script, texts, the operator's folder. It is there before any service is. */

import type { PortalConfig } from '../config/portal.ts'
import { Failure } from '../errors.ts'
import type { App, AppContext } from '../http/app.ts'
import type { Log } from '../log.ts'
import { openAssets } from './assets.ts'
import { type Speech, speechOf } from './languages.ts'
import { openTheme, type Theme } from './theme.ts'

export type PageShell = ReturnType<typeof openPageShell>

/** Opened once, also for the problems of other services. */
export const openPageShell = (config: PortalConfig, log: Log) => ({
  config,
  log,
  assets: openAssets(config),
  theme: openTheme(config, log),
  speech: speaker(config),
})

/** Texts and formats of a language, made once for each state of the theme. */
function speaker({ timeZone }: PortalConfig) {
  let known = new Map<string, Speech>()
  let own: Theme['texts'] | undefined
  return (language: string, { texts }: Theme): Speech => {
    if (own !== texts) known = new Map()
    own = texts
    const spoken = known.get(language)
    if (spoken) return spoken
    const speech = speechOf(language, timeZone, texts[language])
    known.set(language, speech)
    return speech
  }
}

const forever = 'public, max-age=31536000, immutable'

/** Path of the platform's root, `/` at its end. */
export const baseOf = (c: AppContext) => new URL(c.get('root')).pathname

/** What pages load, also those of a platform that is starting. */
export function servePageFiles(app: App, { assets, theme }: PageShell): void {
  app.get('/assets/:name', (c) => {
    const asset = assets.find(`assets/${c.req.param('name')}`)
    if (!asset) throw new Failure('not-found', 'there is no such file')
    return c.body(asset.body, 200, { 'Content-Type': asset.type, 'Cache-Control': forever })
  })
  app.get('/theme/:tag/:name', async (c) => {
    const file = await theme.file(c.req.param('name'))
    if (!file) throw new Failure('not-found', 'there is no such file')
    const headers = { 'Content-Type': file.type, 'Cache-Control': 'public, max-age=300' }
    return c.body(file.body, 200, headers)
  })
  app.get('/favicon.svg', (c) => c.redirect(baseOf(c) + assets.path('favicon.svg'), 302))
}

/** What crawlers leave alone: endless combinations of filters, and what is fetched from others for each request. */
const closed = ['/*?*page=', '/*/datasets/facets', '/*/preview', '/*/harvest', '/api/']

/** Where crawlers may go, and what is there. */
export function serveCrawlers(app: App, { config }: PageShell): void {
  app.get('/robots.txt', (c) => {
    const rules = ['Allow: /api/hub/search/sitemap', ...closed.map((path) => `Disallow: ${path}`)]
    return c.text(`User-agent: *\n${rules.join('\n')}\nSitemap: ${c.get('root')}sitemap.xml\n`)
  })
  app.get('/sitemap.xml', (c) =>
    c.redirect(`${baseOf(c)}api/hub/search/sitemap?locale=${config.defaultLanguage}`, 302),
  )
}
