/** Overrides over segment configs. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withConfigs, replacesAddress } from '../../src/pipe/pipe-check.ts'
import type { Configs } from '../../src/pipe/document.ts'
import type { JsonObject } from '../../src/text/json.ts'
import { pipeOf } from './pipes.ts'

const pipe = pipeOf(
  'city',
  [
    'piveau-consus-importing-ckan',
    { address: 'https://a.example/', types: ['dataset', 'series'], filters: { q: 'x', fq: 'y' } },
  ],
  ['transforming-js', { script: 'one' }],
  ['transforming-js', { script: 'two' }],
  ['exporting-hub'],
)
const configOf = (configs: Configs, index = 0): JsonObject =>
  withConfigs(pipe, configs).body.segments[index]?.body.config ?? {}

describe('configs', () => {
  it('overwrite the values of their keys and leave the others', () => {
    expect(configOf({ 'piveau-consus-importing-ckan': { address: 'https://b.example/' } })).toEqual(
      {
        address: 'https://b.example/',
        types: ['dataset', 'series'],
        filters: { q: 'x', fq: 'y' },
      },
    )
  })

  it('replace arrays whole', () => {
    expect(configOf({ 'piveau-consus-importing-ckan': { types: ['x'] } })['types']).toEqual(['x'])
  })

  it('merge objects key by key, at any depth', () => {
    const hub = { hub: { endpoint: { address: 'https://h.example' } } }
    const both = withConfigs(withConfigs(pipe, { 'exporting-hub': hub }), {
      'exporting-hub': { hub: { endpoint: { apiKey: { secret: 'k' } } } },
    })
    expect(both.body.segments[3]?.body.config).toEqual({
      hub: { endpoint: { address: 'https://h.example', apiKey: { secret: 'k' } } },
    })
    expect(
      configOf({ 'piveau-consus-importing-ckan': { filters: { q: 'z' } } })['filters'],
    ).toEqual({
      q: 'z',
      fq: 'y',
    })
  })

  it('set null where null is given', () => {
    const config = configOf({ 'piveau-consus-importing-ckan': { filters: null } })
    expect(config['filters']).toBeNull()
  })

  it('mean a segment by another spelling of its name too', () => {
    expect(configOf({ 'importing-ckan': { pageSize: 10 } })['pageSize']).toBe(10)
  })

  it('mean every segment of a name', () => {
    const configs = { 'transforming-js': { single: true } }
    expect(configOf(configs, 1)).toEqual({ script: 'one', single: true })
    expect(configOf(configs, 2)).toEqual({ script: 'two', single: true })
  })

  it('of segments that the pipe does not have are refused, each by its name', () => {
    expect(() =>
      withConfigs(pipe, { 'importing-rdf': {}, nothing: {}, 'exporting-hub': {} }),
    ).toThrow(
      expect.objectContaining({
        kind: 'invalid-parameter',
        errors: [
          expect.objectContaining({
            detail: expect.stringContaining('importing-rdf is not a segment'),
          }),
          expect.objectContaining({ detail: expect.stringContaining('nothing is not a segment') }),
        ],
      }),
    )
  })

  it('[T6] cannot reach the prototype of objects', () => {
    const evil = JSON.parse(
      '{"exporting-hub":{"__proto__":{"polluted":1},"hub":{"__proto__":{"polluted":1}}}}',
    ) as Configs
    const config = configOf(evil, 3)
    expect(JSON.stringify(config)).toBe('{"hub":{}}')
    expect(Object.getPrototypeOf(config)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('leave the pipe that they are laid over as it was, and applied twice do what they do once', () => {
    const before = structuredClone(pipe)
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (config) => {
        const configs = { 'exporting-hub': config } as Configs
        const once = withConfigs(pipe, configs)
        expect(withConfigs(once, configs)).toEqual(once)
      }),
    )
    expect(pipe).toEqual(before)
  })
})

describe('an address that the launch replaces', () => {
  it.each<[Configs, boolean]>([
    [{ 'importing-ckan': { address: 'http://127.0.0.1/' } }, true],
    [{ 'importing-ckan': { pageSize: 3 } }, false],
    [{ 'exporting-hub': { hub: { endpoint: { address: 'http://10.0.0.1' } } } }, false],
    [{ 'importing-ckan': { deep: [{ uri: 'x' }] } }, true],
    [{}, false],
  ])('%j: %s', (configs, replaced) => {
    expect(replacesAddress(pipe, configs, 'piveau-consus-importing-ckan')).toBe(replaced)
  })
})
