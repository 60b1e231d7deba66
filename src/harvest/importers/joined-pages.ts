/** Joins what the pages of an RDF source say: a record whose distribution or publisher another page describes waits for the end. */

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

/** References of a record that its source must describe for the record to be complete. */
const parts = [
  dcat('distribution'),
  adms('sample'),
  dcat('accessService'),
  dcat('contactPoint'),
  dct('publisher'),
  dct('creator'),
].map((property) => ({ name: ` ${termText(property)} `, property }))

/** Concepts that everybody names and nobody describes. */
const isCommon = (term: string) => term.startsWith('<http://publications.europa.eu/')

/** A node that a record names, as N-Triples text, and the property that names it. */
type NamedPart = { readonly term: string; readonly property: string }

/** Parts of a record that nothing in the spool describes. */
export function undescribedParts(spool: Spool, graph: string, body: string): readonly NamedPart[] {
  return body.split('\n').flatMap((line) => {
    const part = parts.find(({ name }) => line.includes(name))
    const term = part && nodeOf(line)
    if (!part || term === undefined || !term.startsWith('<') || isCommon(term)) return []
    return spool.isDescribed({ term, graph }) ? [] : [{ term, property: part.property.value }]
  })
}

/** The finding for a part that nothing describes. */
export const undescribedFinding = ({ term, property }: NamedPart, reason: string): Finding => ({
  slug: 'not-described',
  ...valueFinding(property, term.slice(1, -1), reason),
})

/** A record that waits. `later`: makes it out of what all pages say. */
type Waiting = {
  readonly place: DescribedNode
  readonly missing: readonly NamedPart[]
  readonly later: (
    piece: ResourceExtract | undefined,
    findings: readonly Finding[],
  ) => Promise<ImportItem>
}

/** Records that wait at once; the others are taken as their page has them. */
const mostWaiting = 100_000
/** Statements of all pages of one pass, kept in a file of bounded size to join records with them. */
export class PageJoin {
  pages = 0
  readonly #spool = new Spool()
  readonly #waiting: Waiting[] = []
  readonly #seen = new Set<number>()
  readonly #bounds: ExtractBounds
  readonly #mostSeen: number
  #room: number

  /** `maxBytes`: of pages that are kept; later ones are not joined. `mostSeen`: nodes that are remembered as described. */
  constructor(maxBytes: number, bounds: ExtractBounds, mostSeen = 1_000_000) {
    this.#room = maxBytes
    this.#bounds = bounds
    this.#mostSeen = mostSeen
  }

  /**
   * Takes a page of so many bytes; whether it lists or describes a node with an IRI that no page before it did. What it says of
   * catalogues and of itself does not count: that may be different on each page. Once no more nodes can be remembered, every page
   * counts as one that says something. Blank nodes stay those of their page.
   */
  add(page: Spool, bytes: number, address: string): boolean {
    this.pages += 1
    this.#room -= bytes
    const before = this.#seen.size
    const isFull = before >= this.#mostSeen
    const meet = (term: string) => {
      if (!isFull) this.#seen.add(keyHash(term))
    }
    const path = `<${address.replace(/[?#].*$/s, '')}`
    const isPage = (term: string) =>
      term.startsWith(path) && /^(?:\?[^#]*)?>$/.test(term.slice(path.length))
    const catalogues = new Set(page.catalogues().map(({ term }) => term))
    for (const { key, lines } of page.chunks()) {
      const [term = ''] = key.split(' ', 1)
      if (term.startsWith('<') && !isPage(term) && !catalogues.has(term)) meet(term)
      if (this.#room > 0) this.#spool.addChunk(this.#own(key), this.#ownLines(lines))
    }
    for (const term of page.listedOnly()) meet(`listed ${term}`)
    return isFull || this.#seen.size > before
  }

  #own(term: string): string {
    return term.startsWith('_:') ? `_:p${this.pages}x${term.slice(2)}` : term
  }

  #ownLines(lines: string): string {
    if (!lines.includes('_:')) return lines
    return lines.replaceAll(/[^\n]+/g, (line) => {
      const node = nodeOf(line)
      if (node?.startsWith('_:') !== true) return this.#own(line)
      return `${this.#own(line.slice(0, line.lastIndexOf(node)))}${this.#own(node)} .`
    })
  }

  /** Whether the record waits for the other pages; a blank node, which none of them can name, does not. */
  wait(record: Waiting): boolean {
    const { term } = record.place
    if (term.startsWith('_:') || this.#waiting.length >= mostWaiting || this.#room <= 0)
      return false
    this.#waiting.push(record)
    return true
  }

  /** The records that waited, with what could not be joined as findings. To be called at the end of the source. */
  async *finish(): AsyncIterable<ImportItem> {
    this.#spool.finish()
    for (const { place, missing, later } of this.#waiting.splice(0)) {
      const piece = extractResource(this.#spool, place, this.#bounds)
      const findings = missing
        .filter(({ term }) => !this.#spool.isDescribed({ ...place, term }))
        .map((part) => undescribedFinding(part, 'no page of the source describes it'))
      yield await later(piece, findings)
    }
  }

  close(): void {
    this.#spool.close()
  }
}
