/** The platform that a command asks: what options and the environment say of it. */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { serviceAddress } from '../../src/config/script.ts'
import { WrongUsage } from '../../src/errors.ts'

const path = '/api/hub/repo'
const root = fileURLToPath(new URL('../../', import.meta.url))

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

describe.each([
  'main.ts',
  'harvest/import.ts',
  'console/console.ts',
  'console/vocabularies.ts',
  'projector/profile-command.ts',
  'config/config.ts',
])('the command %s', (file) => {
  const run = (option: string) => {
    const entry = fileURLToPath(new URL(`../../src/${file}`, import.meta.url))
    const words = ['--import', './src/compile-cache.js', entry, option]
    return spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8', timeout: 60_000 })
  }

  it('says how it is used, and does nothing, when asked for help', () => {
    const { status, stdout, stderr } = run('--help')
    expect([status, stdout.slice(0, 4), stderr]).toEqual([0, 'npm ', ''])
  })

  it('refuses an option that it does not have', () => {
    const { status, stdout, stderr } = run('--no-such-option')
    expect([status !== 0, stdout]).toEqual([true, ''])
    expect(stderr).toContain('--no-such-option')
    expect(stderr).toContain('\n\nnpm ')
  })
})
