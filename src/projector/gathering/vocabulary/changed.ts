/** Which concepts of a vocabulary are not what they were: kept beside its cascade mark, so that a crash forgets none of them. */

import { fact, systemChange } from '../../../store/marks.ts'
import type { GraphStore } from '../../../store/graph-store.ts'
import { namedNode } from '../../../rdf/terms.ts'
import { bind, loadQuery } from '../../../store/queries.ts'
import type { Pending } from '../../loop/queue.ts'

const cascading = loadQuery('cascading')

/** Concepts named one by one; behind that every concept of the vocabulary counts as changed. */
const mostNamed = 10_000

/** Stands for all concepts. */
export const everyConcept = 'all'

/** The text of a line: two rewrites in a row keep theirs apart, so that the first one's end does not clear the second one's. */
const noted = (version: number, iri: string) => `${version} ${iri}`

/** The concept in the text of a line. */
export const notedConcept = (text: string): string => text.slice(text.indexOf(' ') + 1)

export type Changed = {
  /** False when nobody wants to know: no cascade mark stands in the store. */
  readonly isWanted: boolean
  readonly isAll: () => boolean
  readonly add: (iris: Iterable<string>) => void
  /** Puts what was added into the store; to be called before the index forgets what the concept was. */
  readonly flush: (signal: AbortSignal) => Promise<void>
}

export async function changedConcepts(
  store: GraphStore,
  { resource, version }: Pending,
  signal: AbortSignal,
): Promise<Changed> {
  const isWanted = await store.ask(bind(cascading, { resource: namedNode(resource) }), signal)
  let waiting = new Set<string>()
  let count = 0
  const isAll = () => count > mostNamed
  return {
    isWanted,
    isAll,
    add: (iris) => {
      if (!isWanted || isAll()) return
      for (const iri of iris) waiting.add(iri)
    },
    flush: async (signal) => {
      if (waiting.size === 0 || isAll()) return
      count += waiting.size
      const names = isAll() ? [everyConcept] : [...waiting]
      waiting = new Set()
      const add = names.map((iri) => fact(resource, 'changed', noted(version, iri)))
      await store.write([systemChange({ add })], signal)
    },
  }
}
