/** One batch from marks to index: what each kind of resource becomes, to be written as a whole. */

import type { IndexChange } from '../../search-index/search-index.ts'
import type { Write } from '../loop/attempt.ts'
import type { Pending } from '../loop/queue.ts'
import { telling, type LeftOut } from './left-out.ts'
import { catalogueChanges, datasetChanges, type GatherDeps } from './records.ts'
import { resourceChanges } from './resources.ts'
import { indexVocabulary } from './vocabulary/indexing.ts'

export type BatchDeps = Omit<GatherDeps, 'told'> & { readonly leftOut?: LeftOut }

/**
 * Catalogues come before the datasets that embed them, vocabularies before the records that use them; these are written on
 * their own and at once, because they may be larger than memory. A resource of no known kind has nothing to index; its mark is
 * cleared with the others.
 */
export async function gatherBatch(
  deps: BatchDeps,
  batch: readonly Pending[],
  signal: AbortSignal,
): Promise<Write> {
  const { told, end } = telling(deps)
  const gather = { ...deps, told }
  const of = (kind: 'dataset' | 'catalogue' | 'vocabulary') =>
    batch.filter(({ resource }) => deps.names.idOf(kind, resource) !== undefined)
  for (const pending of of('vocabulary')) await indexVocabulary(gather, pending, signal)
  const changes: IndexChange[] = await catalogueChanges(gather, of('catalogue'), signal)
  for (const part of portions(of('dataset')))
    changes.push(...(await datasetChanges(gather, part, signal)))
  for (const part of portions(batch)) changes.push(...(await resourceChanges(gather, part, signal)))
  return async () => {
    if (changes.length > 0) await deps.index.write(changes, signal)
    end()
  }
}

/** Resources whose graphs are read with one message: a store has its limits, and others read meanwhile. */
const perRead = 100

function* portions(pending: readonly Pending[]): Generator<readonly Pending[]> {
  for (let at = 0; at < pending.length; at += perRead) yield pending.slice(at, at + perRead)
}
