/** Data, and values of the parameters, for every query of the platform. */

import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { literal, namedNode } from '../../src/rdf/terms.ts'
import type { GraphChange, GraphStore } from '../../src/store/graph-store.ts'
import type { QueryValues } from '../../src/store/queries.ts'
import { content, system } from './graphs.ts'

/** Part of all IRIs of these data. */
export const run = randomUUID()
const prefix = `urn:test:catalogue:${run}:`
const [catalogue, other, empty] = ['a', 'b', 'c'].map((id) => `${prefix}${id}`)
/** IRI of a dataset, and name of its graph. */
export const dataset = (n: number) => `urn:test:dataset:${run}:${String(n).padStart(4, '0')}`
const recordOf = (graph: string) => graph.replace(':dataset:', ':record:')
const vocabulary = `urn:test:vocabulary:${run}`
const scheme = `${vocabulary}/scheme`
const concept = (n: number) => `${scheme}/${n}`
const resource = (n: number) => `urn:test:resource:${run}:${n}`
const size = 40

const iris: Readonly<Record<string, string>> = {
  a: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  spdx: 'http://spdx.org/rdf/terms#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  ctl: 'urn:cartulary:control#',
}
/** `term('dcat:Catalog')`, or an IRI as it is. */
const iri = (name: string) => {
  const [head = '', tail = ''] = name.split(':')
  return name === 'a' || (head in iris && !tail.includes(':'))
    ? `<${iris[head]}${tail}>`
    : `<${name}>`
}
const line = (s: string, p: string, o: string) =>
  `${iri(s)} ${iri(p)} ${o.startsWith('"') ? o : iri(o)} .`

const version = 8_000_000_000_000_000
/** Version that is indexed; to be removed from a store that is used again. */
export const indexed = line(system, 'ctl:indexed', `"${version + 3}"`)

/** Data that every query finds something in. */
export const changes: readonly GraphChange[] = [
  ...[catalogue, other, empty].map((graph = '', n) => ({
    graph,
    content: content([line(graph, 'a', 'dcat:Catalog'), line(graph, 'dct:title', '"C"@de')]),
    add: Array.from({ length: size }, (_, at) => at)
      .filter((at) => n < 2 && at < size - 1 && at % 4 > 0 === (n === 0))
      .flatMap((at) => [
        line(graph, 'dcat:dataset', dataset(at)),
        line(graph, 'dcat:record', recordOf(dataset(at))),
      ]),
  })),
  { graph: catalogue ?? '', add: [line(catalogue ?? '', 'dct:hasPart', other ?? '')] },
  ...Array.from({ length: size }, (_, n) => {
    const graph = dataset(n)
    const [record, sum] = [recordOf(graph), `${graph}/sum`]
    const distribution = `${graph}/distribution`
    return {
      graph,
      content: content([
        line(graph, 'a', 'dcat:Dataset'),
        line(graph, 'dcat:distribution', distribution),
        line(distribution, 'a', 'dcat:Distribution'),
        line(distribution, 'dct:title', `"File ${n}"@de`),
        line(distribution, 'dct:issued', `"2019-01-0${1 + (n % 9)}"`),
        line(graph, 'dct:description', `"All of ${n}: <a> <b> \\"c\\" ."@de`),
        line(graph, 'dcat:keyword', `"Title ${n}"`),
        line(graph, 'dct:issued', `"2018-01-0${1 + (n % 9)}"`),
        line(graph, 'dct:temporal', `${graph}/period`),
        line(`${graph}/period`, 'dcat:startDate', `"20${10 + n}-01-01"`),
        line(
          distribution,
          'dcat:accessURL',
          n % 2 === 0 ? distribution : `https://city.example/${n}`,
        ),
        line(graph, 'dcat:theme', concept(n % 3)),
        line(graph, 'dct:title', `"Title ${n}"@de`),
        line(record, 'foaf:primaryTopic', graph),
        line(record, 'dct:identifier', `"${run} o'${n}"`),
        line(
          record,
          'dct:issued',
          '"2020-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>',
        ),
        line(
          record,
          'dct:modified',
          '"2020-01-02T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>',
        ),
        line(record, 'spdx:checksum', sum),
        line(sum, 'spdx:checksumValue', `"hash ${n}"`),
      ]),
    }
  }),
  {
    graph: scheme,
    content: content([
      line(scheme, 'skos:prefLabel', `"Scheme ${run}"@en`),
      line(scheme, 'skos:hasTopConcept', concept(0)),
      line(scheme, 'skos:hasTopConcept', concept(1)),
      line(concept(1), 'a', 'skos:Concept'),
      line(concept(1), 'skos:prefLabel', '"One"@de'),
    ]),
  },
  {
    graph: system,
    add: [
      ...[0, 1, 2].flatMap((n) => [
        line(resource(n), 'ctl:resourceType', `"type ${run}"`),
        line(resource(n), 'ctl:hash', `"r${n}"`),
        ...(n > 0 ? [line(resource(n), 'ctl:catalogue', catalogue ?? '')] : []),
      ]),
      line(vocabulary, 'ctl:changed', `"7 ${concept(0)}"`),
      line(vocabulary, 'ctl:changed', `"7 ${concept(1)}"`),
      line(catalogue ?? '', 'ctl:hash', '"c"'),
      line(catalogue ?? '', 'ctl:cascade', `"${version + 2}"`),
      line(dataset(1), 'ctl:pending', `"${version + 1}"`),
      line(dataset(2), 'ctl:pending', `"${version}"`),
      indexed,
      line(empty ?? '', 'ctl:deleting', '"7"'),
      line(empty ?? '', 'ctl:deletedAt', '"2020"'),
      line(vocabulary, 'ctl:scheme', scheme),
      line(vocabulary, 'ctl:hash', '"v"'),
    ],
  },
]

