/** Projects the datasets of a catalogue again when a fact that they embed has changed. */

import type { Log } from '../../log.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { paged } from '../../store/paged.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { clearingCascade, readCascades } from './marks.ts'
import type { Projector } from '../projector.ts'
import type { Mark } from '../../store/marks.ts'

const members = loadQuery('catalogue-datasets')

/** Datasets taken per step: the next step waits until they are indexed, so that ordinary writes are not kept waiting. */
const page = 200

export type Cascades = {
  /** Takes a cascade whose mark stands in the store. */
  add(mark: Mark): void
  /** Takes up what an earlier process left. */
  start(): Promise<void>
  stop(): Promise<void>
}

export function cascades(deps: { store: GraphStore; projector: Projector; log: Log }): Cascades {
  const { store, projector, log } = deps
  const stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()

  const run = async (mark: Mark): Promise<void> => {
    const { signal } = stopping
    let offset = 0
    for (;;) {
      const datasets = await membersOf(store, mark.resource, offset, signal)
      const again = datasets.map((resource) => ({ resource, version: mark.version }))
      for (const one of again) projector.again(one)
      await Promise.all(again.map((one) => projector.settled(one, signal)))
      signal.throwIfAborted()
      offset += datasets.length
      if (datasets.length < page) break
    }
    await store.write([clearingCascade(mark)], signal)
    log.info({ catalogue: mark.resource, datasets: offset }, 'cascade.finished')
  }

  const add = (mark: Mark) => {
    running = running.then(() =>
      run(mark).catch((error: unknown) => {
        if (!stopping.signal.aborted)
          log.error({ err: error, catalogue: mark.resource }, 'cascade.failed')
      }),
    )
  }

  return {
    add,
    start: async () => {
      for (const mark of await readCascades(store, 10_000, stopping.signal)) add(mark)
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

async function membersOf(
  store: GraphStore,
  catalogue: string,
  offset: number,
  signal: AbortSignal,
): Promise<string[]> {
  const query = paged(bind(members, { catalogue: namedNode(catalogue) }), { limit: page, offset })
  const rows = await store.select(query, signal)
  return rows.flatMap((row) => row['resource']?.value ?? [])
}
