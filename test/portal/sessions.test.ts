/** Cookies that are none of ours, or no longer: whoever shows one is a stranger, and nothing breaks. */

import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKeys } from '../../src/http/api-key.ts'
import { openSessions, type Sessions } from '../../src/portal/sessions.ts'
import { gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

const [steward, other] = ['key-of-the-first-steward-01', 'key-of-the-other-steward-02']
/** A platform whose keys are those of the configuration. */
async function withKeys(directory: string, ...keys: readonly string[]): Promise<Gateway> {
  // Where `gateway` looks for the key that a platform without any makes for itself.
  await writeFile(join(directory, 'api-key'), keys[0] ?? '')
  const permissions = Object.fromEntries(keys.map((key) => [key, ['*']]))
  return gateway(directory, { PLATFORM_HUB_API_KEYS: JSON.stringify(permissions) })
}

async function signIn({ url }: Gateway, key: string): Promise<string> {
  const body = new URLSearchParams({ key })
  const answer = await fetch(`${url}/en/sign-in`, { method: 'POST', body, redirect: 'manual' })
  expect(answer.status).toBe(303)
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** What a browser with these cookies gets in place of the list of sources: the list (200), or the way to the form (303). */
async function harvestPage({ url }: Gateway, Cookie: string): Promise<number> {
  const headers = { Accept: 'text/html', Cookie }
  const answer = await fetch(`${url}/en/harvest`, { headers, redirect: 'manual' })
  await answer.body?.cancel()
  const isAtForm = answer.headers.get('Location') === '/en/sign-in'
  return answer.status === 303 && !isAtForm ? 0 : answer.status
}

/** Sends a form with any header, `Host` and `Origin` too, which `fetch` does not let a caller set. */
const request = (
  url: string,
  path: string,
  {
    form,
    ...options
  }: { method: string; headers: Record<string, string>; form: Record<string, string> },
) =>
  new Promise<{ status: number | undefined; cookies: readonly string[] }>((resolve, reject) => {
    const headers = { ...options.headers, 'Content-Type': 'application/x-www-form-urlencoded' }
    const sent = httpRequest(url + path, { ...options, headers }, (answer) => {
      answer.resume()
      resolve({ status: answer.statusCode, cookies: answer.headers['set-cookie'] ?? [] })
    })
    sent.on('error', reject)
    sent.end(new URLSearchParams(form).toString())
  })

describe('a session', () => {
  let directories: string[]
  let platform: Gateway
  let neighbour: Gateway
  let cookie: string

  beforeAll(async () => {
    directories = [await temporaryDirectory(), await temporaryDirectory()]
    const [first = '', second = ''] = directories
    platform = await withKeys(first, steward, other)
    neighbour = await withKeys(second, steward, other)
    cookie = await signIn(platform, steward)
  }, 60_000)
  afterAll(async () => {
    await platform.stop()
    await neighbour.stop()
    for (const directory of directories) await remove(directory)
  })

  it('is good at the platform that began it, and at no other, though the same key opens both', async () => {
    expect(await harvestPage(platform, cookie)).toBe(200)
    expect(await harvestPage(neighbour, cookie)).toBe(303)
    const Cookie = await signIn(neighbour, steward)
    expect(await harvestPage(platform, Cookie)).toBe(303)
  })

  const value = () => cookie.slice('session='.length)
  const forged: readonly (readonly [string, () => string])[] = [
    ['a random value of the right length', () => randomBytes(32).toString('base64url')],
    ['no value', () => ''],
    ['its beginning', () => value().slice(0, -1)],
    ['more than itself', () => `${value()}A`],
    ['itself 200 times', () => value().repeat(200)],
    ['itself in capitals', () => value().toUpperCase()],
    ['the key itself', () => steward],
    ['bytes in percent', () => '%00%ff%E2%80%AE'],
    ['percent signs that encode nothing', () => '%zz%'],
    ['a quotation mark', () => `"${value()}`],
    ['SQL', () => `' OR 1=1 --`],
    ['markup', () => '<script>alert(1)</script>'],
    ['letters outside of ASCII', () => 'größe'],
    ['a prototype', () => '__proto__'],
  ]
  it.each(forged)('is not begun by %s', async (_what, make) => {
    expect(await harvestPage(platform, `session=${make()}`)).toBe(303)
    // A page for everybody does not mind.
    const headers = { Accept: 'text/html', Cookie: `session=${make()}` }
    expect((await fetch(`${platform.url}/en/check`, { headers })).status).toBe(200)
  })

  it('is not begun by a cookie of another name, nor by one that only TLS may set', async () => {
    for (const name of ['Session', 'session2', '__Host-session', 'sign-in'])
      expect([name, await harvestPage(platform, `${name}=${value()}`)]).toEqual([name, 303])
  })

  it('is found among many cookies; of two of its name one counts, and a stranger gains nothing by a second one', async () => {
    const many = Array.from({ length: 100 }, (_, at) => `c${at}=${at}`).join('; ')
    expect(await harvestPage(platform, `${many}; ${cookie}`)).toBe(200)
    for (const pair of [`${cookie}; session=forged`, `session=forged; ${cookie}`])
      expect([200, 303]).toContain(await harvestPage(platform, pair))
    expect(await harvestPage(platform, 'session=forged; session=forged-too')).toBe(303)
  })

  const attempt = (headers: Record<string, string>) =>
    request(platform.url, '/en/sign-in', { method: 'POST', headers, form: { key: steward } })

  it('is not begun by a form of another site, which would sign its visitor in as somebody else', async () => {
    const foreign: Record<string, string>[] = [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site', Origin: platform.url },
    ]
    for (const headers of foreign) {
      const answer = await attempt(headers)
      expect([headers, answer.status, answer.cookies]).toEqual([headers, 403, []])
    }
    const own: Record<string, string>[] = [
      {},
      { Origin: platform.url },
      { 'Sec-Fetch-Site': 'same-origin' },
    ]
    for (const headers of own) expect((await attempt(headers)).status).toBe(303)
  })

  it('is Secure unless a browser on this machine asks by plain http', async () => {
    const own = await attempt({})
    expect(own.cookies).toEqual([
      expect.stringMatching(/^session=[^;]+; Path=\/; HttpOnly; SameSite=Strict$/),
    ])
    const others: Record<string, string>[] = [
      { 'X-Forwarded-Proto': 'https' },
      { Host: 'data.example' },
    ]
    for (const headers of others) {
      const [sent = ''] = (await attempt(headers)).cookies
      expect(sent).toMatch(/^__Host-session=.*; Secure/)
    }
  })

  it('does not open the API, which knows keys only', async () => {
    const headers = { Cookie: cookie, 'Content-Type': 'application/json' }
    for (const [method, path] of [
      ['POST', '/api/scheduler/pipes/metrics/runs'],
      ['DELETE', '/api/hub/repo/catalogues/none'],
    ] as const) {
      const answer = await fetch(platform.url + path, { method, headers })
      await answer.body?.cancel()
      expect([path, answer.status]).toEqual([path, 401])
    }
  })

  it('outlives a restart, but not its key, and so does the address of its feed', async () => {
    const [directory = ''] = directories
    const further = await signIn(platform, other)
    const feedOf = async (Cookie: string) => {
      const page = await fetch(`${platform.url}/en/harvest`, { headers: { Cookie } })
      return /\/en\/harvest\/failures\/[^"]+/.exec(await page.text())?.[0] ?? ''
    }
    const [feed, furtherFeed] = [await feedOf(cookie), await feedOf(further)]
    const statusOf = async (path: string) => (await fetch(platform.url + path)).status
    expect([await statusOf(feed), await statusOf(furtherFeed)]).toEqual([200, 200])
    await platform.stop()
    platform = await withKeys(directory, steward)
    expect(await harvestPage(platform, cookie)).toBe(200)
    expect(await harvestPage(platform, further)).toBe(303)
    expect([await statusOf(feed), await statusOf(furtherFeed)]).toEqual([200, 404])
    await platform.stop()
    platform = await withKeys(directory, other)
    expect(await harvestPage(platform, cookie)).toBe(303)
  }, 60_000)

  it('is kept as a digest: neither its cookie nor its key stands in a file', async () => {
    const [directory = ''] = directories
    const session = await signIn(platform, other)
    for (const name of await readdir(directory)) {
      if (!name.startsWith('sessions.sqlite')) continue
      const bytes = await readFile(join(directory, name), 'latin1')
      expect(bytes.includes(session.slice('session='.length))).toBe(false)
      expect(bytes.includes(other)).toBe(false)
    }
  })
})

describe('in time', () => {
  const hour = 3_600_000
  let directory: string
  let time = 0
  let sessions: Sessions
  const open = () =>
    openSessions({
      path: join(directory, 'sessions.sqlite'),
      keys: apiKeys({ [steward]: ['*'] }),
      userPrefix: undefined,
      now: () => time,
    })

  beforeAll(async () => {
    directory = await temporaryDirectory()
    sessions = open()
  })
  afterAll(async () => {
    sessions.close()
    await remove(directory)
  })

  it('a session ends after an hour without a request', () => {
    time = 0
    const cookie = sessions.signIn(steward, 'a')
    time = hour - 1
    expect(sessions.find(cookie)).toBeDefined()
    time += hour - 1
    expect(sessions.find(cookie)).toBeDefined()
    time += hour
    expect(sessions.find(cookie)).toBeUndefined()
    time -= 1
    expect(sessions.find(cookie)).toBeDefined()
  })

  it('and after eight hours, however busy it is; a restart does not prolong it', () => {
    time = 100 * hour
    const cookie = sessions.signIn(steward, 'a')
    for (let half = 1; half < 16; half += 1) {
      time += hour / 2
      expect(sessions.find(cookie)).toBeDefined()
    }
    sessions.close()
    sessions = open()
    expect(sessions.find(cookie)).toBeDefined()
    time += hour / 2
    expect(sessions.find(cookie)).toBeUndefined()
  })

  it('five wrong keys in a minute stop guessing from one machine, and never a right key', () => {
    time = 200 * hour
    const guess = (client: string) => () => sessions.signIn('wrong', client)
    for (let tried = 0; tried < 5; tried += 1)
      expect(guess(`2001:db8:1:2::${tried}`)).toThrow('valid API key')
    expect(guess('2001:db8:1:2:ffff::1')).toThrow('too many wrong keys')
    expect(sessions.signIn(steward, '2001:db8:1:2::9')).toHaveLength(43)
    expect(guess('2001:db8:1:3::1')).toThrow('valid API key')
    time += 60_000
    expect(guess('2001:db8:1:2::1')).toThrow('valid API key')
  })
})
