/**
 * Removes and restores members of catalogues. Tombstones are written first, then members are removed from the store, then tombstones
 * are confirmed. A restore gives the same ids, distributions, record and metrics, byte for byte.
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
  readonly at: Date
  /** Version of the deletion of the catalogue, if the members are removed with it. */
  readonly deletion?: number
  /** Whether the index keeps the removed members. */
  readonly keepIndex?: boolean
}

/** Members whose contents are in memory at the same time. */
const batchSize = 20

/**
 * Removes members, each in an atomic write; the caller holds their locks. After a failure the member may be removed; then
 * `confirmTombstones` confirms its tombstone.
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
      return { result: mark, group: { changes, marks: keepIndex ? [] : [mark] } }
    })
    // Tombstones are first and durable: a crash leaves one too many, never one too few (decision 0018).
    const existing = contents.filter(({ content }) => content !== '')
    const tombstone = tombstones.keep(existing, at)
    const outcomes = await commitBatch(context, planned)
    const removed = contents.filter((_, index) => 'result' in (outcomes[index] ?? {}))
    tombstone.end(removed.map(({ id }) => id))
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

/** Outcome of a restore; `back` = it exists already; `taken` = another resource has its id or original id. */
type RestoreOutcome = WriteOutcome | 'back' | 'taken'

/**
 * Restores members of one catalogue (`''` = without), each in an atomic write; the result only has those whose tombstone exists.
 * Rejects with `unknown-catalogue`.
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
    const free = new Set(targets.flatMap((target) => ('deletedGraph' in target ? [target.id] : [])))
    const planned = pending.map((content): PlannedWrite<RestoreOutcome> => {
      if (existing.has(content)) return { result: 'back' }
      if (content.originalId !== undefined && !free.has(content.id)) return { result: 'taken' }
      return { ...plannedRestore(context, content), check }
    })
    const results = await commitBatch(context, planned)
    for (const [at, { kind, id }] of pending.entries()) {
      const outcome = results[at]
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
 * Restores one member; `undefined` when it has no tombstone. Rejects with `already-exists` when its id or original id is in use again,
 * and with `conflict` when its catalogue does not exist.
 */
export async function restoreMember(
  context: RepositoryContext,
  name: Pick<Member, 'kind' | 'id'>,
  signal: AbortSignal,
): Promise<WriteOutcome | undefined> {
  if (await isPresent(context, name, signal)) throw inUse(`the id "${name.id}"`)
  const remains = context.tombstones.contentOf(name.kind, name.id)
  if (!remains) return undefined
  const { catalogue, originalId } = remains
  try {
    const [outcome] = await restoreMembers(context, catalogue, [remains], signal)
    const restored = outcome ? resultOf(outcome) : 'back'
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
