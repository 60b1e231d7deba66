/** Dumps: a whole catalogue as one document, never half of one that looks whole. */

import { gunzipSync } from 'node:zlib'
import { isomorphic } from 'rdf-isomorphic'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../src/errors.ts'
import { importDump } from '../../src/harvest/importing/dump.ts'
import { serve, type RunningServer } from '../../src/http/serve.ts'
import { formats, type Format } from '../../src/rdf/media-types.ts'
import { toLine } from '../../src/rdf/lines.ts'
import { parse } from '../../src/rdf/parse.ts'
import { dcat } from '../../src/rdf/namespaces.ts'
import { namedNode, quad } from '../../src/rdf/terms.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { base, prefixes, repository } from '../support/repository.ts'
import { quickClock } from '../harvest/importing/builders.ts'

type Repository = Awaited<ReturnType<typeof repository>>

let repo: Repository
let away = false
let readings = 0
/** A store that goes away on demand, in the middle of a dump. */
const fragile = (store: GraphStore): GraphStore => ({
  ...store,
  readAll: async (graphs, options, signal) => {
    readings += 1
    if (away && readings > 3) throw new Failure('store-unavailable', 'The store is away.')
    return store.readAll(graphs, options, signal)
  },
})

const count = 230
const importKey = 'a-key-for-the-import'
const dataset = (n: number) => `${prefixes}<> a dcat:Dataset ; dct:title "No ${n}"@en ;
  dct:publisher [ a foaf:Organization ; foaf:name "P ${n}" ; foaf:homepage <https://example.org/> ] ;
  dcat:distribution [ a dcat:Distribution ; dct:title "CSV" ; dcat:accessURL <https://example.org/${n}.csv> ] .`

beforeAll(async () => {
  repo = await repository({ around: fragile })
  await repo.putCatalogue(
    'water',
    `${prefixes}<> a dcat:Catalog ; dct:title "Water" ; dct:publisher [ foaf:name "Board" ] .`,
  )
  for (let n = 0; n < count; n += 1) await repo.putDataset('water', `origin/${n}`, dataset(n))
  await repo.putCatalogue('empty')
})
afterAll(() => repo.close())
afterEach(() => {
  away = false
  readings = 0
})

const served: RunningServer[] = []
afterEach(async () => {
  await Promise.all(served.splice(0).map((one) => one.close()))
})
/** The address of the service on a port of its own. */
const addressOf = async ({ app }: Repository) => {
  const one = await serve(app, { port: 0 })
  served.push(one)
  return one.url
}

const dumped = async (from: Repository, format: Format): Promise<Quad[]> => {
  const answer = await from.ask(`/catalogues/water/dump.${formats[format].suffix}`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('Content-Type')?.split(';')[0]).toBe(formats[format].mediaType)
  return parse(await answer.text(), format, { baseIri: base })
}
const union = (quads: readonly Quad[]) => [
  ...new Map(
    quads.map((one) => [toLine(one), quad(one.subject, one.predicate, one.object)]),
  ).values(),
]

