/** From a document to records: every dataset with everything that belongs to it. */

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

/** Which of its names a new dataset is stored under. */
type Naming = {
  /** The subject's IRI comes before `dct:identifier`. */
  readonly precedenceUriRef?: boolean
  /** Whether of an IRI only the part after the last slash counts. */
  readonly removePrefix?: boolean
}

/** All that is kept of a concept. */
const ofConcepts = [
  rdf('type'),
  skos('prefLabel'),
  skos('altLabel'),
  skos('hiddenLabel'),
  skos('notation'),
  skos('inScheme'),
  skos('exactMatch'),
]

/** Agents, periods and places lie nearer than that; what lies further has lost its way. */
export const recordBounds: ExtractBounds = {
  depth: 8,
  ofConcepts: new Set(ofConcepts.map(({ value }) => value)),
  acrossGraphs: true,
}

/** Properties that make a node a dataset and not a mere mention of one. */
const ownWords = [dct('title'), dct('description'), dcat('distribution'), rdfs('label')].map(
  (property) => ` ${termText(property)} `,
)

/** Which datasets of a document are records: all but stubs, or those that were asked for. */
type Choice = {
  /** Takes records that name what this page does not describe, until the source was read to its end. */
  readonly join?: PageJoin
  /** Collects mentions of datasets that nobody has described so far. */
  readonly stubs?: StubDatasets
  /** Whether a node, given as N-Triples text, is wanted. */
  readonly isWanted?: (term: string) => boolean
}

/**
 * The datasets of a document in its order; the document is closed, and what is in no record is told to the run. A dataset that
 * others mention, that no catalogue links and that says nothing of itself is a stub. Parts of what was asked for (`isWanted`) are
 * not the place to count services.
 */
export async function* recordsOf(
  document: RdfDocument,
  { stubs, isWanted, join }: Choice,
  { sink, naming = {} }: { readonly sink: ImportContext['sink']; readonly naming?: Naming },
): AsyncGenerator<ImportItem, void> {
  try {
    document.reportDropped(sink)
    if (!isWanted) document.reportServices(sink)
    for (const standing of extractDatasets(document.spool, recordBounds)) {
      const { place, piece } = standing
      const { term } = place
      if (isWanted?.(term) === false) continue
      const own = piece?.own ?? document.spool.describe(place)
      const ids = idsOf(iriOf(term), identifiersIn(own), naming)
      if (stubs && isStub(document, term, own)) yield* stubs.meet(term, ids.sourceId || term)
      else {
        stubs?.describe(term)
        const missing = piece ? undescribedParts(document.spool, place.graph, piece.body) : []
        const later = (whole: ResourceExtract | undefined, findings: readonly Finding[]) =>
          recordOf(document, whole ? { place, piece: whole } : { place }, { ids, own, findings })
        if (missing.length === 0 || !join?.wait({ place, missing, later })) {
          // Publishers are often named alone; a distribution without a description says nothing.
          const findings = missing
            .filter(({ property }) => property === dcat('distribution').value)
            .map((part) => undescribedFinding(part, 'the document does not describe it'))
          yield await recordOf(document, standing, { ids, own, findings })
        }
      }
    }
    for (const term of stubs ? document.spool.listedOnly() : [])
      yield* stubs?.meet(term, iriOf(term) ?? term, true) ?? []
  } finally {
    document.close()
  }
}

const isStub = (document: RdfDocument, term: string, own: string): boolean =>
  document.isMentioned(term) &&
  !ownWords.some((property) => own.includes(property)) &&
  document.spool.cataloguesOf(term).length === 0

/**
 * All ids of a dataset. Its IRI is the source id, because identifiers are added, corrected and repeated under the same IRI; a
 * blank node has only its identifiers.
 */
function idsOf(iri: string | undefined, identifiers: readonly string[], naming: Naming) {
  const own = iri === undefined ? [] : [iri]
  const ids = naming.precedenceUriRef ? [...own, ...identifiers] : [...identifiers, ...own]
  const short = (id: string) =>
    /^[a-z][a-z0-9+.-]*:\/\//i.test(id) ? id.replace(/\/+$/, '').replace(/^.*\//, '') || id : id
  const aliases = naming.removePrefix ? [...new Set([...ids.map(short), ...ids])] : ids
  const [preferredId = ''] = aliases
  return { sourceId: iri ?? preferredId, preferredId, aliases }
}

