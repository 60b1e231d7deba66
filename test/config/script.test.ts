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
    [
      undefined,
      { PLATFORM_PUBLIC_URL: 'https://data.example/portal/' },
      'https://data.example/portal/api/hub/repo',
    ],
    [
      undefined,
      { PLATFORM_PORT: '9', PLATFORM_PUBLIC_URL: 'https://data.example/' },
      'http://localhost:9/api/hub/repo',
    ],
    ['https://a.example', { PLATFORM_PORT: '9' }, 'https://a.example/api/hub/repo'],
    ['https://a.example/repo/', {}, 'https://a.example/repo'],
  ])('of --server %s in %j is %s', (server, env, address) => {
    expect(serviceAddress(path, { server }, env)).toBe(address)
    expect(serviceAddress(path, { to: server }, env)).toBe(address)
  })

  it.each(['ftp://a.example', 'localhost:8080', 'https://u@a.example', ''])(
    'is none of %j',
    (server) => {
      expect(() => serviceAddress(path, { server }, {})).toThrow(WrongUsage)
    },
  )

  it('is none of a wrong setting, which is named', () => {
    expect(() => serviceAddress(path, {}, { PLATFORM_PORT: 'x' })).toThrow('PLATFORM_PORT')
  })
})
