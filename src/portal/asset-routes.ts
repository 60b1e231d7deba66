/** What pages load, and what crawlers ask for first: style, script, the operator's files, icon, robots and sitemap. */

import type { PortalConfig } from '../config/portal.ts'
import { Failure } from '../errors.ts'
import type { App } from '../http/app.ts'
import type { Assets } from './assets.ts'
import type { ThemeFolder } from './theme.ts'

type FileContext = {
  readonly assets: Assets
  readonly theme: ThemeFolder
  readonly config: PortalConfig
}

const forever = 'public, max-age=31536000, immutable'

export function serveFiles(app: App, { assets, theme, config }: FileContext): void {
  app.get('/assets/:name', (c) => {
    const asset = assets.find(`assets/${c.req.param('name')}`)
    if (!asset) throw new Failure('not-found', 'there is no such file')
    return c.body(asset.body, 200, { 'Content-Type': asset.type, 'Cache-Control': forever })
  })
  app.get('/theme/:tag/:name', async (c) => {
    const file = await theme.file(c.req.param('name'))
    if (!file) throw new Failure('not-found', 'there is no such file')
    return c.body(file.body, 200, {
      'Content-Type': file.type,
      'Cache-Control': 'public, max-age=300',
    })
  })
  app.get('/favicon.svg', (c) =>
    c.redirect(`${new URL(c.get('root')).pathname}${assets.path('favicon.svg')}`, 302),
  )
  app.get('/robots.txt', (c) => {
    const root = c.get('root')
    const closed = ['/*?*page=', '/*/datasets/facets', '/*/preview', '/*/harvest', '/api/']
    return c.text(
      `User-agent: *\nAllow: /api/hub/search/sitemap\n${closed.map((path) => `Disallow: ${path}`).join('\n')}\nSitemap: ${root}sitemap.xml\n`,
    )
  })
  app.get('/sitemap.xml', (c) =>
    c.redirect(
      `${new URL(c.get('root')).pathname}api/hub/search/sitemap?locale=${config.defaultLanguage}`,
      302,
    ),
  )
}
