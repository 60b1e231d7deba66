/** One document of a source, read to its end: its triples in a spool, and what it said beside them. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import { bracketed } from '../../rdf/lines.ts'
import type { Format } from '../../rdf/media-types.ts'
import { dcat, dct, foaf, vcard } from '../../rdf/namespaces.ts'
import type { ParseOptions, Repair } from '../../rdf/parse.ts'
import type { NodePlace } from '../../rdf/reading/options.ts'
import { parseStream } from '../../rdf/reading/parse-stream.ts'
import { type Statement, statementsOf } from '../../rdf/lines.ts'
import { withoutCredentials } from '../../secrets.ts'
import { keyHash } from '../importing/cutting/key-hash.ts'
import { openSpool, type Spool } from '../importing/cutting/spool.ts'
import { iriOf } from '../importing/cutting/parcels.ts'
import { unpacked, utf8 } from './documents.ts'
import type { ImportContext } from './importer.ts'
import { hydraReader, type HydraReader } from './next-page.ts'
import { rdfFormatOf } from './rdf-format.ts'
import { readLargeJson } from './rdf-large-json.ts'
import { checkBody, shownUrl, type SourceStream } from './source.ts'

export type RdfDocument = {
  /** As it goes into ids, records and reports: without credentials. */
  readonly url: string
  /** As it was asked for, after redirects. */
  readonly address: string
  readonly headers: Headers
  /** SHA-256 of the decompressed body in hex. */
  readonly hash: string
  readonly spool: Spool
  /** Triples that were read. */
  readonly triples: number
  readonly hydra: HydraReader
  /** Whether other resources of the document mention the node (N-Triples text); seldom true of one they do not. */
  readonly isMentioned: (term: string) => boolean
  readonly repairs: RepairBook
  /** Where a dataset without an IRI (N-Triples text) stands; known of the first 10,000. */
  readonly placeOf: (term: string) => NodePlace | undefined
  readonly close: () => void
}

/** How the documents of an import are read. */
export type Reading = {
  readonly run: Pick<ImportContext, 'scratch' | 'signal'>
  readonly inputFormat: string | undefined
  /** Broken IRIs are repaired; otherwise they make the document malformed. */
  readonly repair: boolean
  /** The only named graph that counts. */
  readonly graph: string | undefined
  readonly maxBytes: number
  /** JSON-LD up to so many bytes is read in one go. */
  readonly inMemory: number
}

/** Links by which a dataset is mentioned without being described. */
const mentions = new Set(
  [dcat('servesDataset'), dct('hasPart'), dct('relation'), dcat('inSeries')].map(
    (term) => term.value,
  ),
)

/**
 * Reads a document of any size in bounded memory. Throws `source-html`, `source-empty`, `source-truncated`,
 * `source-malformed` with line and column, `too-large`. Nothing is known of the document before its last byte.
 */
export async function readDocument(answer: SourceStream, reading: Reading): Promise<RdfDocument> {
  const { start, body, hash } = await unpacked(answer, reading.maxBytes)
  const format = formatFor(answer, reading, start)
  const spool = openSpool()
  try {
    const hydra = hydraReader()
    const repairs = repairBook()
    const { url: address, headers } = answer
    const { url } = withoutCredentials(address)
    const places = new Map<string, NodePlace>()
    const options = optionsFor(url, reading, { repairs, places })
    const text = isXmlWithEncoding(format, start) ? body : utf8(body, headers, repairs.broken)
    const batches =
      format === 'jsonld'
        ? readLargeJson(text, { ...reading, options })
        : parseStream(text, format, options)
    const filled = await fill(
      {
        spool,
        hydra,
        graph: reading.graph,
        ...(reading.repair && { mended: mailRepair(url, repairs) }),
      },
      statementsOf(batches),
    )
    const about = { url, address, headers, hash: hash() }
    const placeOf = (term: string) => places.get(term)
    return { ...about, spool, hydra, ...filled, repairs, placeOf, close: () => spool.close() }
  } catch (error) {
    spool.close()
    throw translated(error, answer.url)
  }
}

