/**
 * Writes datasets: single PUT (a batch of one), bulk writes, previews, and edits of a stored dataset. A batch has one look-up of
 * ids (more when ids clash), one read of the stored datasets that change, and one write with an atomic group for each dataset.
 */

import { hash as digestOf } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { fromLines, readLines, toLines } from '../../rdf/lines.ts'
import { platformId } from '../../rdf/ids.ts'
import { dct } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { skolemise } from '../../rdf/skolem.ts'
import {
  markLine,
  systemChange,
  type WrittenContent,
  type CommittedMark,
  type Mark,
} from '../../store/marks.ts'
import type { GraphChange } from '../../store/graph-store.ts'
import { recordQuads, withNewHash, timestamp } from '../content/catalogue-record.ts'
import { distributionIris } from '../content/distribution-iris.ts'
import {
  canonicalContent,
  datasetNode,
  mergedGraphs,
  ownContent,
  tooManyTriples,
  type OwnContent,
  rename,
} from '../content/own-content.ts'
import type {
  Precondition,
  RepositoryContext,
  ResourceBody,
  WriteOutcome,
} from '../repository-context.ts'
import { demandByRules, type Rules } from '../drafts/catalogue-rules.ts'
import { linkLines, removalOf } from '../deleting/members.ts'
import { datasetLock, type DatasetTarget } from './dataset-ids.ts'
import { unknownDataset, type LocatedDataset } from './find-datasets.ts'
import {
  resultOrFailure,
  commitBatch,
  commitOne,
  type PlannedWrite,
  type WriteResult,
} from './write-batch.ts'

/** Dataset to write, as `writeDatasets` takes it. */
export type DatasetItem = {
  readonly originalId: string
  /** Returns its content once its IRI is known; fails as the PUT does. */
  readonly prepare: (iri: string) => Promise<OwnContent>
  /**
   * SHA-256 over everything that `prepare` reads, when it came as one body. A body that was written before is found unchanged
   * without being parsed (decision 0022).
   */
  readonly digest?: (iri: string) => string
  readonly precondition?: Precondition
  /** Write even when the hash is equal. */
  readonly enforceUpdate?: boolean
  /** Refuse when the stored record was modified later (epoch ms). */
  readonly recordModified?: number
  /** Refuse to create. */
  readonly updateOnly?: boolean
}

/** Datasets of one catalogue that are written together; their original ids are all different. */
type DatasetBatch = { readonly catalogue: string; readonly items: readonly DatasetItem[] }

/** Platform id of a dataset and the outcome of its write. */
export type WrittenDataset = { readonly id: string; readonly outcome: WriteOutcome }

type Targets = readonly (DatasetTarget | Failure)[]

/** Reads the body of a dataset with this IRI; fails as `parse`, `datasetNode` and `prepareDataset` do. */
async function prepareBody(
  context: RepositoryContext,
  { body, originalId }: { readonly body: ResourceBody; readonly originalId: string },
  iri: string,
): Promise<OwnContent> {
  const quads = mergedGraphs(await body.parse(iri))
  await context.turn()
  return prepareDataset(context, quads, datasetNode(quads, { iri, originalId }))
}

/** Makes the item of a dataset whose body came by a request. */
export function itemOf(
  context: RepositoryContext,
  { body, ...item }: Omit<DatasetItem, 'prepare' | 'digest'> & { readonly body: ResourceBody },
): DatasetItem {
  const { originalId } = item
  const { text, format } = body.source
  return {
    ...item,
    prepare: (iri) => prepareBody(context, { body, originalId }, iri),
    digest: (iri) => digestOf('sha256', `${iri}\n${originalId}\n${format}\n${text}`, 'hex'),
  }
}

/** Selects the own content of the dataset `node`. Fails with `too-large`, `too-complex` and `invalid-content`. */
export async function prepareDataset(
  context: RepositoryContext,
  quads: readonly Quad[],
  node: Term,
): Promise<OwnContent> {
  await context.turn()
  const statements = ownContent(quads, node, context.names)
  await context.turn()
  return canonicalContent(context, { node, statements })
}

/**
 * Writes datasets; returns the outcome of each, in order. A failure affects only its item. Rejects with `unknown-catalogue`, and
 * when the store cannot be read. A started write is completed, whatever the signal says.
 */
