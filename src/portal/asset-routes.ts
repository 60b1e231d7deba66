/** What pages load: style, script, icon, the operator's files; and what crawlers ask for first. */

import { Failure } from '../errors.ts'
import type { App, AppContext } from '../http/app.ts'
import type { PageShell } from './page-shell.ts'

const forever = 'public, max-age=31536000, immutable'

const baseOf = (c: AppContext) => new URL(c.get('root')).pathname

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
