/** The permission matrix: every endpoint of every service on a running platform, by who calls it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { canonicalPath } from '../../src/repository/endpoints/requests.ts'
import { signedIn } from '../portal/signed-in.ts'
import { endpointTables } from '../support/endpoint-tables.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

const custom = new URL('../profile/foreign/custom', import.meta.url).pathname
/** Tables of what a platform serves with keys; the provider of accounts has tests of its own. */
const tables = endpointTables(await loadProfile(custom)).filter(
  ({ service }) => service !== 'provider' && service !== 'embedded pages',
)

type Call = {
  readonly name: string
  readonly method: string
  readonly base: string
  readonly endpoint: Endpoint<never>
  /** The path as the permission names it, with its parameters. */
  readonly pattern: string
}

/** `/resources` is an alias of `/datasets` in the repository, and has the same permissions. */
const aliasOf = (path: string) => path.replace(/\/datasets(?=\/|$)/, '/resources')

const calls: readonly Call[] = tables.flatMap(({ service, base, endpoints }) =>
  endpoints.flatMap((endpoint) => {
    const method = endpoint.route.method.toUpperCase()
    const paths = new Set([endpoint.route.path])
    if (service === 'repository' && endpoint.auth.needs === 'permission')
      paths.add(aliasOf(endpoint.route.path))
    return [...paths].map((pattern) => {
      return { name: `${service}: ${method} ${pattern}`, method, base, endpoint, pattern }
    })
  }),
)
const needing = (needs: string) =>
  calls
    .filter(({ endpoint }) => endpoint.auth.needs === needs)
    .map((one) => [one.name, one] as const)
const [secured, personal, open] = ['permission', 'session', 'nothing'].map(needing)

/** The permission that an endpoint needs: that of its action where it has one. */
const permissionOf = ({ method, pattern, endpoint: { auth } }: Call) =>
  auth.action ? `${auth.action.method} ${auth.action.path}` : `${method} ${canonicalPath(pattern)}`
const keyOf = (call: Call) => `key-${permissionOf(call).replaceAll(/\W+/g, '-')}`

/** Roles in a catalogue, least first. */
const roles = ['reader', 'publisher', 'steward'] as const

const values: Record<string, string> = {
  catalogueId: 'city',
  vocabularyId: 'colours',
  type: 'Show-Case-2',
  scope: 'global',
  status: 'enabled',
  name: 'exporting-hub',
}

let directory: string
let platform: Gateway
let steward: Awaited<ReturnType<typeof signedIn>>
let stranger: Awaited<ReturnType<typeof signedIn>>
beforeAll(async () => {
  directory = await temporaryDirectory()
  const own = (secured ?? []).map(([, call]) => [keyOf(call), [permissionOf(call)]] as const)
  platform = await gateway(directory, {
    PLATFORM_HUB_SHELL_CONFIG: '{"http":{}}',
    PLATFORM_FEATURE_FLAGS: '{"platform_profile":true}',
    PLATFORM_PROFILE: JSON.stringify({ type: 'directory', path: custom }),
    PLATFORM_LIMITS: JSON.stringify({ keyFailures: 100_000 }),
    PLATFORM_HUB_API_KEYS: JSON.stringify({
      ...Object.fromEntries(own),
      'key-of-everything': ['*'],
      'key-of-the-city': ['city'],
      'key-of-another-catalogue': ['lakes'],
      ...Object.fromEntries(roles.map((role) => [`${role}-of-the-city`, [`${role}:city`]])),
      'steward-of-lakes': ['steward:lakes'],
    }),
  })
  const api = client({ url: platform.url, key: 'key-of-everything' })
  await api.put('/catalogues/city', `${prefixes}<> a dcat:Catalog ; dct:title "City"@en .`)
  const body = `${prefixes}<> a dcat:Dataset ; dct:title "Parks"@en ; dcat:distribution [ a dcat:Distribution ; dct:title "csv" ] .`
  const put = await api.putDataset('city', 'parks', body)
  values['datasetId'] = put.headers.get('Location')?.split('/').at(-1) ?? ''
  values['revision'] = `${values['datasetId']}.1`
  const text = await (await fetch(`${api.repo}/datasets/${values['datasetId']}.nt`)).text()
  values['distributionId'] = /set\/distribution\/([^>]+)>/.exec(text)?.[1] ?? ''
  steward = await signedIn(platform, 'key-of-everything')
  stranger = await signedIn(platform, 'key-of-another-catalogue')
}, 120_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

/** An address of the call; the query names the catalogue where the path does not. */
function addressOf({ base, endpoint, pattern }: Call): string {
  const filled = pattern.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? 'none'),
  )
  const path = pattern.includes('/:') ? endpoint.example : filled
  const query = endpoint.auth.needs === 'permission' ? '?catalogue=city&originalId=parks' : ''
  return platform.url + base + path + query
}

type Headers = Readonly<Record<string, string>>

const ask = (call: Call, headers: Headers = {}) =>
  fetch(addressOf(call), {
    method: call.method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(20_000),
  })

/** Status and kind of problem of the answer, whose body is not read to its end where it is none. */
async function outcomeOf(answer: Response) {
  const isProblem = answer.headers.get('Content-Type')?.includes('problem+json') === true
  const problem = isProblem
    ? ((await answer.json()) as { type: string; detail?: string })
    : undefined
  if (!isProblem) await answer.body?.cancel()
  const kind = problem?.type.split(':').at(-1)
  return { status: answer.status, kind, detail: problem?.detail }
}

