/** Works out what the write of one dataset changes, without writing it. `dataset-writer.ts` does that for a batch of them. */

import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { canonicalise } from '../../rdf/canonical.ts'
import { fromLines, toLines } from '../../rdf/lines.ts'
import { keyOf } from '../../rdf/read.ts'
import { skolemise } from '../../rdf/skolem.ts'
import type { Change } from '../../store/graph-store.ts'
import { markLine, systemChange, type Landed, type Mark } from '../../store/marks.ts'
import { datasetNode, mergedGraphs, ownContent } from '../content/own-content.ts'
import { distributionIris } from '../content/distribution-iris.ts'
import { recordQuads, timestamp, type DatasetRecord } from '../content/catalogue-record.ts'
import { rename } from '../content/rename.ts'
import type { RepositoryDeps, ResourceBody, WriteOutcome } from '../context.ts'
import { linkLines, removalOf } from '../deleting/members.ts'
import type { DatasetTarget } from './dataset-ids.ts'
import type { WriteGroup } from './write-batch.ts'

/** What of a body is the dataset's own, in canonical form; it does not depend on what is stored. */
export type PreparedDataset = {
  readonly node: Term
  readonly own: readonly Quad[]
  readonly hash: string
  /** Canonical labels of the blank nodes. */
  readonly labels: ReadonlyMap<string, string>
}

type Preparing = Pick<RepositoryDeps, 'names' | 'triples' | 'canonical'>

/** Reads the body of a dataset with this IRI; fails as `parse` and `prepareDataset` do. */
export async function prepareBody(
  deps: Preparing,
  { body, originalId }: { readonly body: ResourceBody; readonly originalId: string },
  iri: string,
): Promise<PreparedDataset> {
  const quads = mergedGraphs(await body.parse(iri))
  return prepareDataset(deps, quads, datasetNode(quads, { iri, originalId }))
}

/** Fails with `too-large` and `too-complex`. */
export async function prepareDataset(
  { names, triples, canonical }: Preparing,
  quads: readonly Quad[],
  node: Term,
): Promise<PreparedDataset> {
  const own = ownContent(quads, node, names)
  if (own.length > triples) throw tooManyTriples(own.length, triples)
  return { node, own, ...(await canonicalise(own, canonical)) }
}

type Composed = {
  readonly catalogue: string
  readonly originalId: string
  readonly prepared: PreparedDataset
}

/** The write; `before` is the stored graph as `read` gave it, `''` for a new dataset. */
export function composeDataset(
  deps: RepositoryDeps,
  { catalogue, originalId, prepared }: Composed,
  target: DatasetTarget,
  before: string,
): { readonly outcome: WriteOutcome; readonly group: WriteGroup } {
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
  const { group, mark } = groupOf(deps, catalogue, { ...target, graph, before })
  const kind = origin.record ? 'updated' : 'created'
  return { outcome: { kind, iri, catalogue, hash, modified, mark }, group }
}

type Written = DatasetTarget & { readonly graph: readonly Quad[]; readonly before: string }

/** The one atomic step: content, links, marks, and the end of doubles that direct writers left behind. */
function groupOf(
  { names, versions }: RepositoryDeps,
  catalogue: string,
  { id, origin, graph, before }: Written,
): { readonly group: WriteGroup; readonly mark: Mark } {
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
    ...gone.flatMap(({ id: double, mark: gone }) =>
      removalOf(names, { kind: 'dataset', id: double, catalogue }, gone),
    ),
  ]
  const fresh = { catalogue, quads: () => graph, created: origin.record === undefined }
  const marks: Landed[] = [{ ...mark, fresh }, ...gone.map((double) => double.mark)]
  return { group: { changes, marks }, mark }
}

/** `times` says how many times the limit they may be, where that is not once. */
export const tooManyTriples = (given: number, most: number, times = '') =>
  new Failure(
    'too-large',
    `${given} triples, at most ${most} are allowed (${times}limit "triples" of PLATFORM_LIMITS)`,
  )
