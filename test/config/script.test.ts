/** The platform that a command asks: what options and the environment say of it. */

import { describe, expect, it } from 'vitest'
import { serviceAddress } from '../../src/config/script.ts'
import { WrongUsage } from '../../src/errors.ts'

const path = '/api/hub/repo'

describe('the address of a service', () => {
  it.each<[string | undefined, Record<string, string>, string]>([
    [undefined, {}, 'http://localhost:8080/api/hub/repo'],
    [undefined, { PLATFORM_PORT: '8081' }, 'http://localhost:8081/api/hub/repo'],
    [undefined, { PLATFORM_PORT: '' }, 'http://localhost:8080/api/hub/repo'],
    [undefined, { PLATFORM_HOST: '0.0.0.0' }, 'http://localhost:8080/api/hub/repo'],
    [undefined, { PLATFORM_HOST: '10.0.0.7' }, 'http://10.0.0.7:8080/api/hub/repo'],
    [undefined, { PLATFORM_HOST: 'fd00::7' }, 'http://[fd00::7]:8080/api/hub/repo'],
    [
      undefined,
      { CARTULARY_SERVER: 'https://data.example/', PLATFORM_PORT: '9' },
      'https://data.example/api/hub/repo',
    ],
    [
      'https://a.example',
      { CARTULARY_SERVER: 'https://b.example' },
      'https://a.example/api/hub/repo',
    ],
    ['https://a.example/repo/', {}, 'https://a.example/repo'],
  ])('of --server %s in %j is %s', (server, env, address) => {
    expect(serviceAddress(path, server, env)).toBe(address)
  })

  it.each(['ftp://a.example', 'localhost:8080', 'https://u@a.example', ''])(
    'is none of %j',
    (server) => {
      expect(() => serviceAddress(path, server, {})).toThrow(WrongUsage)
    },
  )

  it('is none of a wrong setting, which is named', () => {
    expect(() => serviceAddress(path, undefined, { PLATFORM_PORT: 'x' })).toThrow('PLATFORM_PORT')
  })
})
