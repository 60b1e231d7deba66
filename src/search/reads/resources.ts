/** Resources of the types that the profile adds. */

import { Failure } from '../../errors.ts'
import type { SearchIndex } from '../../search-index/search-index.ts'
import type { ResourceType } from '../../profile/fields.ts'
import { idsOf } from './lists.ts'
import { modifiedOf, type StoredRecord } from './records.ts'

export type Wanted = { readonly type: string; readonly id: string }

/** Ids of all resources of a type, ascending. Throws `not-found` when there is no such type. */
export function resourceIds(
  index: SearchIndex,
  types: readonly ResourceType[],
  type: string,
  signal?: AbortSignal,
): Promise<string[]> {
  return idsOf(index, `resource_${known(types, type)}`, signal)
}

/** One resource. Throws `unknown-resource`, `not-found` when there is no such type. */
export async function resource(
  index: SearchIndex,
  types: readonly ResourceType[],
  { type, id }: Wanted,
  signal?: AbortSignal,
): Promise<StoredRecord> {
  const text = await index.get(`resource_${known(types, type)}`, id, signal)
  if (text === undefined) throw new Failure('unknown-resource', `there is no ${type} ${id}`)
  const modified = modifiedOf(JSON.parse(text))
  return { text, ...(modified && { modified }) }
}

function known(types: readonly ResourceType[], type: string): string {
  if (types.some(({ id }) => id === type)) return type
  const all = types.map(({ id }) => id).join(', ')
  throw new Failure('not-found', `the profile has no type ${type}, only ${all}`)
}
