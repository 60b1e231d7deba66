/** Works out what the PUT of one dataset has to write, without writing it: one dataset lands alone, a bulk of them together. */

import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { canonicalise } from '../../rdf/canonical.ts'
import { fromLines, toLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { keyOf } from '../../rdf/read.ts'
import { skolemise } from '../../rdf/skolem.ts'
import type { Change } from '../../store/graph-store.ts'
import { markLine, systemChange, type Landed } from '../../store/marks.ts'
import { mergedGraphs, ownContent } from '../content/dataset-content.ts'
import { datasetNode } from '../content/dataset-node.ts'
import { distributionIris } from '../content/distribution-iris.ts'
import { recordQuads, timestamp, type DatasetRecord } from '../content/record.ts'
import { rename } from '../content/rename.ts'
import { linkLines, removal } from '../deleting/removal.ts'
import type { Outcome, RepositoryDeps } from '../deps.ts'
import type { Target } from './dataset-id.ts'
import { unknownDataset } from './find-dataset.ts'
import type { KnownBodies } from './known-bodies.ts'

export type Body = {
  /** Characters. */
  readonly length: number
  readonly parse: (baseIri: string) => Promise<readonly Quad[]>
  /** The same for the same bytes in the same format, and for no others. */
  readonly fingerprint: () => string
}

export type DatasetPut = {
  readonly catalogue: string
  readonly originalId: string
  readonly body: Body
  /** Throws when the stored hash (absent = no dataset yet) is not what the client expects. */
  readonly precondition: (hash: string | undefined) => void
  /** Write even when the hash is equal. */
  readonly enforceUpdate?: boolean
  /** Refuse when the stored record was modified later (epoch ms). */
  readonly recordModified?: number
  /** Refuse to create. */
  readonly updateOnly?: boolean
}

/** `changes` is one atomic group; both lists are empty when nothing is to be written. */
export type DatasetPlan = {
  readonly outcome: Outcome
  readonly changes: readonly Change[]
  readonly marks: readonly Landed[]
}

/** What of a body is the dataset's own, in canonical form; it does not depend on what is stored. */
export type Prepared = {
  readonly node: Term
  readonly own: readonly Quad[]
  readonly hash: string
  /** Canonical labels of the blank nodes. */
  readonly labels: ReadonlyMap<string, string>
}

/** What was begun before the IRI was sure. */
export type Ahead = {
  readonly iri: string
  readonly prepared: Promise<Prepared>
  /** What is stored under the IRI, asked for under the lock of the write; absent when it is likely to be new. */
  readonly before: Promise<string | undefined> | undefined
}

/** Fails as the PUT does; reads the stored version only when something is to be written. */
export async function planDataset(
  deps: RepositoryDeps & { readonly knownBodies: KnownBodies },
  { ahead, ...request }: DatasetPut & { readonly ahead?: Ahead | undefined },
  target: Target,
  signal: AbortSignal,
): Promise<DatasetPlan> {
  const iri = deps.names.dataset(target.id)
  const stored = target.origin.record
  if (request.updateOnly && !stored) throw unknownDataset(target.id)
  const body = { iri, originalId: request.originalId, fingerprint: request.body.fingerprint() }
  const known = stored && deps.knownBodies.hashOf(body)
  const same = known === undefined ? undefined : settled(deps, { ...request, hash: known }, target)
  if (same) return same
  const prepared = await (ahead?.iri === iri ? ahead.prepared : prepareBody(deps, request, iri))
  deps.knownBodies.keep(body, prepared.hash)
  const now = settled(deps, { ...request, hash: prepared.hash }, target)
  if (now) return now
  const read = () =>
    (ahead?.iri === iri ? ahead.before : undefined) ?? deps.store.read(iri, {}, signal)
  const before = stored ? ((await read()) ?? '') : ''
  return composeDataset(deps, { ...request, prepared }, target, before)
}

/** The plan when there is nothing to write. Throws when the client expects something else to be stored. */
function settled(
  { names }: RepositoryDeps,
  request: DatasetPut & { readonly hash: string },
  target: Target,
): DatasetPlan | undefined {
  checkExpectations(request, target.origin.record)
  const same = unchanged(names, request, target)
  return same && { outcome: same, changes: [], marks: [] }
}

/** Reads the body of a dataset with this IRI; fails as `parse` and `prepareDataset` do. */
export async function prepareBody(
  deps: Pick<RepositoryDeps, 'names' | 'triples' | 'canonical'>,
  { body, originalId }: Pick<DatasetPut, 'body' | 'originalId'>,
  iri: string,
): Promise<Prepared> {
  const quads = mergedGraphs(await body.parse(iri))
  return prepareDataset(deps, quads, datasetNode(quads, { iri, originalId }))
}

/** Fails with `too-large` and `too-complex`. */
export async function prepareDataset(
  { names, triples, canonical }: Pick<RepositoryDeps, 'names' | 'triples' | 'canonical'>,
  quads: readonly Quad[],
  node: Term,
): Promise<Prepared> {
  const own = ownContent(quads, node, names)
  if (own.length > triples) throw tooManyTriples(own.length, triples)
  return { node, own, ...(await canonicalise(own, canonical)) }
}

/** The outcome when the stored dataset says the same and nobody insists on writing it again. */
export function unchanged(
  names: Names,
  request: Pick<DatasetPut, 'catalogue' | 'enforceUpdate'> & { readonly hash: string },
  { id, origin: { record } }: Target,
): Outcome | undefined {
  const { catalogue, hash, enforceUpdate } = request
  if (!record || record.hash !== hash || enforceUpdate) return undefined
  return {
    kind: 'unchanged',
    iri: names.dataset(id),
    catalogue,
    hash,
    modified: record.modified,
  }
}

type Composed = Pick<DatasetPut, 'catalogue' | 'originalId'> & { readonly prepared: Prepared }

/** The write; `before` is the stored graph as `read` gave it, `''` for a new dataset. */
export function composeDataset(
  deps: RepositoryDeps,
  { catalogue, originalId, prepared }: Composed,
  target: Target,
  before: string,
): DatasetPlan {
  const { names } = deps
  const { node, own, hash, labels } = prepared
  const { id, origin } = target
  const iri = names.dataset(id)
  const known = fromLines(before === '' ? (target.former ?? '') : before)
  const renaming = distributionIris(own, known, deps)
  const renamed = rename(own, new Map([...renaming.iris, [keyOf(node), iri]]))
  const ground = skolemise([...renamed, ...renaming.identifiers], {
    genid: names.genid(iri),
    labels,
  })
  const modified = timestamp(deps.now())
  const issued = origin.record?.issued ?? modified
  const record: DatasetRecord = { id, originalId, hash, issued, modified }
  const graph = [...ground, ...recordQuads(record, names)]
  const { changes, marks, mark } = landing(deps, catalogue, { ...target, graph, before })
  const kind = origin.record ? 'updated' : 'created'
  return { outcome: { kind, iri, catalogue, hash, modified, mark }, changes, marks }
}

type Written = Target & { readonly graph: readonly Quad[]; readonly before: string }

/** The one atomic step: content, links, marks, and the end of doubles that direct writers left behind. */
function landing(
  { names, versions }: RepositoryDeps,
  catalogue: string,
  { id, origin, graph, before }: Written,
) {
  const mark = { resource: names.dataset(id), version: versions.next() }
  const gone = origin.doubles.map((double) => ({
    id: double.id,
    mark: { resource: names.dataset(double.id), version: versions.next() },
  }))
  const links: Change[] = origin.record
    ? []
    : [{ graph: names.catalogue(catalogue), add: linkLines(names, { catalogue, id }) }]
  const changes: Change[] = [
    { graph: mark.resource, content: toLines(graph), before },
    ...links,
    systemChange({ add: [markLine('pending', mark)] }),
    ...gone.flatMap((double) => removal(names, { catalogue, id: double.id }, [double.mark])),
  ]
  const fresh = { catalogue, quads: () => graph, created: origin.record === undefined }
  const marks: Landed[] = [{ ...mark, fresh }, ...gone.map((double) => double.mark)]
  return { changes, marks, mark }
}

function checkExpectations(request: DatasetPut, stored: DatasetRecord | undefined): void {
  request.precondition(stored?.hash)
  if (!stored || request.recordModified === undefined) return
  if (Date.parse(stored.modified) > request.recordModified) {
    throw new Failure(
      'newer-exists',
      `the stored record was modified at ${stored.modified}, later than recordModified`,
    )
  }
}

/** `times` says how many times the limit they may be, where that is not once. */
export const tooManyTriples = (given: number, most: number, times = '') =>
  new Failure(
    'too-large',
    `${given} triples, at most ${most} are allowed (${times}limit "triples" of PLATFORM_LIMITS)`,
  )