/** `own`: the lines of the dataset alone. */
type Identity = {
  readonly ids: ReturnType<typeof idsOf>
  readonly own: string
  readonly findings?: readonly Finding[]
}

/** A dataset that was cut out of its document; one that is larger than a repository takes is refused. */
async function recordOf(
  document: RdfDocument,
  { place: { term }, piece }: DatasetExtract,
  { ids, own, findings: more = [] }: Identity,
): Promise<ImportItem> {
  const iri = iriOf(term)
  const sourceUrl = iri !== undefined && /^https?:/.test(iri) ? iri : document.url
  if (!piece) {
    const problem = new Failure('item-too-large', 'The record has more than 200000 triples.')
    const names = { sourceId: ids.sourceId || undefined, sourceUrl, ...document.placeOf(term) }
    return { kind: 'refused', problem, excerpt: own, ...names }
  }
  const { text, title, findings } = titled(piece.body, term)
  return {
    kind: 'record',
    ...ids,
    mediaType: 'application/n-triples',
    text,
    hashed: await canonical(text),
    sourceUrl,
    title,
    ...document.placeOf(term),
    findings: [...findings, ...document.repairsIn(text), ...more],
  }
}

/** Canonical text of a record, independent of the labels of blank nodes. The body is sorted already. */
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

const untitled = (detail: string): readonly Finding[] => [{ slug: 'no-title', detail }]

/** Sorted N-Triples about a dataset, with its title: `rdfs:label` where it has none, which is a finding. */
function titled(body: string, term: string) {
  const [own] = literals(body, term, dct('title'))
  if (own) return { text: body, title: own.value, findings: [] }
  const labels = literals(body, term, rdfs('label'))
  const title = labels[0]?.value
  if (title === undefined)
    return { text: body, title, findings: untitled('The record has no title.') }
  const lines = labels.map((label) => `${term} ${termText(dct('title'))} ${termText(label)} .`)
  const all = new Set([...body.split('\n').filter((line) => line !== ''), ...lines])
  const findings = untitled(`rdfs:label stands in for the title: ${title}`)
  return { text: joinLines([...all].sort()), title, findings }
}

/** The literals of a property that are not blank. */
function literals(lines: string, term: string, property: NamedNode) {
  const start = `${term} ${termText(property)} `
  if (!lines.includes(start)) return []
  const wanted = lines.split('\n').filter((line) => line.startsWith(start))
  return fromLines(`${wanted.join('\n')}\n`).flatMap(({ object }) =>
    object.termType === 'Literal' && object.value.trim() !== '' ? [object] : [],
  )
}

type Skipped = Extract<ImportItem, { kind: 'skipped' }>

/** Kept until the end; what comes after is told at once. */
const mostKept = 100_000

/** Mentions of datasets in one pass over a source, until somebody describes them. Nodes are N-Triples texts. */
export class StubDatasets {
  readonly #described = new Set<number>()
  readonly #waiting = new Map<string, Skipped>()

  describe(term: string): void {
    this.#described.add(keyHash(term))
  }

  /** `isListed`: a catalogue lists the dataset, so that it is not gone. */
  *meet(term: string, sourceId: string, isListed = false): Iterable<Skipped> {
    const kept = isListed ? ({ isKept: true } as const) : {}
    const stub = { kind: 'skipped', sourceId, reason: 'stub', isMentioned: true, ...kept } as const
    if (this.#waiting.size < mostKept) this.#waiting.set(term, stub)
    else yield stub
  }

  /** To be called at the end of the source. */
  *finish(): Iterable<Skipped> {
    for (const [term, stub] of this.#waiting) if (!this.#described.has(keyHash(term))) yield stub
  }
}

// The identifier of a record that was handed over without one, as an importer of RDF would read it out of the graph.

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

/** Answers no identifier for a text that cannot be read; the exporter reports the fault. */
function unreadable(error: unknown): [] {
  if (error instanceof Failure) return []
  throw error
}
