/** Whatever is sent, the answer is a result or says what is wrong with the request. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { parametersOfBody } from '../../src/search/request/body-parameters.ts'
import { parametersOf, searchParameters } from '../../src/search/request/search-parameters.ts'
import { planSearch } from '../../src/search/request/search-request.ts'
import { settings } from './suite/settings.ts'

const kinds = [
  'invalid-parameter',
  'malformed-json',
  'query-too-complex',
  'filters-required',
  'field-not-configured',
]

/** The kind of refusal; nothing when there is a request. */
function refusal(read: () => ReturnType<typeof parametersOf>): string | undefined {
  try {
    planSearch(read(), { settings })
    return undefined
  } catch (error) {
    if (error instanceof Failure) return error.kind
    throw error
  }
}

const name = fc.oneof(
  fc.constantFrom(...Object.keys(searchParameters.shape), 'boost', 'searchParams', 'boost.title'),
  fc.string({ maxLength: 8 }),
)
const word = fc.oneof(
  fc.constantFrom('true', '1', 'dataset', 'AND', 'title', '{"a":["b"]}', '[1,2]', '2020-01-01'),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.double().map(String),
)

describe('a request of anything', () => {
  it('by query string is read or refused', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, word), { maxLength: 12 }), (pairs) => {
        const query = new URLSearchParams(pairs)
        const kind = refusal(() => parametersOf(query))
        expect([undefined, ...kinds]).toContain(kind)
      }),
      { numRuns: 1500 },
    )
  })

  it('by body is read or refused', () => {
    const value = fc.oneof(word, fc.jsonValue({ maxDepth: 3 }))
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 12 }), (body) => {
        const kind = refusal(() => parametersOfBody(JSON.stringify(body)))
        expect([undefined, ...kinds]).toContain(kind)
      }),
      { numRuns: 1500 },
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect([undefined, ...kinds]).toContain(refusal(() => parametersOfBody(text)))
      }),
    )
  })

  it('by body means what it means by query string, where both can say it', () => {
    const flat = name.filter((key) => !/^facets$|^searchParams$|^boost$/.test(key))
    fc.assert(
      fc.property(fc.dictionary(flat, word, { maxKeys: 8 }), (body) => {
        const query = new URLSearchParams(Object.entries(body))
        const read = (from: () => ReturnType<typeof parametersOf>) => {
          try {
            return from()
          } catch (error) {
            return error instanceof Failure ? error.kind : error
          }
        }
        expect(read(() => parametersOfBody(JSON.stringify(body)))).toEqual(
          read(() => parametersOf(query)),
        )
      }),
      { numRuns: 500 },
    )
  })
})
