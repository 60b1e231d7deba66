/** Datasets: put by the id at the origin, read, delete. */

import { keyOf } from '../rdf/read.ts'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import { canonicalise } from '../rdf/canonical.ts'
import { fromLines, toLine, toLines } from '../rdf/lines.ts'
import { dcat } from '../rdf/namespaces.ts'
import { skolemise } from '../rdf/skolem.ts'
import { namedNode, quad } from '../rdf/terms.ts'
import type { Change } from '../store/change.ts'
import { mergedGraphs, ownContent } from './content/dataset-content.ts'
import { datasetNode } from './content/dataset-node.ts'
import { distributionIris } from './content/distribution-iris.ts'
import { recordQuads, timestamp, type DatasetRecord } from './content/record.ts'
import { rename } from './content/rename.ts'
import { datasetIds } from './writing/dataset-id.ts'
import type { Outcome, WritingDeps } from './deps.ts'
import { landChanges } from './writing/landing.ts'
import { findById, unknownCatalogue, unknownDataset, type Origin } from './writing/find-dataset.ts'
import { markLine, systemChange, type Mark } from '../store/marks.ts'

export type DatasetPut = {
  readonly catalogue: string
  readonly originalId: string
  /** Parses the body with this base IRI. */
  readonly body: (baseIri: string) => Promise<readonly Quad[]>
  /** Throws when the stored hash (absent = no dataset yet) is not what the client expects. */
  readonly precondition: (hash: string | undefined) => void
  /** Write even when the hash is equal. */
  readonly enforceUpdate?: boolean
  /** Refuse when the stored record was modified later (epoch ms). */
  readonly recordModified?: number
  /** Refuse to create. */
  readonly updateOnly?: boolean
}

export type Datasets = {
  put(request: DatasetPut, signal: AbortSignal): Promise<Outcome>
  /** The dataset's graph with its distributions and record, skolemised; `undefined` when there is none. */
  read(id: string, signal: AbortSignal): Promise<readonly Quad[] | undefined>
  remove(id: string, precondition: DatasetPut['precondition'], signal: AbortSignal): Promise<Mark>
}

export function datasets(deps: WritingDeps): Datasets {
  const { store, names, locks } = deps
  const ids = datasetIds(store, names)
  const under = (catalogue: string, originalId: string) => `dataset ${catalogue}\n${originalId}`

  const put: Datasets['put'] = (request, signal) =>
    locks.run(
      under(request.catalogue, request.originalId),
      () => {
        const isGone = deps.deletions.watch(request.catalogue)
        return ids.withId(
          request,
          (id, origin) => replace(deps, request, { id, origin, isGone }, signal),
          signal,
        )
      },
      signal,
    )

  const read: Datasets['read'] = async (id, signal) => {
    const text = await store.read(names.dataset(id), {}, signal)
    return text === undefined ? undefined : fromLines(text)
  }

  const remove: Datasets['remove'] = async (id, precondition, signal) => {
    const { catalogue, originalId } = await findById(store, names, id, signal)
    return locks.run(
      under(catalogue, originalId),
      async () => {
        const record = await findById(store, names, id, signal)
        precondition(record.hash)
        const mark = { resource: names.dataset(id), version: deps.versions.next() }
        await landChanges(deps, removal(deps, record.catalogue, id, mark), [mark])
        return mark
      },
      signal,
    )
  }

  return { put, read, remove }
}

/** The changes that take one dataset away, with its links and its metrics. */
export function removal(
  { names }: WritingDeps,
  catalogue: string,
  id: string,
  mark: Mark,
): Change[] {
  return [
    { graph: names.dataset(id), drop: true },
    { graph: names.metrics(id), drop: true },
    { graph: names.catalogue(catalogue), remove: linkLines({ names }, catalogue, id) },
    systemChange({ add: [markLine('pending', mark)] }),
  ]
}

function linkLines({ names }: Pick<WritingDeps, 'names'>, catalogue: string, id: string): string[] {
  const subject = namedNode(names.catalogue(catalogue))
  return [
    toLine(quad(subject, dcat('dataset'), namedNode(names.dataset(id)))),
    toLine(quad(subject, dcat('record'), namedNode(names.record(id)))),
  ]
}

type Target = {
  readonly id: string
  readonly origin: Origin
  /** Whether the catalogue has been deleted since it was looked up. */
  readonly isGone: () => boolean
}

async function replace(
  deps: WritingDeps,
  request: DatasetPut,
  target: Target,
  signal: AbortSignal,
): Promise<Outcome> {
  const { names, store } = deps
  const iri = names.dataset(target.id)
  const stored = target.origin.record
  if (request.updateOnly && !stored) throw unknownDataset(target.id)
  const quads = mergedGraphs(await request.body(iri))
  const node = datasetNode(quads, { iri, originalId: request.originalId })
  const own = ownContent(quads, node, names)
  if (own.length > deps.triples) throw tooManyTriples(own.length, deps.triples)
  const { hash, labels } = await canonicalise(own)
  checkExpectations(request, stored)
  if (stored && stored.hash === hash && !request.enforceUpdate) {
    return { kind: 'unchanged', iri, hash, modified: stored.modified }
  }
  const before = stored ? fromLines((await store.read(iri, {}, signal)) ?? '') : []
  const renaming = distributionIris(own, before, deps)
  const renamed = rename(own, new Map([...renaming.iris, [keyOf(node), iri]]))
  const ground = skolemise([...renamed, ...renaming.identifiers], {
    genid: names.genid(iri),
    labels,
  })
  const modified = timestamp(deps.now())
  const record: DatasetRecord = {
    id: target.id,
    originalId: request.originalId,
    hash,
    issued: stored?.issued ?? modified,
    modified,
  }
  const graph = [...ground, ...recordQuads(record, names)]
  const mark = await land(deps, request.catalogue, graph, target)
  return { kind: stored ? 'updated' : 'created', iri, hash, modified, mark }
}

/** The one atomic step: content, links, marks, and the end of doubles that direct writers left behind. */
async function land(
  deps: WritingDeps,
  catalogue: string,
  graph: readonly Quad[],
  { id, origin, isGone }: Target,
): Promise<Mark> {
  const { names, versions } = deps
  const mark = { resource: names.dataset(id), version: versions.next() }
  const gone = origin.doubles.map((double) => ({
    id: double.id,
    mark: { resource: names.dataset(double.id), version: versions.next() },
  }))
  const links: Change[] = origin.record
    ? []
    : [{ graph: names.catalogue(catalogue), add: linkLines(deps, catalogue, id) }]
  const changes: Change[] = [
    { graph: mark.resource, content: toLines(graph) },
    ...links,
    systemChange({ add: [markLine('pending', mark)] }),
    ...gone.flatMap((double) => removal(deps, catalogue, double.id, double.mark)),
  ]
  const fresh = { catalogue, quads: graph, created: origin.record === undefined }
  // Asked in the same turn as the write: a cascade that starts now will see it and take it away.
  if (isGone()) throw unknownCatalogue(catalogue)
  await landChanges(deps, changes, [{ ...mark, fresh }, ...gone.map((double) => double.mark)])
  return mark
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

export const tooManyTriples = (given: number, most: number) =>
  new Failure(
    'too-large',
    `${given} triples, at most ${most} are allowed (limit "triples" of PLATFORM_LIMITS)`,
  )
