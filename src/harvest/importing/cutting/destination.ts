/** Where the datasets of a document go: the catalogues it describes, or the one that was asked for. */
import { literal, namedNode, quad } from '../../../rdf/terms.ts'
import { isId, platformId } from '../../../rdf/ids.ts'
import { toLines, termText } from '../../../rdf/lines.ts'
import { dcat, dct, rdf } from '../../../rdf/namespaces.ts'
import { cut } from './cut.ts'
import { identifiersIn, iriOf } from './original-id.ts'
import type { Place, Spool } from './spool.ts'

export type Destination = {
  /** Id of the catalogue on the platform. */
  readonly id: string
  /** Its description as N-Triples, with one `dcat:Catalog` and without links to datasets and records. */
  readonly body: string
}

export type Destinations = {
  /** Every catalogue that is to exist before datasets come, each id once. */
  readonly all: readonly Destination[]
  /** The id of the catalogue that takes a dataset (by its N-Triples text). */
  readonly of: (dataset: string) => string
}

/** The document names no catalogue that could take its datasets; the message says which option would help. */
export class NoDestination extends Error {}

const typeOf = (term: string) => `${term} ${termText(rdf('type'))} ${termText(dcat('Catalog'))} .\n`

/** `wanted`: id of the one catalogue that takes everything. Throws `NoDestination`. */
export function destinations(spool: Spool, wanted?: string): Destinations {
  const catalogues = spool.catalogues()
  const [first] = catalogues
  if (wanted !== undefined) {
    const body = first ? describe(spool, first) : minimal(wanted)
    return { all: [{ id: wanted, body }], of: () => wanted }
  }
  if (!first) throw new NoDestination('the document describes no dcat:Catalog: give --catalogue id')
  const ids = new Map(catalogues.map((place) => [place.term, idOf(spool, place)]))
  const bodies = new Map<string, string>()
  for (const place of catalogues) {
    const id = ids.get(place.term) ?? ''
    if (!bodies.has(id)) bodies.set(id, describe(spool, place))
  }
  const home = ids.get(first.term) ?? ''
  return {
    all: [...bodies].map(([id, body]) => ({ id, body })),
    of: (dataset) => ids.get(spool.cataloguesOf(dataset)[0] ?? '') ?? home,
  }
}

function idOf(spool: Spool, place: Place): string {
  const iri = iriOf(place.term)
  const ours = /\/id\/catalogue\/([A-Za-z0-9_~-]+)$/.exec(iri ?? '')?.[1]
  if (ours !== undefined && isId(ours)) return ours
  const id = platformId(identifiersIn(spool.describe(place))[0] ?? iri ?? '')
  if (id !== '') return id
  throw new NoDestination(`the catalogue ${place.term} has no identifier: give --catalogue id`)
}

function describe(spool: Spool, place: Place): string {
  const piece = cut(spool, place)
  if (!piece) throw new NoDestination(`the description of ${place.term} is too large`)
  const type = typeOf(place.term)
  return piece.body.includes(type) ? piece.body : piece.body + type
}

function minimal(id: string): string {
  const node = namedNode(`urn:cartulary:catalogue:${id}`)
  return toLines([quad(node, rdf('type'), dcat('Catalog')), quad(node, dct('title'), literal(id))])
}