export async function writeDatasets(
  context: RepositoryContext,
  { catalogue, items }: DatasetBatch,
  signal: AbortSignal,
): Promise<readonly WriteResult<WrittenDataset>[]> {
  // Fails at once while the catalogue is being deleted, and does not wait for the locks that the deletion holds.
  context.deletions.watch(catalogue)()
  const originalIds = items.map(({ originalId }) => originalId)
  const work = async () => {
    const check = context.deletions.watch(catalogue)
    const found = context.ids({ catalogue, originalIds }, signal)
    const [targets, read] = await Promise.all([found, readAhead(context, items)])
    const planned = await planDatasets(context, { catalogue, items: read, targets }, signal)
    const plansWithCheck = planned.map((plan) => ('failure' in plan ? plan : { ...plan, check }))
    const results = await commitBatch(context, plansWithCheck)
    const restoredIds = targets.flatMap((target, at) =>
      'deletedGraph' in target && results[at] && 'result' in results[at] ? [target.id] : [],
    )
    if (restoredIds.length > 0) context.tombstones.forget('dataset', restoredIds)
    return results
  }
  return context.locks.run(originalIds.map(datasetLock), work, signal)
}

/**
 * Reads a body that is alone while the store is asked for its id, under the IRI that it has if the id is free. Failures are kept for
 * `prepare`, because those of the id come first.
 */
async function readAhead(
  { names, bodies }: RepositoryContext,
  items: readonly DatasetItem[],
): Promise<readonly DatasetItem[]> {
  const [item, ...others] = items
  const id = platformId(item?.originalId ?? '')
  if (!item?.digest || others.length > 0 || id === '') return items
  const iri = names.dataset(id)
  if (bodies.peek(item.digest(iri)) !== undefined) return items
  // The question is sent in the next turn of the event loop.
  await setImmediate()
  await setImmediate()
  const read = await resultOrFailure(() => item.prepare(iri))
  const prepare = async (wanted: string) => {
    if (wanted !== iri) return item.prepare(wanted)
    if ('failure' in read) throw read.failure
    return read
  }
  return [{ ...item, prepare }]
}

/** Effect of a PUT: the stored graph as N-Triples, now (`''` = none) and after it; equal when nothing would change. */
export type DatasetPreview = {
  readonly kind: WriteOutcome['kind']
  readonly before: string
  readonly after: string
}

/** Returns the result of a PUT of a dataset without writing. Fails as the PUT would. */
export async function previewOf(
  context: RepositoryContext,
  { catalogue, item }: { readonly catalogue: string; readonly item: DatasetItem },
  signal: AbortSignal,
): Promise<DatasetPreview> {
  const targets = await context.ids({ catalogue, originalIds: [item.originalId] }, signal)
  const [plan] = await planDatasets(context, { catalogue, items: [item], targets }, signal)
  if (!plan || 'failure' in plan) throw plan?.failure
  const { kind, iri } = plan.result.outcome
  const change = plan.group?.changes.find(({ graph }) => graph === iri)
  if (change?.content !== undefined)
    return { kind, before: change.before ?? '', after: change.content }
  const stored = (await context.store.read(iri, {}, signal)) ?? ''
  return { kind, before: stored, after: stored }
}

/** Dataset that has to be written: it is new, its content differs from the stored one, or `enforceUpdate` is set. */
type ChangedDataset = {
  readonly item: DatasetItem
  readonly target: DatasetTarget
  readonly content: OwnContent
}

/** Plans the writes of a batch, in order; reads the stored graphs in one query. */
async function planDatasets(
  context: RepositoryContext,
  { catalogue, items, targets }: DatasetBatch & { readonly targets: Targets },
  signal: AbortSignal,
): Promise<readonly PlannedWrite<WrittenDataset>[]> {
  const { store, names, turn, drafts } = context
  const place = { catalogue, rules: drafts.rules(catalogue).rules }
  const decisions: (ChangedDataset | PlannedWrite<WrittenDataset>)[] = []
  for (const [at, item] of items.entries())
    decisions.push(await resultOrFailure(() => chooseWrite(context, place, item, targets[at])))
  const replaced = decisions.flatMap((decision) =>
    'item' in decision && decision.target.origin.record ? names.dataset(decision.target.id) : [],
  )
  const before =
    replaced.length > 0 ? await store.readAll(replaced, {}, signal) : new Map<string, string>()
  const planned: PlannedWrite<WrittenDataset>[] = []
  for (const decision of decisions) {
    if (!('item' in decision)) planned.push(decision)
    else {
      const stored = before.get(names.dataset(decision.target.id)) ?? ''
      planned.push(await resultOrFailure(() => composeWrite(context, catalogue, decision, stored)))
      await turn()
    }
  }
  return planned
}