function formatFor(answer: SourceStream, { inputFormat }: Reading, start: Buffer): Format {
  const { url, headers } = answer
  const text = start.toString('utf8')
  checkBody(answer, text, inputFormat === undefined)
  const contentType = headers.get('content-type') ?? ''
  const format = rdfFormatOf({ inputFormat, contentType, url, start: text })
  if (format) return format
  const detail = `${shownUrl(url)} answered ${contentType || 'without a type'}, which is no RDF format we read.`
  throw new Failure('source-malformed', `${detail} Set inputFormat if it is one.`)
}

/** An XML declaration beats what the server says, and the parser reads it itself. */
const isXmlWithEncoding = (format: Format, start: Buffer) =>
  format === 'rdfxml' && /^[^<]{0,3}<\?xml[^>]*encoding\s*=/.test(start.toString('latin1'))

type Notes = { readonly repairs: RepairBook; readonly places: Map<string, NodePlace> }

/** A document of nothing but nameless datasets must not fill the memory with their places. */
const mostPlaces = 10_000
const datasetClasses = new Set([dcat('Dataset').value, dcat('DatasetSeries').value])

const optionsFor = (
  baseIri: string,
  { repair }: Reading,
  { repairs, places }: Notes,
): ParseOptions => ({
  baseIri,
  entities: 'internal',
  places: {
    classes: datasetClasses,
    tell: (node, place) => {
      if (node.startsWith('_:') && places.size < mostPlaces && !places.has(node))
        places.set(node, place)
    },
  },
  ...(repair && { repair: (one: Repair) => repairs.note(one) }),
})

type Filling = {
  spool: Spool
  hydra: HydraReader
  graph: string | undefined
  mended?: (statement: Statement) => Statement
}

async function fill(
  { spool, hydra, graph, mended }: Filling,
  batches: AsyncIterable<readonly Statement[]>,
) {
  const mentioned = new Set<number>()
  let triples = 0
  for await (const batch of batches) {
    const wanted = graph === undefined ? batch : ofGraph(batch, graph)
    const kept = wanted.filter((statement) => {
      if (hydra.take(statement)) return false
      if (mentions.has(statement.predicate)) mentioned.add(keyHash(statement.object))
      return true
    })
    spool.add(mended ? kept.map(mended) : kept)
    triples += kept.length
  }
  spool.finish()
  return { triples, isMentioned: (term: string) => mentioned.has(keyHash(term)) }
}

/** Quads that are there already as a document, for sources that are read by a query engine. */
export async function documentOf(
  url: string,
  batches: AsyncIterable<Quad[]>,
): Promise<RdfDocument> {
  const spool = openSpool()
  try {
    const [hydra, repairs] = [hydraReader(), repairBook()]
    const filled = await fill({ spool, hydra, graph: undefined }, statementsOf(batches))
    const about = {
      url: withoutCredentials(url).url,
      address: url,
      headers: new Headers(),
      hash: '',
    }
    const placeOf = () => undefined
    return { ...about, spool, hydra, ...filled, repairs, placeOf, close: () => spool.close() }
  } catch (error) {
    spool.close()
    throw error
  }
}

/** The statements of the only graph that counts, as if they stood in the default graph. */
function ofGraph(batch: readonly Statement[], graph: string): Statement[] {
  const wanted = [bracketed(graph), `_:${graph}`]
  return batch.filter((one) => wanted.includes(one.graph)).map((one) => ({ ...one, graph: '' }))
}

const ofParser = new Set(['malformed-rdf', 'remote-context', 'invalid-content', 'malformed-json'])

/** A fault of the text is one of the source. */
function translated(error: unknown, url: string): unknown {
  if (!(error instanceof Failure) || !ofParser.has(error.kind)) return error
  const detail = `${shownUrl(url)}: ${error.detail}`
  return new Failure('source-malformed', detail, { errors: error.errors, cause: error })
}

// What was put right while a document was read, told with the record that it belongs to.

type RepairBook = {
  readonly note: (repair: Repair) => void
  /** The document held bytes that are no text. */
  readonly broken: () => void
  /** Repairs whose outcome stands in the N-Triples of a record. */
  readonly of: (lines: string) => readonly Finding[]
  /** Statements that could not be repaired and were left out: how many, and the first of them. */
  readonly dropped: () => { readonly count: number; readonly first: readonly string[] }
}

