/**
 * Commits all writes of the repository to the store: many resources at once, each an atomic group, and one resource as a batch of
 * one. Writers plan changes under the locks made here; `commitBatch` commits and notifies. Tracks deletions, too.
 */

import type { GraphChange, GraphStore, CommitResult } from '../../store/graph-store.ts'
import type { CommittedMark } from '../../store/marks.ts'
import type { IdLists } from './id-lists.ts'
import { Failure } from '../../errors.ts'
import { KeyedLock } from '../../workers/keyed-lock.ts'
import type { StateChange } from '../versions/version-file.ts'
import { unknownCatalogue } from './find-datasets.ts'

/** Changes that are committed together or not at all, with the marks that are pending from then on. */
export type WriteGroup = {
  readonly changes: readonly GraphChange[]
  readonly marks: readonly CommittedMark[]
  /** Content of a record that is dropped, for its last version. */
  readonly dropped?: { readonly graph: string; readonly before: string }
}

/** Result of a planned write, or the reason why it failed: of its plan, of its check or of the store. */
export type WriteResult<T> = { readonly result: T } | { readonly failure: unknown }

/** Planned write of one resource; without a group nothing is written. */
export type PlannedWrite<T> =
  | {
      readonly result: T
      readonly group?: WriteGroup
      /** Called synchronously before the write; throws when the write must not happen any more. */
      readonly check?: () => void
    }
  | { readonly failure: unknown }

/** Returns the result of the work, or its failure, so that one resource of a batch does not affect the others. */
export async function resultOrFailure<T>(
  work: () => T | Promise<T>,
): Promise<T | { failure: unknown }> {
  try {
    return await work()
  } catch (failure) {
    return { failure }
  }
}

/** Store, versions, and the listeners of a commit; `onOutcomeUnknown` is called when the store failed and may have written nevertheless. */
type CommitContext<Call extends 'write' | 'writeEach'> = {
  readonly store: Pick<GraphStore, Call>
  readonly idLists: Pick<IdLists, 'apply' | 'forget'>
  readonly onCommitted: (marks: readonly CommittedMark[]) => void
  readonly onOutcomeUnknown: () => void
  /** Notes what a write changes before the store has it. */
  readonly noteVersions?: (changes: readonly StateChange[]) => Promise<void>
}

/**
 * Commits a batch; returns the results in its order and never rejects. It takes no signal: the store completes what it received,
 * even when the client has left, and marks without a notification would wait for the next start.
 */
export const commitBatch = <T>(
  context: CommitContext<'writeEach'>,
  planned: readonly PlannedWrite<T>[],
): Promise<readonly WriteResult<T>[]> =>
  commitWith((groups) => context.store.writeEach(groups), context, planned)

/** Commits the plan of one resource; rejects with its failure. */
export async function commitOne<T>(
  context: CommitContext<'write'>,
  plan: PlannedWrite<T>,
): Promise<T> {
  const send = async ([changes = []]: readonly GraphChange[][]) => [
    { written: await context.store.write(changes) },
  ]
  return resultOf((await commitWith(send, context, [plan]))[0])
}

/** Commits changes without a result; rejects with their failure. */
export const commitChanges = (context: CommitContext<'write'>, group: WriteGroup): Promise<void> =>
  commitOne(context, { result: undefined, group })

