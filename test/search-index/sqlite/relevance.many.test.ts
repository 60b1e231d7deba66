/** Scores of the embedded engine are those that the formula gives for the texts of the records. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { embeddedIndex } from '../../../src/search-index/sqlite/sqlite-index.ts'
import { neighbourFactor, rarityOf, unitScore } from '../../../src/search-index/scoring.ts'
import type { Document, SearchIndex } from '../../../src/search-index/search-index.ts'
import { logger } from '../../../src/log.ts'
import { tokens } from '../../../src/text/tokens.ts'
import { records, settings } from '../../bench/search/records.ts'
import { request } from '../../contracts/search-index-corpus.ts'
import { treeOf } from '../../contracts/search-index-trees.ts'

const count = 8_000

let directory: string
let index: SearchIndex

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'relevance-'))
  index = await embeddedIndex({ directory, log: logger('silent'), languages: ['en'] })
  await index.configure([settings])
  await index.finish('dataset')
  const all = [...records(count)]
  for (let from = 0; from < count; from += 1_000) {
    await index.write(all.slice(from, from + 1_000).map((put) => ({ put })))
  }
})

afterAll(async () => {
  await index.close()
  rmSync(directory, { recursive: true })
})

const boosts: ReadonlyMap<string, number> = new Map(
  settings.texts.map(({ name, boost }) => [name, boost]),
)

/** Texts of a record by field, as tokens of each value. */
const valuesOf = ({ id, text }: Document) => [
  { field: 'id', values: [tokens(id)] },
  ...Object.entries(text).map(([field, languages]) => ({
    field,
    values: Object.values(languages).flatMap((values) => values.map(tokens)),
  })),
]

/** Number of words of a record; a border between two values counts as one. */
const lengthOf = (record: Document): number =>
  valuesOf(record)
    .map(({ values }) => values.flat().length + values.length - 1)
    .reduce((sum, size) => sum + size, 0)

/** Scores by id, counted in the texts of all records. */
function counted(words: readonly string[]): ReadonlyMap<string, number> {
  const all = [...records(count)]
  const lengths = all.map(lengthOf)
  const mean = lengths.reduce((sum, length) => sum + length, 0) / count
  const frequencies = words.map((word) => all.map((record) => frequencyOf(word, record)))
  const scores = all.map((record, n) => {
    const units = frequencies.map((some) => {
      const rarity = rarityOf(count, some.filter((frequency) => frequency > 0).length)
      return unitScore(rarity, some[n] ?? 0, (lengths[n] ?? 0) / mean)
    })
    const pairs = words.filter((word, at) => at > 0 && isPair(words[at - 1] ?? '', word, record))
    const sum = units.reduce((total, score) => total + score, 0)
    return [record.id, sum * neighbourFactor(pairs.length, words.length)] as const
  })
  return new Map(scores.filter(([, score]) => score > 0))
}

const frequencyOf = (word: string, record: Document): number =>
  valuesOf(record)
    .map(({ field, values }) => {
      const occurrences = values.flat().filter((token) => token === word).length
      return occurrences * (boosts.get(field) ?? 1)
    })
    .reduce((sum, frequency) => sum + frequency, 0)

const isPair = (word: string, next: string, record: Document): boolean =>
  valuesOf(record).some(({ values }) =>
    values.some((value) => value.some((token, at) => token === word && value[at + 1] === next)),
  )

const ask = (words: readonly string[], typed?: readonly string[]) =>
  index.search(
    request({
      indices: ['dataset'],
      tree: treeOf(words.length > 1 ? `or(${words.join(', ')})` : words.join('')),
      typed,
      score: true,
      limit: count,
    }),
  )

it.each([[['broad']], [['broad', 'some']], [['open', 'data', 'portal', 'broad']]])(
  'the score of every record for %j is that of its texts',
  async (words) => {
    const expected = counted(words)
    const { count: matching, hits } = await ask(words)
    expect([matching, expected.size > 2_000]).toEqual([expected.size, true])
    const wrong = hits.filter(({ id, score = 0 }) => {
      const wanted = expected.get(id) ?? Number.NaN
      return !(Math.abs(score - wanted) <= 1e-4 * wanted)
    })
    expect(wrong.map(({ id, score }) => [id, score, expected.get(id)])).toEqual([])
  },
)

it('a record with exactly this title comes first, whatever else has the words', async () => {
  const [, , third] = records(3)
  const title = tokens(third?.text['title']?.['en']?.[0] ?? '')
  const [whole, words, part] = [await ask(title, title), await ask(title), title.slice(0, 2)]
  expect(whole.hits[0]?.id).toBe('record-2')
  expect(whole.hits[0]?.score).toBeGreaterThan(words.hits[0]?.score ?? Infinity)
  // A part of a title is no title.
  expect(await ask(part, part)).toEqual(await ask(part))
})
