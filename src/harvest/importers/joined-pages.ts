/** Joins the pages of an RDF source: a record whose distribution or publisher is described on another page waits for the end. */

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

/** Properties whose objects the source must describe for a record to be complete. */
const parts = [
  dcat('distribution'),
  adms('sample'),
  dcat('accessService'),
  dcat('contactPoint'),
  dct('publisher'),
  dct('creator'),
].map((property) => ({ name: ` ${termText(property)} `, property }))

/** Concepts of EU authorities, which sources reference without describing. */
const isCommon = (term: string) => term.startsWith('<http://publications.europa.eu/')

/** A node referenced by a record, as N-Triples, and the property. */
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

/** A waiting record; `later` creates it from the statements of all pages. */
type Waiting = {
  readonly place: DescribedNode
  readonly missing: readonly NamedPart[]
  readonly later: (
    piece: ResourceExtract | undefined,
    findings: readonly Finding[],
  ) => Promise<ImportItem>
}

/** Maximum number of waiting records; further ones are completed from their page alone. */
const mostWaiting = 100_000
/** Statements of all pages of one pass, stored in a file of bounded size. */
export class PageJoin {
  pages = 0
  readonly #spool = new Spool()
  readonly #waiting: Waiting[] = []
  readonly #seen = new Set<number>()
  readonly #bounds: ExtractBounds
  readonly #mostSeen: number
  #remainingBytes: number

  /** `maxBytes`: size of stored pages; later pages are not joined. `mostSeen`: number of remembered described nodes. */
  constructor(maxBytes: number, bounds: ExtractBounds, mostSeen = 1_000_000) {
    this.#remainingBytes = maxBytes
    this.#bounds = bounds
    this.#mostSeen = mostSeen
  }

  /**
   * Adds a page; returns whether it lists or describes a node with an IRI that no earlier page did. Statements about
   * catalogues and the page itself are ignored, because they may differ on each page. When no more nodes can be remembered,
   * every page counts as new. Blank nodes belong to their page.
   */
  add(page: Spool, bytes: number, address: string): boolean {
    this.pages += 1
    this.#remainingBytes -= bytes
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
      if (this.#remainingBytes > 0) this.#spool.addChunk(this.#own(key), this.#ownLines(lines))
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

  /** Makes a record wait for the other pages; `false` for a blank node, which other pages cannot reference. */
  wait(record: Waiting): boolean {
    const { term } = record.place
    if (term.startsWith('_:') || this.#waiting.length >= mostWaiting || this.#remainingBytes <= 0)
      return false
    this.#waiting.push(record)
    return true
  }

  /** Yields the waiting records at the end of the source, with findings for unresolved parts. */
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
