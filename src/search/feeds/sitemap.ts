/**
 * `/sitemap` and `/sitemap/{n}` (sitemaps.org 0.9): addresses of all catalogues and datasets, read through one snapshot. Pages are
 * kept as gzip, because 10,000 similar addresses take megabytes.
 */

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type RouteConfig, z } from '@hono/zod-openapi'
import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { anyone } from '../../http/endpoint.ts'
import { problem } from '../../http/problem.ts'
import { acceptsGzip, addVary } from '../../http/headers.ts'
import { longAnswer } from '../../http/long-answers.ts'
import type { Hit, SearchIndex } from '../../search-index/search-index.ts'
import { isJsonObject, valueAt } from '../../text/json.ts'
import { officialLanguages } from '../../text/language.ts'
import { instantAt, recordFields, allRecords } from '../record-values.ts'
import { setEntityTag, searchEndpoint } from '../search-answers.ts'
import type { SearchAppContext, SearchServiceContext } from '../search-service-context.ts'
import { xmlDeclaration, element, textElement, xmlText } from '../../http/feed-formats.ts'
import { type SitemapKeeper, sitemapKeeper, type SitemapPage } from './sitemap-cache.ts'

type SitemapSource = Pick<SearchAppContext, 'index' | 'settings' | 'recordPages'>

const hourMs = 3_600_000

/** Opens the sitemap of an index; it is made on the first request. */
export function openSitemap(
  context: SitemapSource & Pick<SearchAppContext, 'now' | 'http' | 'sitemapHours'>,
): SitemapKeeper {
  const { http, now, sitemapHours = 24 } = context
  const make = () => sitemapPages(context)
  return sitemapKeeper({ make, now, log: http.log, lifeMs: sitemapHours * hourMs })
}

const xml = 'application/xml'
const headers = { 'Content-Type': `${xml}; charset=utf-8` }

/** Sets `Last-Modified` and the entity tag; returns true when the client has that state already. */
function setStateHeaders(c: AppContext, startedAt: Date, name: string): boolean {
  c.header('Last-Modified', startedAt.toUTCString())
  return setEntityTag(c, `${name}-${startedAt.getTime().toString(36)}`)
}

const answersOf = (description: string): RouteConfig['responses'] => ({
  200: { description, content: { [xml]: { schema: z.string() } } },
  304: { description: 'Not changed since the state named in If-None-Match' },
  503: problem('The sitemap is being made'),
})

const readSitemap = searchEndpoint({
  method: 'get',
  path: '/sitemap',
  operation: 'getSitemap',
  summary: 'Index of the sitemap (sitemaps.org)',
  auth: anyone,
  answers: answersOf('Addresses of the pages of the sitemap'),
  handle: ({ c }, { sitemap }) =>
    longAnswer(c, async () => {
      const { startedAt, pages } = await sitemap.current()
      if (setStateHeaders(c, startedAt, 'index')) return c.body(null, 304)
      const address = `${c.get('address')}/sitemap`
      const modified = textElement('lastmod', startedAt.toISOString())
      const parts = pages.map((_, n) =>
        element('sitemap', {}, textElement('loc', `${address}/${n + 1}`) + modified),
      )
      const text = xmlDeclaration + element('sitemapindex', { xmlns: protocol }, parts.join(''))
      return c.body(text, 200, headers)
    }),
})

const readSitemapPage = searchEndpoint({
  method: 'get',
  path: '/sitemap/{n}',
  operation: 'getSitemapByN',
  summary: 'One page of the sitemap: up to 10,000 addresses of catalogues and datasets',
  auth: anyone,
  params: z.object({ n: z.string().meta({ description: '1, 2, …' }) }),
  answers: answersOf('Addresses with their last change and their languages'),
  handle: ({ c, params }, context) => longAnswer(c, () => pageAnswer(c, params.n, context)),
})

/** Endpoints of the sitemap: its index and its pages, with `Last-Modified` and entity tags. */
export const sitemapEndpoints = [readSitemap, readSitemapPage]

