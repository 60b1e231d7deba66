/**
 * Splits a document of the RDF or SPARQL importer into records: each dataset with all nodes that belong to it. A stub is a
 * dataset that is only referenced.
 */

import type { NamedNode } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import { canonicalHash } from '../../rdf/canonical.ts'
import { joinLines, fromLines, termText, toLines } from '../../rdf/lines.ts'
import { dcat, dct, rdf, rdfs, skos } from '../../rdf/namespaces.ts'
import { NodeKinds } from '../../rdf/node-kinds.ts'
import { graphOf } from '../../rdf/read.ts'
import {
  type ExtractBounds,
  extractDatasets,
  type DatasetExtract,
  type ResourceExtract,
} from '../importing/cutting/splitter.ts'
import { keyHash } from '../importing/cutting/key-hash.ts'
import { identifiersIn, iriOf } from '../importing/cutting/chunks.ts'
import { placeholderIri, quadsOf } from '../transform/record-quads.ts'
import type { ImportContext } from './importer.ts'
import { undescribedFinding, type PageJoin, undescribedParts } from './joined-pages.ts'
import type { RdfDocument } from './rdf-document.ts'
import type { ImportItem } from './import-recorder.ts'

/** Choice of the original id for new datasets; config keys of the RDF importer. */
type Naming = {
  /** Whether the IRI precedes `dct:identifier`. */
  readonly precedenceUriRef?: boolean
  /** Whether only the part of an IRI after the last slash is used. */
  readonly removePrefix?: boolean
}

/** Properties of concepts that a record contains; all others are left out. */
const conceptPredicates = [
  rdf('type'),
  skos('prefLabel'),
  skos('altLabel'),
  skos('hiddenLabel'),
  skos('notation'),
  skos('inScheme'),
  skos('exactMatch'),
]

/** Bounds of a record. Agents, periods and places are closer to the dataset than eight steps. */
export const recordBounds: ExtractBounds = {
  depth: 8,
  conceptPredicates: new Set(conceptPredicates.map(({ value }) => value)),
  acrossGraphs: true,
}

/** Properties that distinguish a dataset from a reference to one. */
const describingPredicates = [
  dct('title'),
  dct('description'),
  dcat('distribution'),
  rdfs('label'),
].map((property) => ` ${termText(property)} `)

/** Selection of datasets: all but stubs, or the requested ones. */
type Selection = {
  /** Collects records that reference nodes which this page does not describe. */
  readonly join?: PageJoin
  /** Collects references to datasets that are not described so far. */
  readonly stubs?: StubDatasets
  /** Whether a node (N-Triples) is requested. */
  readonly isWanted?: (term: string) => boolean
}

/**
 * Yields the datasets of a document in order and closes it; other content is reported to the run. A dataset that is
 * referenced, listed by no catalogue and not described is a stub. Records that `join` or `stubs` collects are yielded at the
 * end of the source. Partial documents (`isWanted`) do not report services.
 */
export async function* recordsOf(
  document: RdfDocument,
  { stubs, isWanted, join }: Selection,
  { sink, naming = {} }: { readonly sink: ImportContext['sink']; readonly naming?: Naming },
): AsyncGenerator<ImportItem, void> {
  try {
    document.reportDropped(sink)
    if (!isWanted) document.reportServices(sink)
    for (const extract of extractDatasets(document.spool, recordBounds)) {
      const { place, piece } = extract
      const { term } = place
      if (isWanted?.(term) === false) continue
      const lines = piece?.rootLines ?? document.spool.describe(place)
      const ids = idsOf(iriOf(term), identifiersIn(lines), naming)
      if (stubs && isStub(document, term, lines)) yield* stubs.addStub(term, ids.sourceId || term)
      else {
        stubs?.markDescribed(term)
        const missing = piece ? undescribedParts(document.spool, place.graph, piece.body) : []
        const createItem = (resource: ResourceExtract | undefined, findings: readonly Finding[]) =>
          recordOf(document, resource ? { place, piece: resource } : { place }, {
            ids,
            lines,
            findings,
          })
        if (missing.length === 0 || !join?.wait({ place, missing, createItem })) {
          // Publishers are often referenced without a description; a distribution without one is useless.
          const findings = missing
            .filter(({ property }) => property === dcat('distribution').value)
            .map((part) => undescribedFinding(part, 'the document does not describe it'))
          yield await recordOf(document, extract, { ids, lines, findings })
        }
      }
    }
    for (const term of stubs ? document.spool.listedOnly() : [])
      yield* stubs?.addStub(term, iriOf(term) ?? term, true) ?? []
  } finally {
    document.close()
  }
}

const isStub = (document: RdfDocument, term: string, lines: string): boolean =>
  document.isMentioned(term) &&
  !describingPredicates.some((property) => lines.includes(property)) &&
  document.spool.cataloguesOf(term).length === 0

/**
 * Source id, preferred id and aliases of a dataset. The IRI is the source id, because sources add, correct and repeat
 * identifiers under the same IRI; a blank node has only identifiers.
 */
function idsOf(iri: string | undefined, identifiers: readonly string[], naming: Naming) {
  const iris = iri === undefined ? [] : [iri]
  const ids = naming.precedenceUriRef ? [...iris, ...identifiers] : [...identifiers, ...iris]
  const withoutPrefix = (id: string) =>
    /^[a-z][a-z0-9+.-]*:\/\//i.test(id) ? id.replace(/\/+$/, '').replace(/^.*\//, '') || id : id
  const aliases = naming.removePrefix ? [...new Set([...ids.map(withoutPrefix), ...ids])] : ids
  const [preferredId = ''] = aliases
  return { sourceId: iri ?? preferredId, preferredId, aliases }
}

