/** The embedded engine against the plain evaluator, over generated requests. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { embeddedIndex } from '../../src/indices/embedded.ts'
import type { SearchIndex } from '../../src/indices/search-index.ts'
import { logger } from '../../src/log.ts'
import { documents, languages, settings } from '../contracts/search-index-corpus.ts'
import { model, requests } from './generated.ts'

const seed = Number(process.env['FC_SEED'] ?? 20_240_501)

describe(`with seed ${seed} the engine and the evaluator agree`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'agreement-'))
  let index: SearchIndex

  beforeAll(async () => {
    index = await embeddedIndex({ directory, log: logger('silent'), languages })
    await index.configure(settings)
    await index.write(documents.map((put) => ({ put })))
  })
  afterAll(async () => {
    await index.close()
    rmSync(directory, { recursive: true })
  })

  it('on set, count, facets and order', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const answer = await index.search(request)
        const expected = model(request)
        expect(answer.hits.map((hit) => hit.id)).toEqual(expected.ids)
        expect(answer.count).toBe(expected.count)
        const counts = answer.facets!.flatMap((facet) =>
          facet.items.map((item) => [`${facet.id} ${item.id}`, item.count]),
        )
        expect(Object.fromEntries(counts)).toEqual(expected.counts)
      }),
      { seed, numRuns: 700 },
    )
  })
})
