/**
 * The served contract under hostile input: no 5xx, no status that is not documented, every error a problem. `FUZZ_RUNS` says
 * how many requests are made; a failing run prints its seed and the request.
 */

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formats } from '../../src/rdf/media-types.ts'
import { operations, type Operation, type Parameter } from '../support/openapi.ts'
import { alpineKey, base, prefixes, repository } from '../support/repository.ts'
import { gauge, service } from './declared.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? 300)

/** Of one class, so that the body that the contract shows fits both. */
const resources = [service, { ...gauge, typeUri: service.typeUri }]

let repo: Awaited<ReturnType<typeof repository>>
/** Stands for the id of a distribution that exists when the request is sent. */
const someDistribution = 'some-distribution'
let distribution = ''
const examples = new Map<string, string>()
const seed = async () => {
  await repo.putCatalogue('rivers')
  await repo.putDataset('rivers', 'levels', examples.get('/datasets') ?? '')
  const answer = await repo.ask('/datasets/levels/distributions?valueType=identifiers')
  distribution = ((await answer.json()) as string[])[0] ?? 'none'
}
beforeAll(async () => {
  repo = await repository({ resources, limits: { bodyBytes: 100_000, triples: 500 } })
  await seed()
})
afterAll(() => repo.close())

const all = await (async () => {
  const served = await repository({ resources })
  const document: unknown = await (await served.ask('/openapi.json')).json()
  await served.close()
  return operations(document)
})()
for (const { path, example } of all) if (example !== undefined) examples.set(path, example)

const hostileClient = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    `"'><`,
    `a"b`,
    'a\nb',
    '\u0000',
    '../../etc/passwd',
    '..%2f',
    '%',
    '%zz',
    '\u202e',
    'x'.repeat(256),
    'x'.repeat(20_000),
    '> } ; DROP ALL #',
    '<urn:x>',
    '?s ?p ?o',
    'levels.ttl',
    'levels.exe',
    '-1',
    '0',
    '1e9',
    'NaN',
    'null',
    '[]',
  ),
)
const known: Readonly<Record<string, readonly string[]>> = {
  catalogueId: ['rivers', 'rivers', 'new', 'rivers.ttl'],
  catalogue: ['rivers', 'new'],
  datasetId: ['levels', 'levels', 'levels.jsonld', 'nowhere'],
  distributionId: [someDistribution, someDistribution, `${someDistribution}.nt`, 'nowhere'],
  originalId: ['levels', 'http://example.org/1', 'ö'],
  vocabularyId: ['quality', 'quality', 'quality.nt', 'words'],
  type: ['gauge', 'data-service', 'river'],
  id: ['bridge', 'bridge', 'bridge.ttl', 'nowhere'],
  catalogId: ['rivers', 'rivers', 'new'],
  limit: ['1', '5000', '5001'],
  offset: ['0', '100000', '1e3'],
  recordModified: ['2026-01-01T00:00:00Z', '2030-01-01T00:00:00Z', '2026-01-01'],
}

/** Now and then one hostile thing: a request with many of them is turned away by the first. */
const seldom = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: other })

const valueOf = ({ name, schema }: Parameter): fc.Arbitrary<string> => {
  const flags = schema?.type === 'boolean' ? ['true', 'false', '1', 'yes'] : []
  const listed = [...(known[name] ?? []), ...(schema?.enum ?? []).map(String), ...flags]
  return seldom(fc.constantFrom(...(listed.length > 0 ? listed : ['x'])), hostileClient)
}

/** A value that stays one segment: URLs know `.` and `..` also when they are encoded. */
const segment = (parameter: Parameter) =>
  valueOf(parameter).filter((value) => !/^(\.|%2e){0,2}$/i.test(value) && value.isWellFormed())

const types = Object.values(formats).map(({ mediaType }) => mediaType)

const bodies = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '{}',
    '[]',
    '{"@context":"https://example.org/c"}',
    'x'.repeat(200_000),
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    `${prefixes}<${base}set/data/levels> a dcat:Dataset , dcat:Distribution , dcat:Catalog .`,
    `${prefixes}[] a dcat:Dataset . [] a dcat:Dataset .`,
    `<a:b> <a:c> "${'x'.repeat(99_000)}" .`,
    '{"@id":"","@type":"http://www.w3.org/ns/dcat#Dataset","http://purl.org/dc/terms/title":{"@value":1}}',
  ),
  fc.string({ unit: 'binary', maxLength: 200 }),
)
const visible = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code))
const header = fc.string({ unit: visible, maxLength: 30 })
const headers = fc.record({
  'X-API-Key': seldom(fc.constant('a-key-for-everything'), fc.constantFrom(alpineKey, 'unknown')),
  Authorization: seldom(fc.constant(''), fc.oneof(header, fc.constant('Bearer unknown'))),
  Accept: seldom(fc.constantFrom('*/*', ...types, 'application/json'), header),
  'Content-Encoding': seldom(fc.constant('identity'), fc.constantFrom('gzip', 'br', 'compress')),
  'If-Match': seldom(fc.constant(''), fc.oneof(header, fc.constantFrom('*', '"0"', 'W/"0"'))),
  'If-None-Match': seldom(fc.constant(''), fc.oneof(header, fc.constantFrom('*', '"0"'))),
  Prefer: seldom(
    fc.constantFrom('respond-async', 'wait=0'),
    fc.oneof(header, fc.constant('wait=x')),
  ),
})