const isLetThrough = ({ status, kind }: Awaited<ReturnType<typeof outcomeOf>>) =>
  ![401, 403, 405].includes(status) && status < 500 && kind !== 'not-found'

/** Index of the least role that a call needs. */
const leastOf = ({ endpoint: { auth } }: Call) =>
  roles.findIndex((role) => role === (auth.role ?? 'steward'))

const isDeletedResource = ({ pattern }: Call) => pattern === '/customresources/{type}/{id}/restore'

describe.each(secured ?? [])('%s', (_, call) => {
  it('is 401 without a key and with a wrong one', async () => {
    for (const key of [
      {},
      { 'X-API-Key': 'unknown' },
      { Authorization: 'Bearer unknown' },
    ] as readonly Headers[]) {
      const answer = await ask(call, key)
      expect(answer.headers.get('WWW-Authenticate')).toBe('ApiKey, Bearer')
      expect(await outcomeOf(answer)).toMatchObject({ status: 401, kind: 'unauthorized' })
    }
  })

  it('is 403 with the key of another catalogue, and says which permission is missing where', async () => {
    const refusal = await outcomeOf(await ask(call, { 'X-API-Key': 'key-of-another-catalogue' }))
    const { auth } = call.endpoint
    const isDeleted = isDeletedResource(call)
    const place = auth.catalogueOf ? '( in the catalogue "city")?' : ''
    const sentence = `the key lacks the permission for ${permissionOf(call)}`
    // The catalogue of what was deleted says whether a key permits it, and here nothing was.
    const expected = isDeleted ? [404, 'unknown-resource'] : [403, 'forbidden']
    expect([refusal.status, refusal.kind]).toEqual(expected)
    const text = isDeleted ? '.' : `${RegExp.escape(sentence)}${place}: it needs "`
    expect(refusal.detail).toMatch(new RegExp(text))
  })

  it('is 403 for lesser roles, and for roles in other catalogues', async () => {
    const { detail } = await outcomeOf(await ask(call, { 'X-API-Key': 'steward-of-lakes' }))
    const isInCity = detail?.includes('in the catalogue "city"') === true
    const lesser = roles.slice(0, isInCity ? leastOf(call) : undefined)
    for (const key of [...lesser.map((role) => `${role}-of-the-city`), 'steward-of-lakes']) {
      const { status } = await outcomeOf(await ask(call, { 'X-API-Key': key }))
      expect([key, status]).toEqual([key, isDeletedResource(call) ? 404 : 403])
    }
  })
})

/** Those that remove what others need come last, and the catalogue after all of them. */
const rank = ({ method, pattern }: Call) =>
  method !== 'DELETE' ? 0 : pattern === '/catalogues/{catalogueId}' ? 2 : 1
const inOrder = (secured ?? []).toSorted(([, a], [, b]) => rank(a) - rank(b))

it.each(inOrder)(
  '%s is let through with its own permission, its role or a greater one in its catalogue, and *',
  async (_, call) => {
    const { detail } = await outcomeOf(await ask(call, { 'X-API-Key': 'key-of-another-catalogue' }))
    const isInCity = detail?.includes('in the catalogue "city"') === true
    const inCity = isInCity ? ['key-of-the-city'] : []
    const least = leastOf(call)
    inCity.push(...roles.slice(isInCity ? least : roles.length).map((r) => `${r}-of-the-city`))
    for (const key of [keyOf(call), ...inCity, 'key-of-everything']) {
      for (const headers of [
        { 'X-API-Key': key },
        { Authorization: `Bearer ${key}` },
      ] as readonly Headers[]) {
        const outcome = await outcomeOf(await ask(call, headers))
        expect([key, outcome, isLetThrough(outcome)]).toEqual([key, outcome, true])
      }
    }
  },
)

it.each(personal ?? [])(
  '%s leads to the sign-in without a session, and with one that does not exist',
  async (_, call) => {
    for (const headers of [
      {},
      { Cookie: 'session=unknown; __Host-session=unknown' },
    ] as readonly Headers[]) {
      const answer = await ask(call, headers)
      expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/en/sign-in'])
    }
  },
)

const forms = (personal ?? []).filter(([, { method }]) => method === 'POST')
const pages = (personal ?? []).filter(([, { method }]) => method === 'GET')

it.each(pages)('%s answers a session', async (_, { endpoint }) => {
  expect([200, 404]).toContain((await steward.get(endpoint.example)).status)
})

it.each(forms)('%s is 403 without the token of the session', async (_, { endpoint }) => {
  const forged = await steward.post(endpoint.example, { _csrf: 'forged', do: 'cancel' })
  expect(forged.status).toBe(403)
})

it('an action of a form is 403 for a key of another catalogue, and not for a key of everything', async () => {
  const launch = { do: 'run' }
  expect((await stranger.post('/en/harvest/pipes/none', launch)).status).toBe(403)
  expect((await steward.post('/en/harvest/pipes/none', launch)).status).toBe(404)
})

it.each(open ?? [])('%s is open', async (_, call) => {
  const { status, kind } = await outcomeOf(await ask(call))
  expect([401, 405].includes(status) || (status === 403 && kind === 'forbidden')).toBe(
    call.name === 'portal: POST /:language/sign-in' && status === 401,
  )
})
