/** Generated documents: words as often as in real texts, three of known share, 15 facets, dates and scores. */

import type { Document } from '../../../src/search-index/search-index.ts'
import type { IndexSettings } from '../../../src/search-index/index-settings.ts'

const facetSizes = [40, 12, 300, 5000, 30, 14, 200, 2, 2, 6, 100, 1000, 60, 25, 8]
const facetIds = facetSizes.map((_, n) => `facet${n}`)

export const settings: IndexSettings = {
  index: 'dataset',
  basis: 'bench',
  texts: [
    { name: 'title', boost: 3, autocomplete: true },
    { name: 'description', boost: 1, autocomplete: false },
    { name: 'keywords', boost: 2, autocomplete: false },
  ],
  facets: facetIds.map((id) => ({ id, title: id })),
  dates: ['modified'],
  numbers: ['scoring'],
  flags: [],
  boxes: false,
  orders: ['title'],
}

/** Words with the share of records that hold them. */
const planted = { rare: 0.0003, some: 0.03, broad: 0.3 } as const

/** The same numbers at every run (mulberry32). */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const vocabulary = 30_000
const letters = 'abcdefghiklmnoprstuvw'
const wordOf = (rank: number) => {
  let [word, rest] = ['z', rank]
  do {
    word += letters[rest % letters.length]
    rest = Math.floor(rest / letters.length)
  } while (rest > 0)
  return word
}

/** Documents in their order, one at a time. */
export function* records(count: number): Generator<Document> {
  const random = dice(1)
  const word = () => wordOf(Math.floor(vocabulary ** random()) - 1)
  const sentence = (length: number) => Array.from({ length }, word)
  for (let n = 0; n < count; n++) {
    const description = sentence(40)
    for (const [name, share] of Object.entries(planted)) {
      if (random() < share) description.splice(Math.floor(random() * 40), 0, name)
    }
    // A phrase in a hundredth of the records.
    if (random() < 0.01) description.push('open', 'data', 'portal')
    const title = sentence(7)
    if (random() < 0.03) title.push('quality')
    const id = `record-${n}`
    const modified = 1.5e12 + Math.floor(random() * 2e11)
    yield {
      index: 'dataset',
      id,
      version: n + 1,
      hash: id,
      text: {
        title: { en: [title.join(' ')] },
        description: { en: [description.join(' ')] },
        keywords: { en: sentence(4) },
      },
      facets: Object.fromEntries(
        facetIds.map((facet, at) => {
          const value = Math.floor((facetSizes[at] ?? 1) ** random()) - 1
          return [facet, [{ id: `v${value}`, title: `Value ${value}` }]]
        }),
      ),
      dates: { modified: [[modified, modified]] },
      numbers: { scoring: Math.floor(random() * 405) },
      flags: {},
      boxes: [],
      order: { title: title.join(' ').slice(0, 100) },
      record: { id, title: { en: title.join(' ') }, description: { en: description.join(' ') } },
    }
  }
}
