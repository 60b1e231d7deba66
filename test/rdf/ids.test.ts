import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isId, platformId } from '../../src/rdf/ids.ts'

test.each([
  ['Forest Fires 2023', 'forest-fires-2023'],
  ['http://ex.org/ds/1?x=2', 'http-ex-org-ds-1-x-2'],
  ['urn:uuid:AB_12', 'urn-uuid-ab_12'],
  ['Gewässer', 'gewa-sser'],
  ['100%25', '10025'],
  ['a--b', 'a-b'],
  ['-a-', '-a-'],
  ['ﬁle', 'file'],
  ['%', ''],
  ['', ''],
  ['日本', '-'],
])('the original id %s becomes %s', (original, id) => {
  expect(platformId(original)).toBe(id)
})

test('an over-long id is cut and told apart by its hash', () => {
  const [one, other] = [platformId(`${'a'.repeat(300)}1`), platformId(`${'a'.repeat(300)}2`)]
  expect(one).toMatch(/^a{242}-[0-9a-f]{12}$/)
  expect(one).not.toBe(other)
  expect(platformId('a'.repeat(255))).toBe('a'.repeat(255))
})

test('a normal form is an id or nothing, and its own normal form', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (original) => {
      const id = platformId(original)
      expect(id === '' || isId(id)).toBe(true)
      expect(platformId(id)).toBe(id)
    }),
  )
})

test.each(['', 'a.b', 'a/b', 'ä', 'a b', '..', 'a\n', 'x'.repeat(256)])('%j is no id', (text) => {
  expect(isId(text)).toBe(false)
})
test.each(['a', 'A-b_c~~1', 'x'.repeat(255)])('%j is an id', (text) => {
  expect(isId(text)).toBe(true)
})
