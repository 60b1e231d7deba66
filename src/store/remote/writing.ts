/** `write` and `writeEach` of a remote store: take turns, plan, land. */

import { unlessAborted } from '../../workers/condition.ts'
import type { Change, GraphStore, Landing, Written } from '../graph-store.ts'
import type { Edit } from './dialect.ts'
import { isDoubtful } from './starting.ts'
import type { Content } from './reading.ts'
import { needsContent, writePlan, type Planning } from './plan.ts'
import type { Turns } from './turns.ts'

export type WritingContext = Omit<Planning, 'isDoubtful'> & {
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

/** Plans and lands single groups, and remembers which graphs nothing was heard of. */
export class Landings {
  readonly #settings: WritingContext
  readonly #doubtful = new Set<string>()
  readonly planning: Planning

  constructor(settings: WritingContext) {
    this.#settings = settings
    this.planning = { ...settings, isDoubtful: (graph) => this.#doubtful.has(graph) }
  }

  /** To be called in the group's turn. */
  async land(changes: readonly Change[], planning = this.planning): Promise<readonly Written[]> {
    const graphs = contents(changes, this.#settings)
    const inDoubt = graphs.some((graph) => this.#doubtful.has(graph))
    if (inDoubt) await this.#settings.settle()
    const { edits, written } = await writePlan(changes, planning)
    try {
      await this.#settings.land(edits)
    } catch (error) {
      if (isDoubtful(error)) for (const graph of graphs) this.#doubtful.add(graph)
      throw error
    }
    if (inDoubt) for (const graph of graphs) this.#doubtful.delete(graph)
    return written
  }

  /** All groups at once; contents that have to be known are read together. */
  async landEach(groups: readonly (readonly Change[])[]): Promise<Landing[]> {
    const { planning } = this
    const unknown = groups
      .flat()
      .filter((change) => !change.drop && needsContent(change, planning))
      .map(({ graph }) => graph)
      .filter((graph) => !this.#doubtful.has(graph))
    const known = await this.#settings.readMany([...new Set(unknown)])
    const read: Planning['read'] = (wanted) => {
      const content = wanted.links ? undefined : known.get(wanted.graph)
      return content ? Promise.resolve(content) : planning.read(wanted)
    }
    const all = groups.map((changes) => this.land(changes, { ...planning, read }))
    return (await Promise.allSettled(all)).map((outcome) =>
      outcome.status === 'fulfilled' ? { written: outcome.value } : { failure: outcome.reason },
    )
  }
}

export function writing(
  settings: WritingContext,
  landings: Landings,
): Pick<GraphStore, 'write' | 'writeEach'> {
  const inTurn = <T>(
    changes: readonly Change[],
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ) => {
    const turn = settings.turns.take(contents(changes, settings), async () => {
      signal?.throwIfAborted()
      return work()
    })
    // The work goes on when the signal is aborted, because what was sent cannot be called back.
    return signal ? unlessAborted(turn, signal) : turn
  }
  return {
    write: (changes, signal) => inTurn(changes, signal, () => landings.land(changes)),
    writeEach: (groups, signal) => inTurn(groups.flat(), signal, () => landings.landEach(groups)),
  }
}
