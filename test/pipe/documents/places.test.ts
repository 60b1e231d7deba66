/** What segments are told of their place, and what is wrong with a pipe in it. */

import { expect, it } from 'vitest'
import { segmentResolver } from '../../../src/pipe/segment-resolver.ts'
import { catalogueOf, pipeCheck, segmentPlaces } from '../../../src/pipe/pipe-check.ts'
import type { Json, JsonObject } from '../../../src/text/json.ts'
import type { SegmentKind, SegmentPlace } from '../../../src/pipe/segment.ts'
import { harvestOf, pipeOf } from '../pipes.ts'

const ground = { trust: 'trusted', directory: '/pipes' } as const

it('a segment hears of its directory, of the next segment and of the catalogue that one before it names', () => {
  expect(segmentPlaces(harvestOf('city'), ground)).toEqual([
    { trust: 'trusted', directory: '/pipes', next: 'exporting-hub' },
    { trust: 'trusted', directory: '/pipes', catalogue: 'city' },
  ])
  expect(
    segmentPlaces(pipeOf('x', ['a'], ['piveau-consus-transforming-javascript']), ground)[0]?.next,
  ).toBe('transforming-js')
})

it('only the segment whose address the launch replaces is foreign, and all of a foreign pipe are', () => {
  const pipe = harvestOf('city')
  const trusts = (configs: object, trust: 'trusted' | 'foreign' = 'trusted') =>
    segmentPlaces(pipe, { ...ground, trust, configs: configs as never }).map((place) => place.trust)
  expect(trusts({ 'importing-rdf': { address: 'http://127.0.0.1/' } })).toEqual([
    'foreign',
    'trusted',
  ])
  expect(trusts({ 'importing-rdf': { limit: 5 } })).toEqual(['trusted', 'trusted'])
  expect(trusts({}, 'foreign')).toEqual(['foreign', 'foreign'])
})

it('settings of a segment of others are whole numbers', () => {
  const pipe = pipeOf('x', ['elsewhere', { quietMs: 5, inFlight: 0, firstMs: '2 s' }])
  const service = { http: { address: 'http://a/pipe', method: 'POST', headers: {} } } as const
  expect(pipeCheck(segmentResolver({ elsewhere: service }, []))(pipe, ground)).toEqual([
    {
      pointer: '/body/segments/0/body/config/firstMs',
      detail: 'firstMs must be a whole number, 1 or more',
    },
    {
      pointer: '/body/segments/0/body/config/inFlight',
      detail: 'inFlight must be a whole number, 1 or more',
    },
  ])
})

it('the catalogue is the first that a segment names', () => {
  const { segments } = pipeOf(
    'x',
    ['a', { catalogue: 7 }],
    ['b', { catalogue: 'one' }],
    ['c', { catalogue: 'two' }],
  ).body
  expect(catalogueOf(segments)).toBe('one')
  expect(catalogueOf([])).toBeUndefined()
})

it('an unknown segment and keys of the wrong type are told by their place; the others are not opened in vain', () => {
  const places: SegmentPlace[] = []
  const rdf: SegmentKind = {
    names: ['importing-rdf'],
    job: 'import',
    schema: () => ({}),
    open: (config, place) => {
      places.push(place)
      return typeof config['address'] === 'string'
        ? { ok: true, run: (input) => input }
        : { ok: false, problems: [{ key: 'auth.header', detail: 'must be text' }] }
    },
  }
  const check = pipeCheck(segmentResolver({}, [rdf]))
  expect(check(harvestOf('city', { address: 5 }), ground)).toEqual([
    { pointer: '/body/segments/0/body/config/auth/header', detail: 'auth.header must be text' },
    {
      pointer: '/body/segments/1/header/name',
      detail: 'exporting-hub is not a known segment; known segments: importing-rdf',
    },
  ])
  expect(check(pipeOf('x', ['importing-rdf', { address: 'https://a.example' }]), ground)).toEqual(
    [],
  )
  expect(places).toHaveLength(2)
})

it('a deadline that is no duration is told when the pipe is read, whichever segment gives it', () => {
  const check = pipeCheck(segmentResolver({}, []))
  const deadlines = (...given: Json[]) =>
    check(
      pipeOf('x', ...given.map((deadline): [string, JsonObject] => ['a', { deadline }])),
      ground,
    )
      .map(({ pointer }) => pointer)
      .filter((pointer) => pointer?.endsWith('/deadline'))
  expect(deadlines('PT6H', null)).toEqual([])
  expect(deadlines(5, 'PT6H', 'six hours')).toEqual([
    '/body/segments/0/body/config/deadline',
    '/body/segments/2/body/config/deadline',
  ])
})