/** Prepares a dataset, unless its body is known, and decides whether it is written; an unchanged one has its result already. */
async function chooseWrite(
  { names, bodies }: RepositoryContext,
  { catalogue, rules }: { readonly catalogue: string; readonly rules: Rules },
  item: DatasetItem,
  target: Targets[number] | undefined,
): Promise<ChangedDataset | PlannedWrite<WrittenDataset>> {
  if (!target || target instanceof Failure) throw target ?? new Error('every id has a target')
  const { id, origin } = target
  const { record } = origin
  if (item.updateOnly && !record) throw unknownDataset(id)
  const iri = names.dataset(id)
  const digest = item.digest?.(iri)
  const isStored = (hash: string) => hash === record?.hash && item.enforceUpdate !== true
  const cachedHash = digest !== undefined && record ? bodies.get(digest, isStored) : undefined
  const content = cachedHash === undefined ? await item.prepare(iri) : undefined
  if (digest !== undefined && content) bodies.set(digest, content.hash)
  item.precondition?.(record?.hash)
  if (record && Date.parse(record.modified) > (item.recordModified ?? Infinity)) {
    const detail = `the stored record was modified at ${record.modified}, later than recordModified`
    throw new Failure('newer-exists', detail)
  }
  if (content && !isStored(content.hash)) {
    demandByRules(rules, keyOf(content.node), content.statements)
    return { item, target, content }
  }
  const hash = record?.hash ?? ''
  return { result: { id, outcome: { kind: 'unchanged', iri, catalogue, hash } } }
}

/** Makes the write; `before` is the stored graph from `readAll`, `''` for a new dataset. */
async function composeWrite(
  context: RepositoryContext,
  catalogue: string,
  { item: { originalId }, target, content }: ChangedDataset,
  before: string,
): Promise<PlannedWrite<WrittenDataset>> {
  const { names, turn } = context
  const { id, origin, deletedGraph = '' } = target
  const { node, statements, hash, labels } = content
  const iri = names.dataset(id)
  const storedQuads = await readLines(before === '' ? deletedGraph : before)
  const keys = { sent: keyOf(node), stored: iri }
  await turn()
  const { iris, identifiers } = distributionIris(statements, storedQuads, keys, context)
  await turn()
  const renamed = rename(statements, new Map([...iris, [keyOf(node), iri]]))
  const withoutBlankNodes = skolemise([...renamed, ...identifiers], {
    genid: names.genid(iri),
    labels,
  })
  const modified = timestamp(context.now())
  const issued = origin.record?.issued ?? modified
  const isStoredSource = (q: Quad) =>
    q.subject.value === names.record(id) && q.predicate.equals(dct('source'))
  const storedSource = storedQuads.find(isStoredSource)?.object.value
  const isForeign = node.termType === 'NamedNode' && !names.owns(node.value)
  // Data read from this platform and sent back comes under the platform's IRI, and keeps its source.
  const source = isForeign ? (node.value === originalId ? undefined : node.value) : storedSource
  const record = recordQuads({ id, originalId, hash, issued, modified, source }, names)
  await turn()
  const { group, mark } = groupOf(context, catalogue, target, {
    graph: [...withoutBlankNodes, ...record],
    before,
  })
  const kind = origin.record ? 'updated' : 'created'
  return { result: { id, outcome: { kind, iri, catalogue, hash, mark } }, group }
}

