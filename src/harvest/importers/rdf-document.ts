/** One document of a source, read to its end: its triples in a spool, and what it said beside them. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import { quoteIri, type Statement, statementsOf } from '../../rdf/lines.ts'
import { dcat, dct, foaf, vcard } from '../../rdf/namespaces.ts'
import type { Format } from '../../rdf/media-types.ts'
import { parse, type ParseOptions, type Repair } from '../../rdf/parse.ts'
import type { NodePlace, PlaceRequest } from '../../rdf/reading/options.ts'
import { parseStream } from '../../rdf/reading/parse-stream.ts'
import { shownUrl, withoutCredentials } from '../../secrets.ts'
import { keyHash } from '../importing/cutting/key-hash.ts'
import { iriOf } from '../importing/cutting/chunks.ts'
import { Spool } from '../importing/cutting/spool.ts'
import { jsonMembers, type StoredDocument } from './documents.ts'
import type { ImportContext, ImportRun } from './importer.ts'
import { HydraReader } from './next-page.ts'
import type { ImportEvent } from './import-recorder.ts'
import { mediaTypeFault, rdfFormatOf } from './rdf-format.ts'

/** Options of reading the documents of an import. */
type RdfReading = {
  readonly inputFormat?: string
  /** Broken IRIs are repaired; otherwise they make the document malformed. */
  readonly repair?: boolean
  /** The only named graph that counts. */
  readonly graph?: string
  /** JSON-LD up to so many bytes is read in one go. */
  readonly inMemory?: number
  /** Told when the type of the answer names something else than the body is; not where the config names the format. */
  readonly wrongType?: (fault: string) => void
}

