/** What holds for every route of the served contract, whoever built it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressOf, operations, type Operation } from '../support/openapi.ts'
import { base, prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
const values: Record<string, string> = {
  catalogueId: 'water',
  catalogue: 'water',
  datasetId: 'pegel',
  originalId: 'pegel',
  vocabularyId: 'words',
  type: 'datasets',
  version: '1',
  revision: 'pegel.1',
  revisionNumber1: '1',
  revisionNumber2: '1',
}
const key = { 'X-API-Key': 'a-key-for-everything' }

beforeAll(async () => {
  repo = await repository()
  await repo.putCatalogue('water')
  const body = `${prefixes}<> a dcat:Dataset ; dcat:distribution [ a dcat:Distribution ; dct:title "csv" ] .`
  await repo.putDataset('water', 'pegel', body)
  const text = (await repo.store.read(`${base}set/data/pegel`)) ?? ''
  values['distributionId'] = /set\/distribution\/([^>]+)>/.exec(text)?.[1] ?? ''
  const scheme = `${prefixes}<a:scheme> a skos:ConceptScheme .`
  await repo.ask('/vocabularies/words', { method: 'PUT', type: 'text/turtle', body: scheme })
  const metrics = `@prefix dqv: <http://www.w3.org/ns/dqv#> . [] a dqv:QualityMeasurement ; dqv:computedOn <${base}set/data/pegel> .`
  await repo.ask('/datasets/pegel/metrics', { method: 'PUT', type: 'text/turtle', body: metrics })
  Object.assign(values, { type: 'datasets', id: 'pegel' })
  const draft = { method: 'POST', headers: key }
  await repo.app.request('/drafts/datasets?of=pegel', draft)
  const link = await repo.app.request('/drafts/datasets/pegel/links', draft)
  values['token'] = ((await link.json()) as { readonly token: string }).token
  await repo.putCatalogue('gone')
  await repo.ask('/catalogues/gone', { method: 'DELETE' })
  const jobs = await repo.app.request('/jobs', { headers: key })
  const [job] = (await jobs.json()) as readonly { readonly id: string }[]
  values['jobId'] = job?.id ?? ''
})
afterAll(() => repo.close())

const contract = async () => {
  const served = await repository()
  const document: unknown = await (await served.ask('/openapi.json')).json()
  await served.close()
  return operations(document)
}
const all = await contract()
const paths = [...Map.groupBy(all, ({ path }) => path)]
const reads = all.filter(({ method }) => method === 'GET')
const readCases = reads.map((operation) => [operation.path, operation] as const)
const changingCases = readCases.filter(([path]) => path.endsWith('/index'))
const safeCases = readCases.filter((one) => !changingCases.includes(one))
const writeCases = all
  .filter(({ method }) => method !== 'GET')
  .map((operation) => [`${operation.method} ${operation.path}`, operation] as const)

const ask = (
  operation: Operation,
  method = operation.method,
  headers: Record<string, string> = {},
) =>
  repo.app.request(addressOf(operation, values), {
    method,
    headers: { ...(operation.secured && key), ...headers },
  })

it('every operation has an id of its own and a tag, and ids in paths have their form', async () => {
  type Part = { readonly name: string; readonly in: string; readonly schema: { pattern?: string } }
  type Named = { operationId: string; tags: string[]; parameters?: readonly Part[] }
  const { paths: told } = (await (await repo.ask('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Named>>
  }
  const operations = Object.values(told).flatMap((item) => Object.values(item))
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(all.length)
  expect(operations.filter(({ tags }) => tags.length === 0)).toEqual([])
  const ids = operations.flatMap(({ parameters = [] }) =>
    parameters.filter((one) => one.in === 'path' && one.name === 'catalogueId'),
  )
  for (const { schema } of ids) {
    const form = new RegExp(schema.pattern ?? '')
    const fits = ['rivers', 'a_b~~1', 'rivers.ttl', 'a/b', 'ö', ''].filter((id) => form.test(id))
    expect(fits).toEqual(['rivers', 'a_b~~1', 'rivers.ttl'])
  }
})

/** Headers that are the same whenever the same is asked. */
function lasting({ headers }: Response): Record<string, string> {
  const passing = ['x-request-id', 'date']
  return Object.fromEntries([...headers].filter(([name]) => !passing.includes(name)))
}

