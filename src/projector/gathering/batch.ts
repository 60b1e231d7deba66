/** One batch from marks to index: what each kind of resource becomes, written as a whole. */

import type { IndexChange } from '../../indices/search-index.ts'
import type { Pending } from '../loop/queue.ts'
import { catalogueChanges, datasetChanges, type GatherDeps } from './records.ts'
import type { StoredConcepts } from './stored-concepts.ts'
import { vocabularyChanges } from './vocabularies.ts'

export type BatchDeps = GatherDeps & { readonly stored: StoredConcepts }

/**
 * Catalogues come before the datasets that embed them, vocabularies before the records that use them. A resource of no
 * known kind has nothing to index; its mark is cleared with the others.
 */
export async function projectBatch(
  deps: BatchDeps,
  batch: readonly Pending[],
  signal: AbortSignal,
): Promise<void> {
  const of = (kind: 'dataset' | 'catalogue' | 'vocabulary') =>
    batch.filter(({ resource }) => deps.names.idOf(kind, resource) !== undefined)
  const changes: IndexChange[] = []
  for (const pending of of('vocabulary'))
    changes.push(...(await vocabularyChanges(deps, pending, signal)))
  changes.push(...(await catalogueChanges(deps, of('catalogue'), signal)))
  changes.push(...(await datasetChanges(deps, of('dataset'), signal)))
  if (changes.length > 0) await deps.index.write(changes, signal)
}