describe('a dump', () => {
  it('has the catalogue, every dataset as it is read alone, and the links between them', async () => {
    const quads = await dumped(repo, 'nquads')
    const graphs = Map.groupBy(quads, (one) => one.graph.value)
    expect(graphs.size).toBe(count + 1)
    const alone = await repo.ask('/datasets/origin-17.nt')
    const there = await parse(await alone.text(), 'ntriples', { baseIri: base })
    expect(isomorphic(union(graphs.get(`${base}set/data/origin-17`) ?? []), there)).toBe(true)
    const catalogue = graphs.get(`${base}id/catalogue/water`) ?? []
    const linked = (name: string) =>
      catalogue.filter((one) => one.predicate.value === `http://www.w3.org/ns/dcat#${name}`)
    expect(linked('dataset')).toHaveLength(count)
    expect(linked('record')).toHaveLength(count)
    expect(catalogue.some((one) => one.object.value === 'Water')).toBe(true)
    expect(quads.some((one) => one.subject.value.includes('.well-known'))).toBe(false)
  })

  it.each(Object.keys(formats) as Format[])('says the same as %s', async (format) => {
    const expected = await dumped(repo, 'nquads')
    const quads = await dumped(repo, format)
    expect(new Set(quads.map((one) => one.graph.value)).size).toBe(
      formats[format].quads ? count + 1 : 1,
    )
    const ground = (all: readonly Quad[]) =>
      new Set(
        union(all)
          .map(toLine)
          .filter((line) => !line.includes('_:')),
      )
    expect(ground(quads)).toEqual(ground(expected))
    expect(union(quads)).toHaveLength(union(expected).length)
  })

  it('is JSON-LD when nothing is asked, what Accept asks, and above all what the suffix says', async () => {
    const type = async (path: string, accept?: string) => {
      const answer = await repo.ask(
        path,
        accept === undefined ? {} : { headers: { Accept: accept } },
      )
      await answer.body?.cancel()
      return answer.headers.get('Content-Type')
    }
    expect(await type('/catalogues/empty/dump')).toBe('application/ld+json')
    expect(await type('/catalogues/empty/dump', 'application/trig')).toBe('application/trig')
    expect(await type('/catalogues/empty/dump.nt', 'application/trig')).toBe(
      'application/n-triples',
    )
    const refused = await repo.ask('/catalogues/empty/dump', { headers: { Accept: 'image/png' } })
    expect(refused.status).toBe(406)
  })

  it('of an unknown catalogue is 404, of an unknown format too', async () => {
    for (const path of [
      '/catalogues/nowhere/dump',
      '/catalogues/nowhere/dump.ttl',
      '/catalogues/water/dump.pdf',
    ])
      expect((await repo.ask(path)).status).toBe(404)
    expect((await repo.ask('/catalogues/no%20id/dump')).status).toBe(400)
  })

  it('can be asked for by HEAD without being made', async () => {
    const head = await repo.ask('/catalogues/water/dump.ttl', { method: 'HEAD' })
    expect([head.status, head.headers.get('Content-Type')]).toEqual([
      200,
      'text/turtle; charset=utf-8',
    ])
    expect(readings).toBeLessThan(3)
  })

  it('comes as gzip to those who accept it', async () => {
    const url = `${await addressOf(repo)}/catalogues/water/dump.nt`
    const { get } = await import('node:http')
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      get(url, { headers: { 'Accept-Encoding': 'gzip' } }, (response) => {
        expect(response.headers['content-encoding']).toBe('gzip')
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () => resolve(Buffer.concat(parts)))
        response.on('error', reject)
      })
    })
    const quads = await parse(gunzipSync(bytes).toString(), 'ntriples', { baseIri: base })
    expect(quads.length).toBeGreaterThan(count * 10)
  })

  it('is made only as fast as it is taken', async () => {
    const answer = await repo.ask('/catalogues/water/dump.nq')
    const reader = answer.body?.getReader()
    await reader?.read()
    const before = readings
    await new Promise((resolve) => setImmediate(resolve))
    await reader?.read()
    expect(readings).toBeLessThanOrEqual(before + 2)
    expect(before).toBeLessThan(4)
    await reader?.cancel()
  })
})

describe('a dump that cannot be finished', () => {
  it.each(['nq', 'ttl', 'jsonld', 'rdf'])(
    'as %s breaks the connection off, plain or as gzip, and never ends well',
    async (suffix) => {
      const url = `${await addressOf(repo)}/catalogues/water/dump.${suffix}`
      for (const coding of ['identity', 'gzip']) {
        away = true
        readings = 0
        const answer = fetch(url, { headers: { 'Accept-Encoding': coding } })
        await expect(answer.then((one) => one.text())).rejects.toThrow(/terminated|fetch failed/)
      }
    },
  )

  it('is a problem when nothing of it has been sent', async () => {
    away = true
    readings = 9
    const answer = await repo.ask('/catalogues/water/dump.nq')
    expect(answer.status).toBe(503)
    expect(answer.headers.get('Retry-After')).not.toBeNull()
  })

  it('ends for a reader who takes nothing for as long as one request may last', async () => {
    const impatient = await repository({ limits: { requestMs: 1000 } })
    try {
      await impatient.putCatalogue('slow')
      await impatient.putDataset('slow', 'one', dataset(1))
      const answer = await impatient.ask('/catalogues/slow/dump.nq')
      const reader = answer.body?.getReader()
      await reader?.read()
      await expect(reader?.closed).rejects.toThrow('longer than')
    } finally {
      await impatient.close()
    }
  })

  it('breaks off when its catalogue goes meanwhile', async () => {
    await repo.putCatalogue('leaving')
    await repo.putDataset('leaving', 'one', dataset(1))
    const answer = await repo.ask('/catalogues/leaving/dump.nq')
    await repo.ask('/catalogues/leaving', { method: 'DELETE' })
    await expect(answer.text()).rejects.toThrow('leaving')
  })
})