describe('every path', () => {
  it.each(paths)('%s: OPTIONS and 405 name its methods', async (_, known) => {
    const [first] = known
    if (!first) throw new Error('a path has operations')
    const methods = known.map(({ method }) => method)
    // A GET that changes something is never asked for as HEAD.
    const hasHead = methods.includes('GET') && !first.path.endsWith('/index')
    const allowed = [...methods, 'OPTIONS', ...(hasHead ? ['HEAD'] : [])].sort().join(', ')
    const options = await ask(first, 'OPTIONS')
    expect([options.status, options.headers.get('Allow'), await options.text()]).toEqual([
      204,
      allowed,
      '',
    ])
    const missing = ['PUT', 'POST', 'DELETE', 'GET', 'PATCH'].filter(
      (method) => !methods.includes(method),
    )
    for (const method of missing) {
      const answer = await repo.app.request(addressOf(first, values), { method })
      expect([method, answer.status, answer.headers.get('Allow')]).toEqual([method, 405, allowed])
      expect(await answer.json()).toMatchObject({
        status: 405,
        type: 'urn:cartulary:problem:method-not-allowed',
      })
    }
  })
})

describe('every read', () => {
  it.each(readCases)('%s answers what its contract says', async (_, operation) => {
    const answer = await ask(operation)
    const good = operation.secured ? [200, 202] : [200]
    expect(good).toContain(answer.status)
    expect(operation.statuses).toContain(answer.status)
    const type = answer.headers.get('Content-Type')?.split(';')[0] ?? ''
    expect([...operation.answers, ...(answer.status === 200 ? [] : [''])]).toContain(type)
  })

  it.each(changingCases)('%s changes something and has no HEAD', async (_, operation) => {
    const head = await ask(operation, 'HEAD')
    expect([head.status, head.headers.get('Allow')]).toEqual([405, 'GET, OPTIONS, POST'])
  })

  it.each(safeCases)('%s has HEAD: the same without a body', async (_, operation) => {
    const [get, head] = [await ask(operation), await ask(operation, 'HEAD')]
    expect(head.status).toBe(get.status)
    expect(await head.text()).toBe('')
    const whole = lasting(get)
    const bare = lasting(head)
    expect({ ...bare, 'content-length': '' }).toEqual({ ...whole, 'content-length': '' })
  })

  it.each(readCases)('%s may end in a slash and have unknown parameters', async (_, operation) => {
    const address = addressOf(operation, values)
    const [path = '', query = ''] = address.split('?')
    const plain = await ask(operation)
    const headers = operation.secured ? key : {}
    for (const other of [`${path}/?${query}`, `${path}?${query}&unknown=1&no=%00`]) {
      const answer = await repo.app.request(other, { headers })
      expect([other, answer.status]).toEqual([other, plain.status])
      expect(answer.headers.get('ETag')).toBe(plain.headers.get('ETag'))
    }
  })

  it.each(readCases.filter(([, { secured }]) => !secured))(
    '%s may be read by pages of every origin, and revalidated',
    async (_, operation) => {
      const answer = await ask(operation, 'GET', { Origin: 'https://elsewhere.example' })
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
      const exposed = answer.headers.get('Access-Control-Expose-Headers')?.split(', ')
      expect(exposed).toEqual(
        expect.arrayContaining([
          'Location',
          'ETag',
          'Link',
          'Retry-After',
          'Index-Status',
          'traceparent',
        ]),
      )
      expect(answer.headers.get('Cache-Control')).toBe('no-cache')
    },
  )

  it.each(readCases.filter(([, { answers }]) => answers.includes('text/turtle')))(
    '%s negotiates by the quality that the client gives',
    async (_, operation) => {
      const turtle = await ask(operation, 'GET', {
        Accept: 'application/json;q=0.1, text/turtle;q=0.9',
      })
      expect(turtle.headers.get('Content-Type')).toMatch(/^(text\/turtle|application\/json)/)
      expect(turtle.headers.get('Vary')).toContain('Accept')
    },
  )

  it.each(readCases.filter(([, { statuses }]) => statuses.includes(304)))(
    '%s has an entity tag that spares the second reading, and refuses what it cannot serve',
    async (_, operation) => {
      const tag = (await ask(operation)).headers.get('ETag') ?? ''
      expect(tag).toMatch(/^"[^"]+"$/)
      const again = await ask(operation, 'GET', { 'If-None-Match': tag })
      expect([again.status, await again.text()]).toEqual([304, ''])
      expect((await ask(operation, 'GET', { Accept: 'image/png' })).status).toBe(406)
    },
  )
})

