/** What the contract says of each endpoint of the repository, and in which order a request is checked. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repositoryEndpoints } from '../../src/repository/repository.ts'
import { canonicalPath } from '../../src/repository/endpoints/requests.ts'
import { addressOf, operations, type Operation } from '../support/openapi.ts'
import { prefixes, repository } from '../support/repository.ts'
import { aGauge, gauge } from './declared.ts'

const contract = async (): Promise<Operation[]> => {
  const repo = await repository({ resources: [gauge] })
  const document: unknown = await (await repo.ask('/openapi.json')).json()
  await repo.close()
  return operations(document)
}

const all = await contract()
const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
  `${method.toUpperCase()} ${path}`
/** The endpoints by method and path. An operation whose path is an alias belongs to the endpoint of the canonical path. */
const endpoints = new Map(
  repositoryEndpoints({ resources: [gauge] }).map((one) => [nameOf(one.route), one]),
)
const endpointOf = ({ method, path }: Operation) =>
  endpoints.get(nameOf({ method, path: canonicalPath(path) }))
const secured = all.filter((operation) => endpointOf(operation)?.auth.needs === 'permission')

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  const keys = { 'key of nothing': [] }
  repo = await repository({ keys, resources: [gauge] })
})
afterAll(() => repo.close())

let count = 0
/** A catalogue with a dataset, a distribution and metrics of its own, a vocabulary and a resource of a declared type. */
async function seed(): Promise<Record<string, string>> {
  const catalogueId = `c${(count += 1)}`
  await repo.putCatalogue(catalogueId)
  const body = `${prefixes}<> a dcat:Dataset ; dcat:distribution [ a dcat:Distribution ; dct:title "csv" ] .`
  const put = await repo.putDataset(catalogueId, `d${count}`, body)
  const datasetId = put.headers.get('Location')?.split('/').at(-1) ?? ''
  const text = (await repo.store.read(`http://localhost:8080/set/data/${datasetId}`)) ?? ''
  const distributionId = /set\/distribution\/([^>]+)>/.exec(text)?.[1] ?? ''
  const vocabularyId = `v${count}`
  await repo.ask(`/vocabularies/${vocabularyId}`, {
    method: 'PUT',
    type: 'text/turtle',
    body: bodies.vocabulary,
  })
  const id = `g${count}`
  await repo.ask(`/customresources/gauge/${id}`, {
    method: 'PUT',
    type: 'text/turtle',
    body: aGauge('Old'),
  })
  return {
    type: 'gauge',
    id,
    catalogueId,
    catalogue: catalogueId,
    datasetId,
    distributionId,
    vocabularyId,
    originalId: `d${count}`,
  }
}

const bodies = {
  dataset: `${prefixes}<> a dcat:Dataset ; dct:title "new" .`,
  catalogue: `${prefixes}<> a dcat:Catalog .`,
  distribution: `${prefixes}<> a dcat:Distribution ; dct:title "new" .`,
  get vocabulary() {
    return `${prefixes}<https://example.org/scheme/${count}> a skos:ConceptScheme .`
  },
}

function bodyOf({ path }: Operation, { datasetId }: Record<string, string>): string {
  if (path.endsWith('/metrics')) {
    const on = `<http://localhost:8080/set/data/${datasetId}>`
    return `@prefix dqv: <http://www.w3.org/ns/dqv#> . [] a dqv:QualityMeasurement ; dqv:computedOn ${on} .`
  }
  if (/distributions(\/\{\w+\})?$/.test(path)) return bodies.distribution
  if (path.startsWith('/customresources')) return aGauge()
  if (path.startsWith('/vocabularies')) return bodies.vocabulary
  return path === '/catalogues/{catalogueId}' ? bodies.catalogue : bodies.dataset
}

type Sent = {
  headers?: Record<string, string>
  body?: string
  type?: string
  values: Record<string, string>
}

const send = (operation: Operation, { headers = {}, values, ...sent }: Sent) => {
  const written =
    operation.bodies.length > 0 ? { type: 'text/turtle', body: bodyOf(operation, values) } : {}
  const { type, body } = { ...written, ...sent }
  return repo.app.request(addressOf(operation, values), {
    method: operation.method,
    headers: { ...(type !== undefined && { 'Content-Type': type }), ...headers },
    ...(body !== undefined && { body }),
  })
}
const slug = async (answer: Response) =>
  ((await answer.json()) as { type: string }).type.split(':').at(-1)
const wrongContent = '[] a <http://www.w3.org/ns/dqv#QualityMetadata> .'
/** What a resource is looked up by before its catalogue is known. */
const isLookedUp = ({ path }: Operation) =>
  /\/(datasets|resources|distributions)\/\{\w+\}/.test(path)
const cases = secured.map((operation) => [nameOf(operation), operation] as const)
const withBody = cases.filter(([, { bodies: sent }]) => sent.includes('text/turtle'))
/** What names its catalogue itself. */
const isInside = ({ path }: Operation) =>
  /^\/catalogues\/\{\w+\}\//.test(path) || /^\/(datasets|resources)$/.test(path)
/** The same in a catalogue that does not exist; what is looked up must exist to be asked for more. */
const elsewhere = (operation: Operation, values: Record<string, string>) =>
  isLookedUp(operation) ? values : { ...values, catalogueId: 'nowhere', catalogue: 'nowhere' }
const key = { 'X-API-Key': 'a-key-for-everything' }

