/** Joins the pages of an RDF source: a record with a part, such as a distribution, that its page does not describe waits. */

import { valueFinding, type Finding } from '../../pipe/message.ts'
import { termText } from '../../rdf/lines.ts'
import { adms, dcat, dct } from '../../rdf/namespaces.ts'
import {
  type ExtractBounds,
  extractResource,
  nodeOf,
  type ResourceExtract,
} from '../importing/cutting/splitter.ts'
import { keyHash } from '../importing/cutting/key-hash.ts'
import { type DescribedNode, Spool } from '../importing/cutting/spool.ts'
import type { ImportItem } from './import-recorder.ts'

/** Properties whose objects the source must describe for a record to be complete, as N-Triples. */
const parts: ReadonlyMap<string, string> = new Map(
  [
    dcat('distribution'),
    adms('sample'),
    dcat('accessService'),
    dcat('contactPoint'),
    dct('publisher'),
    dct('creator'),
  ].map((property) => [termText(property), property.value]),
)

/** Concepts of EU authorities, which sources reference without describing. */
const isAuthorityConcept = (term: string) => term.startsWith('<http://publications.europa.eu/')

/** A node referenced by a record, as N-Triples, and the property. */
type PartReference = { readonly term: string; readonly property: string }

/** Parts of a record that nothing in the spool describes. */
export function undescribedParts(
  spool: Spool,
  graph: string,
  body: string,
): readonly PartReference[] {
  return body.split('\n').flatMap((line) => {
    const start = line.indexOf(' ') + 1
    const property = parts.get(line.slice(start, line.indexOf(' ', start)))
    const term = property && nodeOf(line)
    if (!property || !term?.startsWith('<') || isAuthorityConcept(term)) return []
    return spool.isDescribed({ term, graph }) ? [] : [{ term, property }]
  })
}

/** The finding for a part that nothing describes. */
export const undescribedFinding = ({ term, property }: PartReference, reason: string): Finding => ({
  slug: 'not-described',
  ...valueFinding(property, term.slice(1, -1), reason),
})

/** A waiting record; `createItem` makes it of its statements on all pages, or refuses it as too large without them. */
type WaitingRecord = {
  readonly place: DescribedNode
  readonly missing: readonly PartReference[]
  readonly createItem: (
    extract: ResourceExtract | undefined,
    findings: readonly Finding[],
  ) => Promise<ImportItem>
}

/** Maximum number of waiting records; further ones are completed from their page alone. */
const mostWaiting = 100_000

/** Statements of all pages of one pass, stored in a file of bounded size, and the records that wait for them. */
export class PageJoin {
  /** Number of added pages. */
  pages = 0
  readonly #spool = new Spool()
  readonly #waiting: WaitingRecord[] = []
  /** Hashes of the nodes that were listed or described. */
  readonly #nodes = new Set<number>()
  readonly #bounds: ExtractBounds
  readonly #maxNodes: number
  #remainingBytes: number

  /** `maxBytes`: size of stored pages; later pages are not joined. `maxNodes`: number of remembered nodes. */
  constructor(maxBytes: number, bounds: ExtractBounds, maxNodes = 1_000_000) {
    this.#remainingBytes = maxBytes
    this.#bounds = bounds
    this.#maxNodes = maxNodes
  }

  /**
   * Adds a page; returns whether it lists or describes a node with an IRI that no earlier page did. Statements about
   * catalogues and the page itself are ignored, because they may differ on each page. When no more nodes can be remembered,
   * every page counts as new. Blank nodes belong to their page.
   */
  add(page: Spool, bytes: number, address: string): boolean {
    this.pages += 1
    this.#remainingBytes -= bytes
    const before = this.#nodes.size
    const isFull = before >= this.#maxNodes
    const remember = (term: string) => {
      if (!isFull) this.#nodes.add(keyHash(term))
    }
    const path = `<${address.replace(/[?#].*$/s, '')}`
    const isPage = (term: string) =>
      term.startsWith(path) && /^(?:\?[^#]*)?>$/.test(term.slice(path.length))
    const catalogues = new Set(page.catalogues().map(({ term }) => term))
    for (const { key, lines } of page.chunks()) {
      const [term = ''] = key.split(' ', 1)
      if (term.startsWith('<') && !isPage(term) && !catalogues.has(term)) remember(term)
      if (this.#remainingBytes > 0)
        this.#spool.addChunk(this.#uniqueTerm(key), this.#uniqueLines(lines))
    }
    for (const term of page.listedOnly()) remember(`listed ${term}`)
    return isFull || this.#nodes.size > before
  }

  /** Makes the label of a blank node unique among all pages. */
  #uniqueTerm(term: string): string {
    return term.startsWith('_:') ? `_:p${this.pages}x${term.slice(2)}` : term
  }

  #uniqueLines(lines: string): string {
    if (!lines.includes('_:')) return lines
    return lines.replaceAll(/[^\n]+/g, (line) => {
      const node = nodeOf(line)
      if (node?.startsWith('_:') !== true) return this.#uniqueTerm(line)
      return `${this.#uniqueTerm(line.slice(0, line.lastIndexOf(node)))}${this.#uniqueTerm(node)} .`
    })
  }

  /**
   * Makes a record wait for the other pages; `false` for a blank node, which other pages cannot reference, and if there are too
   * many records or bytes.
   */
  wait(record: WaitingRecord): boolean {
    const { term } = record.place
    if (term.startsWith('_:') || this.#waiting.length >= mostWaiting || this.#remainingBytes <= 0)
      return false
    this.#waiting.push(record)
    return true
  }

  /** Yields the waiting records at the end of the source, with findings for unresolved parts. */
  async *finish(): AsyncIterable<ImportItem> {
    this.#spool.finish()
    for (const { place, missing, createItem } of this.#waiting.splice(0)) {
      const extract = extractResource(this.#spool, place, this.#bounds)
      const findings = missing
        .filter(({ term }) => !this.#spool.isDescribed({ ...place, term }))
        .map((part) => undescribedFinding(part, 'no page of the source describes it'))
      yield await createItem(extract, findings)
    }
  }

  close(): void {
    this.#spool.close()
  }
}
