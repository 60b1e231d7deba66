/** Brings the datasets of a catalogue back that went with it, as far as nobody has taken their ids meanwhile. */

import { Failure } from '../../../errors.ts'
import type { RepositoryDeps } from '../../deps.ts'
import type { DatasetIds, Target } from '../../writing/dataset-id.ts'
import { resourceLock } from '../../resources/removing.ts'
import { restoreMembers } from '../../resources/restoring.ts'
import { landEach } from '../../writing/landing.ts'
import { datasetLock } from '../../writing/locks.ts'
import { restoration } from '../restoring.ts'
import type { After, Doubt, Remains, Tombstones } from '../tombstones.ts'

export type ReturningDeps = RepositoryDeps & {
  readonly tombstones: Tombstones
  readonly ids: DatasetIds
}

type Taken = Remains & Doubt

/**
 * Throws when the store is away; done again, it goes on. Fails with `unknown-catalogue` when it is not there. What cannot come back, because its id at the origin is in use again,
 * keeps its tombstone. `done` counts datasets.
 */
export async function restoreTaken(
  deps: ReturningDeps,
  { id, deletion }: { readonly id: string; readonly deletion: number },
  done: (datasets: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let after: After = { deletion, serial: 0 }
  for (;;) {
    signal.throwIfAborted()
    const page = deps.tombstones.taken(after)
    const last = page.at(-1)
    if (!last) return
    const resources = page.filter(({ kind }) => kind === 'resource')
    const locks = page.flatMap(({ originalId }) =>
      originalId === undefined ? [] : [datasetLock(id, originalId)],
    )
    const all = [...locks, ...resources.map((one) => resourceLock(iriOf(deps, one)))]
    const work = async () => {
      await restorePage(deps, id, page, signal)
      await restoreMembers(deps, { catalogue: id, taken: resources }, signal)
    }
    await deps.locks.runAll(all, work, signal)
    done(page.length)
    after = { deletion, serial: last.serial }
  }
}

function iriOf({ names }: ReturningDeps, { id }: Taken): string {
  const [type = '', own = ''] = id.split('/')
  return names.resource(type, own)
}

function restorePage(
  deps: ReturningDeps,
  catalogue: string,
  page: readonly Taken[],
  signal: AbortSignal,
): Promise<void> {
  const wanted = new Map<string, Taken>()
  for (const one of page) {
    if (one.originalId !== undefined && deps.tombstones.stands(one.serial))
      wanted.set(one.originalId, one)
  }
  const originalIds = [...wanted.keys()]
  if (originalIds.length === 0) return Promise.resolve()
  const work = (targets: readonly (Target | Failure)[]) => {
    const datasets = [...wanted.values()]
    // The answer to an earlier try may have got lost.
    const back = datasets.filter((one, at) => isBack(one, targets[at]))
    deps.tombstones.discard(back.map(({ serial }) => serial))
    return landAll(
      deps,
      datasets.filter((one, at) => isFree(one, targets[at])),
    )
  }
  return deps.ids.withIds({ catalogue, originalIds }, work, signal)
}

const isBack = (one: Taken, target: Target | Failure | undefined): boolean =>
  target !== undefined && !(target instanceof Failure) && target.origin.record?.id === one.id

const isFree = (one: Taken, target: Target | Failure | undefined): boolean =>
  target !== undefined &&
  !(target instanceof Failure) &&
  target.former !== undefined &&
  target.id === one.id

async function landAll(deps: ReturningDeps, datasets: readonly Taken[]): Promise<void> {
  const back = datasets.map((one) => {
    const { changes, landed } = restoration(deps, one)
    return { id: one.id, changes, marks: [landed] }
  })
  const failures = await landEach(deps, back)
  const landed = back.filter((_, at) => failures[at] === undefined)
  deps.tombstones.forget(
    'dataset',
    landed.map(({ id }) => id),
  )
  const failure = failures.find((one) => one !== undefined)
  if (failure !== undefined) throw failure
}
