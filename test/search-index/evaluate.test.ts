/** The evaluator that engines verify candidates with, against the one that was written for the tests. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matches } from '../../src/search-index/evaluate.ts'
import type { SearchRequest } from '../../src/search-index/search-index.ts'
import { history, languages, remaining, settings } from '../contracts/reference/corpus.ts'
import { dictionaryOf, expected, nameOf, type World } from '../contracts/reference/evaluator.ts'
import { requestsOver } from '../contracts/reference/requests.ts'

const seed = Number(process.env['FC_SEED'] ?? 20_240_501)

describe('the evaluator of the product', () => {
  const [batches = []] = fc.sample(history, { seed, numRuns: 1 })
  const documents = remaining(batches)
  const world: World = {
    settings,
    languages,
    documents,
    dictionary: dictionaryOf(documents, languages),
  }
  const found = ({ tree, fields, indices }: SearchRequest) =>
    documents.filter((one) => {
      const own = settings.find(({ index }) => index === one.index && indices.includes(index))
      return own && matches(tree, one, { settings: own, languages, ...(fields && { fields }) })
    })

  it('finds in a corpus what the plainest evaluation finds', () => {
    fc.assert(
      fc.property(requestsOver(documents), (request) => {
        const { ids } = expected({ ...request, filter: {}, order: [] }, world)
        expect(found(request).map(nameOf).toSorted()).toEqual(ids.toSorted())
      }),
      { seed, numRuns: 100 },
    )
  })
})
