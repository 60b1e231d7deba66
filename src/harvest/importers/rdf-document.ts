/** One document of the RDF or SPARQL importer: its triples in a temporary store (spool), and its problems. */

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
  /** Whether broken IRIs are repaired; otherwise the document is malformed. */
  readonly repair?: boolean
  /** The only named graph to read. */
  readonly graph?: string
  /** Maximum bytes of JSON-LD that is parsed at once. */
  readonly inMemory?: number
  /** Called if the media type does not match the body; not if the config sets the format. */
  readonly wrongType?: (fault: string) => void
}

/** Properties that reference a dataset without describing it. */
const mentionPredicates = new Set(
  [dcat('servesDataset'), dct('hasPart'), dct('relation'), dcat('inSeries')].map(
    (term) => term.value,
  ),
)
const datasetClasses = new Set([dcat('Dataset').value, dcat('DatasetSeries').value])
const mailPredicates = new Set([vcard('hasEmail').value, foaf('mbox').value])
const mailAddress = /^[^\s/?#@<>:]+@[^\s/?#@<>:]+\.[^\s/?#@<>:]+$/

/** Maximum numbers of remembered positions, repairs and dropped statements, and of findings about repairs per record. */
const mostPlaces = 10_000
const mostRepairs = 100_000
const mostDropped = 100
const mostPerRecord = 20

/** A document that is read once and then converted to records; the consumer closes it. */
export class RdfDocument {
  /** URL without credentials, as used in ids, records and reports. */
  readonly url: string
  /** Requested URL, after redirects. */
  readonly address: string
  readonly spool = new Spool()
  readonly hydra = new HydraReader()
  /** Number of triples. */
  triples = 0
  /** Hashes of nodes that `mentionPredicates` reference. */
  readonly #mentioned = new Set<number>()
  /** Positions of the first datasets (IRI or `_:label`) in the document. */
  readonly #places = new Map<string, NodePlace>()
  /** Originals by repaired values. */
  readonly #repaired = new Map<string, string>()
  /** Statements that could not be repaired. */
  readonly #dropped: string[] = []
  #droppedCount = 0

  constructor(address: string) {
    this.address = address
    this.url = withoutCredentials(address).url
  }

  /** Options for the parser, which reports positions of datasets and, with `repair`, repairs to this document. */
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
      ...(repair && { repair: (fix) => this.#recordRepair(fix) }),
    }
  }

  /** Reads all triples, or those of one graph; statements about paging are dropped. Closes the document on failure. */
  async fill(batches: AsyncIterable<Quad[]>, { graph, repair = false }: RdfReading): Promise<this> {
    const graphNames = graph === undefined ? undefined : [quoteIri(graph), `_:${graph}`]
    try {
      for await (const batch of statementsOf(batches)) {
        const keptStatements: Statement[] = []
        for (const entry of batch) {
          if (graphNames?.includes(entry.graph) === false || this.hydra.take(entry)) continue
          if (mentionPredicates.has(entry.predicate)) this.#mentioned.add(keyHash(entry.object))
          const statement = graphNames ? { ...entry, graph: '' } : entry
          keptStatements.push(repair ? this.#withMailAddress(statement) : statement)
        }
        this.spool.add(keptStatements)
        this.triples += keptStatements.length
      }
      this.spool.finish()
      return this
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Whether a resource references the node (N-Triples) as a dataset; hash collisions may rarely say so wrongly. */
  isMentioned(term: string): boolean {
    return this.#mentioned.has(keyHash(term))
  }

  /** Position of a dataset (N-Triples); `undefined` if it is not remembered. */
  placeOf(term: string): NodePlace | undefined {
    return this.#places.get(term.replace(/^<(.*)>$/s, '$1'))
  }

  #recordRepair({ kind, from, to, line }: Repair): void {
    if (to !== undefined) {
      if (this.#repaired.size < mostRepairs) this.#repaired.set(to, from)
      return
    }
    this.#droppedCount += 1
    const place = line === undefined ? '' : `line ${line}: `
    if (this.#dropped.length < mostDropped) this.#dropped.push(`${place}${kind} ${shortened(from)}`)
  }

  /** Repairs `vcard:hasEmail <a@city.example>`, which without a scheme was resolved as a relative reference. */
  #withMailAddress(statement: Statement): Statement {
    const { predicate, object, line } = statement
    if (!mailPredicates.has(predicate)) return statement
    const folder = `<${this.url.replace(/[?#].*$/s, '').replace(/[^/]*$/, '')}`
    const from = object.slice(folder.length, -1)
    if (!object.startsWith(folder) || !mailAddress.test(from)) return statement
    this.#recordRepair({ kind: 'iri', from, to: `mailto:${from}` })
    const repaired = `<mailto:${from}>`
    // The object occurs only at the end of the line.
    return {
      ...statement,
      object: repaired,
      line: `${line.slice(0, line.lastIndexOf(object))}${repaired} .\n`,
    }
  }

  /** Findings for repairs whose result occurs in the N-Triples of a record. */
  repairsIn(lines: string): readonly Finding[] {
    const findings = new Map<string, Finding>()
    for (const [, iri, tag] of lines.matchAll(/<([^>\n]*)>|"@([A-Za-z0-9-]+)/g)) {
      if (this.#repaired.size === 0 || findings.size === mostPerRecord) break
      const to = iri ?? tag ?? ''
      const from = this.#repaired.get(to)
      if (from === undefined) continue
      const detail = `${shortened(from)} became ${shortened(to)}`
      const slug = iri === undefined ? 'repaired-language' : 'repaired-iri'
      findings.set(to, { slug, detail, value: shortened(from) })
    }
    return [...findings.values()]
  }

  /** Reports statements that could not be repaired to the run. */
  reportDropped(sink: ImportContext['sink']): void {
    const unnamed = this.#droppedCount - this.#dropped.length
    for (const detail of unnamed > 0 ? [...this.#dropped, `and ${unnamed} more`] : this.#dropped)
      sink.finding({ slug: 'dropped-statement', detail }, { sourceUrl: this.url })
  }

  /** Reason why the document is neither a catalogue nor a page of one; `undefined` if it is. */
  get missingContent(): string | undefined {
    if (this.hydra.total() !== undefined || this.spool.isCatalogue()) return undefined
    return `${shownUrl(this.url)}: no dataset found; ${this.spool.contentSummary()}.`
  }

  /** Reports services that belong to no distribution. */
  reportServices(sink: ImportContext['sink']): void {
    const { count, first } = this.spool.services()
    reportServices(sink, { count, first: first.map((term) => iriOf(term) ?? term) }, this.url)
  }

  close(): void {
    this.spool.close()
  }
}

const shortened = (text: string) => (text.length > 300 ? `${text.slice(0, 299)}…` : text)

const parserFaults = new Set([
  'malformed-rdf',
  'remote-context',
  'invalid-content',
  'malformed-json',
])

/** Maximum bytes of JSON-LD that is parsed at once. */
const mostInMemory = 16 * 1_048_576

/**
 * Reads a document of any size in bounded memory and closes its file. Throws `source-truncated`, `source-malformed` with line
 * and column, `too-large`.
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
    const isLarge =
      format === 'jsonld' && size > Math.min(mostInMemory, reading.inMemory ?? mostInMemory)
    const batches = isLarge ? readLargeJson(stored, options) : parseStream(bytes(), format, options)
    return await document.fill(batches, reading)
  } catch (error) {
    if (!(error instanceof Failure) || !parserFaults.has(error.kind)) throw error
    // To the run, invalid text is a fault of the source.
    const detail = `${shownUrl(url)}: ${error.detail}`
    throw new Failure('source-malformed', detail, { errors: error.errors, cause: error })
  } finally {
    await stored.close()
  }
}

/** Format of a document. Throws `source-malformed` with a hint at `inputFormat` if it is unknown. */
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

/** Creates a document from quads, for sources that are read by a query engine. */
export async function documentOf(address: string, batches: AsyncIterable<Quad[]>) {
  return new RdfDocument(address).fill(batches, {})
}

/** End of an import without any dataset; reports the reason. */
export function noDataset(
  { sink, config }: Pick<ImportRun<object>, 'sink' | 'config'>,
  detail: string,
): ImportEvent {
  const { url: sourceUrl } = withoutCredentials(config.address)
  sink.finding({ slug: 'no-dataset', detail }, { sourceUrl })
  return { kind: 'end', outcome: 'incomplete', problem: new Failure('source-empty', detail) }
}

/** Finding `services-not-harvested` with the number and the first names; nothing for none. */
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

// Large JSON-LD documents are read twice from their file, member by member.

/** Bytes of members from which they are expanded together. */
const batchCharacters = 1 << 18

/** Paths of members in a document that is no list. */
const memberPaths = ['$.@graph.*', '$.dcat:dataset.*', '$.dataset.*']

/** Yields the quads in member order; the first pass finds the context. Throws the failures of `parse`. */
async function* readLargeJson(
  stored: StoredDocument,
  options: ParseOptions,
): AsyncIterable<Quad[]> {
  const paths = /^\s*\[/.test(stored.start) ? ['$.*'] : memberPaths
  const sharedOptions = { ...options, document: {} }
  let context: unknown
  for await (const { value } of jsonMembers(stored, { paths: ['$.@context'] })) context = value
  let batch: { value: object; pointer: string }[] = []
  let [characters, count] = [0, 0]
  const expand = async () => {
    const graph = batch.map(({ value }) => value)
    const text = JSON.stringify(
      context === undefined ? graph : { '@context': context, '@graph': graph },
    )
    const batchOptions = withPlaces(
      sharedOptions,
      batch.map(({ pointer }) => pointer),
    )
    batch = []
    characters = 0
    return parse(text, 'jsonld', batchOptions)
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

/** Converts positions in a batch of members to positions in the document. */
function withPlaces(options: ParseOptions, pointers: readonly string[]): ParseOptions {
  const { placeRequest: places } = options
  if (!places) return options
  const report: PlaceRequest['report'] = (node, place) => {
    const pointer = 'pointer' in place ? place.pointer : ''
    const [, index, rest = ''] = /^(?:\/@graph)?\/(\d+)(.*)$/s.exec(pointer) ?? []
    const member = pointers[Number(index)]
    if (member !== undefined) places.report(node, { pointer: member + rest })
  }
  return { ...options, placeRequest: { ...places, report } }
}
