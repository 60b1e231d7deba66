/** An independent count: SPARQL over stored datasets agrees with every measurement of 200 generated ones. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Quad } from '@rdfjs/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logger } from '../../../src/log.ts'
import { payloadOf } from '../../../src/metrics/pipe/payload.ts'
import { dimensions } from '../../../src/metrics/indicators.ts'
import { canonicalise } from '../../../src/rdf/canonical.ts'
import { toLines } from '../../../src/rdf/lines.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { skolemise } from '../../../src/rdf/skolem.ts'
import { literal, namedNode, quad } from '../../../src/rdf/terms.ts'
import { xsd } from '../../../src/rdf/namespaces.ts'
import { embeddedStore } from '../../../src/store/embedded/embedded-store.ts'
import type { GraphChange, GraphStore } from '../../../src/store/graph-store.ts'
import { one, segments } from '../pipe/segment-fixture.ts'
import {
  booleanQuery,
  conditions,
  graphs,
  pointsQuery,
  scoresQuery,
  statusQuery,
  type Lists,
} from './counting.ts'
import { asked, generated, generatedRecord, isThere, validated } from './worked-examples.ts'

const tables = new URL('../../../../shared/data/vocabularies', import.meta.url).pathname
const read = (name: string) => readFileSync(join(tables, name), 'utf8')
const amount = 200

/** Values in the wild that the generator does not make. */
const mutations: readonly (readonly [RegExp, string])[] = [
  [/<[^<>]*licence\/CC_BY_4_0>/g, '<https://creativecommons.org/licenses/by/4.0/deed.de>'],
  [/<[^<>]*licence\/[A-Z]+_[^<>]*>/g, '<https://www.govdata.de/dl-de/by-2-0>'],
  [
    /http(:\/\/publications\.europa\.eu\/resource\/authority\/(?:file-type|access-right))/g,
    'https$1',
  ],
  [/http:\/\/www\.(iana\.org\/assignments)/g, 'https://$1'],
  [/"\d{4}-\d\d-\d\d"\^\^<[^<>]*>/g, '" "'],
  [/<[^<>]*file-type\/([A-Z]+)>/g, '"$1"'],
]
const changed = (text: string, n: number): string => {
  const [wanted, instead] = mutations[n % (2 * mutations.length)] ?? []
  return wanted && instead !== undefined ? text.replace(wanted, instead) : text
}

const statusOf = (url: string) => [200, 206, 404, 1100, 304, 301][url.length % 6] ?? 200

