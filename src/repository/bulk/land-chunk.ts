/** Writes one chunk of datasets: one look-up, one read of those that change, one write of many groups. */

import { Failure } from '../../errors.ts'
import { datasetLock } from '../writing/locks.ts'
import type { WritingDeps } from '../deps.ts'
import type { Target } from '../writing/dataset-id.ts'
import { composeDataset, unchanged, type DatasetPlan } from '../writing/dataset-plan.ts'
import { unknownCatalogue } from '../writing/find-dataset.ts'
import { landEach } from '../writing/landing.ts'
import type { Chunk, Ready } from './chunks.ts'
import type { Pause } from './pauses.ts'
import { Verdicts, type Verdict } from './verdicts.ts'

/** Where a bulk request writes, and how. */
export type Aim = {
  readonly catalogue: string
  /** Write also what is unchanged. */
  readonly enforceUpdate: boolean
  /** Path of the request, for the problems. */
  readonly instance: string
}

export type LandingDeps = WritingDeps & { readonly pause: Pause }

type Landing = {
  readonly deps: LandingDeps
  readonly aim: Aim
  readonly verdicts: Verdicts
  /** Whether the catalogue is being deleted. */
  readonly isGone: () => boolean
}

/** A dataset that is to be written, and where. */
type Changing = { readonly one: Ready; readonly target: Target }

/** A verdict for every dataset, in their order; never rejects. What it has begun to write it ends, whatever the signal says. */
export async function landChunk(
  deps: LandingDeps,
  aim: Aim,
  chunk: Chunk,
  signal: AbortSignal,
): Promise<readonly Verdict[]> {
  const { catalogue } = aim
  const verdicts = new Verdicts({ log: deps.log, instance: aim.instance })
  for (const one of chunk) if ('error' in one) verdicts.fail(one, one.error)
  const ready = chunk.filter((one): one is Ready => 'prepared' in one)
  const originalIds = ready.map(({ originalId }) => originalId)
  const work = () => {
    const landing = { deps, aim, verdicts, isGone: deps.deletions.watch(catalogue) }
    return deps.ids.withIds(
      { catalogue, originalIds },
      (targets) => land(landing, ready, targets, signal),
      signal,
    )
  }
  try {
    if (ready.length > 0) {
      const names = originalIds.map((id) => datasetLock(catalogue, id))
      await deps.locks.runAll(names, work, signal)
    }
  } catch (error) {
    for (const one of ready) verdicts.fail(one, error)
  }
  return chunk.map((one) => verdicts.of(one))
}

async function land(
  landing: Landing,
  ready: readonly Ready[],
  targets: readonly (Target | Failure)[],
  signal: AbortSignal,
): Promise<void> {
  const { deps, aim, verdicts, isGone } = landing
  const changing: Changing[] = []
  for (const [at, one] of ready.entries()) {
    const target = targets[at]
    if (!target || target instanceof Failure) verdicts.fail(one, target)
    else if (unchanged(deps.names, { ...aim, hash: one.prepared.hash }, target))
      verdicts.done(one, target.id, 'unchanged')
    else changing.push({ one, target })
  }
  const plans = await compose(landing, changing, signal)
  // Asked in the same turn as the write: a cascade that starts now will see it and take it away.
  if (isGone()) throw unknownCatalogue(aim.catalogue)
  if (plans.size > 0) await write(landing, plans)
}

/** What is to be written, in the order of the chunk; reads what is stored of it in one message. */
async function compose(
  { deps, aim, verdicts }: Landing,
  changing: readonly Changing[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Changing, DatasetPlan>> {
  const { store, names, pause } = deps
  const iri = ({ target }: Changing) => names.dataset(target.id)
  const stored = changing.filter(({ target }) => target.origin.record).map(iri)
  const before =
    stored.length > 0 ? await store.readAll(stored, {}, signal) : new Map<string, string>()
  const plans = new Map<Changing, DatasetPlan>()
  for (const change of changing) {
    const { one, target } = change
    try {
      const composed = { ...one, catalogue: aim.catalogue }
      plans.set(change, composeDataset(deps, composed, target, before.get(iri(change)) ?? ''))
    } catch (error) {
      verdicts.fail(one, error)
    }
    await pause()
  }
  return plans
}

async function write(
  { deps, verdicts }: Landing,
  plans: ReadonlyMap<Changing, DatasetPlan>,
): Promise<void> {
  const failures = await landEach(deps, [...plans.values()])
  const back: string[] = []
  for (const [at, [{ one, target }, { outcome }]] of [...plans].entries()) {
    const failure = failures[at]
    if (failure !== undefined) {
      verdicts.fail(one, failure)
      continue
    }
    verdicts.done(one, target.id, outcome.kind)
    if (target.former !== undefined) back.push(target.id)
  }
  if (back.length > 0) deps.tombstones.forget('dataset', back)
}
