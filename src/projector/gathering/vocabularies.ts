/** Indexes the concepts of a vocabulary that was written, and removes those that are gone. */

import type { IndexChange } from '../../indices/search-index.ts'
import { fromLines } from '../../rdf/lines.ts'
import { graphOf } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { told, type GatherDeps } from './records.ts'
import type { Pending } from '../loop/queue.ts'
import type { StoredConcepts } from './stored-concepts.ts'

const facts = loadQuery('vocabulary-facts')

/** Entries read per step while looking for concepts that are gone. */
const page = 1000

/** The changes for one vocabulary; the concept cache learns the new state on the way. */
export async function vocabularyChanges(
  deps: GatherDeps & { readonly stored: StoredConcepts },
  pending: Pending,
  signal: AbortSignal,
): Promise<IndexChange[]> {
  const { resource, version } = pending
  const id = deps.names.idOf('vocabulary', resource) ?? ''
  const rows = await deps.store.select(bind(facts, { vocabulary: namedNode(resource) }), signal)
  const { scheme, hash } = rows[0] ?? {}
  const text = scheme && (await deps.store.read(scheme.value, {}, signal))
  const graph = text === undefined ? undefined : graphOf(fromLines(text))
  deps.stored.replace(id, scheme?.value, graph)
  const built =
    graph && scheme && hash
      ? deps.builder.concepts({
          vocabulary: id,
          scheme: scheme.value,
          graph,
          version,
          hash: hash.value,
        })
      : []
  const kept = new Set(built.map(({ document }) => document.id))
  const gone = await indexedConcepts(deps, id, signal)
  return [
    ...built.map((one) => told(deps, one)),
    ...gone
      .filter((concept) => !kept.has(concept))
      .map((concept) => ({ remove: { index: 'vocabulary' as const, id: concept, version } })),
  ]
}

async function indexedConcepts(
  deps: GatherDeps,
  vocabulary: string,
  signal: AbortSignal,
): Promise<string[]> {
  const prefix = `${vocabulary}/`
  const found: string[] = []
  let after = prefix
  for (;;) {
    const entries = await deps.index.entries('vocabulary', after, page, signal)
    const own = entries.filter((entry) => entry.id.startsWith(prefix))
    found.push(...own.map((entry) => entry.id))
    if (own.length < page) return found
    after = own.at(-1)?.id ?? prefix
  }
}