async function commitWith<T>(
  send: (groups: GraphChange[][]) => Promise<readonly CommitResult[]>,
  { idLists, onCommitted, onOutcomeUnknown, noteVersions }: Omit<CommitContext<never>, 'store'>,
  planned: readonly PlannedWrite<T>[],
): Promise<readonly WriteResult<T>[]> {
  const noted = await resultOrFailure(() => noteVersions?.(planned.flatMap(statesOf)))
  if (noted) return planned.map((plan) => ('group' in plan && plan.group ? noted : plan))
  const results = planned.map(checkedResult)
  const writes = planned.flatMap((plan, at) =>
    'group' in plan && plan.group && !('failure' in (results[at] ?? {}))
      ? [{ ...plan.group, at }]
      : [],
  )
  if (writes.length === 0) return results
  const commits = await send(writes.map(({ changes }) => [...changes])).catch((failure: unknown) =>
    writes.map(() => ({ failure })),
  )
  const committed = writes.filter(({ at }, index) => {
    const commit = commits[index]
    if (!commit || !('failure' in commit)) return true
    results[at] = { failure: commit.failure }
    return false
  })
  if (committed.length < writes.length) {
    idLists.forget()
    onOutcomeUnknown()
  }
  idLists.apply(committed.flatMap(({ changes }) => changes))
  if (committed.length > 0) onCommitted(committed.flatMap(({ marks }) => marks))
  return results
}

/** Records that a planned write changes, before and after it. */
function statesOf(plan: PlannedWrite<unknown>): StateChange[] {
  if (!('group' in plan) || !plan.group) return []
  const { changes, dropped } = plan.group
  const changed = changes.flatMap(({ graph, before = '', content: after }) =>
    after === undefined ? [] : [{ graph, before, after }],
  )
  return dropped ? [...changed, { ...dropped, after: '' }] : changed
}

function checkedResult<T>(plan: PlannedWrite<T>): WriteResult<T> {
  if ('failure' in plan) return plan
  try {
    plan.check?.()
    return { result: plan.result }
  } catch (failure) {
    return { failure }
  }
}

/** Returns the result, or throws the failure. */
export function resultOf<T>(written: WriteResult<T> | undefined): T {
  if (!written) throw new Error('every plan has a result')
  if ('failure' in written) throw written.failure
  return written.result
}

// Order of writes: locks by name, and detection of deletions of the catalogue that is written to.

/** Record of running and past deletions of catalogues; see `deletions`. */
export type Deletions = ReturnType<typeof deletions>

/** Creates the locks. A caller whose signal fires while it waits gets `time-limit`. */
export const writeLocks = (): KeyedLock =>
  new KeyedLock(
    () =>
      new Failure('time-limit', 'other writes to this resource took too long', { retryAfter: 1 }),
  )

/** Maximum number of deletions that are remembered individually. */
const maxDeletions = 1000

/** Tracks the catalogues that are being deleted, so that nothing is written into them. */
export function deletions() {
  const running = new Map<string, number>()
  const add = (catalogue: string, difference: number) => {
    const sum = (running.get(catalogue) ?? 0) + difference
    if (sum === 0) running.delete(catalogue)
    else running.set(catalogue, sum)
  }
  // Number of the last deletion of each catalogue, in order; of dropped entries only the largest number is known.
  const lastDeletions = new Map<string, number>()
  let [deletionCount, largestDropped] = [0, 0]
  const remember = (catalogue: string) => {
    deletionCount += 1
    lastDeletions.delete(catalogue)
    lastDeletions.set(catalogue, deletionCount)
    for (const [oldest, number] of lastDeletions) {
      if (lastDeletions.size <= maxDeletions) return
      lastDeletions.delete(oldest)
      largestDropped = number
    }
  }
  return {
    /** Runs work that deletes a catalogue; several may overlap. */
    during: async <T>(catalogue: string, work: () => Promise<T>): Promise<T> => {
      add(catalogue, 1)
      remember(catalogue)
      try {
        return await work()
      } finally {
        add(catalogue, -1)
      }
    },
    /**
     * Starts watching a catalogue; call it before the catalogue is looked up. Returns a check that is called synchronously before
     * the write, so that a later deletion sees the write: throws `unknown-catalogue` when a deletion runs or has run since.
     */
    watch: (catalogue: string) => {
      const before = deletionCount
      return () => {
        // A write during which so many catalogues were deleted that some were dropped is refused to be safe.
        if (running.has(catalogue) || (lastDeletions.get(catalogue) ?? largestDropped) > before)
          throw unknownCatalogue(catalogue)
      }
    },
  }
}