async function pageAnswer(
  c: AppContext,
  n: string,
  { sitemap, recordPages: { isRooted } }: Pick<SearchServiceContext, 'sitemap' | 'recordPages'>,
): Promise<Response> {
  const isNumber = /^[1-9]\d{0,8}$/.test(n)
  const { startedAt, pages } = isNumber
    ? await sitemap.current()
    : { startedAt: new Date(0), pages: [] }
  const page = pages[Number(n) - 1]
  if (!page) throw new Failure('not-found', `the sitemap has no page ${n}`)
  if (setStateHeaders(c, startedAt, n)) return c.body(null, 304)
  if (!isRooted && acceptsGzip(c.req.header('Accept-Encoding'))) {
    const answer = c.body(page.gzip, 200, { ...headers, 'Content-Encoding': 'gzip' })
    addVary(answer.headers, 'Accept-Encoding')
    return answer
  }
  const xmlPage = new Blob([page.gzip]).stream().pipeThrough(new DecompressionStream('gzip'))
  return c.body(isRooted ? insertRoot(xmlPage, c.get('root')) : xmlPage, 200, headers)
}

/** Inserts the address by which the client reached the platform; the server compresses the page again. */
function insertRoot(page: ReadableStream<Uint8Array<ArrayBuffer>>, root: string) {
  const rootText = xmlText(root)
  const replaceMark = new TransformStream<string, string>({
    transform: (text, out) => out.enqueue(text.replaceAll(rootMark, () => rootText)),
  })
  return page
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(replaceMark)
    .pipeThrough(new TextEncoderStream())
}

/** Limits of one page; the protocol allows 50,000 addresses and 50 MB. */
const pageLimits = { addresses: 10_000, characters: 20_000_000 }

/** Languages in which a portal shows its records. */
const languages: ReadonlySet<string> = new Set([...officialLanguages, 'no'])

/** Placeholder in pages for the address of the platform; a character that occurs in no id and no address. */
const rootMark = '\uE000'

const protocol = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** Yields the pages, one in memory at a time. */
async function* sitemapPages({
  index,
  settings,
  recordPages,
}: SitemapSource): AsyncGenerator<SitemapPage> {
  let text = ''
  let addresses = 0
  const configured = new Set(settings().map(({ index }) => index))
  for (const kind of ['catalogue', 'dataset'] as const) {
    if (!configured.has(kind)) continue
    for await (const hits of recordBatches(index, kind)) {
      const entries = hits.map((hit) => addressText(hit, kind, recordPages)).join('')
      const isFull =
        addresses + hits.length > pageLimits.addresses ||
        text.length + entries.length > pageLimits.characters
      if (isFull && text !== '') {
        yield { gzip: await compressPage(text), addresses }
        text = ''
        addresses = 0
      }
      text += entries
      addresses += hits.length
    }
  }
  if (text !== '') yield { gzip: await compressPage(text), addresses }
}

/** Makes the entry of a record: its page, the time of its change, and the page in every language of the record. */
function addressText(
  { id, record }: Hit,
  kind: 'catalogue' | 'dataset',
  { address, isPortal, languages: portalLanguages }: SearchAppContext['recordPages'],
): string {
  const fields = recordFields(record)
  const page = (language?: string) => address(rootMark, { kind, id }, language)
  const title = valueAt(fields, 'title')
  const titleLanguages = isJsonObject(title)
    ? Object.keys(title).filter((key) => languages.has(key))
    : []
  const links = (isPortal ? (portalLanguages ?? titleLanguages) : []).map((language) =>
    element('xhtml:link', { rel: 'alternate', hreflang: language, href: page(language) }),
  )
  const modified = instantAt(fields, 'catalog_record.modified', 'modified')
  const parts = [textElement('loc', page()), textElement('lastmod', modified?.toISOString())]
  return element('url', {}, [...parts, ...links].join(''))
}

const compress = promisify<string, Buffer<ArrayBuffer>>(gzip)

function compressPage(content: string): Promise<Buffer<ArrayBuffer>> {
  const attributes = { xmlns: protocol, 'xmlns:xhtml': 'http://www.w3.org/1999/xhtml' }
  return compress(xmlDeclaration + element('urlset', attributes, content))
}

/** Records written before yielding to other work. */
const recordsPerBatch = 500

/** Yields all records by id in batches; each comes once, whatever is written meanwhile. */
async function* recordBatches(
  index: SearchIndex,
  kind: 'catalogue' | 'dataset',
): AsyncGenerator<readonly Hit[]> {
  const { offset: _, ...request } = allRecords(kind)
  const include = ['title', 'modified', 'catalog_record.modified']
  let page = await index.openCursor({
    ...request,
    limit: recordsPerBatch,
    include,
    client: 'sitemap',
    note: '',
  })
  while (page.hits.length > 0) {
    yield page.hits
    if (page.hits.length < recordsPerBatch) return
    page = await index.readPage(page.cursor)
  }
}
