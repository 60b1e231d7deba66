/** From a document to records: every dataset with everything that belongs to it. */

import type { Literal } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import { canonicalHash } from '../../rdf/canonical.ts'
import { endedLines, fromLines, termText } from '../../rdf/lines.ts'
import { dcat, dct, rdf, rdfs, skos } from '../../rdf/namespaces.ts'
import { keyHash } from '../importing/cutting/key-hash.ts'
import { type Bounds, pieces, type Standing } from '../importing/cutting/cut.ts'
import { identifiersIn, iriOf } from '../importing/cutting/parcels.ts'
import type { Found } from './reception.ts'
import type { RdfDocument } from './rdf-document.ts'

type Naming = {
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

/** What makes a node a dataset and no mere mention of one. */
const ownWords = [dct('title'), dct('description'), dcat('distribution'), rdfs('label')].map(
  (property) => ` ${termText(property)} `,
)

/**
 * The datasets of a document in its order. One that others mention, that no catalogue links and that says nothing of
 * itself is a stub and goes to `stubs`, unless `isWanted` picks the nodes (N-Triples texts) that count.
 */
export async function* records(
  document: RdfDocument,
  naming: Naming,
  choice: { readonly stubs: Stubs } | { readonly isWanted: (term: string) => boolean },
): AsyncGenerator<Exclude<Found, { kind: 'end' }>, void> {
  for (const standing of pieces(document.spool, bounds)) {
    const { term } = standing.place
    if ('isWanted' in choice) {
      if (choice.isWanted(term)) yield await recordOf(document, naming, standing)
    } else if (isStub(document, standing)) {
      const [sourceId = ''] = namesOf(document, naming, standing)
      yield* choice.stubs.meet(term, sourceId === '' ? term : sourceId)
    } else {
      choice.stubs.describe(term)
      yield await recordOf(document, naming, standing)
    }
  }
}

const ownOf = ({ spool }: RdfDocument, { place, piece }: Standing) =>
  piece?.own ?? spool.describe(place)

function isStub(document: RdfDocument, standing: Standing): boolean {
  const { term } = standing.place
  if (!document.isMentioned(term)) return false
  const own = ownOf(document, standing)
  if (ownWords.some((property) => own.includes(property))) return false
  return document.spool.cataloguesOf(term).length === 0
}

const namesOf = (document: RdfDocument, naming: Naming, standing: Standing): string[] =>
  idsOf(iriOf(standing.place.term), identifiersIn(ownOf(document, standing)), naming)

async function recordOf(document: RdfDocument, naming: Naming, standing: Standing) {
  const { place, piece } = standing
  const own = ownOf(document, standing)
  const iri = iriOf(place.term)
  const [sourceId = '', ...aliases] = namesOf(document, naming, standing)
  const sourceUrl = iri !== undefined && /^https?:/.test(iri) ? iri : document.url
  if (!piece) {
    const problem = new Failure('item-too-large', 'The record has more than 200000 triples.')
    const named = sourceId === '' ? {} : { sourceId }
    return { kind: 'refused', problem, sourceUrl, excerpt: own, ...named } as const
  }
  const { text, findings } = titled(piece, place.term)
  const title = titlesIn(text, place.term)[0]?.value
  const whereabouts = { ...(title !== undefined && { title }), ...document.placeOf(place.term) }
  return {
    kind: 'record',
    sourceId,
    aliases,
    mediaType: 'application/n-triples',
    text,
    hashed: await canonical(text),
    sourceUrl,
    ...(sourceId === '' && { whereabouts }),
    findings: [...findings, ...document.repairsIn(text)],
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

// The title of a record, and what stands in for one that is missing.

/** Titles of a node (N-Triples text) in N-Triples lines that say something. */
const titlesIn = (lines: string, term: string): readonly Literal[] =>
  spoken(lines, `${term} ${termText(dct('title'))} `)

/**
 * Sorted N-Triples about a dataset: `rdfs:label` is its title where it has none. Finding `no-title` says which of both
 * it was.
 */
function titled(
  { body }: { readonly body: string },
  term: string,
): { readonly text: string; readonly findings: readonly Finding[] } {
  if (titlesIn(body, term).length > 0) return { text: body, findings: [] }
  const [first, ...others] = spoken(body, `${term} ${termText(rdfs('label'))} `)
  if (!first) return { text: body, findings: [finding('The record has no title.')] }
  const titles = [first, ...others].map(
    (label) => `${term} ${termText(dct('title'))} ${termText(label)} .`,
  )
  const all = new Set([...body.split('\n').filter((line) => line !== ''), ...titles])
  const detail = `rdfs:label stands in for the title: ${first.value}`
  return { text: endedLines([...all].sort()), findings: [finding(detail)] }
}

const finding = (detail: string): Finding => ({ slug: 'no-title', detail })

/** Literals behind a subject and a predicate that are not blank. */
function spoken(lines: string, start: string): readonly Literal[] {
  if (!lines.includes(start)) return []
  const wanted = lines.split('\n').filter((line) => line.startsWith(start))
  return fromLines(`${wanted.join('\n')}\n`).flatMap(({ object }) =>
    object.termType === 'Literal' && object.value.trim() !== '' ? [object] : [],
  )
}

type Skipped = Extract<Found, { kind: 'skipped' }>

/** Kept until the end; what comes after is told at once. */
const mostKept = 100_000

/** Of one pass over a source. Nodes are N-Triples texts. */
export class Stubs {
  readonly #described = new Set<number>()
  readonly #waiting = new Map<string, string>()

  describe(term: string): void {
    this.#described.add(keyHash(term))
  }

  *meet(term: string, sourceId: string): Iterable<Skipped> {
    if (this.#waiting.size < mostKept) this.#waiting.set(term, sourceId)
    else yield skipped(sourceId)
  }

  /** To be called at the end of the source. */
  *left(): Iterable<Skipped> {
    for (const [term, sourceId] of this.#waiting)
      if (!this.#described.has(keyHash(term))) yield skipped(sourceId)
  }
}

const skipped = (sourceId: string): Skipped => ({
  kind: 'skipped',
  sourceId,
  reason: 'stub',
  isMentioned: true,
})
