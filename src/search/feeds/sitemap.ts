/** The sitemap bound to its routes. */

import { isJsonObject } from '../../text/json.ts'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { createRoute, type RouteConfig, z } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { isFresh } from '../../http/conditions.ts'
import { problem } from '../../http/contract/problem.ts'
import { acceptsGzip } from '../../http/shell/compression.ts'
import { longAnswer } from '../../http/shell/flow.ts'
import { addVary } from '../../http/shell/headers.ts'
import type { Hit, SearchIndex } from '../../search-index/search-index.ts'
import type { IndexName } from '../../search-index/index-settings.ts'
import type { RecordPages, SearchDeps } from '../search-deps.ts'
import { at, recordFields, instantAt } from '../record-values.ts'
import { declaration, element, xmlText, textElement } from './feed-formats.ts'
import {
  type SitemapPage,
  type Sitemap,
  sitemapKeeper,
  type SitemapKeeper,
} from './sitemap-cache.ts'

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
function pageAnswer(c: AppContext, { gzip }: SitemapPage): Response {
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
function rootedAnswer(c: AppContext, { gzip }: SitemapPage): Response {
  const root = xmlText(c.get('root'))
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

// The contract of the sitemap.

const xml = 'application/xml'

const responses = (description: string): RouteConfig['responses'] => ({
  200: { description, content: { [xml]: { schema: z.string() } } },
  304: { description: 'Not changed since the state named in If-None-Match' },
  503: problem('The sitemap is being made'),
  default: problem(),
})

const sitemapRoutes = {
  sitemap: createRoute({
    method: 'get',
    path: '/sitemap',
    summary: 'Index of the sitemap (sitemaps.org)',
    responses: responses('Addresses of the pages of the sitemap'),
  }),
  page: createRoute({
    method: 'get',
    path: '/sitemap/{n}',
    summary: 'One page of the sitemap: up to 10,000 addresses of catalogues and datasets',
    request: { params: z.object({ n: z.string().meta({ description: '1, 2, …' }) }) },
    responses: responses('Addresses with their last change and their languages'),
  }),
}

// The pages of the sitemap (sitemaps.org 0.9), each as gzip: a page of 10,000 addresses is megabytes of repetition.

/** What one page may hold; the protocol allows 50,000 addresses and 50 MB. */
const most = { addresses: 10_000, characters: 20_000_000 }

/** The languages of the European Union, and Norwegian: those that a portal shows its records in. */
const languages: ReadonlySet<string> = new Set(
  'bg cs da de el en es et fi fr ga hr hu it lt lv mt nl no pl pt ro sk sl sv'.split(' '),
)

/** Stands in the pages for the address that their reader reaches the platform by; a character that no id and no address has. */
const rootMark = '\uE000'

const protocol = 'http://www.sitemaps.org/schemas/sitemap/0.9'

type Source = Pick<SearchDeps, 'index' | 'settings' | 'recordPages'>

/** Some addresses, written. */
type Piece = { readonly text: string; readonly addresses: number }

/** Addresses of all catalogues and datasets; holds the text of one page at a time. */
async function* sitemapPages(source: Source): AsyncGenerator<SitemapPage> {
  let held: Piece[] = []
  let [addresses, characters] = [0, 0]
  for await (const piece of piecesOf(source)) {
    addresses += piece.addresses
    characters += piece.text.length
    const isFull = addresses > most.addresses || characters > most.characters
    if (held.length > 0 && isFull) {
      yield await packed(held)
      held = []
      addresses = piece.addresses
      characters = piece.text.length
    }
    held.push(piece)
  }
  if (held.length > 0) yield await packed(held)
}

async function* piecesOf({ index, settings, recordPages }: Source): AsyncGenerator<Piece> {
  const known = new Set(settings().map(({ index }) => index))
  for (const kind of ['catalogue', 'dataset'] as const) {
    if (!known.has(kind)) continue
    for await (const hits of everyRecord(index, kind, fields)) {
      const texts = hits.map((hit) => addressText(hit, kind, recordPages))
      yield { text: texts.join(''), addresses: hits.length }
    }
  }
}

/** What an address is made of. */
const fields = ['title', 'modified', 'catalog_record.modified']

/** The page of a record, when it changed, and the same page in every language that the record speaks. */
function addressText(
  { id, record }: Hit,
  kind: 'catalogue' | 'dataset',
  { address, isPortal }: RecordPages,
): string {
  const read = recordFields(record)
  const page = (language?: string) => address(rootMark, { kind, id }, language)
  const title = at(read, 'title')
  const spoken =
    isPortal && isJsonObject(title) ? Object.keys(title).filter((key) => languages.has(key)) : []
  const links = spoken.map((language) =>
    element('xhtml:link', { rel: 'alternate', hreflang: language, href: page(language) }),
  )
  const changed = instantAt(read, 'catalog_record.modified', 'modified')
  const parts = [
    textElement('loc', page()),
    textElement('lastmod', changed?.toISOString()),
    ...links,
  ]
  return element('url', {}, parts.join(''))
}

const compress = promisify<string, Buffer<ArrayBuffer>>(gzip)

async function packed(pieces: readonly Piece[]): Promise<SitemapPage> {
  const content = pieces.map(({ text }) => text).join('')
  const attributes = { xmlns: protocol, 'xmlns:xhtml': 'http://www.w3.org/1999/xhtml' }
  return {
    gzip: await compress(declaration + element('urlset', attributes, content)),
    addresses: pieces.reduce((sum, { addresses }) => sum + addresses, 0),
  }
}

// All records of an index, read once through a snapshot.

/** What is written of so many records at once keeps nobody waiting. */
const step = 500

/** Ascending by id, so many at once; whatever is written meanwhile, each record comes once. */
async function* everyRecord(
  index: SearchIndex,
  name: IndexName,
  include: readonly string[],
): AsyncGenerator<readonly Hit[]> {
  // Without words every record is equally relevant, so that the order is that of the ids.
  let page = await index.open({
    indices: [name],
    tree: { kind: 'all' },
    filter: {},
    order: [{ by: 'relevance', direction: 'desc' }],
    boosts: {},
    limit: step,
    include,
    score: false,
    client: 'sitemap',
    note: '',
  })
  while (page.hits.length > 0) {
    yield page.hits
    if (page.hits.length < step) return
    page = await index.page(page.cursor)
  }
}
