/**
 * Removes members of catalogues and brings them back: tombstones are durable first, then the store loses the members, then the
 * tombstones count. A restore gives the same ids, distributions, record and metrics, byte for byte.
 */

import { Failure } from '../../errors.ts'
import type { Mark } from '../../store/marks.ts'
import { storedRecord } from '../content/catalogue-record.ts'
import type { RepositoryContext, WriteOutcome } from '../repository-context.ts'
import {
  commitBatch,
  resultOf,
  type PlannedWrite,
  type WriteResult,
} from '../writing/write-batch.ts'
import {
  demandCatalogue,
  isPresent,
  memberLocks,
  present,
  removalOf,
  resourceIri,
  restorationOf,
  type Member,
} from './members.ts'
import type { MemberRemains, StoredRemains } from './tombstones.ts'

/** When, why and how members go; the same for all members of one call. */
export type Removal = {
  readonly at: Date
  /** The version of the deletion of the whole catalogue, if that is why. */
  readonly deletion?: number
  /** Searches go on finding what is gone. */
  readonly keepIndex?: boolean
}

/** Members whose contents are in memory at once. */
const slice = 20

/**
 * Each member is an atomic step of its own; the caller holds their locks. A failure means that nobody knows: the member may be
 * gone, and then `resolveDoubts` settles its tombstone.
 */
export async function removeMembers(
  context: RepositoryContext,
  members: readonly Member[],
  removal: Removal,
  signal: AbortSignal,
): Promise<readonly WriteResult<Mark>[]> {
  const { names, versions, tombstones } = context
  const { at, keepIndex = false } = removal
  const results: WriteResult<Mark>[] = []
  for (let start = 0; start < members.length; start += slice) {
    const remains = await remainsOf(context, members.slice(start, start + slice), removal, signal)
    const planned = remains.map((one) => {
      const mark = { resource: resourceIri(names, one), version: versions.next() }
      const changes = removalOf(names, one, keepIndex ? undefined : mark)
      return { result: mark, group: { changes, marks: keepIndex ? [] : [mark] } }
    })
    // Tombstones are first and durable: a crash leaves one too many, never one too few (decision 0018).
    const stones = remains.filter(({ content }) => content !== '')
    const kept = tombstones.keep(stones, at)
    const landed = await commitBatch(context, planned)
    const gone = remains.filter((_, place) => 'result' in (landed[place] ?? {}))
    kept.end(gone.map(({ id }) => id))
    results.push(...landed)
  }
  return results
}

/** The members as they are stored; one that is linked and not there has an empty content. */
async function remainsOf(
  { store, names }: RepositoryContext,
  members: readonly Member[],
  { deletion }: Removal,
  signal: AbortSignal,
): Promise<readonly MemberRemains[]> {
  const metricsOf = ({ kind, id }: Member) => (kind === 'dataset' ? [names.metrics(id)] : [])
  const graphs = members.flatMap((member) => [resourceIri(names, member), ...metricsOf(member)])
  const texts = await store.readAll(graphs, {}, signal)
  return members.map((member) => ({
    ...member,
    originalId: member.originalId,
    content: texts.get(resourceIri(names, member)) ?? '',
    metrics: metricsOf(member).map((graph) => texts.get(graph) ?? '')[0] ?? '',
    deletion,
  }))
}

/** `back` = it is there already; `taken` = its id or its id at the origin is in use by another one. */
type Restored = WriteOutcome | 'back' | 'taken'

/**
 * Brings members of one catalogue (`''` = of none) back, each as an atomic step; only those whose tombstone still stands are in
 * the answer. Fails with `unknown-catalogue` when the catalogue is not there.
 */
export function restoreMembers(
  context: RepositoryContext,
  catalogue: string,
  remains: readonly StoredRemains[],
  signal: AbortSignal,
): Promise<readonly WriteResult<Restored>[]> {
  const { tombstones, deletions, ids } = context
  const work = async () => {
    const standing = remains.filter(({ serial }) => tombstones.stands(serial))
    const check = deletions.watch(catalogue)
    if (catalogue !== '') await demandCatalogue(context, catalogue, signal)
    const there = await present(context, standing, signal)
    tombstones.discard([...there].map(({ serial }) => serial))
    const originalIds = [...new Set(standing.flatMap(({ originalId }) => originalId ?? []))]
    const targets = await ids({ catalogue, originalIds }, signal)
    // A dataset is free to come back when its id at the origin leads to its tombstone.
    const free = new Set(targets.flatMap((target) => ('previousId' in target ? [target.id] : [])))
    const planned = standing.map((one): PlannedWrite<Restored> => {
      if (there.has(one)) return { result: 'back' }
      if (one.originalId !== undefined && !free.has(one.id)) return { result: 'taken' }
      return { ...restoration(context, one), check }
    })
    const results = await commitBatch(context, planned)
    for (const [at, { kind, id }] of standing.entries()) {
      const landed = results[at]
      if (landed && 'result' in landed && typeof landed.result === 'object')
        tombstones.forget(kind, [id])
    }
    return results
  }
  return context.locks.run(memberLocks(context.names, remains), work, signal)
}

/** The write that brings one member back, with the entity tag that it had. */
function restoration({ names, versions }: RepositoryContext, remains: StoredRemains) {
  const { kind, id, catalogue, content } = remains
  const iri = resourceIri(names, remains)
  const mark = { resource: iri, version: versions.next() }
  const hash =
    (kind === 'dataset' ? storedRecord(content, names.record(id)).hash : undefined) ??
    remains.hash ??
    ''
  const result: WriteOutcome = {
    kind: 'created',
    iri,
    hash,
    mark,
    ...(catalogue !== '' && { catalogue }),
  }
  return { result, group: { changes: restorationOf(names, remains, mark), marks: [mark] } }
}

/**
 * Brings one member back; `undefined` when it has no tombstone. Fails with `already-exists` when the id or the id at the origin
 * is in use again, and with `conflict` when the catalogue is gone.
 */
export async function restoreMember(
  context: RepositoryContext,
  name: Pick<Member, 'kind' | 'id'>,
  signal: AbortSignal,
): Promise<WriteOutcome | undefined> {
  if (await isPresent(context, name, signal)) throw inUse(`the id "${name.id}"`)
  const remains = context.tombstones.remains(name.kind, name.id)
  if (!remains) return undefined
  const { catalogue, originalId } = remains
  try {
    const [landed] = await restoreMembers(context, catalogue, [remains], signal)
    const restored = landed ? resultOf(landed) : 'back'
    if (typeof restored === 'object') return restored
    throw inUse(restored === 'back' ? `the id "${name.id}"` : `the original id "${originalId}"`)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'unknown-catalogue') throw error
    const detail = `the catalogue "${catalogue}" is gone: restore or create it first`
    throw new Failure('conflict', detail)
  }
}

const inUse = (what: string) =>
  new Failure('already-exists', `${what} is in use again; delete what uses it before you restore`)
