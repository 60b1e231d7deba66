/** Counts of documents: one question at a time, and as they were for those who come meanwhile. */

import { expect, it } from 'vitest'
import { DocumentCounts } from '../../../src/search-index/sqlite/document-counts.ts'

function counted() {
  const asked: PromiseWithResolvers<{ dataset: number }>[] = []
  const counts = new DocumentCounts(() => {
    const question = Promise.withResolvers<{ dataset: number }>()
    asked.push(question)
    return question.promise
  })
  return { asked, counts }
}

it('are asked for again when something was written, and only then', async () => {
  const { asked, counts } = counted()
  const first = counts.at('a')
  asked[0]?.resolve({ dataset: 1 })
  expect(await first).toEqual({ dataset: 1 })
  expect(await counts.at('a')).toEqual({ dataset: 1 })
  const second = counts.at('b')
  asked[1]?.resolve({ dataset: 2 })
  expect(await second).toEqual({ dataset: 2 })
  expect(asked).toHaveLength(2)
})

it('are those of before while they are being asked for', async () => {
  const { asked, counts } = counted()
  const first = counts.at('a')
  asked[0]?.resolve({ dataset: 1 })
  await first
  const second = counts.at('b')
  expect(await counts.at('c')).toEqual({ dataset: 1 })
  asked[1]?.resolve({ dataset: 2 })
  expect(await second).toEqual({ dataset: 2 })
})

it('are asked for again after a question that failed', async () => {
  const { asked, counts } = counted()
  const first = counts.at('a')
  asked[0]?.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  const second = counts.at('a')
  asked[1]?.resolve({ dataset: 3 })
  expect(await second).toEqual({ dataset: 3 })
})
