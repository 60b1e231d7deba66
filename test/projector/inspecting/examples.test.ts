/** The example queries: current, legal, and enough for the documents of all hand-written records. */

import { readdirSync, readFileSync } from 'node:fs'
import type { Quad } from '@rdfjs/types'
import { afterAll, describe, expect, test } from 'vitest'
import type { Built } from '../../../src/projector/building/document.ts'
import { exampleQueries } from '../../../src/projector/inspecting/examples.ts'
import { canonicalise } from '../../../src/rdf/canonical.ts'
import { fromLines, toLines } from '../../../src/rdf/lines.ts'
import { graphOf, type Graph } from '../../../src/rdf/read.ts'
import { skolemise } from '../../../src/rdf/skolem.ts'
import { namedNode } from '../../../src/rdf/terms.ts'
import { bind, queryOf } from '../../../src/store/queries.ts'
import { openEmbedded } from '../../store/opening.ts'
import { graph, hasSamples, iris, profile, renamed, sample } from '../built.ts'
import { conceptRecords } from '../records/concepts.ts'
import { distributionRecords } from '../records/distributions.ts'
import { otherRecords } from '../records/others.ts'
import { partyRecords } from '../records/parties.ts'
import { documentsOf, graphsOf, withThings, type Expected } from '../records/record.ts'
import { textRecords } from '../records/texts.ts'
import { valueRecords } from '../records/values.ts'

const folder = 'sparql/examples'
const queries = new Map(exampleQueries(withThings).map(({ name, text }) => [name, text]))
const store = await openEmbedded()
afterAll(() => store.close())

test('the examples of the default profile are those that the command writes', () => {
  const written = exampleQueries(profile)
  expect(readdirSync(folder).toSorted()).toEqual(written.map(({ name }) => `${name}.rq`).toSorted())
  for (const { name, text } of written)
    expect(readFileSync(`${folder}/${name}.rq`, 'utf8')).toBe(text)
})

/** What the example query of a kind constructs out of a graph. */
async function constructed(query: string, parameter: string, name: string): Promise<Graph> {
  const text = bind(queryOf(queries.get(query) ?? ''), { [parameter]: [namedNode(name)] })
  return graphOf(fromLines(await store.construct(text)))
}

const lines = (quads: readonly Quad[]) =>
  [...new Set(toLines(quads).split('\n'))]
    .filter(Boolean)
    .toSorted()
    .map((line) => `${line}\n`)
    .join('')

/** Puts a graph into the store; blank nodes get names, as in every stored graph. */
async function stored(name: string, quads: readonly Quad[]): Promise<readonly Quad[]> {
  const { labels } = await canonicalise(quads)
  const ground = skolemise(quads, { genid: iris.genid(name), labels })
  await store.write([{ graph: name, content: lines(ground) }])
  return ground
}

const mainGraph: Readonly<Record<Expected['kind'], readonly [string, string, string]>> = {
  dataset: ['dataset', 'dataset', iris.dataset('x')],
  catalogue: ['catalogue', 'catalogue', iris.catalogue('cat')],
  thing: ['resource-thing', 'resource', iris.resource('thing', 'x')],
  concept: ['concept', 'scheme', 'urn:x:scheme'],
}

/** Engines may give language tags back in lower case (RDF 1.1 Concepts, 3.3), and triples in any order. */
function comparable({ document, reports }: Built): unknown {
  const text = JSON.stringify([
    document,
    reports.map((report) => JSON.stringify(report)).toSorted(),
  ])
  return JSON.parse(text.replaceAll(/"[a-z]{2}-[A-Za-z]{2,4}"/g, (tag) => tag.toLowerCase()))
}

/** Documents out of what the queries construct, and out of the whole graphs. */
async function bothWays(kind: Expected['kind'], given: Awaited<ReturnType<typeof graphsOf>>) {
  const [query, parameter, name] = mainGraph[kind]
  const own = await stored(name, given.own)
  const inside = kind === 'dataset' || kind === 'thing'
  const around = inside ? await stored(iris.catalogue('cat'), given.catalogue) : given.catalogue
  const scores = given.metrics && (await stored(iris.metrics('x'), given.metrics))
  const whole = documentsOf(kind, {
    own: graphOf(own),
    catalogue: graphOf(around),
    ...(scores && { metrics: graphOf(scores) }),
  })
  const asked = documentsOf(kind, {
    own: await constructed(query, parameter, name),
    catalogue: await constructed('catalogue', 'catalogue', iris.catalogue('cat')),
    ...(scores && { metrics: await constructed('metrics', 'metrics', iris.metrics('x')) }),
  })
  return { asked: asked.map(comparable), whole: whole.map(comparable) }
}

describe('what the queries construct makes the same document', () => {
  test.each([
    ...textRecords,
    ...conceptRecords,
    ...partyRecords,
    ...valueRecords,
    ...distributionRecords,
    ...otherRecords,
  ])('$kind: $name', async (record) => {
    const { asked, whole } = await bothWays(record.kind, await graphsOf(record))
    expect(asked).toEqual(whole)
  })

  test.skipIf(!hasSamples)('the worked sample', async () => {
    const catalogue = 'https://example.org/catalogue/alpine-water'
    const own = await graph(
      renamed(sample('worked/dataset.ttl'), 'https://example.org/ds/pegel', iris.dataset('x')),
    )
    const around = await graph(
      renamed(sample('worked/catalogue.ttl'), catalogue, iris.catalogue('cat')),
    )
    const { asked, whole } = await bothWays('dataset', {
      own: [...own.quads()],
      catalogue: [...around.quads()],
    })
    expect(asked).toEqual(whole)
  })
})
