/** From a document to records: every dataset with everything that belongs to it. */
import { Failure } from '../../../../errors.ts'
import { canonicalHash } from '../../../../rdf/canonical.ts'
import { termText } from '../../../../rdf/lines.ts'
import { dct, rdf, skos } from '../../../../rdf/namespaces.ts'
import { identifiersIn, iriOf } from '../../../importing/cutting/original-id.ts'
import type { Bounds } from '../../../importing/cutting/cut.ts'
import { pieces, type Standing } from '../../../importing/cutting/pieces.ts'
import type { Found } from '../../found.ts'
import type { Document } from './document.ts'

export type Naming = {
  /** The subject's IRI comes before `dct:identifier`. */
  readonly precedenceUriRef: boolean
  /** Of an IRI only what follows the last slash. */
  readonly removePrefix: boolean
}

/** Agents, periods and places lie nearer than that; what lies further has lost its way. */
const bounds: Bounds = {
  depth: 8,
  ofConcepts: new Set(
    [
      rdf('type'),
      skos('prefLabel'),
      skos('altLabel'),
      skos('hiddenLabel'),
      skos('notation'),
      skos('inScheme'),
      skos('exactMatch'),
    ].map(({ value }) => value),
  ),
}

const title = ` ${termText(dct('title'))} `

/**
 * The datasets of a document in its order. An untitled one that others mention and no catalogue links is a stub and
 * passed over, unless `isWanted` picks the nodes (N-Triples texts) that count.
 */
export async function* records(
  document: Document,
  naming: Naming,
  isWanted?: (term: string) => boolean,
): AsyncGenerator<Exclude<Found, { kind: 'end' }>, void> {
  for (const standing of pieces(document.spool, bounds)) {
    const isPicked = isWanted?.(standing.place.term)
    if (isPicked === false) continue
    if (isPicked !== true && isStub(document, standing)) continue
    yield await recordOf(document, naming, standing)
  }
}

const ownOf = ({ spool }: Document, { place, piece }: Standing) =>
  piece?.own ?? spool.describe(place)

function isStub(document: Document, standing: Standing): boolean {
  const { term } = standing.place
  if (ownOf(document, standing).includes(title) || !document.isMentioned(term)) return false
  return document.spool.cataloguesOf(term).length === 0
}

async function recordOf(document: Document, naming: Naming, standing: Standing) {
  const { place, piece } = standing
  const own = ownOf(document, standing)
  const iri = iriOf(place.term)
  const [sourceId = '', ...aliases] = idsOf(iri, identifiersIn(own), naming)
  const sourceUrl = iri !== undefined && /^https?:/.test(iri) ? iri : document.url
  if (!piece) {
    const problem = new Failure('item-too-large', 'The record has more than 200000 triples.')
    const named = sourceId === '' ? {} : { sourceId }
    return { kind: 'refused', problem, sourceUrl, excerpt: own, ...named } as const
  }
  return {
    kind: 'record',
    sourceId,
    aliases,
    mediaType: 'application/n-triples',
    text: piece.body,
    hashed: await canonical(piece.body),
    sourceUrl,
    findings: document.repairs.of(piece.body),
  } as const
}

/** All ids under which a dataset may be known, the one that counts first. */
function idsOf(iri: string | undefined, identifiers: readonly string[], naming: Naming): string[] {
  const { precedenceUriRef, removePrefix } = naming
  const own = iri === undefined ? [] : [iri]
  const ids = precedenceUriRef ? [...own, ...identifiers] : [...identifiers, ...own]
  if (!removePrefix) return ids
  return [...new Set([...ids.map(withoutPrefix), ...ids])]
}

const withoutPrefix = (id: string) =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(id) ? id.replace(/\/+$/, '').replace(/^.*\//, '') || id : id

/** The same text for the same record, whatever its blank nodes are called. The body is sorted already. */
async function canonical(body: string): Promise<string> {
  if (!body.includes('_:')) return body
  try {
    return await canonicalHash(body)
  } catch (error) {
    // Too tangled for us: it counts as changed each time, and the repository has the last word.
    if (error instanceof Failure && error.kind === 'too-complex') return body
    throw error
  }
}