/** Ids of a dataset, the N-Triples of its node alone, and findings that are known already. */
type Identity = {
  readonly ids: ReturnType<typeof idsOf>
  readonly lines: string
  readonly findings?: readonly Finding[]
}

/** Record of an extracted dataset; refused if it is larger than a repository accepts. */
async function recordOf(
  document: RdfDocument,
  { place: { term }, piece }: DatasetExtract,
  { ids, lines, findings: otherFindings = [] }: Identity,
): Promise<ImportItem> {
  const iri = iriOf(term)
  const sourceUrl = iri !== undefined && /^https?:/.test(iri) ? iri : document.url
  if (!piece) {
    const problem = new Failure('item-too-large', 'The record has more than 200000 triples.')
    const names = { sourceId: ids.sourceId || undefined, sourceUrl, ...document.placeOf(term) }
    return { kind: 'refused', problem, excerpt: lines, ...names }
  }
  const { text, title, findings } = withTitle(piece.body, term)
  return {
    kind: 'record',
    ...ids,
    mediaType: 'application/n-triples',
    text,
    hashed: await canonicalText(text),
    sourceUrl,
    title,
    ...document.placeOf(term),
    findings: [...findings, ...document.repairsIn(text), ...otherFindings],
  }
}

/** Text for the source hash: the sorted body, or with blank nodes a hash that is independent of their labels. */
async function canonicalText(body: string): Promise<string> {
  if (!body.includes('_:')) return body
  try {
    return await canonicalHash(body)
  } catch (error) {
    // Not canonicalisable within the limits: it counts as changed each time, and the repository compares it.
    if (error instanceof Failure && error.kind === 'too-complex') return body
    throw error
  }
}

const titleFinding = (detail: string): readonly Finding[] => [{ slug: 'no-title', detail }]

/** Adds a missing title to the sorted N-Triples of a dataset, from `rdfs:label`; reports that in a finding. */
function withTitle(body: string, term: string) {
  const [titleLiteral] = literals(body, term, dct('title'))
  if (titleLiteral) return { text: body, title: titleLiteral.value, findings: [] }
  const labels = literals(body, term, rdfs('label'))
  const title = labels[0]?.value
  if (title === undefined)
    return { text: body, title, findings: titleFinding('The record has no title.') }
  const lines = labels.map((label) => `${term} ${termText(dct('title'))} ${termText(label)} .`)
  const allLines = new Set([...body.split('\n').filter((line) => line !== ''), ...lines])
  const findings = titleFinding(`rdfs:label stands in for the title: ${title}`)
  return { text: joinLines([...allLines].sort()), title, findings }
}

/** The literals of a property that are not blank. */
function literals(lines: string, term: string, property: NamedNode) {
  const start = `${term} ${termText(property)} `
  if (!lines.includes(start)) return []
  const relevant = lines.split('\n').filter((line) => line.startsWith(start))
  return fromLines(`${relevant.join('\n')}\n`).flatMap(({ object }) =>
    object.termType === 'Literal' && object.value.trim() !== '' ? [object] : [],
  )
}

type SkippedStub = Extract<ImportItem, { kind: 'skipped' }>

/** Maximum number of remembered stubs; further ones are reported at once. */
const mostStubs = 100_000

/** Referenced datasets in one pass over a source that are not described so far, as N-Triples. */
export class StubDatasets {
  readonly #described = new Set<number>()
  readonly #waiting = new Map<string, SkippedStub>()

  /** Records that a dataset is described, so that it is no stub. */
  markDescribed(term: string): void {
    this.#described.add(keyHash(term))
  }

  /**
   * Adds a reference to a dataset, or yields it at once if too many are remembered. `isListed`: a catalogue lists the dataset,
   * so that it still exists.
   */
  *addStub(term: string, sourceId: string, isListed = false): Iterable<SkippedStub> {
    const keptMember = isListed ? ({ isKept: true } as const) : {}
    const stub = {
      kind: 'skipped',
      sourceId,
      reason: 'stub',
      isMentioned: true,
      ...keptMember,
    } as const
    if (this.#waiting.size < mostStubs) this.#waiting.set(term, stub)
    else yield stub
  }

  /** Yields the stubs that were never described, at the end of the source. */
  *finish(): Iterable<SkippedStub> {
    for (const [term, stub] of this.#waiting) if (!this.#described.has(keyHash(term))) yield stub
  }
}

// Identifier of a record whose message has none; the same as the default preferred id of the RDF importer.

/** The dataset's `dct:identifier`, else its IRI; `undefined` unless there is exactly one dataset with either. */
export async function identifierOf(record: {
  readonly text: string
  readonly mediaType: string
}): Promise<string | undefined> {
  const quads = await quadsOf({ ...record, baseIri: placeholderIri }).catch(unreadable)
  const nodes = [...new NodeKinds(quads).datasets().keys()]
  const [node] = nodes
  if (node === undefined || nodes.length !== 1) return undefined
  const [identifier] = identifiersIn(toLines(graphOf(quads).quads(node)))
  return identifier ?? (node.startsWith('_:') ? undefined : node)
}

/** Ignores unreadable text; the exporter reports the error. */
function unreadable(error: unknown): [] {
  if (error instanceof Failure) return []
  throw error
}
