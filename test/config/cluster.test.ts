/** `PLATFORM_CLUSTER_CONFIG`. */

import { describe, expect, it } from 'vitest'
import { clusterConfig, isBranch, isGitAddress } from '../../src/config/cluster.ts'

const problems = (value: unknown) => {
  const result = clusterConfig.safeParse(value)
  if (result.success) return []
  return result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim())
}

describe('a cluster configuration', () => {
  it('names git repositories, directories and services', () => {
    const told = {
      pipeRepositories: {
        city: {
          uri: 'https://git.example/pipes.git',
          username: 'bot',
          token: 't0ken!',
          branch: 'main',
        },
        open: { uri: '/srv/pipes', username: '', token: null },
        resources: { paths: ['more', 'pipes'] },
      },
      resources: { paths: ['beside', 'more'] },
      serviceDiscovery: {
        'importing-x': {
          http: { method: 'put', address: 'http://x:8080/pipe', headers: { a: 'b' } },
        },
        'importing-y': { http: { address: 'http://y:8080/pipe' }, eventbus: { address: 'y' } },
      },
    }
    expect(clusterConfig.parse(told)).toEqual({
      pipeRepositories: {
        city: told.pipeRepositories.city,
        open: { uri: '/srv/pipes' },
      },
      resources: { paths: ['more', 'pipes', 'beside'] },
      serviceDiscovery: {
        'importing-x': {
          http: { method: 'PUT', address: 'http://x:8080/pipe', headers: { a: 'b' } },
        },
        'importing-y': {
          http: { method: 'POST', address: 'http://y:8080/pipe', headers: {} },
          eventbus: { address: 'y' },
        },
      },
    })
  })

  it('may put endpoints around all services or around each', () => {
    const x = { http: { address: 'http://x/pipe', method: 'POST', headers: {} } }
    for (const serviceDiscovery of [{ endpoints: { x } }, { x: { endpoints: x } }]) {
      expect(clusterConfig.parse({ serviceDiscovery }).serviceDiscovery).toEqual({ x })
    }
  })

  it('is empty when nothing is said, and leaves alone what others read', () => {
    const empty = { pipeRepositories: {}, resources: { paths: [] }, serviceDiscovery: {} }
    expect(clusterConfig.parse({})).toEqual(empty)
    expect(clusterConfig.parse({ somethingElse: 1 })).toEqual(empty)
  })

  it.each([
    [{ pipeRepository: {} }, 'has a field that is not read (did you mean pipeRepositories?)'],
    [
      { pipeRepositories: { a: { uri: 'ext::sh -c id' } } },
      'pipeRepositories.a.uri must be an https',
    ],
    [
      { pipeRepositories: { a: { uri: 'https://u:p@git.example/x' } } },
      'pipeRepositories.a.uri must be an https',
    ],
    [
      { pipeRepositories: { a: { uri: '/x', branch: '--help' } } },
      'pipeRepositories.a.branch must be the name of a branch',
    ],
    [
      { pipeRepositories: { a: { uri: '/x', brnach: 'm' } } },
      'pipeRepositories.a must be an object of uri, branch',
    ],
    [{ serviceDiscovery: { a: {} } }, 'serviceDiscovery.a must name http or eventbus'],
    [
      { serviceDiscovery: { a: { http: { address: 'ftp://x/' } } } },
      'serviceDiscovery.a.http.address must be an http(s) URL',
    ],
    [
      { serviceDiscovery: { a: { http: { address: 'http://u:p@x/' } } } },
      'serviceDiscovery.a.http.address must be an http(s) URL',
    ],
    [
      { serviceDiscovery: { a: { http: { address: 'http://x/', method: 'GET' } } } },
      'serviceDiscovery.a.http.method must be POST or PUT',
    ],
  ])('%j is refused in words', (value, told) => {
    expect(problems(value)).toEqual([expect.stringContaining(told)])
  })
})

it('[T7] no problem repeats a value', () => {
  const secret = 'canary-7f3a91'
  const told = [
    { pipeRepositories: { a: { uri: `https://u:${secret}@git.example/x`, token: [secret] } } },
    { pipeRepositories: { a: { uri: '/x', branch: `-${secret}`, [secret]: secret } } },
    { serviceDiscovery: { a: { http: { address: `http://u:${secret}@x/`, headers: secret } } } },
    { serviceDiscovery: secret, resources: secret, pipeRepositories: secret },
  ].flatMap(problems)
  expect(told.length).toBeGreaterThan(7)
  expect(told.filter((line) => line.includes(secret))).toEqual([])
})

it.each([
  ['https://git.example/pipes.git', true],
  ['http://git.example/pipes', true],
  ['ssh://git@git.example/pipes', true],
  ['git@git.example:pipes.git', true],
  ['file:///srv/pipes', true],
  ['/srv/pipes', true],
  ['../pipes', true],
  ['', false],
  ['ext::sh -c id', false],
  ['ext::id', false],
  ['fd::17', false],
  ['git://git.example/pipes', false],
  ['ftp://git.example/pipes', false],
  ['--upload-pack=touch${IFS}x', false],
  ['-x:y', false],
  ['https://user:token@git.example/pipes', false],
  ['https://token@git.example/pipes', false],
  ['ssh://git:secret@git.example/pipes', false],
  ['/srv/pi\npes', false],
])('[T6] git may be asked for %j: %s', (uri, allowed) => {
  expect(isGitAddress(uri)).toBe(allowed)
})

it.each([
  ['main', true],
  ['release/2026-11', true],
  ['größe', true],
  ['-x', false],
  ['a..b', false],
  ['a:b', false],
  ['a b', false],
  ['a*', false],
  ['a@{1}', false],
  ['x.lock', false],
  ['/a', false],
  ['a/', false],
])('[T6] %j is a branch: %s', (name, allowed) => {
  expect(isBranch(name)).toBe(allowed)
})
