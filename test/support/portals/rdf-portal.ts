/** A portal that publishes its catalogue as RDF: whole or in pages, in every format, with all spellings of Hydra. */

import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { parse } from '../../../src/rdf/parse.ts'
import { formats, type Format } from '../../../src/rdf/media-types.ts'
import { toLines } from '../../../src/rdf/lines.ts'
import { serialise } from '../../../src/rdf/serialise.ts'
import { portal, type Portal } from './portal.ts'
import type { FaultRule } from './faults.ts'

export type RdfRecord = { readonly id: string; readonly title: string }

export type RdfPortalOptions = {
  readonly format?: Format
  /** How a page says which is the next; `none`: all records in one document. */
  readonly paging?: 'none' | 'next' | 'nextPage' | 'both-literal' | 'link'
  readonly pageSize?: number
  /** Another type than the right one, or none. */
  readonly contentType?: string
  readonly gzip?: 'encoding' | 'body'
  /** ETag and 304. */
  readonly conditional?: boolean
}

export type RdfPortal = Portal & {
  /** What is published from now on. */
  show(records: readonly RdfRecord[]): void
  /** What `hydra:totalItems` says; the truth when undefined. */
  declare(total: ((page: number) => number) | undefined): void
  /** Where the next link leads; as it should when undefined. */
  lead(next: ((page: number) => string | undefined) | undefined): void
  readonly address: string
}

/** The N-Triples of a record as the portal describes it. */
const iriOf = (record: RdfRecord) => `https://data.city.example/set/${record.id}`

export async function rdfPortal(
  records: readonly RdfRecord[],
  options: RdfPortalOptions = {},
  rules: readonly FaultRule[] = [],
): Promise<RdfPortal> {
  const { format = 'turtle', paging = 'none', pageSize = 2 } = options
  const state: Shown = { records, declare: undefined, lead: undefined }
  const site = await portal(async (request) => {
    const url = new URL(request.url)
    const page = Number(url.searchParams.get('page') ?? 1)
    const shown = paging === 'none' ? state.records : pageOf(state.records, page, pageSize)
    if (page > 1 && shown.length === 0) return new Response('gone', { status: 404 })
    const last = Math.ceil(state.records.length / pageSize)
    const following = `${url.origin}${url.pathname}?page=${page + 1}`
    const next = state.lead ? state.lead(page) : page < last ? following : undefined
    const total = state.declare?.(page) ?? state.records.length
    const described = shown.length === 0 ? emptyCatalogue : shown.map(describe).join('\n')
    const turtle = described + viewOf(paging, url.href, { next, total })
    return answerOf(await bytesOf(turtle, format, url.href), request, options, next)
  }, rules)
  return {
    ...site,
    address: `${site.url}/catalogue`,
    show: (published) => {
      state.records = published
    },
    declare: (total) => {
      state.declare = total
    },
    lead: (next) => {
      state.lead = next
    },
  }
}

/** An empty catalogue says that it is one: a document of nothing is no source. */
const emptyCatalogue = '<https://data.city.example/> a <http://www.w3.org/ns/dcat#Catalog> .\n'

type Shown = {
  records: readonly RdfRecord[]
  declare: ((page: number) => number) | undefined
  lead: ((page: number) => string | undefined) | undefined
}

const pageOf = (records: readonly RdfRecord[], page: number, size: number) =>
  records.slice((page - 1) * size, page * size)

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix hydra: <http://www.w3.org/ns/hydra/core#> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
`

const describe = (
  record: RdfRecord,
) => `<https://data.city.example/> dcat:dataset <${iriOf(record)}> .
<${iriOf(record)}> a dcat:Dataset ; dct:title ${JSON.stringify(record.title)}@en ; dct:identifier "${record.id}" ;
  dct:publisher <https://data.city.example/office> ;
  dcat:contactPoint [ a vcard:Kind ; vcard:fn "Office" ] ; dcat:distribution <${iriOf(record)}/csv> .
<${iriOf(record)}/csv> a dcat:Distribution ; dcat:accessURL <https://data.city.example/${record.id}.csv> .
<https://data.city.example/office> a foaf:Organization ; foaf:name "Office" .
`

type View = { readonly next: string | undefined; readonly total: number }

/** What the page says of its place, in the spelling of one of the platforms in use. */
function viewOf(paging: RdfPortalOptions['paging'], url: string, { next, total }: View): string {
  const count = `hydra:totalItems ${total}`
  const link = (predicate: string, term: string) =>
    next === undefined ? '' : `; hydra:${predicate} ${term}`
  switch (paging) {
    case 'next':
      return `<${url}> a hydra:PartialCollectionView ${link('next', `<${next}>`)} .
        <${url}#all> a hydra:Collection ; hydra:view <${url}> ; ${count} .`
    case 'nextPage':
      return `<${url}> a hydra:PagedCollection ; ${count} ${link('nextPage', `<${next}>`)} .`
    case 'both-literal':
      return `<${url}> a hydra:PagedCollection ; hydra:totalItems "${total}"
        ${link('next', JSON.stringify(next))} ${link('nextPage', JSON.stringify(next))} .`
    default:
      return ''
  }
}

async function bytesOf(turtle: string, format: Format, baseIri: string): Promise<Buffer> {
  const text = prefixes + turtle
  if (format === 'turtle' || format === 'n3') return Buffer.from(text)
  const quads = await parse(text, 'turtle', { baseIri })
  return Buffer.from(await serialise(toLines(quads), format))
}

function answerOf(
  bytes: Buffer,
  request: Request,
  options: RdfPortalOptions,
  next: string | undefined,
): Response {
  const { format = 'turtle', paging, contentType, gzip, conditional } = options
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`
  if (conditional === true && request.headers.get('if-none-match') === etag)
    return new Response(null, { status: 304, headers: { ETag: etag } })
  const headers = {
    'Content-Type': contentType ?? formats[format].mediaType,
    ...(conditional === true && { ETag: etag }),
    ...(gzip === 'encoding' && { 'Content-Encoding': 'gzip' }),
    ...(paging === 'link' && next !== undefined && { Link: `<${next}>; rel="next"` }),
  }
  return new Response(new Uint8Array(gzip ? gzipSync(bytes) : bytes), { headers })
}
