/** robots.txt, as RFC 9309 has it. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { rulesOf } from '../../src/client/robots.ts'
import { outboundFixture, type OutboundFixture } from '../support/portals/outbound.ts'
import type { Portal } from '../support/portals/portal.ts'
import { robotsHost } from '../support/portals/robots.ts'

const signal = new AbortController().signal
const reach = { kind: 'public' } as const
const text = `
# a comment
User-agent: other
Disallow: /

User-agent: *
Disallow: /private

User-agent: Cartulary/2.0
User-agent: friend
Disallow: /data/
Allow: /data/open$
Disallow: /*.zip
`

describe('the rules', () => {
  const rules = (file: string, path: string) =>
    rulesOf('https://a.example', file).permits(new URL(path, 'https://a.example'))

  it.each([
    ['/', true],
    ['/private', true],
    ['/data/x', false],
    ['/data/open', true],
    ['/data/open/x', false],
    ['/a/b.zip', false],
    ['/a/b.zip?c', false],
    ['/a/b.zap', true],
  ])('for our token permit %s: %s', (path, permitted) => {
    expect(rules(text, path)).toBe(permitted)
  })

  it.each([
    ['those for everybody count when none are for us', 'User-agent: *\nDisallow: /x', '/x', false],
    ['those for others do not count', 'User-agent: other\nDisallow: /', '/x', true],
    [
      'an empty Disallow permits all',
      'User-agent: *\nDisallow: /\nUser-agent: cartulary\nDisallow:',
      '/x',
      true,
    ],
    [
      'groups of one agent are one group',
      'User-agent: cartulary\nDisallow: /a\n\nUser-agent: cartulary\nDisallow: /b',
      '/b',
      false,
    ],
    [
      'other lines do not end a group',
      'User-agent: cartulary\nSitemap: /s\nUser-agent: x\nDisallow: /a',
      '/a',
      false,
    ],
    ['nothing permits all', '', '/x', true],
    ['noise permits all', '<!doctype html><html>User-agent</html>\u0000', '/x', true],
    ['a byte order mark is no part of them', '\ufeffUser-agent: *\nDisallow: /x', '/x', false],
    ['old Mac line ends are line ends', 'User-agent: *\rDisallow: /x', '/x', false],
  ])('%s', (_, file, path, permitted) => {
    expect(rules(file, path)).toBe(permitted)
  })

  it('[T12] of a hostile file cost neither time nor memory', () => {
    const agents = 'User-agent: x\nUser-agent: *\n'.repeat(10_000)
    const many = rulesOf('https://a.example', agents + 'Disallow: /b\n'.repeat(20_000))
    expect(many.characters).toBeLessThan(200_000)
    const stars = `User-agent: *\nDisallow: /${'*a'.repeat(250_000)}b\n${'Disallow: /*a*a*a*a*a*a*a*b\n'.repeat(20_000)}`
    const url = new URL(`https://a.example/${'a'.repeat(16_000)}`)
    expect(rulesOf('https://a.example', stars).permits(url)).toBe(true)
  })
})

describe('asking', () => {
  let host: Portal
  let scene: OutboundFixture
  const ask = (path: string) =>
    scene.client.robots({ reach, url: `http://a.example${path}` }, signal)

  beforeAll(async () => {
    host = await robotsHost(text)
  })

  const play = () => {
    scene = outboundFixture({
      names: { 'a.example': ['8.8.8.8'] },
      world: { '8.8.8.8': host.port },
    })
  }

  afterEach(async () => {
    await scene.client.close()
    host.reset()
    host.faults.clear()
  })

  afterAll(() => host.close())

  it('asks once per host, even when many want to know at once', async () => {
    play()
    const answers = await Promise.all(['/', '/data/x', '/private'].map(ask))
    expect(answers).toEqual(['allowed', 'disallowed', 'allowed'])
    expect(await ask('/b.zip')).toBe('disallowed')
    expect(host.requests.map(({ path }) => path)).toEqual(['/robots.txt'])
  })

  it.each([401, 403, 404, 410])('takes %i for permission', async (status) => {
    play()
    host.faults.from(1, { kind: 'status', status })
    expect(await ask('/data/x')).toBe('allowed')
  })

  it('does not know when the host is in trouble', async () => {
    play()
    host.faults.from(1, { kind: 'status', status: 500 })
    expect(await ask('/')).toBe('unknown')
  })

  it('tells a host that gives no answer at all from one that answers nothing of use', async () => {
    play()
    const word = (url: string) => scene.client.robots({ reach, url }, signal)
    expect(await word('http://nobody.example/')).toBe('unreachable')
    expect(await word('mailto:a@example')).toBe('refused')
    host.faults.from(1, { kind: 'reset' })
    expect(await ask('/')).toBe('unreachable')
  })

  it('[T1] never looks for one inside the house', async () => {
    play()
    expect(await scene.client.robots({ reach, url: `${host.url}/data/x` }, signal)).toBe('refused')
    expect(host.requests).toEqual([])
  })

  it('reads the first 500 KiB of an endless file', async () => {
    play()
    host.faults.from(1, { kind: 'endless', chunk: 'User-agent: *\nDisallow: /end\n' })
    expect(await ask('/end')).toBe('disallowed')
  })

  it('follows redirects, and the rules stay those of the host that was asked', async () => {
    play()
    host.faults.at(1, { kind: 'redirect', to: '/robots.txt?again' })
    expect(await ask('/data/x')).toBe('disallowed')
  })

  it('takes redirects without end for permission', async () => {
    play()
    host.faults.from(1, { kind: 'redirect', to: '/robots.txt' })
    expect(await ask('/data/x')).toBe('allowed')
  })

  it('does not know what stands in a file that breaks off', async () => {
    play()
    host.faults.from(1, { kind: 'truncated', framing: 'length' })
    expect(await ask('/')).toBe('unknown')
  })

  it('can be given up by one caller while others wait on', async () => {
    play()
    host.faults.from(1, { kind: 'drip', everyMs: 1 })
    const stop = new AbortController()
    const hasty = scene.client.robots({ reach, url: 'http://a.example/' }, stop.signal)
    const patient = ask('/data/x')
    stop.abort(new Error('enough'))
    await expect(hasty).rejects.toThrow('enough')
    expect(await patient).toBe('disallowed')
  })
})