describe('the table of endpoints', () => {
  it('holds each method and path once', () => {
    expect(endpoints.size).toBe(repositoryEndpoints({ resources: [gauge] }).length)
  })

  it('is described as a whole, except for paths with the suffix of a format, which are open', () => {
    const described = new Set(all.map(endpointOf))
    expect(described).not.toContain(undefined)
    const hidden = [...endpoints.values()].filter((one) => !described.has(one))
    for (const { route, auth } of hidden) {
      expect(nameOf(route)).toMatch(/^GET \/(catalogues\/\{catalogueId\}\/dump|profile)\.\w+$/)
      expect(auth.needs).toBe('nothing')
    }
  })

  it.each(all.map((one) => [nameOf(one), one] as const))(
    '%s: has a summary, the security of its endpoint, and examples for its path',
    (_, operation) => {
      const endpoint = endpointOf(operation)
      expect(endpoint?.route.summary).toMatch(/\w/)
      expect(operation.secured).toBe(endpoint?.auth.needs !== 'nothing')
      const refusals = operation.secured ? [401, 403] : []
      expect(operation.statuses).toEqual(expect.arrayContaining(refusals))
      const inPath = operation.parameters.filter((one) => one.in === 'path')
      const names = operation.path.match(/(?<=\{)\w+/g) ?? []
      expect(new Set(inPath.map(({ name }) => name))).toEqual(new Set(names))
      for (const { name, schema } of inPath)
        expect([name, JSON.stringify(schema?.example)]).toEqual([
          name,
          expect.stringMatching(/[^"]/),
        ])
    },
  )
})

describe('every operation that asks for a key', () => {
  it.each(cases.filter(([, one]) => isLookedUp(one)))(
    '%s: an unknown id is 404 for any valid key',
    async (_, operation) => {
      const values = { datasetId: 'nowhere', distributionId: 'nowhere' }
      const answer = await send(operation, { headers: { 'X-API-Key': 'key of nothing' }, values })
      expect(answer.status).toBe(404)
      expect(await slug(answer)).toMatch(/^unknown-(dataset|distribution)$/)
    },
  )

  it.each(withBody)('%s: permission, then media type, then size', async (_, operation) => {
    const values = await seed()
    const none = { 'X-API-Key': 'key of nothing' }
    const large = { ...key, 'Content-Length': '99999999999' }
    expect((await send(operation, { headers: none, values, type: 'text/html' })).status).toBe(403)
    const unread = { headers: key, values: elsewhere(operation, values), body: '<' }
    expect((await send(operation, { ...unread, type: 'text/html' })).status).toBe(415)
    expect((await send(operation, { ...unread, headers: large })).status).toBe(413)
  })

  it.each(withBody.filter(([, one]) => isInside(one)))(
    '%s: then the catalogue',
    async (_, operation) => {
      const values = elsewhere(operation, await seed())
      expect((await send(operation, { headers: key, values, body: '<a> <b> ' })).status).toBe(404)
    },
  )

  it.each(withBody)('%s: then the syntax', async (_, operation) => {
    const values = await seed()
    expect((await send(operation, { headers: key, values, body: '<a> <b> ' })).status).toBe(400)
  })

  it.each(withBody.filter(([, { path }]) => !path.endsWith('/bulk')))(
    '%s: then the content, and preconditions after that',
    async (_, operation) => {
      const values = await seed()
      const headers = { ...key, 'If-Match': '"0"' }
      expect((await send(operation, { headers, values, body: wrongContent })).status).toBe(422)
      expect((await send(operation, { headers, values })).status).toBe(412)
    },
  )
})

describe('the order of checks', () => {
  const origin = '/catalogues/alpine-water/datasets/origin'
  const ask = (path: string, method: string, headers: Record<string, string> = {}, body?: string) =>
    repo.app.request(path, { method, headers, ...(body !== undefined && { body }) })
  const turtle = { ...key, 'Content-Type': 'text/turtle' }

  it('tells of unknown routes and methods before it asks for a key', async () => {
    expect((await ask('/nowhere', 'PUT')).status).toBe(404)
    const answer = await ask('/datasets/x', 'POST')
    expect([answer.status, answer.headers.get('Allow')]).toEqual([
      405,
      'DELETE, GET, HEAD, OPTIONS, PATCH, PUT',
    ])
  })

  it('looks at parameters before the media type, and at the size before the catalogue', async () => {
    expect((await ask(`${origin}?enforceUpdate=maybe`, 'PUT', key, 'x')).status).toBe(400)
    expect((await ask(`${origin}?originalId=x`, 'PUT', key, 'x')).status).toBe(415)
    const announced = { ...turtle, 'Content-Length': '99999999999' }
    expect(
      (await ask('/catalogues/nowhere/datasets/origin?originalId=x', 'PUT', announced, 'x')).status,
    ).toBe(413)
  })

  it('looks at preconditions before it compares hashes', async () => {
    await repo.putCatalogue('alpine-water')
    const path = `${origin}?originalId=ordered`
    expect((await ask(path, 'PUT', turtle, bodies.dataset)).status).toBe(201)
    expect((await ask(path, 'PUT', turtle, bodies.dataset)).status).toBe(304)
    expect((await ask(path, 'PUT', { ...turtle, 'If-Match': '"0"' }, bodies.dataset)).status).toBe(
      412,
    )
    expect(
      (await ask(path, 'PUT', { ...turtle, 'If-None-Match': '*' }, bodies.dataset)).status,
    ).toBe(412)
    expect(
      (await ask(`${path}&recordModified=2000-01-01T00:00:00Z`, 'PUT', turtle, bodies.dataset))
        .status,
    ).toBe(409)
  })
})
