/**
 * Removes and restores members of catalogues. Tombstones are written first, then members are removed from the store, then
 * tombstones are confirmed. A restore gives the same ids, distributions, record and metrics, byte for byte.
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
  requireCatalogue,
  isPresent,
  memberLocks,
  existingOf,
  removalOf,
  resourceIri,
  restorationOf,
  type Member,
} from './members.ts'
import type { DeletedMember, StoredDeletedContent } from './tombstones.ts'

/** Options of a removal for all members of one call. */
export type Removal = {
  /** Time of the deletion. */
  readonly at: Date
  /** Version of the deletion of the catalogue, if the members are removed with it. */
  readonly deletion?: number
  /** Whether the search index keeps the removed members, because no marks are written. */
  readonly keepIndex?: boolean
}

/** Members whose contents are in memory at the same time. */
const batchSize = 20

/**
 * Removes members, each in an atomic write; the caller holds their locks. A member whose write failed may be removed nevertheless
 * (the answer of the store may be lost); `confirmTombstones` finds out. Rejects when a batch cannot be read or noted.
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
  for (let start = 0; start < members.length; start += batchSize) {
    const contents = await readDeletedContent(
      context,
      members.slice(start, start + batchSize),
      removal,
      signal,
    )
    const planned = contents.map((content) => {
      const mark = { resource: resourceIri(names, content), version: versions.next() }
      const changes = removalOf(names, content, keepIndex ? undefined : mark)
      const dropped = { graph: mark.resource, before: content.content }
      return { result: mark, group: { changes, marks: keepIndex ? [] : [mark], dropped } }
    })
    // Tombstones are first and durable: a crash leaves one too many, never one too few (decision 0018).
    const existing = contents.filter(({ content }) => content !== '')
    const tombstoneWrite = tombstones.write(existing, at)
    const outcomes = await commitBatch(context, planned)
    const removed = contents.filter((_, index) => 'result' in (outcomes[index] ?? {}))
    tombstoneWrite.end(removed.map(({ id }) => id))
    results.push(...outcomes)
  }
  return results
}

/** Reads the content of members; a linked member that does not exist has empty content. */
async function readDeletedContent(
  { store, names }: RepositoryContext,
  members: readonly Member[],
  { deletion }: Removal,
  signal: AbortSignal,
): Promise<readonly DeletedMember[]> {
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

/** Outcome of a restore; `exists` = the resource exists already; `original-id-in-use` = another dataset has its original id. */
type RestoreOutcome = WriteOutcome | 'exists' | 'original-id-in-use'

/**
 * Restores members of one catalogue, or resources without one (`''`), each in an atomic write. The results are those of the
 * members whose tombstone still exists, in order. Rejects with `unknown-catalogue`.
 */
export function restoreMembers(
  context: RepositoryContext,
  catalogue: string,
  contents: readonly StoredDeletedContent[],
  signal: AbortSignal,
): Promise<readonly WriteResult<RestoreOutcome>[]> {
  const { tombstones, deletions, ids } = context
  const work = async () => {
    const pending = contents.filter(({ serial }) => tombstones.exists(serial))
    const check = deletions.watch(catalogue)
    if (catalogue !== '') await requireCatalogue(context, catalogue, signal)
    const existing = await existingOf(context, pending, signal)
    tombstones.discard([...existing].map(({ serial }) => serial))
    const originalIds = [...new Set(pending.flatMap(({ originalId }) => originalId ?? []))]
    const targets = await ids({ catalogue, originalIds }, signal)
    // A dataset can be restored when its original id still leads to its tombstone.
    const restorableIds = new Set(
      targets.flatMap((target) => ('deletedGraph' in target ? [target.id] : [])),
    )
    const planned = pending.map((content): PlannedWrite<RestoreOutcome> => {
      if (existing.has(content)) return { result: 'exists' }
      if (content.originalId !== undefined && !restorableIds.has(content.id))
        return { result: 'original-id-in-use' }
      return { ...plannedRestore(context, content), check }
    })
    const results = await commitBatch(context, planned)
    for (const [index, { kind, id }] of pending.entries()) {
      const outcome = results[index]
      if (outcome && 'result' in outcome && typeof outcome.result === 'object')
        tombstones.forget(kind, [id])
    }
    return results
  }
  return context.locks.run(memberLocks(context.names, contents), work, signal)
}

/** Write that restores one member, with its former entity tag. */
function plannedRestore({ names, versions }: RepositoryContext, deleted: StoredDeletedContent) {
  const { kind, id, catalogue, content } = deleted
  const iri = resourceIri(names, deleted)
  const mark = { resource: iri, version: versions.next() }
  const hash =
    (kind === 'dataset' ? storedRecord(content, names.record(id)).hash : undefined) ??
    deleted.hash ??
    ''
  const result: WriteOutcome = {
    kind: 'created',
    iri,
    hash,
    mark,
    ...(catalogue !== '' && { catalogue }),
  }
  return { result, group: { changes: restorationOf(names, deleted, mark), marks: [mark] } }
}

/**
 * Restores one member; `undefined` when it has no tombstone. Rejects with `already-exists` when its id or original id is in use
 * again, and with `conflict` when its catalogue does not exist.
 */
export async function restoreMember(
  context: RepositoryContext,
  member: Pick<Member, 'kind' | 'id'>,
  signal: AbortSignal,
): Promise<WriteOutcome | undefined> {
  if (await isPresent(context, member, signal)) throw inUse(`the id "${member.id}"`)
  const deleted = context.tombstones.contentOf(member.kind, member.id)
  if (!deleted) return undefined
  const { catalogue, originalId } = deleted
  try {
    const [outcome] = await restoreMembers(context, catalogue, [deleted], signal)
    const restored = outcome ? resultOf(outcome) : 'exists'
    if (typeof restored === 'object') return restored
    throw inUse(restored === 'exists' ? `the id "${member.id}"` : `the original id "${originalId}"`)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'unknown-catalogue') throw error
    const detail = `the catalogue "${catalogue}" is gone: restore or create it first`
    throw new Failure('conflict', detail)
  }
}

const inUse = (what: string) =>
  new Failure('already-exists', `${what} is in use again; delete what uses it before you restore`)
