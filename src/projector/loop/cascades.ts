/** Projects the datasets of a catalogue again when a fact that they embed has changed, or when the index has lost them. */

import type { Log } from '../../log.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import type { Mark } from '../../store/marks.ts'
import { paged } from '../../store/protocol/paged.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { Projector } from '../projector.ts'
import { clearingCascade, readCascades } from './marks.ts'

const members = loadQuery('catalogue-members-after')

/** Datasets taken per step: the next step waits until they are indexed, so that ordinary writes are not kept waiting. */
const page = 200
/** Marks read at a time. */
const most = 100
/** Milliseconds after a failure, or when the projector is full. */
const pauseMs = 1000

export type CascadeDeps = {
  readonly store: GraphStore
  readonly projector: Pick<Projector, 'again' | 'settled'>
  readonly log: Log
  /** A version larger than all before: what is projected now is newer than what was projected with the old facts. */
  readonly next: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

export type Cascades = {
  /** Looks for marks in the store; what an earlier process left is found at the first call. */
  wake(): void
  stop(): Promise<void>
}

export function cascades(deps: CascadeDeps): Cascades {
  const stopping = new AbortController()
  const { signal } = stopping
  let awake = Promise.withResolvers<void>()

  const work = async () => {
    while (!signal.aborted) {
      try {
        const marks = await readCascades(deps.store, most, signal)
        for (const mark of marks) await run(deps, mark, signal)
        if (marks.length > 0) continue
        await awake.promise
        awake = Promise.withResolvers<void>()
      } catch (error) {
        if (signal.aborted) return
        deps.log.error({ err: error, retryInMs: pauseMs }, 'cascade.failed')
        await deps.pause(pauseMs, signal)
      }
    }
  }
  const running = work()

  return {
    wake: () => awake.resolve(),
    stop: async () => {
      stopping.abort()
      awake.resolve()
      await running
    },
  }
}

async function run(deps: CascadeDeps, mark: Mark, signal: AbortSignal): Promise<void> {
  let after = ''
  let count = 0
  for (;;) {
    const datasets = await membersAfter(deps.store, { catalogue: mark.resource, after }, signal)
    const taken = await projectAgain(deps, datasets, signal)
    count += taken
    after = datasets[taken - 1] ?? after
    if (taken === datasets.length && datasets.length < page) break
    if (taken < datasets.length) await deps.pause(pauseMs, signal)
  }
  await deps.store.write([clearingCascade(mark)], signal)
  deps.log.info({ catalogue: mark.resource, datasets: count }, 'cascade.finished')
}

/** How many, from the first on, the projector had room for; resolves when these are indexed. */
async function projectAgain(
  { projector, next }: CascadeDeps,
  datasets: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const again: Mark[] = []
  for (const resource of datasets) {
    const mark = { resource, version: next() }
    if (!projector.again(mark)) break
    again.push(mark)
  }
  await Promise.all(again.map((mark) => projector.settled(mark, signal)))
  signal.throwIfAborted()
  return again.length
}

async function membersAfter(
  store: GraphStore,
  { catalogue, after }: { readonly catalogue: string; readonly after: string },
  signal: AbortSignal,
): Promise<string[]> {
  const query = bind(members, { catalogue: namedNode(catalogue), after: literal(after) })
  const rows = await store.select(paged(query, { limit: page }), signal)
  return rows.flatMap((row) => row['resource']?.value ?? [])
}