describe('a dump of what RDF/XML cannot express', () => {
  const odd = '<http://example.org/1>'
  const body = `${prefixes}<> a dcat:Dataset ; dct:title "before\\u0000 -- after"@en, "Good"@en ; ${odd} [ dct:title "inner" ] .`
  const path = '/catalogues/odd/dump'
  let broken: Repository
  beforeAll(async () => {
    broken = await repository()
    await broken.putCatalogue('odd')
    for (let n = 0; n < 120; n += 1)
      await broken.putDataset('odd', `o${n}`, n < 110 ? dataset(n) : body)
  })
  afterAll(() => broken.close())

  it('is whole and well-formed: what is left out is in comments, as N-Triples', async () => {
    const answer = await broken.ask(`${path}.rdf`)
    expect(answer.status).toBe(200)
    const text = await answer.text()
    const quads = await parse(text, 'rdfxml', { baseIri: base })
    const [leftOut, titles] = [/<!-- RDF\/XML cannot express: (.*) -->/g, /"Good"/]
    const lines = [...text.matchAll(leftOut)].map(([, line = '']) => `${line}\n`)
    expect(lines).toHaveLength(20)
    expect(lines.some((line) => line.includes('--'))).toBe(false)
    expect(quads.filter((one) => titles.test(toLine(one)))).toHaveLength(10)
    expect(quads.filter((one) => one.object.value === 'inner')).toHaveLength(10)
    const said = await parse(lines.join(''), 'ntriples', { baseIri: base })
    expect(said.filter((one) => one.object.value === 'before\u0000 -- after')).toHaveLength(10)
    const all = await parse(await (await broken.ask(`${path}.nq`)).text(), 'nquads', {
      baseIri: base,
    })
    expect(quads.length + said.length).toBe(union(all).length)
  })

  it('loses nothing in the other formats', async () => {
    for (const format of ['turtle', 'jsonld', 'trig'] as const) {
      const text = await (await broken.ask(`${path}.${formats[format].suffix}`)).text()
      const quads = await parse(text, format, { baseIri: base })
      expect(quads.filter((one) => one.object.value.includes('\u0000'))).toHaveLength(10)
    }
  })

  it('of one dataset RDF/XML is not offered, and the answer says why', async () => {
    const answer = await broken.ask('/datasets/o119.rdf')
    expect(answer.status).toBe(406)
    expect(await answer.text()).toMatch(/RDF\/XML (cannot hold|has no element name)/)
    expect((await broken.ask('/datasets/o119.ttl')).status).toBe(200)
  })
})

describe('a dump that is imported into an empty platform', () => {
  it('gives the same ids, the same ids at the origin and the same graphs but for the IRIs of distributions', async () => {
    const other = await repository({ keys: { [importKey]: ['*'] } })
    try {
      const service = await addressOf(other)
      const dump = await repo.ask('/catalogues/water/dump.trig')
      if (!dump.body) throw new Error('no dump')
      const source = { name: 'dump', format: 'trig', baseIri: base, bytes: dump.body } as const
      const signal = AbortSignal.timeout(60_000)
      const options = { service, key: importKey, clock: quickClock() }
      const summary = await importDump(source, options, signal)
      expect(summary).toMatchObject({
        created: count,
        failed: 0,
        repaired: 0,
        endReason: undefined,
      })
      for (const type of ['identifiers', 'originalIds']) {
        const path = `/catalogues/water/datasets?limit=5000&valueType=${type}`
        expect(await (await other.ask(path)).json()).toEqual(await (await repo.ask(path)).json())
      }
      const [before, after] = [await dumped(repo, 'nquads'), await dumped(other, 'nquads')]
      expect(isomorphic(sent(after), sent(before))).toBe(true)
    } finally {
      await other.close()
    }
  })
})

/** Without what tells when and from what a record was made; distributions by what they lead to, for their IRIs are given anew. */
function sent(quads: readonly Quad[]): Quad[] {
  const access = new Map(
    quads
      .filter(({ predicate }) => predicate.value === dcat('accessURL').value)
      .map(({ subject, object }) => [subject.value, object.value]),
  )
  const named = <T extends Quad['subject'] | Quad['object']>(term: T) =>
    access.has(term.value) ? namedNode(`urn:distribution:${access.get(term.value)}`) : term
  return union(quads)
    .filter(
      ({ predicate }) => !/\/(issued|modified)$|#(checksum\w*|algorithm)$/.test(predicate.value),
    )
    .map((one) => quad(named(one.subject), one.predicate, named(one.object)))
}
