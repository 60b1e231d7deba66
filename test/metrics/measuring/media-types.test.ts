/** Names of media types out of whatever somebody wrote. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  machineReadable,
  mediaTypeName,
  nonProprietary,
  registryName,
} from '../../../src/metrics/measure/measured-values.ts'
import { literal, namedNode } from '../../../src/rdf/terms.ts'

const iana = 'iana.org/assignments/media-types/'
const pieces = [
  'a',
  'Z',
  '9',
  '/',
  ';',
  ':',
  '+',
  '.',
  '%2',
  '#',
  '\n',
  ' ',
  'é',
  '\u0130',
  '\ud800',
  '💧',
]
const anyText = fc.string({ unit: fc.constantFrom(...pieces) })

describe('the name of a media type', () => {
  it.each([
    [`http://www.${iana}text/csv`, 'text/csv'],
    [`https://www.${iana}text/csv`, 'text/csv'],
    [`http://${iana}text/csv`, 'text/csv'],
    [`https://${iana}Text/CSV`, 'text/csv'],
    [`https://www.${iana}application/ld+json`, 'application/ld+json'],
    [`https://www.${iana}application/ld%2Bjson`, 'application/ld+json'],
    [`https://www.${iana}text/csv;charset=utf-8`, 'text/csv'],
    [`https://www.${iana}text/csv/`, undefined],
    [`https://www.${iana}csv`, undefined],
    [`https://www.${iana}`, undefined],
    [`https://www.${iana}text/%E0%A4%A`, undefined],
    [`ftp://www.${iana}text/csv`, undefined],
    [`https://example.org/${iana}text/csv`, undefined],
    ['http://publications.europa.eu/resource/authority/file-type/CSV', undefined],
  ])('of %s is %s', (iri, name) => {
    expect(registryName(namedNode(iri))).toBe(name)
    expect(mediaTypeName(namedNode(iri))).toBe(name)
  })

  it.each([
    ['text/csv', 'text/csv'],
    [' TEXT/CSV; charset="utf-8" ', 'text/csv'],
    ['text/csv;', 'text/csv'],
    ['csv', undefined],
    ['text/', undefined],
    ['text/csv or so', undefined],
    ['', undefined],
  ])('of the text "%s" is %s, and it is no IRI of the registry', (text, name) => {
    expect(mediaTypeName(literal(text))).toBe(name)
    expect(registryName(literal(text))).toBeUndefined()
  })

  it('of any text is lower case with one slash, or there is none', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const term of [literal(text), namedNode(`https://www.${iana}${text}`)]) {
          expect(mediaTypeName(term) ?? 'a/b').toMatch(/^[^/A-Z\s;]+\/[^/A-Z\s;]+$/)
        }
      }),
    )
  })

  it('is found whatever the case, the blanks around and the parameters behind', () => {
    const written = fc.tuple(
      fc.constantFrom(...machineReadable, ...nonProprietary),
      fc.func<[number], boolean>(fc.boolean()),
      fc.constantFrom('', ';q=1', '; charset=utf-8'),
    )
    fc.assert(
      fc.property(written, ([name, isUpper, parameters]) => {
        const cased = name.replace(/./g, (c, n) => (isUpper(n) ? c.toUpperCase() : c))
        expect(mediaTypeName(literal(` ${cased}${parameters} `))).toBe(name)
        expect(registryName(namedNode(`https://${iana}${cased}${parameters}`))).toBe(name)
      }),
    )
  })
})

it('22 media types are machine readable and 35 non-proprietary', () => {
  expect(machineReadable.size).toBe(22)
  expect(nonProprietary.size).toBe(35)
})