type Sent = {
  operation: Operation
  path: string
  query: [string, string][]
  headers: Record<string, string>
  type: string
  body: string
}

/** The body of the contract, or that of another route, or something hostile. */
const bodyOf = ({ example = '' }: Operation) => {
  const turtle = (text: string) => fc.constant({ type: 'text/turtle', body: text })
  return fc.oneof(
    { weight: 6, arbitrary: turtle(example) },
    { weight: 1, arbitrary: fc.constantFrom(...examples.values()).chain(turtle) },
    { weight: 2, arbitrary: fc.record({ type: fc.constantFrom(...types, 'x/y'), body: bodies }) },
  )
}

const requests: fc.Arbitrary<Sent> = fc.constantFrom(...all).chain((operation) => {
  const placed = (place: string) => operation.parameters.filter((one) => one.in === place)
  const pairs = placed('query').map((one) => {
    const pair = valueOf(one).map((value): [string, string] => [one.name, value])
    const some = fc.array(pair, { minLength: 1, maxLength: 2 })
    const none: [string, string][] = []
    return one.required ? some : seldom(fc.constant(none), some)
  })
  const segments = fc.tuple(...placed('path').map(segment))
  return fc
    .record({ segments, pairs: fc.tuple(...pairs), headers, sent: bodyOf(operation) })
    .map(({ segments: given, pairs: found, headers, sent }) => {
      const values = [...given]
      const path = operation.path.replace(/\{\w+\}/g, () =>
        encodeURIComponent(values.shift() ?? ''),
      )
      return { ...sent, headers, operation, path, query: found.flat() }
    })
})

async function send({ operation, path, query, headers, type, body }: Sent): Promise<Response> {
  const search = new URLSearchParams()
  for (const [name, value] of query) search.append(name, value.toWellFormed())
  const given = Object.entries({ ...headers, 'Content-Type': type }).filter(
    ([, value]) => value !== '',
  )
  const init = { method: operation.method, headers: Object.fromEntries(given) }
  const address = search.size === 0 ? path : `${path}?${search.toString()}`
  return repo.app.request(
    address.replace(someDistribution, distribution),
    operation.method === 'GET' ? init : { ...init, body },
  )
}

type Told = { readonly status: number; readonly type: string | null; readonly text: string }

/** What an answer does that its contract does not say. */
function faults({ operation }: Sent, { status, type, text }: Told): string[] {
  const problem = status < 400 ? undefined : problemIn(type, text)
  const wrong: readonly (readonly [string, boolean])[] = [
    ['it is a fault of the server', status >= 500],
    ['the status is not documented', !operation.statuses.includes(status)],
    ['the error is no problem', status >= 400 && problem === undefined],
    ['the problem has another status', problem !== undefined && problem.status !== status],
    ['there is a body', [201, 204, 304].includes(status) && text !== ''],
  ]
  return wrong.filter(([, holds]) => holds).map(([fault]) => fault)
}

function problemIn(type: string | null, text: string): { status: number } | undefined {
  if (type !== 'application/problem+json') return undefined
  const problem = JSON.parse(text) as { type: string; status: number }
  return problem.type.startsWith('urn:cartulary:problem:') ? problem : undefined
}

describe('the served contract', () => {
  it('holds under hostile input', async () => {
    let sent = 0
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        // Somebody may have deleted what the others ask for.
        if ((sent += 1) % 20 === 0) await seed()
        const answer = await send(request)
        const told = {
          status: answer.status,
          type: answer.headers.get('Content-Type'),
          text: await answer.text(),
        }
        expect({ told, faults: faults(request, told) }).toEqual({ told, faults: [] })
      }),
      { numRuns: runs, interruptAfterTimeLimit: 600_000 },
    )
    await seed()
    expect((await repo.ask('/datasets/levels')).status).toBe(200)
  }, 620_000)

  it('is broken by each of these answers', () => {
    const operation = all.find(({ method }) => method === 'PUT')
    if (!operation) throw new Error('no PUT')
    const request = { operation, path: '', query: [], headers: {}, type: '', body: '' }
    const broken: Told[] = [
      {
        status: 500,
        type: 'application/problem+json',
        text: '{"type":"urn:cartulary:problem:internal","status":500}',
      },
      {
        status: 418,
        type: 'application/problem+json',
        text: '{"type":"urn:cartulary:problem:x","status":418}',
      },
      { status: 404, type: 'text/plain', text: 'no' },
      {
        status: 404,
        type: 'application/problem+json',
        text: '{"type":"urn:cartulary:problem:x","status":400}',
      },
      { status: 204, type: null, text: 'more' },
    ]
    expect(broken.filter((told) => faults(request, told).length === 0)).toEqual([])
  })
})
