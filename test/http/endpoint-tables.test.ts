/** The endpoints of all services: each is named, grouped, summarised and shown by an example, and says who may call it. */

import { globSync, readFileSync } from 'node:fs'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { endpointTables } from '../support/endpoint-tables.ts'

const custom = new URL('../profile/foreign/custom', import.meta.url).pathname
const tables = endpointTables(await loadProfile(custom))
const nameOf = ({ route }: Pick<Endpoint<never>, 'route'>) =>
  `${route.method.toUpperCase()} ${route.path}`
const all = tables.flatMap(({ service, endpoints }) =>
  endpoints.map((one) => [`${service}: ${nameOf(one)}`, one] as const),
)

/** Endpoints that take a POST or PUT from anyone, with the reason. */
const openWrites: Readonly<Record<string, string>> = {
  'repository: POST /invitations': 'the token is the permission',
  'search: POST /search': 'a search whose parameters are long',
  'search: POST /ckan/*': 'calls of CKAN with their parameters as JSON',
  'search: POST /api/*': 'calls of CKAN with their parameters as JSON',
  'sparql: POST /': 'a query that is long',
  'segments: POST /r/{token}/pipe': 'the token is the permission',
  'segments: PUT /r/{token}/pipe': 'the token is the permission',
  'validation: POST /validation/report': 'nothing is stored',
  'validation: POST /validation/score': 'nothing is stored',
  'portal: POST /:language/check': 'nothing is stored',
  'portal: POST /:language/invitation/:token': 'the token is the permission',
  'portal: POST /:language/sign-in': 'the key in the form is the permission',
}

describe('the endpoints of all services', () => {
  it('are in tables, and these are all that are mounted', () => {
    const root = new URL('../../src/', import.meta.url).pathname
    const mounting = globSync('**/*.ts', { cwd: root }).filter((path) =>
      /\bmount\(app, /.test(readFileSync(root + path, 'utf8')),
    )
    const known = new Set(tables.map(({ file }) => file))
    // The files of the page that a start shows are a part of the portal's table.
    expect(mounting.filter((path) => path !== 'main.ts').sort()).toEqual([...known].sort())
    expect(all.length).toBeGreaterThan(250)
  })

  it.each(all)('%s has an id, a tag and a summary', (_, { route }) => {
    expect(route.operationId).toMatch(/^[\w.:/{}[\]|*()?+-]+$/)
    expect(route.tags).toEqual([expect.stringMatching(/./)])
    expect(route.summary).toMatch(/\w/)
  })

  it.each(tables)(
    '$service has each id of its contract, and each method and path, once',
    ({ endpoints }) => {
      const described = endpoints.filter(({ route }) => route.hide !== true)
      expect(new Set(described.map(({ route }) => route.operationId)).size).toBe(described.length)
      expect(new Set(endpoints.map(nameOf)).size).toBe(endpoints.length)
    },
  )

  it.each(all)('%s has an example of a call', async (_, endpoint) => {
    const { route, example } = endpoint
    const app = new Hono().on(route.method, route.getRoutingPath(), (c) => c.text('matched'))
    const answer = await app.request(example, { method: route.method.toUpperCase() })
    expect([example, answer.status]).toEqual([example, 200])
  })

  it('that change something ask for a permission or a session', () => {
    const open = all
      .filter(([, { route, auth, isChangingGet }]) => {
        const changes = route.method !== 'get' || isChangingGet
        return changes && auth.needs === 'nothing'
      })
      .map(([name]) => name.replace(/POST (\/ckan|\/api)\/.*/, 'POST $1/*'))
    expect([...new Set(open)].sort()).toEqual(Object.keys(openWrites).sort())
  })
})
