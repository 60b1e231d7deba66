import { describe, expect, test } from 'vitest'
import {
  formatOfMediaType,
  formatOfSuffix,
  negotiate,
  negotiateFormat,
  splitSuffix,
} from '../../src/rdf/media-types.ts'

test.each([
  ['text/turtle', 'turtle'],
  ['Text/Turtle; charset=UTF-8', 'turtle'],
  ['text/turtle;charset="utf-8"', 'turtle'],
  ['text/turtle; charset=iso-8859-1', 'turtle'],
  ['application/ld+json; profile="http://www.w3.org/ns/json-ld#compacted"', 'jsonld'],
  ['application/rdf+xml', 'rdfxml'],
  ['application/trig', 'trig'],
  ['application/n-triples', 'ntriples'],
  ['application/n-quads', 'nquads'],
  ['text/n3', 'n3'],
  ['application/json', undefined],
  ['text/html', undefined],
  ['', undefined],
  [undefined, undefined],
])('the content type %s is read as %s', (contentType, format) => {
  expect(formatOfMediaType(contentType)).toBe(format)
})

test.each([
  ['x.ttl', { id: 'x', format: 'turtle' }],
  ['x.TTL', { id: 'x', format: 'turtle' }],
  ['a.b.jsonld', { id: 'a.b', format: 'jsonld' }],
  ['x.rdf', { id: 'x', format: 'rdfxml' }],
  ['x.nt', { id: 'x', format: 'ntriples' }],
  ['x.nq', { id: 'x', format: 'nquads' }],
  ['x.trig', { id: 'x', format: 'trig' }],
  ['x.n3', { id: 'x', format: 'n3' }],
  ['x.csv', { id: 'x.csv' }],
  ['x', { id: 'x' }],
])('%s splits into id and format', (id, parts) => {
  expect(splitSuffix(id)).toEqual(parts)
  expect(formatOfSuffix('csv')).toBeUndefined()
})

describe('negotiation', () => {
  const offered = ['application/ld+json', 'text/turtle', 'application/rdf+xml']
  test.each([
    [undefined, 'application/ld+json'],
    ['', 'application/ld+json'],
    ['*/*', 'application/ld+json'],
    ['text/*', 'text/turtle'],
    ['application/*', 'application/ld+json'],
    ['text/turtle', 'text/turtle'],
    ['TEXT/TURTLE', 'text/turtle'],
    ['text/turtle;q=0.5, application/rdf+xml', 'application/rdf+xml'],
    ['application/rdf+xml;q=0.9, text/turtle;q=0.9', 'application/rdf+xml'],
    ['*/*, text/turtle', 'text/turtle'],
    ['*/*;q=0.1, text/turtle;q=0', 'application/ld+json'],
    ['application/ld+json;q=0, */*', 'text/turtle'],
    ['text/turtle;q=0', undefined],
    ['text/turtle;q=oops', undefined],
    ['text/html', undefined],
    ['nonsense', undefined],
    ['text/turtle; q=1.000 , */* ; q=0.001', 'text/turtle'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/ld+json'],
    ['application/ld+json;profile="x";q=0.2, text/turtle;q=0.1', 'application/ld+json'],
  ])('Accept: %s gets %s', (accept, type) => {
    expect(negotiate(accept, offered)).toBe(type)
  })

  test.each([
    [undefined, { format: 'jsonld', mediaType: 'application/ld+json' }],
    ['application/json', { format: 'jsonld', mediaType: 'application/json' }],
    ['application/json, text/turtle;q=0.1', { format: 'turtle', mediaType: 'text/turtle' }],
    ['text/html', undefined],
  ])('an RDF answer for Accept: %s', (accept, answer) => {
    expect(negotiateFormat(accept)).toEqual(answer)
  })
})
