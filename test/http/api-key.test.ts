/** API keys at a route: who is let in, who is told what. */

import { describe, expect, it } from 'vitest'
import { apiKeys, type ApiKeys } from '../../src/http/api-key.ts'
import { newApp } from '../../src/http/app.ts'
import { logger } from '../../src/log.ts'

const secret = 'a-configured-key-0123456789'
const other = 'another-key-0123456789'

function station(keys: ApiKeys = apiKeys({ [secret]: ['*'], [other]: ['govdata'] })) {
  const lines: string[] = []
  const app = newApp({
    log: logger('info', { write: (line) => void lines.push(line) }),
    name: 'test',
    trustedProxies: ['10.0.0.0/8'],
  })
  app.put('/thing', (c) => c.json(keys.require(c)))
  const put = (headers: Record<string, string> = {}, address?: string) =>
    app.request('/thing', { method: 'PUT', headers }, address ? peer(address) : undefined)
  return { put, lines }
}

/** What Node would hand over for a connection from this address. */
const peer = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } })

describe('a key', () => {
  it.each<Record<string, string>>([
    { 'X-API-Key': secret },
    { Authorization: secret },
    { Authorization: `Bearer ${secret}` },
    { Authorization: `bearer  ${secret}` },
    { Authorization: `ApiKey ${secret}` },
    { 'X-API-Key': secret, Authorization: `Bearer ${secret}` },
  ])('is taken from %j', async (headers) => {
    const answer = await station().put(headers)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}$/),
      permissions: ['*'],
    })
  })

  it('in two headers with different values is a 400', async () => {
    const answer = await station().put({ 'X-API-Key': secret, Authorization: other })
    expect(answer.status).toBe(400)
  })

  it('[T8] is never told: not in answers, the log, the list or the problem', async () => {
    const keys = apiKeys({ [secret]: ['*'] })
    const { put, lines } = station(keys)
    const wrong = await put({ 'X-API-Key': `${secret}x` })
    const texts = [await (await put({ 'X-API-Key': secret })).text(), await wrong.text(), ...lines]
    expect(texts.join('')).not.toContain(secret)
    expect(JSON.stringify(keys.list())).not.toContain(secret)
    expect(keys.list()).toEqual([{ id: expect.any(String), permissions: ['*'] }])
  })

  it('stands in the log line by its id', async () => {
    const { put, lines } = station()
    const answer: unknown = await (await put({ 'X-API-Key': secret })).json()
    const { key }: { key: string } = JSON.parse(lines.at(-1) ?? '')
    expect(answer).toMatchObject({ id: key })
  })

  it('makes the answer one that caches do not keep', async () => {
    const answer = await station().put({ 'X-API-Key': secret })
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
  })
})

describe('no key and a wrong key', () => {
  it('get the same 401', async () => {
    const { put } = station()
    const answers = [
      await put(),
      await put({ 'X-API-Key': 'wrong' }),
      await put({ 'X-API-Key': ' ' }),
    ]
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401])
    expect(new Set(texts).size).toBe(1)
    expect(answers[0]?.headers.get('WWW-Authenticate')).toBe('ApiKey, Bearer')
  })

  it('in a query parameter is no key', async () => {
    const keys = apiKeys({ [secret]: ['*'] })
    const app = newApp({ log: logger('silent'), name: 'test' })
    app.put('/thing', (c) => c.json(keys.require(c)))
    const answer = await app.request(`/thing?apiKey=${secret}`, { method: 'PUT' })
    expect(answer.status).toBe(401)
  })
})

describe('guessing', () => {
  const wrong = { 'X-API-Key': 'wrong' }

  it('[T8] is stopped after 20 wrong keys in a minute', async () => {
    let now = 0
    const { put } = station(apiKeys({ [secret]: ['*'] }, { now: () => now }))
    for (let i = 0; i < 20; i++) expect((await put(wrong, '192.0.2.1')).status).toBe(401)
    const refused = await put(wrong, '192.0.2.1')
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60'])
    expect(await refused.text()).toContain('more than 20 wrong keys in a minute')
    expect((await put({}, '192.0.2.1')).status).toBe(401)
    expect((await put(wrong, '192.0.2.2')).status).toBe(401)
    now = 60_001
    expect((await put(wrong, '192.0.2.1')).status).toBe(401)
  })

  it('does not lock out who has a right key, whatever came before from that address', async () => {
    const { put } = station()
    for (let i = 0; i < 25; i++) await put(wrong, '192.0.2.1')
    expect((await put({ 'X-API-Key': secret }, '192.0.2.1')).status).toBe(200)
    expect((await put({ 'X-API-Key': other }, '192.0.2.1')).status).toBe(200)
    expect((await put(wrong, '192.0.2.1')).status).toBe(429)
  })

  it('is counted by the /64 of an IPv6 address, which one machine has whole', async () => {
    const { put } = station()
    for (let i = 0; i < 20; i++) await put(wrong, `2001:db8:1:2::${i + 1}`)
    expect((await put(wrong, '2001:db8:1:2:aaaa::1')).status).toBe(429)
    expect((await put(wrong, '2001:db8:1:3::1')).status).toBe(401)
  })

  it('is counted per client behind a trusted proxy, and per peer behind any other', async () => {
    const { put } = station()
    const via = (address: string) => ({ ...wrong, 'X-Forwarded-For': address })
    for (let i = 0; i < 20; i++) await put(via('192.0.2.1'), '10.0.0.1')
    expect((await put(via('192.0.2.1'), '10.0.0.1')).status).toBe(429)
    expect((await put(via('192.0.2.9'), '10.0.0.1')).status).toBe(401)
    for (let i = 0; i < 20; i++) await put(via(`192.0.2.${i}`), '198.51.100.7')
    expect((await put(via('192.0.2.77'), '198.51.100.7')).status).toBe(429)
  })
})

it('new keys replace the old ones', async () => {
  const keys = apiKeys({ [secret]: ['*'] })
  const { put } = station(keys)
  keys.replace({ [other]: ['*'] })
  expect((await put({ 'X-API-Key': secret })).status).toBe(401)
  expect((await put({ 'X-API-Key': other })).status).toBe(200)
})
