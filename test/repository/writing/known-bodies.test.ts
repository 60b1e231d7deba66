/** Bodies that were seen before: what they mean, as long as nothing else came for the dataset. */

import { expect, it } from 'vitest'
import { knownBodies } from '../../../src/repository/writing/known-bodies.ts'

const body = { iri: 'urn:a', originalId: 'a', fingerprint: 'f' }

it('a body is known by its dataset, its id at the origin and its bytes', () => {
  const known = knownBodies()
  known.keep(body, 'hash')
  expect(known.hashOf(body)).toBe('hash')
  expect(known.hashOf({ ...body, iri: 'urn:b' })).toBeUndefined()
  expect(known.hashOf({ ...body, originalId: 'b' })).toBeUndefined()
  expect(known.hashOf({ ...body, fingerprint: 'g' })).toBeUndefined()
})

it('only the last body of a dataset is known, and only so many datasets, the newest', () => {
  const known = knownBodies(2)
  known.keep(body, 'old')
  known.keep({ ...body, fingerprint: 'g' }, 'new')
  expect(known.hashOf(body)).toBeUndefined()
  for (const iri of ['urn:b', 'urn:c']) known.keep({ ...body, iri }, 'hash')
  expect(known.hashOf({ ...body, fingerprint: 'g' })).toBeUndefined()
  expect(known.hashOf({ ...body, iri: 'urn:c' })).toBe('hash')
})
