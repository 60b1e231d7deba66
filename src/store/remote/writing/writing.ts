/** `write` and `writeEach` of a remote store: take turns, plan, land. */

import type { Change, Written } from '../../change.ts'
import type { GraphStore, Landing } from '../../graph-store.ts'
import type { Edit } from '../dialect.ts'
import { isDoubtful } from '../refusal.ts'
import type { Content } from '../reading.ts'
import { needsContent, planOf, type Planning } from './plan.ts'
import type { Turns } from './turns.ts'

type Settings = Omit<Planning, 'isDoubtful'> & {
  readonly turns: Turns
  readonly land: (edits: readonly Edit[]) => Promise<void>
  readonly readMany: (graphs: readonly string[]) => Promise<ReadonlyMap<string, Content>>
  /** Waits until no earlier write can still be running. */
  readonly settle: () => Promise<void>
}

/** Graphs that only one write may touch at a time: those whose content it replaces. Links need no turn. */
const contents = (changes: readonly Change[], { isLink }: Pick<Planning, 'isLink'>): string[] =>
  changes
    .filter(({ graph, content, drop, remove = [], add = [] }) => {
      if (content !== undefined || drop) return true
      return [...remove, ...add].some((line) => !isLink(graph, line))
    })
    .map(({ graph }) => graph)

/** Rejects when the signal is aborted first; the work goes on, because what was sent cannot be called back. */
async function unless<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

export function writing(settings: Settings): Pick<GraphStore, 'write' | 'writeEach'> {
  /** Graphs of writes of which nothing was heard. */
  const doubtful = new Set<string>()
  const planning: Planning = { ...settings, isDoubtful: (graph) => doubtful.has(graph) }

  async function one(changes: readonly Change[], graphs: readonly string[], plans: Planning) {
    const inDoubt = graphs.some((graph) => doubtful.has(graph))
    if (inDoubt) await settings.settle()
    const { edits, written } = await planOf(changes, plans)
    try {
      await settings.land(edits)
    } catch (error) {
      if (isDoubtful(error)) for (const graph of graphs) doubtful.add(graph)
      throw error
    }
    if (inDoubt) for (const graph of graphs) doubtful.delete(graph)
    return written
  }

  const write = (changes: readonly Change[], signal?: AbortSignal): Promise<readonly Written[]> => {
    const graphs = contents(changes, settings)
    const work = settings.turns.take(graphs, async () => {
      signal?.throwIfAborted()
      return one(changes, graphs, planning)
    })
    return unless(signal, work)
  }

  async function each(groups: readonly (readonly Change[])[]): Promise<Landing[]> {
    const unknown = groups.flat().filter((change) => needsContent(change, planning))
    const sure = unknown.filter(({ graph, drop }) => !drop && !doubtful.has(graph))
    const known = await settings.readMany([...new Set(sure.map(({ graph }) => graph))])
    const plans: Planning = {
      ...planning,
      read: async (wanted) => {
        const content = wanted.links ? undefined : known.get(wanted.graph)
        return content ?? settings.read(wanted)
      },
    }
    const all = groups.map((changes) => one(changes, contents(changes, settings), plans))
    const settled = await Promise.allSettled(all)
    return settled.map((outcome) =>
      outcome.status === 'fulfilled' ? { written: outcome.value } : { failure: outcome.reason },
    )
  }

  return {
    write,
    // The turns of all groups are taken at once: what they held is read together.
    writeEach: (groups, signal) => {
      const graphs = groups.flatMap((changes) => contents(changes, settings))
      const work = settings.turns.take(graphs, async () => {
        signal?.throwIfAborted()
        return each(groups)
      })
      return unless(signal, work)
    },
  }
}
