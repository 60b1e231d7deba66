/**
 * The one way in which writes reach the store: many resources at once, each an atomic group of its own, and one resource as a
 * batch of one. Writers plan under their locks what is to change, `landBatch` lands it and tells those who follow the store.
 */

import type { Change } from '../../store/graph-store.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import type { Landed } from '../../store/marks.ts'
import type { IdLists } from '../listing/id-lists.ts'

/** Changes that land together or not at all, with the marks that are pending from then on. */
export type WriteGroup = { readonly changes: readonly Change[]; readonly marks: readonly Landed[] }

/** What a writer has worked out for one resource; without a group nothing is written. */
export type Planned<T> =
  | {
      readonly result: T
      readonly group?: WriteGroup
      /** Called in the very turn of the write; throws when the write must not happen any more. */
      readonly check?: () => void
    }
  | { readonly failure: unknown }

/** What became of it. A failure of the store may have landed all the same: whoever is `unsure` looks for the marks. */
export type WriteResult<T> = { readonly result: T } | { readonly failure: unknown }

type Landing<Calls extends keyof GraphStore> = {
  readonly store: Pick<GraphStore, Calls>
  readonly idLists: Pick<IdLists, 'landed' | 'forget'>
  readonly changed: (marks: readonly Landed[]) => void
  readonly unsure: () => void
}

/**
 * Lands a batch; answers in its order and never rejects. It takes no signal: what the store has got it lands, also when the
 * client has left, and a mark that nobody hears of would wait for the next start.
 */
export async function landBatch<T>(
  deps: Landing<'writeEach'>,
  planned: readonly Planned<T>[],
): Promise<readonly WriteResult<T>[]> {
  const checked = planned.map(checkedPlan)
  const groups = checked.flatMap((plan) => ('group' in plan && plan.group ? [plan.group] : []))
  const failures = groups.length > 0 ? await landEach(deps, groups) : []
  const failureOf = new Map(groups.map((group, at) => [group, failures[at]]))
  return checked.map((plan) => {
    if ('failure' in plan) return plan
    const failure = plan.group && failureOf.get(plan.group)
    return failure === undefined ? { result: plan.result } : { failure }
  })
}

/** The same for one resource alone; rejects with its failure. */
export async function landOne<T>(deps: Landing<'write'>, planned: Planned<T>): Promise<T> {
  const { result, group } = planOf(planned)
  if (!group) return result
  try {
    await deps.store.write(group.changes)
  } catch (error) {
    deps.idLists.forget()
    deps.unsure()
    throw error
  }
  deps.idLists.landed(group.changes)
  deps.changed(group.marks)
  return result
}

/** The result, or the failure thrown. */
export function resultOf<T>(landed: WriteResult<T> | undefined): T {
  if (!landed) throw new Error('every plan has a result')
  if ('failure' in landed) throw landed.failure
  return landed.result
}

/** The plan, if its write may still happen; otherwise its failure is thrown. */
function planOf<T>(plan: Planned<T>): Exclude<Planned<T>, { readonly failure: unknown }> {
  if ('failure' in plan) throw plan.failure
  plan.check?.()
  return plan
}

function checkedPlan<T>(plan: Planned<T>): Planned<T> {
  try {
    return planOf(plan)
  } catch (failure) {
    return { failure }
  }
}

/** What became of each group, `undefined` = landed. */
async function landEach(
  { store, idLists, changed, unsure }: Landing<'writeEach'>,
  groups: readonly WriteGroup[],
): Promise<readonly unknown[]> {
  let failures: readonly unknown[]
  try {
    const landings = await store.writeEach(groups.map(({ changes }) => changes))
    failures = landings.map((landing) => ('failure' in landing ? landing.failure : undefined))
  } catch (error) {
    failures = groups.map(() => error)
  }
  const landed = groups.filter((_, at) => failures[at] === undefined)
  if (landed.length < groups.length) {
    idLists.forget()
    unsure()
  }
  idLists.landed(landed.flatMap(({ changes }) => changes))
  changed(landed.flatMap(({ marks }) => marks))
  return failures
}
