/** `package_list` and `package_show`. */

import type { SearchIndex } from '../../search-index/search-index.ts'
import { Failure } from '../../errors.ts'
import { fieldsOf, textAt } from '../feeds/reading.ts'
import { dataset } from '../reads/records.ts'
import { packageOf } from './packages.ts'
import { callOf, listCall, showCall, type Given } from './parameters.ts'

const step = 1000

/** Ids of all datasets, ascending, in pieces. Throws `invalid-parameter`. */
export async function* packageList(
  { index }: { readonly index: SearchIndex },
  given: Given,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { limit, offset } = callOf(listCall, given)
  let opening = '['
  let last = ''
  let passed = 0
  for (let left = limit; left > 0;) {
    const entries = await index.entries('dataset', last, step, signal)
    const ids = entries.map(({ id }) => id)
    const wanted = ids.slice(Math.max(offset - passed, 0)).slice(0, left)
    passed += ids.length
    left -= wanted.length
    if (wanted.length > 0) {
      yield opening + wanted.map((id) => JSON.stringify(id)).join(',')
      opening = ','
    }
    last = ids.at(-1) ?? ''
    if (ids.length < step) break
  }
  yield opening === '[' ? '[]' : ']'
}

/** One package, by platform id or by IRI. Throws `invalid-parameter`, `unknown-dataset`. */
export async function* packageShow(
  { index }: { readonly index: SearchIndex },
  given: Given,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { id } = callOf(showCall, given)
  // The last step of an IRI that the platform gave out is the id.
  const isIri = /[/:#]/.test(id)
  const candidate = isIri ? (id.split(/[/:#]/).at(-1) ?? '') : id
  const record = fieldsOf((await dataset(index, candidate, signal)).text)
  if (isIri && textAt(record, 'resource') !== id) {
    throw new Failure('unknown-dataset', `there is no dataset ${id}`)
  }
  yield JSON.stringify(packageOf(record))
}