/** Makes the atomic group: content, links of a new dataset, marks, and the removal of duplicates left by other programs. */
function groupOf(
  { names, versions }: RepositoryContext,
  catalogue: string,
  { id, origin }: DatasetTarget,
  { graph, before }: { readonly graph: readonly Quad[]; readonly before: string },
) {
  const mark = { resource: names.dataset(id), version: versions.next() }
  const removals = origin.duplicates.map((duplicate) => {
    const duplicateMark = { resource: names.dataset(duplicate.id), version: versions.next() }
    return {
      mark: duplicateMark,
      changes: removalOf(names, { kind: 'dataset', id: duplicate.id, catalogue }, duplicateMark),
    }
  })
  const changes: GraphChange[] = [
    { graph: mark.resource, content: toLines(graph), before },
    ...(origin.record
      ? []
      : [{ graph: names.catalogue(catalogue), add: linkLines(names, { catalogue, id }) }]),
    systemChange({ add: [markLine('pending', mark)] }),
    ...removals.flatMap((removal) => removal.changes),
  ]
  const content = { catalogue, quads: () => graph, created: origin.record === undefined }
  const marks: CommittedMark[] = [{ ...mark, content }, ...removals.map((removal) => removal.mark)]
  return { group: { changes, marks }, mark }
}

// Changes of one stored dataset under its lock: edits of its graph, and the removal of its metrics.

/** Dataset that an edit changes. */
export type DatasetPlace = Pick<LocatedDataset, 'id' | 'catalogue' | 'originalId'>

/** Changes of an edit besides the pending mark of the dataset; without changes nothing is written. */
type DatasetChange<T> = {
  readonly result: T
  readonly changes?: readonly GraphChange[]
  /** Content for the index, when the writer has all of the dataset. */
  readonly content?: WrittenContent
}

/** Result of an edit; `mark` is absent when nothing was written. */
type EditResult<T> = { readonly result: T; readonly mark?: Mark }

/** Commits the result of `plan` while no other write to the dataset runs; `unknown-catalogue` when that is deleted meanwhile. */
export function changeDataset<T>(
  context: RepositoryContext,
  { id, catalogue, originalId }: DatasetPlace,
  plan: () => Promise<DatasetChange<T>>,
  signal: AbortSignal,
): Promise<EditResult<T>> {
  const work = async (): Promise<EditResult<T>> => {
    const check = context.deletions.watch(catalogue)
    const { result, changes, content } = await plan()
    if (!changes) return { result }
    const mark = { resource: context.names.dataset(id), version: context.versions.next() }
    const pending = systemChange({ add: [markLine('pending', mark)] })
    const group = { changes: [...changes, pending], marks: [{ ...mark, content }] }
    return commitOne(context, { result: { result, mark }, group, check })
  }
  return context.locks.run([datasetLock(originalId)], work, signal)
}

/**
 * Commits the graph that `edit` returns (nothing without `graph`), with a new date of change and hash in the record, in one
 * atomic step. Fails as `edit`, `changeDataset` and `demandByRules` do, and with `unknown-dataset`, `too-large` and `too-complex`.
 */
export function editDataset<T>(
  context: RepositoryContext,
  dataset: DatasetPlace,
  edit: (graph: readonly Quad[]) => Promise<{
    readonly graph?: readonly Quad[]
    /** Hash of the canonical form, if it is known. */
    readonly hash?: string
    /** Whether the edit repairs what is stored, whatever the rules of the catalogue are. */
    readonly isRepair?: boolean
    readonly result: T
  }>,
  signal: AbortSignal,
): Promise<EditResult<T>> {
  const { store, names, triples, canonical, drafts } = context
  const { id, catalogue } = dataset
  const graph = names.dataset(id)
  const plan = async (): Promise<DatasetChange<T>> => {
    const before = await store.read(graph, {}, signal)
    if (before === undefined) throw unknownDataset(id)
    const { graph: edited, hash, isRepair = false, result } = await edit(await readLines(before))
    if (!edited) return { result }
    if (edited.length > triples) throw tooManyTriples(edited.length, triples)
    if (!isRepair) demandByRules(drafts.rules(catalogue).rules, graph, edited)
    const recordEdit = { id, modified: timestamp(context.now()), canonical, hash }
    const lines = toLines(await withNewHash(edited, names, recordEdit))
    // Read from the lines: an edit may repeat existing statements, and documents must not have them twice.
    const content = { catalogue, quads: () => fromLines(lines), created: false }
    return { result, changes: [{ graph, content: lines, before }], content }
  }
  return changeDataset(context, dataset, plan, signal)
}
