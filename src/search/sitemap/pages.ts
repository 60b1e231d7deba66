/** The pages of the sitemap (sitemaps.org 0.9), each as gzip: a page of 10,000 addresses is megabytes of repetition. */

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Hit } from '../../search-index/search-index.ts'
import type { RecordPages, SearchDeps } from '../deps.ts'
import { at, fieldsOf, instantAt, isFields } from '../feeds/reading.ts'
import { declaration, element, textElement } from '../feeds/xml.ts'
import type { Page } from './keeper.ts'
import { everyRecord } from './walking.ts'

/** What one page may hold; the protocol allows 50,000 addresses and 50 MB. */
const most = { addresses: 10_000, characters: 20_000_000 }

/** The languages of the European Union, and Norwegian: those that a portal shows its records in. */
const languages: ReadonlySet<string> = new Set(
  'bg cs da de el en es et fi fr ga hr hu it lt lv mt nl no pl pt ro sk sl sv'.split(' '),
)

/** Stands in the pages for the address that their reader reaches the platform by; a character that no id and no address has. */
export const rootMark = '\uE000'

export const protocol = 'http://www.sitemaps.org/schemas/sitemap/0.9'

export type Source = Pick<SearchDeps, 'index' | 'settings' | 'recordPages'>

/** Some addresses, written. */
type Piece = { readonly text: string; readonly addresses: number }

/** Addresses of all catalogues and datasets; holds the text of one page at a time. */
export async function* sitemapPages(source: Source): AsyncGenerator<Page> {
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
  const read = fieldsOf(record)
  const page = (language?: string) => address(rootMark, { kind, id }, language)
  const title = at(read, 'title')
  const spoken =
    isPortal && isFields(title) ? Object.keys(title).filter((key) => languages.has(key)) : []
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

async function packed(pieces: readonly Piece[]): Promise<Page> {
  const content = pieces.map(({ text }) => text).join('')
  const attributes = { xmlns: protocol, 'xmlns:xhtml': 'http://www.w3.org/1999/xhtml' }
  return {
    gzip: await compress(declaration + element('urlset', attributes, content)),
    addresses: pieces.reduce((sum, { addresses }) => sum + addresses, 0),
  }
}
