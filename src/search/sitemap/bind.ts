/** The sitemap bound to its routes. */

import { Failure } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { isFresh } from '../../http/conditions.ts'
import { acceptsGzip } from '../../http/shell/compression.ts'
import { addVary } from '../../http/shell/headers.ts'
import { longAnswer } from '../../http/shell/flow.ts'
import type { SearchDeps } from '../deps.ts'
import { declaration, element, escaped, textElement } from '../feeds/xml.ts'
import { sitemapKeeper, type Page, type Sitemap, type SitemapKeeper } from './keeper.ts'
import { protocol, rootMark, sitemapPages } from './pages.ts'
import { sitemapRoutes, xml } from './routes.ts'

type SitemapDeps = Pick<
  SearchDeps,
  'index' | 'settings' | 'now' | 'recordPages' | 'http' | 'sitemapHours' | 'sitemap'
>

const hour = 3_600_000

/** The sitemap of an index, made when somebody asks for it. */
export function openSitemap(
  deps: Pick<SitemapDeps, 'index' | 'settings' | 'now' | 'recordPages' | 'sitemapHours'> & {
    readonly http: Pick<SitemapDeps['http'], 'log'>
  },
): SitemapKeeper {
  const { http, now, sitemapHours = 24 } = deps
  const make = () => sitemapPages(deps)
  return sitemapKeeper({ make, now, log: http.log, lifeMs: sitemapHours * hour })
}

/** `/sitemap` and `/sitemap/{n}`. */
export function bindSitemap(app: App, deps: SitemapDeps): void {
  const { present } = deps.sitemap ?? openSitemap(deps)
  const index = async (c: AppContext) => {
    const sitemap = await present()
    if (isKnown(c, sitemap, 'index')) return c.body(null, 304)
    const text = indexText(sitemap, `${c.get('address')}/sitemap`)
    return c.body(text, 200, { 'Content-Type': `${xml}; charset=utf-8` })
  }
  const page = async (c: AppContext, n: string) => {
    if (!/^[1-9]\d{0,8}$/.test(n)) throw noPage(n)
    const sitemap = await present()
    const page = sitemap.pages[Number(n) - 1]
    if (!page) throw noPage(n)
    if (isKnown(c, sitemap, n)) return c.body(null, 304)
    return deps.recordPages.isPortal ? pageAnswer(c, page) : rootedAnswer(c, page)
  }
  app.openapi(sitemapRoutes.sitemap, (c) => longAnswer(c, () => index(c)))
  app.openapi(sitemapRoutes.page, (c) => longAnswer(c, () => page(c, c.req.valid('param').n)))
}

/** Tells when the sitemap was made; whether the client has it already. */
function isKnown(c: AppContext, { made }: Sitemap, name: string): boolean {
  const tag = `${name}-${made.getTime().toString(36)}`
  c.header('ETag', `W/"${tag}"`)
  c.header('Last-Modified', made.toUTCString())
  return isFresh(c.req.raw.headers, tag)
}

function indexText({ made, pages }: Sitemap, address: string): string {
  const parts = pages.map((_, n) =>
    element(
      'sitemap',
      {},
      textElement('loc', `${address}/${n + 1}`) + textElement('lastmod', made.toISOString()),
    ),
  )
  return declaration + element('sitemapindex', { xmlns: protocol }, parts.join(''))
}

/** A page lies there as gzip; who cannot take that gets it unpacked while it is sent. */
function pageAnswer(c: AppContext, { gzip }: Page): Response {
  const headers = { 'Content-Type': `${xml}; charset=utf-8` }
  if (!acceptsGzip(c.req.header('Accept-Encoding'))) {
    const plain = new Blob([gzip]).stream().pipeThrough(new DecompressionStream('gzip'))
    return c.body(plain, 200, headers)
  }
  const answer = c.body(gzip, 200, { ...headers, 'Content-Encoding': 'gzip' })
  addVary(answer.headers, 'Accept-Encoding')
  return answer
}

/** The same with the addresses that the client can reach; the shell packs it again. */
function rootedAnswer(c: AppContext, { gzip }: Page): Response {
  const root = escaped(c.get('root'))
  const rooted = new Blob([gzip])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'))
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(
      new TransformStream<string, string>({
        transform: (text, out) => out.enqueue(text.replaceAll(rootMark, () => root)),
      }),
    )
    .pipeThrough(new TextEncoderStream())
  return c.body(rooted, 200, { 'Content-Type': `${xml}; charset=utf-8` })
}

const noPage = (n: string): Failure => new Failure('not-found', `the sitemap has no page ${n}`)
