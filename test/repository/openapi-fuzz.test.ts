/**
 * The served contract under hostile input: no 5xx, no status that is not documented, every error a problem. `FUZZ_RUNS` says
 * how many requests are made; a failing run prints its seed and the request.
 */

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations, type Operation, type Parameter } from '../support/openapi.ts'
import { alpineKey, base, prefixes, repository } from '../support/repository.ts'

const runs = Number(process.env['FUZZ_RUNS'] ?? 300)

let repo: Awaited<ReturnType<typeof repository>>
const seed = async () => {
  await repo.putCatalogue('alpine-water')
  await repo.putDataset(
    'alpine-water',
    'pegel',
    `${prefixes}<> a dcat:Dataset ; dcat:distribution <a:csv> .`,
  )
}
beforeAll(async () => {
  repo = await repository({ limits: { bodyBytes: 100_000, triples: 500 } })
  await seed()
})
afterAll(() => repo.close())

const all = await (async () => {
  const served = await repository()
  const document: unknown = await (await served.ask('/openapi.json')).json()
  await served.close()
  return operations(document)
})()

const hostile = fc.oneof(
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
    'x'.repeat(256),
    'x'.repeat(20_000),
    '> } ; DROP ALL #',
    '<urn:x>',
    '?s ?p ?o',
    '\ud800',
    '\u202e',
    'pegel.ttl',
    'pegel.exe',
    '-1',
    '0',
    '1e9',
    'NaN',
    'null',
    '[]',
  ),
)
const known: Readonly<Record<string, readonly string[]>> = {
  catalogueId: ['alpine-water', 'new', 'alpine-water.ttl'],
  catalogue: ['alpine-water', 'new'],
  datasetId: ['pegel', 'pegel.jsonld', 'nowhere'],
  originalId: ['pegel', 'http://example.org/1', 'ö'],
  vocabularyId: ['words', 'words.nt'],
  limit: ['1', '5000', '5001'],
  offset: ['0', '100000', '1e3'],
  recordModified: ['2026-01-01T00:00:00Z', '2026-01-01'],
}

const valueOf = ({ name, schema }: Parameter): fc.Arbitrary<string> => {
  const listed = [...(known[name] ?? ['x']), ...(schema?.enum ?? []).map(String)]
  const flags = schema?.type === 'boolean' ? ['true', 'false', '1', 'yes'] : []
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...listed, ...flags) },
    { weight: 1, arbitrary: hostile },
  )
}

/** A value that stays one segment: URLs know `.` and `..` also when they are encoded. */
const segment = (parameter: Parameter) =>
  valueOf(parameter).filter((value) => !/^(\.|%2e){0,2}$/i.test(value) && value.isWellFormed())

const bodies = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '{}',
    '[]',
    '{"@context":"https://example.org/c"}',
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    `${prefixes}<> a dcat:Dataset ; dct:title "x" .`,
    `${prefixes}<> a dcat:Catalog .`,
    `${prefixes}<> a dcat:Distribution ; dct:title "t" .`,
    `${prefixes}<a:s> a skos:ConceptScheme .`,
    `${prefixes}<${base}set/data/pegel> a dcat:Dataset , dcat:Distribution , dcat:Catalog .`,
    `@prefix dqv: <http://www.w3.org/ns/dqv#> . [] a dqv:QualityMeasurement ; dqv:computedOn <${base}set/data/pegel> .`,
    `${prefixes}[] a dcat:Dataset . [] a dcat:Dataset .`,
    `<a:b> <a:c> "${'x'.repeat(99_000)}" .`,
    'x'.repeat(200_000),
    `{"@id":"","@type":"http://www.w3.org/ns/dcat#Dataset","http://purl.org/dc/terms/title":{"@value":1}}`,
  ),
  fc.string({ unit: 'binary', maxLength: 200 }),
)
const header = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 30,
})
const types = [
  'text/turtle',
  'application/ld+json',
  'application/trig',
  'application/n-triples',
  'application/n-quads',
  'application/rdf+xml',
  'text/n3',
]
const headers = fc.record(
  {
    'X-API-Key': fc.constantFrom(
      'a-key-for-everything',
      'a-key-for-everything',
      'a-key-for-everything',
      alpineKey,
      'unknown',
    ),
    Authorization: fc.oneof(header, fc.constant('Bearer a-key-for-everything')),
    Accept: fc.oneof(header, fc.constantFrom(...types, 'application/json', 'text/html', '*/*;q=0')),
    'Content-Type': fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...types) },
      { weight: 1, arbitrary: header },
    ),
    'Content-Encoding': fc.constantFrom('gzip', 'br', 'identity', 'compress', ''),
    'If-Match': fc.oneof(header, fc.constantFrom('*', '"0"', 'W/"0"')),
    'If-None-Match': fc.oneof(header, fc.constantFrom('*', '"0"')),
    Prefer: fc.oneof(
      header,
      fc.constantFrom('respond-async', 'wait=0', 'wait=x', 'wait=99999999999'),
    ),
    'X-Request-Id': header,
  },
  { requiredKeys: ['X-API-Key', 'Content-Type'] },
)

type Sent = {
  operation: Operation
  path: string
  query: [string, string][]
  headers: Record<string, string>
  body: string
}

const requests: fc.Arbitrary<Sent> = fc.constantFrom(...all).chain((operation) => {
  const placed = (place: string) => operation.parameters.filter((one) => one.in === place)
  const segments = fc.tuple(...placed('path').map(segment))
  const pairs = placed('query').map((one) =>
    fc.array(
      valueOf(one).map((value): [string, string] => [one.name, value]),
      { minLength: one.required ? 1 : 0, maxLength: 2 },
    ),
  )
  return fc
    .record({ segments, pairs: fc.tuple(...pairs), headers, body: bodies })
    .map(({ segments: given, pairs: found, ...sent }) => {
      const values = [...given]
      const path = operation.path.replace(/\{\w+\}/g, () =>
        encodeURIComponent(values.shift() ?? ''),
      )
      // Most requests leave most optional parameters out, or none would get past them.
      return { ...sent, operation, path, query: found.flat() }
    })
})

async function send({ operation, path, query, headers: given, body }: Sent): Promise<Response> {
  const search = new URLSearchParams()
  for (const [name, value] of query) search.append(name, value.toWellFormed())
  const init = {
    method: operation.method,
    headers: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  }
  return repo.app.request(
    search.size === 0 ? path : `${path}?${search.toString()}`,
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
    expect((await repo.ask('/datasets/pegel')).status).toBe(200)
  }, 620_000)

  it('is broken by each of these answers', () => {
    const operation = all.find(({ method }) => method === 'PUT')
    if (!operation) throw new Error('no PUT')
    const request = { operation, path: '', query: [], headers: {}, body: '' }
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