/** A document whose every IRI is broken must not fill the memory with their names. */
const mostNoted = 100_000
const mostDropped = 100
const mostPerRecord = 20

function repairBook(): RepairBook {
  const made = new Map<string, string>()
  const dropped: string[] = []
  let droppedCount = 0
  let isBroken = false
  return {
    note: ({ kind, from, to, line }) => {
      if (to === undefined) {
        droppedCount += 1
        const place = line === undefined ? '' : `line ${line}: `
        if (dropped.length < mostDropped) dropped.push(`${place}${kind} ${shortened(from)}`)
      } else if (made.size < mostNoted) made.set(to, from)
    },
    broken: () => {
      isBroken = true
    },
    of: (lines) => [
      ...(isBroken && lines.includes('\uFFFD') ? [unreadable] : []),
      ...(made.size === 0 ? [] : repairsIn(lines, made)),
    ],
    dropped: () => ({ count: droppedCount, first: dropped }),
  }
}

const mailPredicates = new Set([vcard('hasEmail').value, foaf('mbox').value])
const mailAddress = /^[^\s/?#@<>:]+@[^\s/?#@<>:]+\.[^\s/?#@<>:]+$/

/**
 * Puts right `vcard:hasEmail <a@city.example>`: without a scheme it is a relative reference, and reading made an address
 * beside the document of it.
 */
function mailRepair(baseIri: string, book: RepairBook): (statement: Statement) => Statement {
  const beside = `<${baseIri.replace(/[?#].*$/s, '').replace(/[^/]*$/, '')}`
  return (statement) => {
    const { predicate, object } = statement
    if (!mailPredicates.has(predicate) || !object.startsWith(beside)) return statement
    const from = object.slice(beside.length, -1)
    if (!mailAddress.test(from)) return statement
    const to = `mailto:${from}`
    book.note({ kind: 'iri', from, to })
    const mended = `<${to}>`
    // The object stands at the end, and nowhere else.
    const line = statement.line.slice(0, statement.line.lastIndexOf(object)) + `${mended} .\n`
    return { ...statement, object: mended, line }
  }
}

const unreadable: Finding = {
  slug: 'invalid-text',
  detail: 'the source held bytes that are no text; they became U+FFFD',
}

function repairsIn(lines: string, made: ReadonlyMap<string, string>): Finding[] {
  const found = new Map<string, Finding>()
  for (const [, iri, tag] of lines.matchAll(/<([^>\n]*)>|"@([A-Za-z0-9-]+)/g)) {
    const to = iri ?? tag ?? ''
    const from = made.get(to)
    if (from === undefined || found.has(to)) continue
    const detail = `${shortened(from)} became ${shortened(to)}`
    found.set(to, { slug: 'repaired-iri', detail })
    if (found.size === mostPerRecord) break
  }
  return [...found.values()]
}

const shortened = (text: string) => (text.length > 300 ? `${text.slice(0, 299)}…` : text)

type Sink = ImportContext['sink']

/** Tells the run which statements nobody can read. */
export function reportDropped(sink: Sink, { repairs, url }: RdfDocument): void {
  const { count, first } = repairs.dropped()
  const report = (detail: string) =>
    sink.finding({ slug: 'dropped-statement', detail }, { sourceUrl: url })
  for (const one of first) report(one)
  if (count > first.length) report(`and ${count - first.length} more`)
}

/** The same, and services that no distribution names: what of a document is in no record. */
export function reportLosses(sink: Sink, document: RdfDocument): void {
  reportDropped(sink, document)
  const { count, first } = document.spool.services()
  reportServices(sink, { count, first: first.map((term) => iriOf(term) ?? term) }, document.url)
}

/** `services-not-harvested` with the number, and the names of the first where they are known; nothing for none. */
export function reportServices(
  sink: Sink,
  { count, first }: { readonly count: number; readonly first: readonly string[] },
  sourceUrl: string,
): void {
  if (count === 0) return
  const names = first.length === 0 ? '' : `: ${first.join(', ')}`
  const detail = `${count}${names}${names !== '' && count > first.length ? ', …' : ''}`
  sink.finding({ slug: 'services-not-harvested', detail }, { sourceUrl })
}
