/** Requests with the exact count, the records shown and, where it matters, their order and the facets. */

import { readFileSync } from 'node:fs'

export type Request = {
  readonly no: string
  readonly query: string
  readonly count: number
  readonly ids: string
  /** The ids stand in the order of the answer. */
  readonly ordered?: true
  /** As `facetText` prints them; absent when they do not matter. */
  readonly facets?: string
}

const file = new URL('requests.json', import.meta.url)

export const requests: readonly Request[] = JSON.parse(readFileSync(file, 'utf8'))
