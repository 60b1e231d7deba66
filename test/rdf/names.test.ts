import { expect, test } from 'vitest'
import { names } from '../../src/rdf/names.ts'

const base = 'http://localhost:8080/'
const ours = names('http://localhost:8080')

test('resources are named below the base, a missing slash is added', () => {
  expect(ours.dataset('x')).toBe(`${base}set/data/x`)
  expect(ours.distribution('u')).toBe(`${base}set/distribution/u`)
  expect(ours.record('x')).toBe(`${base}set/record/x`)
  expect(ours.catalogue('c')).toBe(`${base}id/catalogue/c`)
  expect(ours.metrics('x')).toBe(`${base}id/metrics/x`)
  expect(names(base).genid('http://g')).toMatch(/^http:\S+\/\.well-known\/genid\/[0-9a-f]{16}\/$/)
  expect(ours.genid('http://g')).not.toBe(ours.genid('http://h'))
})

test.each([
  ['dataset', `${base}set/data/x`, 'x'],
  ['dataset', `${base}set/record/x`, undefined],
  ['dataset', `${base}set/data/`, undefined],
  ['dataset', `${base}set/data/x/y`, undefined],
  ['dataset', `${base}set/data/x.ttl`, undefined],
  ['catalogue', `${base}id/catalogue/c~~1`, 'c~~1'],
  ['record', `${base}set/record/x`, 'x'],
  ['metrics', `${base}id/metrics/x`, 'x'],
  ['distribution', `${base}set/distribution/u`, 'u'],
  ['dataset', 'https://example.org/set/data/x', undefined],
] as const)('the %s id of %s is %s', (kind, iri, id) => {
  expect(ours.idOf(kind, iri)).toBe(id)
})

test('resources of declared types are named by type and id, their records likewise', () => {
  const iri = ours.resource('data-service', 'ogc')
  expect(iri).toBe(`${base}set/resource/data-service/ogc`)
  expect(ours.resourceRecord('data-service', 'ogc')).toBe(`${base}set/record/data-service/ogc`)
  expect(ours.typedIdOf(iri)).toEqual({ type: 'data-service', id: 'ogc' })
  expect(ours.owns(iri)).toBe(true)
})

test.each([
  `${base}set/resource/data-service`,
  `${base}set/resource/data-service/`,
  `${base}set/resource/data-service/ogc/more`,
  `${base}set/resource/data-service/ogc.ttl`,
  `${base}set/resource//ogc`,
  `${base}set/data/ogc`,
  'https://example.org/set/resource/data-service/ogc',
])('%s names no resource of a declared type', (iri) => {
  expect(ours.typedIdOf(iri)).toBeUndefined()
})

test('segments can be chosen', () => {
  const others = names(base, { dataset: 'dataset/' })
  expect(others.dataset('x')).toBe(`${base}dataset/x`)
  expect(others.idOf('dataset', `${base}dataset/x`)).toBe('x')
  expect(others.catalogue('x')).toBe(ours.catalogue('x'))
})

test('what the platform gives out is ours, other IRIs below the base are the institution’s', () => {
  expect(ours.owns(ours.vocabulary('v'))).toBe(true)
  expect(ours.owns(ours.distribution('u'))).toBe(true)
  expect(ours.owns(`${ours.genid('http://g')}x`)).toBe(true)
  expect(ours.owns(`${base}org/publisher`)).toBe(false)
  expect(ours.owns('http://localhost:80801/set/data/x')).toBe(false)
})
