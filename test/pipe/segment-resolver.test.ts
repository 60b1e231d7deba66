/** Where the segment of a name is. */

import { describe, expect, it } from 'vitest'
import { segmentResolver } from '../../src/pipe/segment-resolver.ts'
import type { Endpoint, Segment } from '../../src/pipe/document.ts'
import type { SegmentKind } from '../../src/pipe/segment.ts'

const kind = (...names: string[]): SegmentKind => ({
  names,
  job: 'import',
  schema: () => ({}),
  open: () => ({ ok: true, run: (input) => input }),
})
const rdf = kind('importing-rdf', 'importing-dcat')
const hub = kind('exporting-hub')
const named = (name: string, endpoint?: Endpoint): Segment => ({
  header: { name, segmentNumber: 1, processed: false },
  body: { config: {}, ...(endpoint && { endpoint }) },
})
const http = {
  address: 'http://rdf.example/pipe',
  method: 'POST',
  headers: { 'x-api-key': 'k' },
} as const
const resolve = segmentResolver(
  {
    'importing-rdf': { http, eventbus: { address: 'rdf' } },
    middle: { eventbus: { address: 'nats://bus.example:4222/middle' } },
  },
  [rdf, hub],
)

describe('a segment', () => {
  it('is where service discovery says for exactly its name, HTTP before the bus', () => {
    expect(resolve(named('importing-rdf'))).toEqual({ kind: 'http', ...http, by: 'operator' })
    expect(resolve(named('middle'))).toMatchObject({ kind: 'bus', by: 'operator' })
  })

  it('is in this process when no entry has exactly its name, by any spelling', () => {
    expect(resolve(named('piveau-consus-importing-rdf'))).toEqual({
      kind: 'built-in',
      segment: rdf,
    })
    expect(resolve(named('importing-dcat'))).toEqual({ kind: 'built-in', segment: rdf })
    expect(resolve(named('exporting-repository'))).toEqual({ kind: 'built-in', segment: hub })
  })

  it('of this process is preferred to the endpoint that the pipe gives', () => {
    const endpoint = { address: 'http://elsewhere.example/pipe' }
    expect(resolve(named('exporting-hub', endpoint)).kind).toBe('built-in')
  })

  it('is at the endpoint of the pipe when nobody else knows it, and that is marked', () => {
    const address = 'https://foreign.example/pipe'
    expect(resolve(named('foreign', { protocol: 'http', address, method: 'put' }))).toEqual({
      kind: 'http',
      address,
      method: 'PUT',
      headers: {},
      by: 'pipe',
    })
    expect(resolve(named('foreign', { protocol: 'eventbus', address: 'queue' }))).toEqual({
      kind: 'bus',
      address: 'queue',
      by: 'pipe',
    })
  })

  it('is unknown otherwise, with the names that are known; no address is made of a name', () => {
    const knownNames = ['exporting-hub', 'importing-rdf', 'middle']
    expect(resolve(named('importing-rfd'))).toEqual({ kind: 'unknown', knownNames })
    expect(resolve(named('x', { address: 'file:///etc/passwd' }))).toEqual({
      kind: 'unknown',
      knownNames,
    })
    expect(resolve(named('x', { address: 'no address' }))).toEqual({ kind: 'unknown', knownNames })
  })

  it('is not what every object has', () => {
    expect(resolve(named('constructor')).kind).toBe('unknown')
    expect(resolve(named('__proto__')).kind).toBe('unknown')
  })
})
