/** The one way in which a write reaches the store and those who follow it. */

import type { Change, GraphStore } from '../../store/graph-store.ts'
import type { Landed } from '../../store/marks.ts'

type Landing<Calls extends keyof GraphStore> = {
  readonly store: Pick<GraphStore, Calls>
  readonly changed: (marks: readonly Landed[]) => void
  /** Told when a write failed and may have landed all the same: its marks are in the store if it did. */
  readonly unsure: () => void
}

/**
 * Lands changes and tells of their marks. It takes no signal: what the store has got it will land, also when the client has
 * left, and a mark that nobody hears of would wait for the next start.
 */
export async function landChanges(
  { store, changed, unsure }: Landing<'write'>,
  changes: readonly Change[],
  marks: readonly Landed[],
): Promise<void> {
  try {
    await store.write(changes)
  } catch (error) {
    unsure()
    throw error
  }
  changed(marks)
}

/** The content of one graph as a stream, with what lands beside it. */
export type Stream = {
  readonly graph: string
  readonly lines: AsyncIterable<string>
  readonly others: readonly Change[]
  readonly marks: readonly Landed[]
}

/** The same for a content of any size; the signal counts until the store has all of it. */
export async function landStreamed(
  { store, changed, unsure }: Landing<'replaceStreamed'>,
  { graph, lines, others, marks }: Stream,
  signal: AbortSignal,
): Promise<void> {
  try {
    await store.replaceStreamed(graph, lines, others, signal)
  } catch (error) {
    unsure()
    throw error
  }
  changed(marks)
}

/** Changes that land together or not at all, with their marks. */
export type Group = { readonly changes: readonly Change[]; readonly marks: readonly Landed[] }

/** The same for many independent groups at once; answers what became of each, `undefined` = landed. */
export async function landEach(
  { store, changed, unsure }: Landing<'writeEach'>,
  groups: readonly Group[],
): Promise<readonly unknown[]> {
  let failures: readonly unknown[]
  try {
    const landings = await store.writeEach(groups.map(({ changes }) => changes))
    failures = landings.map((landing) => ('failure' in landing ? landing.failure : undefined))
  } catch (error) {
    failures = groups.map(() => error)
  }
  if (failures.some((failure) => failure !== undefined)) unsure()
  changed(groups.flatMap(({ marks }, at) => (failures[at] === undefined ? marks : [])))
  return failures
}