const node = namedNode
const records = Array.from({ length: 3 }, (_, n) => [node(dataset(n)), node(recordOf(dataset(n)))])
const some = [node(dataset(1)), node(dataset(2)), node(`${dataset(2)}-none`)]
const inCatalogue = { catalogue: node(catalogue ?? '') }
const withPrefix = { prefix: literal(prefix) }
const datasets = literal(`urn:test:dataset:${run}:`)
const resources = { prefix: literal(`urn:test:resource:${run}:`), type: literal(`type ${run}`) }
const concepts = [node(concept(0)), node(concept(1)), node(concept(9))]

/** Values of the parameters by query. */
export const values: Readonly<Record<string, QueryValues>> = {
  awaiting: { resource: node(dataset(1)) },
  cascading: { resource: node(catalogue ?? '') },
  'concept-descriptions': { concept: concepts, scheme: node(scheme) },
  mentions: { concept: concepts, start: datasets, after: literal(dataset(17)) },
  'resource-facts': { resource: [node(resource(0)), node(resource(2))] },
  'resource-handles': {},
  'resource-ids': resources,
  'resource-member-ids': { ...inCatalogue, ...resources },
  'resource-members': inCatalogue,
  'vocabulary-head': { scheme: node(scheme) },
  'vocabulary-leftovers': {
    vocabulary: node(vocabulary),
    property: node('urn:cartulary:control#changed'),
    after: literal(''),
  },
  'vocabulary-tops': { scheme: node(scheme) },
  cascades: {},
  'catalogue-deletion': { catalogue: node(empty ?? '') },
  'catalogue-facts': inCatalogue,
  'catalogue-handles': withPrefix,
  'catalogue-hash': inCatalogue,
  'catalogue-ids': withPrefix,
  'catalogue-members-after': { ...inCatalogue, after: literal(dataset(17)) },
  'catalogue-parents': { catalogue: node(other ?? ''), ...withPrefix },
  'catalogue-size': inCatalogue,
  'dataset-catalogues': { dataset: some },
  'dataset-hashes': { dataset: records },
  'dataset-ids': { catalogues: literal(prefix), prefix: datasets },
  'dataset-origins': { dataset: records },
  'dataset-places': { dataset: records },
  'dataset-record': { dataset: node(dataset(3)), record: node(recordOf(dataset(3))) },
  deletions: {},
  'distribution-datasets': { distribution: node(`${dataset(4)}/distribution`) },
  'find-datasets': {
    ...inCatalogue,
    originalId: [literal(`${run} o'5`), literal(`${run} o'4`), literal('none')],
    taken: some,
  },
  'find-few-datasets': {
    ...inCatalogue,
    originalId: [literal(`${run} o'5`), literal('none')],
    taken: some,
    linked: [0, 1, 9].map((n) => node(recordOf(dataset(n)))),
    dataset: records,
  },
  'linked-datasets': inCatalogue,
  'member-ids': { ...inCatalogue, prefix: datasets },
  'newest-indexed': {},
  'newest-mark': {},
  'original-ids': { dataset: records },
  pending: {
    after: literal(String(version - 1), node('http://www.w3.org/2001/XMLSchema#integer')),
  },
  'present-resources': { resource: some },
  'scheme-owner': { scheme: node(scheme) },
  'related-named': {
    dataset: node(dataset(1)),
    record: node(recordOf(dataset(1))),
    property: [node(`${iris['dcat']}theme`)],
    naming: [node(`${iris['dct']}identifier`)],
  },
  'related-datasets': {
    target: [node(dataset(1))],
    id: [[literal(`${run} o'5`), node(dataset(5))]],
    own: [node(dataset(2))],
    self: [node(concept(1))],
    property: [node(`${iris['dcat']}theme`)],
  },
  'related-titles': { dataset: some },
  'unlinked-datasets': { prefix: datasets, after: literal('') },
  'own-catalogues': {},
  'renamed-addresses': {
    predicate: [node(`${iris['dcat']}accessURL`), node(`${iris['dcat']}landingPage`)],
    base: literal(dataset(0).slice(0, -4)),
    genid: literal(`${dataset(4)}/`),
    after: literal(dataset(2)),
  },
  vocabularies: {},
  'vocabulary-facts': { vocabulary: node(vocabulary) },
  'vocabulary-handles': {},
  'vocabulary-ids': { prefix: literal(vocabulary.slice(0, -30)) },
  'vocabulary-schemes': { vocabulary: [node(vocabulary), node(scheme)] },
}

/** Names of the queries in `sparql/`, without those below. */
export const names = readdirSync(new URL('../../sparql/', import.meta.url))
  .filter((name) => name.endsWith('.rq'))
  .map((name) => name.slice(0, -3))
  // Ask whose the store is and who writes to it: different on every store. The identity journeys and the lease contract run them.
  .filter((name) => name !== 'platform-facts' && name !== 'writer-lease')

/** Rows of this run as text. What is packed into one value is put in order, as its order is nobody's business. */
export const rowsOf = async (store: GraphStore | undefined, query: string) => {
  if (/^ASK/m.test(query)) return [String(await store?.ask(query))]
  if (/^CONSTRUCT/m.test(query)) return (await store?.construct(query))?.trim().split('\n') ?? []
  const rows = (await store?.select(query)) ?? []
  return rows
    .map((row) =>
      Object.entries(row)
        .map(([name, { value }]) => `${name}=${value.split(' ').sort().join(' ')}`)
        .sort()
        .join('; '),
    )
    .filter((text) => text.includes(run) || !/=(?:urn|https?):/.test(text))
}
