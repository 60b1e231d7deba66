/** Lists of ids, and how many datasets a catalogue has. */

import { Failure } from '../../errors.ts'
import type { IndexName } from '../../search-index/index-settings.ts'
import type { SearchIndex } from '../../search-index/search-index.ts'
import type { DatasetCounts } from '../envelope.ts'
import { eachHit, hitsWith } from './selection.ts'

/** Ascending by code point. */
export const catalogueIds = (index: SearchIndex, signal?: AbortSignal): Promise<string[]> =>
  idsOf(index, 'catalogue', signal)

/** Ids of all datasets of a catalogue, ascending. Throws `unknown-catalogue`. */
export async function datasetIds(
  index: SearchIndex,
  catalogue: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if ((await index.get('catalogue', catalogue, signal)) === undefined) {
    throw new Failure('unknown-catalogue', `there is no catalogue ${catalogue}`)
  }
  const selection = { index: 'dataset', facet: 'catalog', value: catalogue, include: [] } as const
  return eachHit(hitsWith(index, selection, signal), ({ id }) => id)
}

/** Catalogue id → number of its datasets; a catalogue without any is absent. */
export async function datasetCounts(
  index: SearchIndex,
  signal?: AbortSignal,
): Promise<DatasetCounts> {
  const items = await index.values('dataset', 'catalog', signal)
  return new Map(items.map(({ id, count }) => [id, count]))
}

const step = 1000

/** Ids of all records of an index, ascending by code point. */
export async function idsOf(
  index: SearchIndex,
  name: IndexName,
  signal?: AbortSignal,
): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const page = await index.entries(name, ids.at(-1) ?? '', step, signal)
    ids.push(...page.map(({ id }) => id))
    if (page.length < step) return ids
  }
}
