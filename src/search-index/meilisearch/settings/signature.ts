/** What decides how documents are written: two indices with the same signature hold the same documents. */

import { hash } from 'node:crypto'
import { icuVersion, tokeniserNumber } from '../../../text/tokens.ts'
import type { IndexSettings } from '../../settings.ts'

/** Counts changes of the layout of documents: an index of another one is written anew. */
const layoutNumber = 1

/** Weights, titles and bands are not part of it. */
export function signatureOf(settings: IndexSettings, languages: readonly string[]): string {
  const { basis, texts, facets, dates, numbers, flags, boxes, orders } = settings
  const parts = [
    [layoutNumber, tokeniserNumber, icuVersion, languages, basis],
    [texts.map(({ name }) => name), facets.map(({ id }) => id)],
    [dates, numbers, flags, boxes, orders],
  ]
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32)
}
