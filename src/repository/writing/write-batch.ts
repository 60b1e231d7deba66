/**
 * The one way in which writes reach the store: many resources at once, each an atomic group of its own, and one resource as a
 * batch of one. Writers plan under their locks what is to change, `landBatch` lands it and tells those who follow the store.
 */

import type { Change, GraphStore, CommitResult } from '../../store/graph-store.ts'
import type { CommittedMark } from '../../store/marks.ts'
import type { IdLists } from './id-lists.ts'
import { Failure } from '../../errors.ts'
import { KeyedLock } from '../../workers/keyed-lock.ts'
import { unknownCatalogue } from './find-datasets.ts'

/** Changes that land together or not at all, with the marks that are pending from then on. */
export type WriteGroup = {
  readonly changes: readonly Change[]
  readonly marks: readonly CommittedMark[]
}

/** What became of it. A failure of the store may have landed all the same: whoever is `unsure` looks for the marks. */
export type WriteResult<T> = { readonly result: T } | { readonly failure: unknown }

/** What a writer has worked out for one resource; without a group nothing is written. */
export type Planned<T> =
  | {
      readonly result: T
      readonly group?: WriteGroup
      /** Called in the very turn of the write; throws when the write must not happen any more. */
      readonly check?: () => void
    }
  | { readonly failure: unknown }

/** What the work answers, or its failure: one resource of a batch that cannot be planned harms no other. */
export async function resultOrFailure<T>(
  work: () => T | Promise<T>,
): Promise<T | { failure: unknown }> {
  try {
    return await work()
  } catch (failure) {
    return { failure }
  }
}

type CommitContext<Call extends 'write' | 'writeEach'> = {
  readonly store: Pick<GraphStore, Call>
  readonly idLists: Pick<IdLists, 'apply' | 'forget'>
  readonly onCommitted: (marks: readonly CommittedMark[]) => void
  readonly onOutcomeUnknown: () => void
}

/**
 * Lands a batch; answers in its order and never rejects. It takes no signal: what the store has got it lands, also when the
 * client has left, and a mark that nobody hears of would wait for the next start.
 */
export const commitBatch = <T>(
  context: CommitContext<'writeEach'>,
  planned: readonly Planned<T>[],
): Promise<readonly WriteResult<T>[]> =>
  commitWith((groups) => context.store.writeEach(groups), context, planned)

/** Lands what is planned for one resource alone; rejects with its failure. */
export async function commitOne<T>(context: CommitContext<'write'>, plan: Planned<T>): Promise<T> {
  const send = async ([changes = []]: readonly Change[][]) => [
    { written: await context.store.write(changes) },
  ]
  return resultOf((await commitWith(send, context, [plan]))[0])
}

/** The same for changes without a result. */
export const commitChanges = (context: CommitContext<'write'>, group: WriteGroup): Promise<void> =>
  commitOne(context, { result: undefined, group })

async function commitWith<T>(
  send: (groups: Change[][]) => Promise<readonly CommitResult[]>,
  { idLists, onCommitted, onOutcomeUnknown }: Omit<CommitContext<never>, 'store'>,
  planned: readonly Planned<T>[],
): Promise<readonly WriteResult<T>[]> {
  const results = planned.map(checked)
  const writes = planned.flatMap((plan, at) =>
    'group' in plan && plan.group && !('failure' in (results[at] ?? {}))
      ? [{ ...plan.group, at }]
      : [],
  )
  if (writes.length === 0) return results
  const commits = await send(writes.map(({ changes }) => [...changes])).catch((failure: unknown) =>
    writes.map(() => ({ failure })),
  )
  const committed = writes.filter(({ at }, place) => {
    const landing = commits[place]
    if (!landing || !('failure' in landing)) return true
    results[at] = { failure: landing.failure }
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

function checked<T>(plan: Planned<T>): WriteResult<T> {
  if ('failure' in plan) return plan
  try {
    plan.check?.()
    return { result: plan.result }
  } catch (failure) {
    return { failure }
  }
}

/** The result, or the failure thrown. */
export function resultOf<T>(landed: WriteResult<T> | undefined): T {
  if (!landed) throw new Error('every plan has a result')
  if ('failure' in landed) throw landed.failure
  return landed.result
}

// What keeps writes in order: locks by name, and a look-out for deletions of the catalogue that is written to.

export type Deletions = ReturnType<typeof deletions>

/** Keeps writes of one name apart. A caller whose signal fires while it waits gets `time-limit`. */
export const writeLocks = (): KeyedLock =>
  new KeyedLock(
    () =>
      new Failure('time-limit', 'other writes to this resource took too long', { retryAfter: 1 }),
  )

/** Deletions that are remembered one by one. */
const maxDeletions = 1000

/** Which catalogues are being deleted, so that nothing lands in one that goes or has gone meanwhile. */
export function deletions() {
  const running = new Map<string, number>()
  const add = (catalogue: string, more: number) => {
    const sum = (running.get(catalogue) ?? 0) + more
    if (sum === 0) running.delete(catalogue)
    else running.set(catalogue, sum)
  }
  // The number of the last deletion of each catalogue, in their order; of those that were dropped only the largest is known.
  const last = new Map<string, number>()
  let [started, dropped] = [0, 0]
  const note = (catalogue: string) => {
    started += 1
    last.delete(catalogue)
    last.set(catalogue, started)
    for (const [oldest, number] of last) {
      if (last.size <= maxDeletions) return
      last.delete(oldest)
      dropped = number
    }
  }
  return {
    /** Runs work that deletes a catalogue; several such works may overlap. */
    during: async <T>(catalogue: string, work: () => Promise<T>): Promise<T> => {
      add(catalogue, 1)
      note(catalogue)
      try {
        return await work()
      } finally {
        add(catalogue, -1)
      }
    },
    /**
     * To be called before the catalogue is looked up. The check that it answers is made in the very turn of the write, so that
     * a deletion that starts later sees the write: `unknown-catalogue` when one runs or has run since.
     */
    watch: (catalogue: string) => {
      const before = started
      return () => {
        // A write during which so many catalogues were deleted that some were dropped is refused to be safe.
        if (running.has(catalogue) || (last.get(catalogue) ?? dropped) > before)
          throw unknownCatalogue(catalogue)
      }
    },
  }
}
