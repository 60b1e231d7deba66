/** Signing in with the account of an institution, at a provider that may misbehave. */

import { createHash, createSign, generateKeyPairSync } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

const secret = 'a-secret-of-the-client'
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** What the provider says of the next user, and what it last heard. */
let claims: Record<string, unknown> = {}
let tokenStatus = 200
let asked = new URLSearchParams()
const seen: { authorization?: string; challenge?: string } = {}

let server: Server
let issuer: string
let directory: string
let platform: Gateway

function token(): string {
  const now = Math.floor(Date.now() / 1000)
  const payload = {
    iss: issuer,
    aud: 'portal',
    sub: 'anna',
    iat: now,
    exp: now + 300,
    nonce: asked.get('nonce'),
    ...claims,
  }
  const text = `${encoded({ alg: 'RS256', kid: '1' })}.${encoded(payload)}`
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`
}

const answers: Record<string, (body: URLSearchParams) => unknown> = {
  '/.well-known/openid-configuration': () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'groups'],
  }),
  '/keys': () => ({
    keys: [{ ...publicKey.export({ format: 'jwk' }), kid: '1', alg: 'RS256', use: 'sig' }],
  }),
  '/token': (body) => {
    const verifier = body.get('code_verifier') ?? ''
    seen.challenge = createHash('sha256').update(verifier).digest('base64url')
    return { access_token: 'x', token_type: 'Bearer', id_token: token() }
  },
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? ''
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      if (path === '/token') seen.authorization = request.headers.authorization
      response.writeHead(path === '/token' ? tokenStatus : 200, {
        'Content-Type': 'application/json',
      })
      response.end(JSON.stringify(answers[path]?.(new URLSearchParams(body)) ?? {}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  directory = await temporaryDirectory()
  const oidc = {
    issuer,
    client: 'portal',
    secret: { secret: 'oidc' },
    permissions: { stewards: ['*'] },
  }
  platform = await gateway(directory, {
    PLATFORM_SECRETS: JSON.stringify({ oidc: secret }),
    PLATFORM_PORTAL_CONFIG: JSON.stringify({ signIn: { key: false, oidc } }),
  })
})
beforeEach(() => {
  claims = { groups: ['stewards', 'readers'] }
  tokenStatus = 200
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
  server.closeAllConnections()
  server.close()
})

const get = (path: string, Cookie = '') =>
  fetch(new URL(path, platform.url), {
    headers: { Accept: 'text/html', Cookie },
    redirect: 'manual',
  })
const cookieOf = (answer: Response, name: string) =>
  answer.headers.getSetCookie().find((one) => one.startsWith(`${name}=`) && !one.includes('=;'))

/** Leaves for the provider; the way back is not taken yet. */
async function leave(): Promise<string> {
  const answer = await get('/de/sign-in/oidc')
  expect(answer.status).toBe(303)
  asked = new URL(answer.headers.get('Location') ?? '').searchParams
  return cookieOf(answer, 'sign-in')?.split(';')[0] ?? ''
}

const back = (Cookie: string, fields: Record<string, string> = {}) =>
  get(
    `/de/sign-in/callback?${new URLSearchParams({ code: 'c', state: asked.get('state') ?? '', ...fields }).toString()}`,
    Cookie,
  )

describe('signing in at a provider', () => {
  it('sends a state, a nonce and the digest of a verifier, and no secret', async () => {
    const page = await (await get('/de/sign-in')).text()
    expect(page).toContain('/de/sign-in/oidc')
    expect(page).not.toContain('name="key"')
    await leave()
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      client_id: 'portal',
      scope: 'openid groups',
      code_challenge_method: 'S256',
    })
    expect(asked.get('redirect_uri')).toMatch(/\/sign-in\/callback$/)
    expect(asked.get('nonce')).toMatch(/^[\w-]{43}$/)
    expect(asked.toString()).not.toContain(secret)
  })

  it('ends in a session like that of a key, by a page that goes on by itself', async () => {
    const cookie = await leave()
    const callback = await get(`/sign-in/callback?code=c&state=${asked.get('state')}`, cookie)
    expect(callback.headers.get('Location')).toMatch(/^\/de\/sign-in\/callback\?code=c&state=/)
    const answer = await back(cookie)
    expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([200, 'private, no-store'])
    expect(await answer.text()).toContain('content="0; url=/de/desk"')
    expect(cookieOf(answer, 'session')).toMatch(
      /^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(seen.challenge).toBe(asked.get('code_challenge'))
    expect(seen.authorization).toMatch(/^Basic /)
    const session = cookieOf(answer, 'session')?.split(';')[0]
    const sources = await get('/de/harvest', session)
    expect(sources.status).toBe(200)
    // Nobody would say when the account ends.
    expect(await sources.text()).not.toContain('/failures/')
    expect((await back(cookie)).status).toBe(400)
  })

  it.each([
    ['a nonce of another sign-in', { nonce: 'other' }, {}, 401, 'gehört nicht zu dieser Anmeldung'],
    ['a token that has expired', { exp: 1000 }, {}, 401, 'gehört nicht zu dieser Anmeldung'],
    ['a token for somebody else', { aud: 'other' }, {}, 401, 'gehört nicht zu dieser Anmeldung'],
    ['a state that nobody sent', {}, { state: 'other' }, 400, 'ist abgelaufen'],
    ['a refusal', {}, { error: 'access_denied' }, 401, 'nicht eingelassen'],
    ['a user without permission', { groups: ['readers'] }, {}, 403, 'keine seiner Gruppen'],
    ['a user without groups', { groups: undefined }, {}, 403, 'keine seiner Gruppen'],
  ])('says what is wrong with %s', async (...[, wrong, fields, status, words]) => {
    const cookie = await leave()
    claims = { ...claims, ...wrong }
    const answer = await back(cookie, fields)
    expect([answer.status, cookieOf(answer, 'session')]).toEqual([status, undefined])
    expect(await answer.text()).toContain(words)
  })

  it('needs the browser that began', async () => {
    await leave()
    expect((await back('')).status).toBe(400)
    expect((await back('sign-in=forged')).status).toBe(400)
  })

  it('is not disturbed by a thousand others who begin and never come back', async () => {
    const cookie = await leave()
    const mine = asked
    for (let at = 0; at < 1001; at += 1) await leave()
    asked = mine
    const answer = await back(cookie)
    expect(cookieOf(answer, 'session')).toBeDefined()
  }, 120_000)

  it('takes no cookie that was changed, cut or made longer', async () => {
    const cookie = await leave()
    const at = cookie.length - 5
    const flipped = cookie.slice(0, at) + (cookie[at] === 'A' ? 'B' : 'A') + cookie.slice(at + 1)
    for (const wrong of [flipped, cookie.slice(0, -8), `${cookie}AAAA`, 'sign-in=AAAA'])
      expect((await back(wrong)).status).toBe(400)
    expect((await back(cookie)).status).toBe(200)
  })

  it('makes a person appear, whom an administrator can block with the session', async () => {
    claims = { ...claims, sub: 'ines', name: 'Ines Vogt' }
    const signedIn = await back(await leave())
    const session = cookieOf(signedIn, 'session')?.split(';')[0]
    expect((await get('/de/harvest', session)).status).toBe(200)
    const accounts = `${platform.url}/api/hub/repo/accounts`
    const headers = { 'X-API-Key': platform.key }
    const list = (await (await fetch(accounts, { headers })).json()) as readonly {
      id: string
      name: string
      kind: string
    }[]
    const ines = list.find(({ name }) => name === 'Ines Vogt')
    expect(ines).toMatchObject({ kind: 'user', permissions: ['*'] })
    await fetch(`${accounts}/${ines?.id}`, { method: 'DELETE', headers })
    expect((await get('/de/harvest', session)).headers.get('Location')).toBe('/de/sign-in')
    expect((await back(await leave())).status).toBe(403)
  })

  it('is not begun ahead of time, nor by a page of another site', async () => {
    const begin = (headers: Record<string, string>) =>
      fetch(`${platform.url}/de/sign-in/oidc`, { headers, redirect: 'manual' })
    expect((await begin({ 'Sec-Purpose': 'prefetch' })).status).toBe(403)
    const crossSite = await begin({ 'Sec-Fetch-Site': 'cross-site' })
    expect([crossSite.status, crossSite.headers.get('Location')]).toEqual([303, '/de/sign-in'])
    expect(crossSite.headers.getSetCookie()).toEqual([])
  })

  it('does not take keys where the configuration says so', async () => {
    const body = new URLSearchParams({ key: platform.key })
    const answer = await fetch(`${platform.url}/de/sign-in`, { method: 'POST', body })
    expect(answer.status).toBe(403)
  })

  it('says that the provider is away, and tells its secret to nobody', async () => {
    const cookie = await leave()
    tokenStatus = 503
    const answer = await back(cookie)
    expect([answer.status, cookieOf(answer, 'session')]).toEqual([503, undefined])
    expect(await answer.text()).toContain('antwortet nicht')
    expect(platform.log()).not.toContain(secret)
  })
})