describe.skipIf(!isThere)('an independent count', () => {
  let directory: string
  let store: GraphStore
  const conditionsOf = () => conditions(JSON.parse(read('derived/format-lists.json')) as Lists)

  const changes: GraphChange[] = []
  const write = async (graph: string, quads: readonly Quad[]) => {
    const { labels } = await canonicalise(quads)
    const runsFixture = skolemise(quads, { genid: `urn:genid:${graph}:`, labels })
    changes.push({ graph, content: toLines(runsFixture) })
  }
  const names = (codes: readonly string[]) =>
    codes.map((code, n) =>
      quad(namedNode(`urn:test:${n}`), namedNode('urn:test:name'), literal(code)),
    )

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cartulary-'))
    store = await embeddedStore({ directory: join(directory, 'store'), log: logger('silent') })
    const { annotator, scoring } = await segments()
    const answers = new Map<string, number>()
    for (const [n, text] of generated(join(directory, 'made'), amount, 11).entries()) {
      const complete = await validated(generatedRecord(changed(text, n)), n % 3 !== 0)
      const annotated = await one([annotator], complete)
      const measured = await asked(annotated, (url) => {
        answers.set(url, statusOf(url))
        return statusOf(url)
      })
      const { subject, dataset, metrics } = await payloadOf(await one([scoring], measured))
      await write(subject.iri, dataset)
      await write(`urn:test:metrics:${subject.iri}`, metrics)
    }
    await write(
      graphs.answers,
      [...answers].map(([url, status]) =>
        quad(namedNode(url), namedNode('urn:test:status'), literal(String(status), xsd('integer'))),
      ),
    )
    await write(
      graphs.fileTypes,
      names(Object.keys(JSON.parse(read('derived/file-types.json')) as object)),
    )
    const mediaTypes = JSON.parse(read('derived/iana-media-types.json')) as string[]
    await write(graphs.mediaTypes, names(mediaTypes.map((name) => name.toLowerCase())))
    await write(graphs.licences, names(await licenceNames()))
    await store.write(changes)
  })
  afterAll(async () => {
    await store.close()
    rmSync(directory, { recursive: true })
  })

  /** IRIs, identifiers and exact matches of the tables as they were published. */
  async function licenceNames(): Promise<string[]> {
    const published = await Promise.all([
      parse(read('eu/licence-2024.ttl'), 'turtle', { baseIri: 'urn:x:' }),
      parse(read('eu/licence-2018.rdf'), 'rdfxml', { baseIri: 'urn:x:', entities: 'internal' }),
      parse(read('eu/known-licences.rdf'), 'rdfxml', { baseIri: 'urn:x:', entities: 'internal' }),
    ])
    const found = published
      .flat()
      .flatMap(({ subject, predicate, object }) =>
        /(?:#type|inScheme)$/.test(predicate.value)
          ? [subject.value]
          : /(?:exactMatch|[/#]identifier)$/.test(predicate.value)
            ? [object.value]
            : [],
      )
    const plain = found.map((name) =>
      name
        .replace(/^https/, 'http')
        .replace('http://www.', 'http://')
        .replace(/\/$/, '')
        .replace(/\/(legalcode|deed(\.[a-z]+)?)$/, ''),
    )
    return [...new Set(plain)]
  }

  const compared = async (query: string) =>
    (await store.select(query)).map(({ node, expected, measured }) => ({
      node: node?.value,
      expected: expected?.value,
      measured: measured?.value,
    }))

  it('of every boolean indicator agrees on every node', async () => {
    const seen = new Map<string, Set<string | undefined>>()
    const nodes = { dataset: new Set<number>(), distribution: new Set<number>() }
    for (const condition of conditionsOf()) {
      const [name, level] = condition
      const found = await compared(booleanQuery(condition))
      const wrong = found.filter((row) => row.expected !== row.measured)
      expect(wrong.map((row) => ({ name, ...row }))).toEqual([])
      nodes[level].add(found.length)
      expect(new Set(found.map(({ node }) => node)).size).toBe(found.length)
      const values = found.map(({ expected }) => expected)
      seen.set(name, new Set([...(seen.get(name) ?? []), ...values]))
    }
    expect(seen.size).toBe(21)
    // An indicator that is the same everywhere would prove nothing.
    const constant = [...seen].filter(([, values]) => values.size < 2).map(([name]) => name)
    expect(constant).toEqual([])
    expect([...nodes.dataset]).toEqual([amount])
    expect([...nodes.distribution]).toEqual([603])
  })

  it('of the statuses agrees on every URL', async () => {
    for (const name of ['accessUrl', 'downloadUrl'] as const) {
      const found = await compared(statusQuery(name))
      expect(found.filter((row) => row.expected !== row.measured)).toEqual([])
      expect(found.length).toBeGreaterThan(100)
    }
  })

  it('of the points of every distribution gives the scores of its dataset', async () => {
    const reached = new Map<string, Map<string, Map<string, number>>>()
    for (const row of await store.select(pointsQuery)) {
      const { dataset, node, dimension, points } = row
      const nodes = reached.get(dataset?.value ?? '') ?? new Map<string, Map<string, number>>()
      const own = nodes.get(node?.value ?? '') ?? new Map<string, number>()
      own.set(dimension?.value ?? '', Number(points?.value))
      nodes.set(node?.value ?? '', own)
      reached.set(dataset?.value ?? '', nodes)
    }
    const stored = new Map<string, Record<string, number>>()
    for (const { dataset, metric, score } of await store.select(scoresQuery)) {
      const own = stored.get(dataset?.value ?? '') ?? {}
      own[metric?.value.split('#')[1] ?? ''] = Number(score?.value)
      stored.set(dataset?.value ?? '', own)
    }
    expect(stored.size).toBe(amount)
    for (const [dataset, nodes] of reached) {
      const totals = [...nodes]
        .map(([node, own]) => ({ node, own, total: [...own.values()].reduce((a, b) => a + b, 0) }))
        .toSorted((a, b) => b.total - a.total || (a.node < b.node ? -1 : 1))
      const [best] = totals
      const scores = dimensions.map((name) => [`${name}Scoring`, best?.own.get(name) ?? 0])
      expect(stored.get(dataset)).toEqual({ ...Object.fromEntries(scores), scoring: best?.total })
    }
  })
})
