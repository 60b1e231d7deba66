/** The SPARQL 1.1 protocol suite against the public endpoint: its query part, and the updates that must be refused (27 cases). */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKeys } from '../../src/http/api-key.ts'
import { serve, type RunningServer } from '../../src/http/serve.ts'
import { logger } from '../../src/log.ts'
import { parse } from '../../src/rdf/parse.ts'
import { firstObject, graphOf, textOf, type Graph, type Node } from '../../src/rdf/read.ts'
import { sparqlApp } from '../../src/repository/sparql-app.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { isThere, note, unpacked } from './archive.ts'

const mf = (name: string) => `http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#${name}`
const ht = (name: string) => `http://www.w3.org/2011/http#${name}`
const cnt = (name: string) => `http://www.w3.org/2011/content#${name}`
const rdf = (name: string) => `http://www.w3.org/1999/02/22-rdf-syntax-ns#${name}`

type Call = {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | undefined
  /** `2xx`, `4xx` … */
  readonly statuses: readonly string[]
  readonly format: string | undefined
  readonly boolean: boolean | undefined
}

const members = (graph: Graph, list: Node | undefined): readonly Node[] => {
  const head = list && firstObject(graph, list, rdf('first'))
  return head ? [head, ...members(graph, firstObject(graph, list, rdf('rest')))] : []
}

function bodyOf(graph: Graph, request: Node): Uint8Array<ArrayBuffer> | undefined {
  const node = firstObject(graph, request, ht('body'))
  const text = node && textOf(graph, node, cnt('chars'))
  if (!node || text === undefined) return undefined
  const isWide = textOf(graph, node, cnt('characterEncoding')) === 'UTF-16'
  return new Uint8Array(Buffer.from(text, isWide ? 'utf16le' : 'utf8'))
}

function callOf(graph: Graph, request: Node): Call {
  const response = firstObject(graph, request, ht('resp')) ?? ''
  const fields = members(graph, firstObject(graph, request, ht('headers')))
  const said = textOf(graph, response, mf('expectedBoolean'))
  return {
    path: textOf(graph, request, ht('absolutePath')) ?? '',
    method: textOf(graph, request, ht('methodName')) ?? 'GET',
    headers: Object.fromEntries(
      fields.map((field) => [
        textOf(graph, field, ht('fieldName')) ?? '',
        textOf(graph, field, ht('fieldValue')) ?? '',
      ]),
    ),
    body: bodyOf(graph, request),
    statuses: graph.objects(response, mf('expectedStatus')).map(({ value }) => value.slice(-3)),
    format: textOf(graph, response, mf('expectedFormat')),
    boolean: said === undefined ? undefined : said === 'true',
  }
}

/** Name → its calls. Updates that must work are left out: the endpoint answers queries only. */
async function cases(): Promise<ReadonlyMap<string, readonly Call[]>> {
  const manifest = unpacked('sparql11-protocol').get('sparql/sparql11/protocol/manifest.ttl')
  const baseIri = 'urn:protocol:'
  const graph = graphOf(await parse(new TextDecoder().decode(manifest), 'turtle', { baseIri }))
  const found = new Map<string, readonly Call[]>()
  for (const test of graph.subjects()) {
    const name = test.slice(test.lastIndexOf('#') + 1)
    const action = firstObject(graph, test, mf('action'))
    if (!action || name.startsWith('update_')) continue
    const requests = members(graph, firstObject(graph, action, ht('requests')))
    found.set(
      name,
      requests.map((request) => callOf(graph, request)),
    )
  }
  return found
}

const data = 'http://kasei.us/2009/09/sparql/data'
const accepted: Readonly<Record<string, RegExp>> = {
  boolean: /^application\/sparql-results\+(?:json|xml)/,
  tabular: /^(?:application\/sparql-results\+(?:json|xml)|text\/(?:csv|tab-separated-values))/,
  RDF: /^(?:application\/rdf\+xml|text\/turtle|application\/n-triples|application\/ld\+json)/,
}

describe.skipIf(!isThere)(`the protocol of SPARQL 1.1${note}`, () => {
  let directory: string
  let store: GraphStore
  let served: RunningServer
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cartulary-'))
    store = await embeddedStore({ directory, log: logger('silent') })
    const files = unpacked('sparql11-protocol')
    const graphs = ['data1', 'data2', 'data3'].map((name) => ({
      graph: `${data}/${name}.rdf`,
      content: new TextDecoder().decode(files.get(`sparql/sparql11/protocol/${name}.nt`)),
    }))
    // The suite takes for granted that this one is there, whatever it holds.
    const other = { graph: `${data}/data0.rdf`, content: '<urn:s> <urn:p> <urn:o> .\n' }
    await store.write([other, ...graphs])
    const http = { log: logger('silent') }
    const app = sparqlApp({ store, keys: apiKeys({}), queryBytes: 10_000, http })
    served = await serve(app, { port: 0 })
  })
  afterAll(async () => {
    await served.close()
    await store.close()
    await rm(directory, { recursive: true, force: true })
  })

  async function wrong({ path, method, headers, body, ...expected }: Call) {
    const url = served.url + path.slice('/sparql'.length)
    const answer = await fetch(url, { method, headers, ...(body && { body }) })
    const text = await answer.text()
    const kind = `${String(answer.status)[0]}xx`
    if (!expected.statuses.includes(kind)) return `${answer.status} ${text}`
    const type = answer.headers.get('Content-Type') ?? ''
    if (expected.format !== undefined && !accepted[expected.format]?.test(type)) return type
    if (expected.boolean === undefined) return undefined
    return JSON.parse(text).boolean === expected.boolean ? undefined : text
  }

  it('holds in every case of its query part', async () => {
    const all = await cases()
    expect(all.size).toBe(27)
    const found: string[] = []
    for (const [name, calls] of all)
      for (const call of calls) {
        const fault = await wrong(call)
        if (fault !== undefined) found.push(`${name}: ${fault}`)
      }
    expect(found).toEqual([])
  })
})
