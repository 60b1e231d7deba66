/** Counts of documents: from a reader when one is free, else as they were. */

import { expect, it } from 'vitest'
import { DocumentCounts } from '../../../src/indices/embedded/documents.ts'

function counted() {
  const readers = {
    hasIdle: true,
    asked: 0,
    run: async () => ({ dataset: ++readers.asked }) as never,
  }
  return { readers, counts: new DocumentCounts(readers) }
}

it('are asked for again when something was written, and only then', async () => {
  const { counts } = counted()
  expect(await counts.at('a')).toEqual({ dataset: 1 })
  expect(await counts.at('a')).toEqual({ dataset: 1 })
  expect(await counts.at('b')).toEqual({ dataset: 2 })
})

it('are those of before while all readers are busy', async () => {
  const { counts, readers } = counted()
  readers.hasIdle = false
  expect(await counts.at('a')).toEqual({ dataset: 1 })
  expect(await counts.at('b')).toEqual({ dataset: 1 })
  readers.hasIdle = true
  expect(await counts.at('b')).toEqual({ dataset: 2 })
})