/** Links by which a dataset is mentioned without being described. */
const mentions = new Set(
  [dcat('servesDataset'), dct('hasPart'), dct('relation'), dcat('inSeries')].map(
    (term) => term.value,
  ),
)
const datasetClasses = new Set([dcat('Dataset').value, dcat('DatasetSeries').value])
const mailPredicates = new Set([vcard('hasEmail').value, foaf('mbox').value])
const mailAddress = /^[^\s/?#@<>:]+@[^\s/?#@<>:]+\.[^\s/?#@<>:]+$/

/** A document of nothing but faults or nameless datasets must not fill the memory with them. */
const mostPlaces = 10_000
const mostNoted = 100_000
const mostDropped = 100
const mostPerRecord = 20

/** A document on its way to records: filled once, asked often, and closed by whoever reads its records. */
export class RdfDocument {
  /** As it goes into ids, records and reports: without credentials. */
  readonly url: string
  /** As it was asked for, after redirects. */
  readonly address: string
  readonly spool = new Spool()
  readonly hydra = new HydraReader()
  /** Triples that were read. */
  triples = 0
  readonly #mentioned = new Set<number>()
  /** Where datasets (an IRI or `_:label`) stand in the document; of the first alone. */
  readonly #places = new Map<string, NodePlace>()
  /** Repaired values, with the values that they replace. */
  readonly #repaired = new Map<string, string>()
  /** Statements that could not be repaired and were left out. */
  readonly #dropped: string[] = []
  #droppedCount = 0

  constructor(address: string) {
    this.address = address
    this.url = withoutCredentials(address).url
  }

  parseOptions(repair: boolean): ParseOptions {
    return {
      baseIri: this.url,
      entities: 'internal',
      placeRequest: {
        classes: datasetClasses,
        report: (node, place) => {
          if (this.#places.size < mostPlaces && !this.#places.has(node))
            this.#places.set(node, place)
        },
      },
      ...(repair && { repair: (one) => this.#note(one) }),
    }
  }

  /**
   * Takes all triples, of one graph alone where one is named; statements about paging are no part of the catalogue. Closes the
   * document when they cannot be read to their end.
   */
  async fill(batches: AsyncIterable<Quad[]>, { graph, repair = false }: RdfReading): Promise<this> {
    const wanted = graph === undefined ? undefined : [quoteIri(graph), `_:${graph}`]
    try {
      for await (const batch of statementsOf(batches)) {
        const taken: Statement[] = []
        for (const one of batch) {
          if (wanted?.includes(one.graph) === false || this.hydra.take(one)) continue
          if (mentions.has(one.predicate)) this.#mentioned.add(keyHash(one.object))
          const statement = wanted ? { ...one, graph: '' } : one
          taken.push(repair ? this.#withMailAddress(statement) : statement)
        }
        this.spool.add(taken)
        this.triples += taken.length
      }
      this.spool.finish()
      return this
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Whether other resources of the document mention the node (N-Triples text); seldom true of one they do not. */
  isMentioned(term: string): boolean {
    return this.#mentioned.has(keyHash(term))
  }

  placeOf(term: string): NodePlace | undefined {
    return this.#places.get(term.replace(/^<(.*)>$/s, '$1'))
  }

  #note({ kind, from, to, line }: Repair): void {
    if (to !== undefined) {
      if (this.#repaired.size < mostNoted) this.#repaired.set(to, from)
      return
    }
    this.#droppedCount += 1
    const place = line === undefined ? '' : `line ${line}: `
    if (this.#dropped.length < mostDropped) this.#dropped.push(`${place}${kind} ${shortened(from)}`)
  }

  /**
   * Puts right `vcard:hasEmail <a@city.example>`: without a scheme it is a relative reference, and reading made an address
   * beside the document of it.
   */
  #withMailAddress(statement: Statement): Statement {
    const { predicate, object, line } = statement
    if (!mailPredicates.has(predicate)) return statement
    const beside = `<${this.url.replace(/[?#].*$/s, '').replace(/[^/]*$/, '')}`
    const from = object.slice(beside.length, -1)
    if (!object.startsWith(beside) || !mailAddress.test(from)) return statement
    this.#note({ kind: 'iri', from, to: `mailto:${from}` })
    const mended = `<mailto:${from}>`
    // The object stands at the end, and nowhere else.
    return {
      ...statement,
      object: mended,
      line: `${line.slice(0, line.lastIndexOf(object))}${mended} .\n`,
    }
  }

  /** Repairs whose outcome stands in the N-Triples of a record. */
  repairsIn(lines: string): readonly Finding[] {
    const found = new Map<string, Finding>()
    for (const [, iri, tag] of lines.matchAll(/<([^>\n]*)>|"@([A-Za-z0-9-]+)/g)) {
      if (this.#repaired.size === 0 || found.size === mostPerRecord) break
      const to = iri ?? tag ?? ''
      const from = this.#repaired.get(to)
      if (from === undefined) continue
      const detail = `${shortened(from)} became ${shortened(to)}`
      const slug = iri === undefined ? 'repaired-language' : 'repaired-iri'
      found.set(to, { slug, detail, value: shortened(from) })
    }
    return [...found.values()]
  }

  /** Tells the run which statements nobody can read. */
  reportDropped(sink: ImportContext['sink']): void {
    const more = this.#droppedCount - this.#dropped.length
    for (const detail of more > 0 ? [...this.#dropped, `and ${more} more`] : this.#dropped)
      sink.finding({ slug: 'dropped-statement', detail }, { sourceUrl: this.url })
  }

  /** Why a document without anything of a catalogue is none; nothing for others. */
  get missingContent(): string | undefined {
    if (this.hydra.total() !== undefined || this.spool.isCatalogue()) return undefined
    return `${shownUrl(this.url)}: no dataset found; ${this.spool.contentSummary()}.`
  }

  /** Tells the run which services no distribution names. */
  reportServices(sink: ImportContext['sink']): void {
    const { count, first } = this.spool.services()
    reportServices(sink, { count, first: first.map((term) => iriOf(term) ?? term) }, this.url)
  }

  close(): void {
    this.spool.close()
  }
}

const shortened = (text: string) => (text.length > 300 ? `${text.slice(0, 299)}…` : text)

const ofParser = new Set(['malformed-rdf', 'remote-context', 'invalid-content', 'malformed-json'])

/** JSON-LD up to so many bytes is read in one go. */
const inMemory = 16 * 1_048_576

/**
 * Reads a document of any size in bounded memory, and closes its file. Throws `source-truncated`, `source-malformed` with line and
 * column, `too-large`. Nothing is known of the document before its last byte.
 */
export async function readRdfDocument(
  stored: StoredDocument,
  reading: RdfReading,
): Promise<RdfDocument> {
  const { url, size, bytes } = stored
  try {
    const format = formatFor(stored, reading)
    const document = new RdfDocument(url)
    const options = document.parseOptions(reading.repair === true)
    const isLarge = format === 'jsonld' && size > Math.min(inMemory, reading.inMemory ?? inMemory)
    const batches = isLarge ? readLargeJson(stored, options) : parseStream(bytes(), format, options)
    return await document.fill(batches, reading)
  } catch (error) {
    if (!(error instanceof Failure) || !ofParser.has(error.kind)) throw error
    // A fault of the text is one of the source.
    const detail = `${shownUrl(url)}: ${error.detail}`
    throw new Failure('source-malformed', detail, { errors: error.errors, cause: error })
  } finally {
    await stored.close()
  }
}

/** Throws `source-malformed` with a hint at `inputFormat` when nothing tells the format. */
function formatFor(
  { url, headers, start }: StoredDocument,
  { inputFormat, wrongType }: RdfReading,
): Format {
  const contentType = headers.get('content-type') ?? ''
  const format = rdfFormatOf({ inputFormat, contentType, url, start })
  const fault = format && inputFormat === undefined && mediaTypeFault(contentType, format)
  if (fault) wrongType?.(fault)
  if (format) return format
  const detail = `${shownUrl(url)} answered ${contentType || 'without a type'}, which is no RDF format we read.`
  throw new Failure('source-malformed', `${detail} Set inputFormat if it is one.`)
}

/** Quads that are there already as a document, for sources that are read by a query engine. */
export async function documentOf(address: string, batches: AsyncIterable<Quad[]>) {
  return new RdfDocument(address).fill(batches, {})
}

/** The end of an import that found nothing that could be a dataset; the run is told why. */
export function noDataset(
  { sink, config }: Pick<ImportRun<object>, 'sink' | 'config'>,
  detail: string,
): ImportEvent {
  const { url: sourceUrl } = withoutCredentials(config.address)
  sink.finding({ slug: 'no-dataset', detail }, { sourceUrl })
  return { kind: 'end', as: 'incomplete', problem: new Failure('source-empty', detail) }
}

/** `services-not-harvested` with the number, and the names of the first where they are known; nothing for none. */
export function reportServices(
  sink: ImportContext['sink'],
  { count, first }: { readonly count: number; readonly first: readonly string[] },
  sourceUrl: string,
): void {
  if (count === 0) return
  const names = first.length === 0 ? '' : `: ${first.join(', ')}`
  const detail = `${count}${names}${names !== '' && count > first.length ? ', …' : ''}`
  sink.finding({ slug: 'services-not-harvested', detail }, { sourceUrl })
}

// JSON-LD of any size: a document that does not fit into memory is read twice from its file, member by member.

/** Characters of members that are expanded together. */
const batchCharacters = 1 << 18

/** Where members are, in a document that is no list itself. */
const lists = ['$.@graph.*', '$.dcat:dataset.*', '$.dataset.*']

/** The quads in the order of the members: first the context is found, wherever it is, then the members under it. Throws as `parse`. */
async function* readLargeJson(
  stored: StoredDocument,
  options: ParseOptions,
): AsyncIterable<Quad[]> {
  const paths = /^\s*\[/.test(stored.start) ? ['$.*'] : lists
  const shared = { ...options, document: {} }
  let context: unknown
  for await (const { value } of jsonMembers(stored, { paths: ['$.@context'] })) context = value
  let batch: { value: object; pointer: string }[] = []
  let [characters, count] = [0, 0]
  const expand = async () => {
    const graph = batch.map(({ value }) => value)
    const text = JSON.stringify(
      context === undefined ? graph : { '@context': context, '@graph': graph },
    )
    const placed = withPlaces(
      shared,
      batch.map(({ pointer }) => pointer),
    )
    batch = []
    characters = 0
    return parse(text, 'jsonld', placed)
  }
  for await (const { list, key, value, size } of jsonMembers(stored, { paths })) {
    if (typeof value !== 'object' || value === null || typeof key !== 'number') continue
    batch.push({ value, pointer: list === '' ? `/${key}` : `/${list}/${key}` })
    characters += size
    count += 1
    if (characters >= batchCharacters) yield await expand()
  }
  if (count === 0)
    throw new Failure('too-large', 'The JSON-LD is too large and has no list of members to cut at.')
  if (batch.length > 0) yield await expand()
}

/** Places of members that are read together become places in their document. */
function withPlaces(options: ParseOptions, pointers: readonly string[]): ParseOptions {
  const { placeRequest: places } = options
  if (!places) return options
  const tell: PlaceRequest['report'] = (node, place) => {
    const pointer = 'pointer' in place ? place.pointer : ''
    const [, at, below = ''] = /^(?:\/@graph)?\/(\d+)(.*)$/s.exec(pointer) ?? []
    const member = pointers[Number(at)]
    if (member !== undefined) places.report(node, { pointer: member + below })
  }
  return { ...options, placeRequest: { ...places, report: tell } }
}