describe('every write', () => {
  it.each(writeCases)('%s is closed to pages of other origins', async (_, operation) => {
    const answer = await repo.app.request(addressOf(operation, values), {
      method: operation.method,
      headers: { Origin: 'https://elsewhere.example' },
    })
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull()
    const preflight = await repo.app.request(addressOf(operation, values), {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://elsewhere.example',
        'Access-Control-Request-Method': operation.method,
      },
    })
    expect(preflight.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  it.each(writeCases)(
    '%s answers errors as problems, never stored by caches',
    async (_, operation) => {
      const answer = await repo.app.request(addressOf(operation, values), {
        method: operation.method,
      })
      expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
      expect(answer.headers.get('Cache-Control')).toBe('no-store')
      expect(await answer.json()).toMatchObject({
        // The token in the body is the permission there.
        status: operation.path === '/invitations' ? 400 : 401,
        instance: expect.stringMatching(/^\//) as string,
      })
    },
  )
})

describe('a write that waits', () => {
  const path = '/catalogues/water/datasets/origin?originalId=waiting'
  let version = 0
  const put = (prefer?: string) =>
    repo.ask(path, {
      method: 'PUT',
      type: 'text/turtle',
      body: `${prefixes}<> a dcat:Dataset ; dct:title "${(version += 1)}" .`,
      headers: prefer === undefined ? {} : { Prefer: prefer },
    })

  const cases: readonly (readonly [string | undefined, string, string | null])[] = [
    [undefined, 'done', null],
    ['respond-async', 'pending', 'respond-async'],
    ['wait=3', 'done', 'wait=3'],
    ['wait=600', 'done', 'wait=60'],
    ['return=minimal', 'done', null],
  ]
  it.each(cases)(
    'Prefer: %s → Index-Status: %s, Preference-Applied: %s',
    async (prefer, status, applied) => {
      const answer = await put(prefer)
      expect([201, 204]).toContain(answer.status)
      expect(answer.headers.get('Index-Status')).toBe(status)
      expect(answer.headers.get('Preference-Applied')).toBe(applied)
    },
  )

  it('names the resource: Location when it is new, Content-Location when it was there', async () => {
    await repo.ask(path, { method: 'DELETE' })
    const body = `${prefixes}<> a dcat:Dataset .`
    const answers = [
      await put(),
      await put(),
      await repo.ask(path, { method: 'PUT', type: 'text/turtle', body }),
    ]
    answers.push(await repo.ask(path, { method: 'PUT', type: 'text/turtle', body }))
    const iri = `${base}set/data/waiting`
    const told = answers.map(({ status, headers }) => [
      status,
      headers.get('Location'),
      headers.get('Content-Location'),
    ])
    expect(told).toEqual([
      [201, iri, null],
      [204, null, iri],
      [204, null, iri],
      [304, null, iri],
    ])
    for (const answer of answers) expect(await answer.text()).toBe('')
  })
})
