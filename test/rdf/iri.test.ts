import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isIri, repairIri } from '../../src/rdf/iri.ts'

test.each([
  'http://example.org',
  'http://example.org/',
  'http://user:pw@example.org:8080/a/b;c=1/~d?x=(1)&y=%C3%A4#frag/?',
  'http://[2001:db8::1]:80/x',
  'https://example.org/straße?q=日本',
  'https://example.org/😀',
  'urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66',
  'tel:+49-40-12345',
  'mailto:a@example.org',
  'data:,',
  'http://example.org//double',
  'http:///path',
  'file:///etc',
])('%s is an IRI', (iri) => {
  expect(isIri(iri)).toBe(true)
  expect(repairIri(iri)).toBe(iri)
})

test.each([
  ['', ''],
  ['relative', 'relative'],
  ['//example.org/x', '//example.org/x'],
  ['http://example.org/a b', 'http://example.org/a%20b'],
  [' http://example.org/a\n', 'http://example.org/a'],
  ['http://example.org/a\tb', 'http://example.org/a%09b'],
  ['http://example.org/"q"', 'http://example.org/%22q%22'],
  ['http://example.org/<x>', 'http://example.org/%3Cx%3E'],
  ['http://example.org/{x}|\\^`', 'http://example.org/%7Bx%7D%7C%5C%5E%60'],
  ['http://example.org/s?filter[topic]=1', 'http://example.org/s?filter%5Btopic%5D=1'],
  ['http://[::1]/a[0]', 'http://[::1]/a%5B0%5D'],
  ['http://example.org/100%', 'http://example.org/100%25'],
  ['http://example.org/%zz%20', 'http://example.org/%25zz%20'],
  ['http://example.org/#a#b', 'http://example.org/#a%23b'],
  ['http://example.org/\u00a0\u2003', 'http://example.org/'],
  ['http://example.org/x\u00a0y', 'http://example.org/x%C2%A0y'],
  ['http://example.org/\u0000', 'http://example.org/%00'],
  ['http://example.org/\ud800', 'http://example.org/%EF%BF%BD'],
  ['http://example.org/\ufdd0', 'http://example.org/%EF%B7%90'],
  ['tel:+49 40 123 45', 'tel:+49%2040%20123%2045'],
  ['http://example.org:port/', 'http://example.org:port/'],
  ['1http://example.org/', '1http://example.org/'],
])('%j is no IRI and becomes %j', (text, repaired) => {
  expect(isIri(text)).toBe(false)
  expect(repairIri(text)).toBe(repaired)
})

test('a repaired http address is an IRI, whatever its path held', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (path) => {
      const repaired = repairIri(`http://example.org/${path}`)
      expect(isIri(repaired)).toBe(true)
      expect(repairIri(repaired)).toBe(repaired)
    }),
  )
})

test('a long IRI that fails at its end is refused at once', () => {
  expect(isIri(`http://example.org/${'a%20'.repeat(200_000)} `)).toBe(false)
  expect(isIri(`http://${'a.'.repeat(200_000)} `)).toBe(false)
})
