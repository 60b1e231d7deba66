/** What stands in one record's graph stays in that record's document. */

import { expect, test } from 'vitest'
import { graphOf } from '../../src/rdf/read.ts'
import { builder, concepts, iris, quadsOf } from './built.ts'

const publisher = '<https://a.example/office>'
const described = (id: string, name: string) =>
  `d:${id} dct:title "${id}"@en ; dct:publisher ${publisher} ; dct:spatial <urn:x:place> .
   ${publisher} a foaf:Organization ; foaf:name "${name}" . <urn:x:place> <http://www.w3.org/ns/dcat#centroid> "POINT(${name.length} 1)" .`

async function documentsOf(ids: readonly (readonly [id: string, name: string])[]) {
  const catalogue = { id: 'cat', graph: graphOf(await quadsOf('c:cat dct:title "Cat" .')) }
  const graphs = await Promise.all(ids.map(([id, name]) => quadsOf(described(id, name))))
  return ids.map(([id], at) => {
    const input = { id, iri: iris.dataset(id), version: 1, hash: 'h', catalogue }
    return builder.dataset({ ...input, graph: graphOf(graphs[at] ?? []) }).document
  })
}

test('two records of one batch that describe one IRI differently do not leak into each other', async () => {
  const batch = await documentsOf([
    ['a', 'Office'],
    ['b', 'Bureau'],
  ])
  const alone = [
    ...(await documentsOf([['a', 'Office']])),
    ...(await documentsOf([['b', 'Bureau']])),
  ]
  expect(batch).toEqual(alone)
  expect(batch.map(({ record }) => record['publisher'])).toMatchObject([
    { name: 'Office' },
    { name: 'Bureau' },
  ])
})

test('nothing is remembered of a record for the next one, or of a catalogue once it changed', async () => {
  const [first] = await documentsOf([['a', 'Office']])
  await documentsOf([['a', 'Other']])
  expect((await documentsOf([['a', 'Office']]))[0]).toEqual(first)
  const inside = async (title: string) => {
    const catalogue = { id: 'cat', graph: graphOf(await quadsOf(`c:cat dct:title "${title}" .`)) }
    const input = { id: 'a', iri: iris.dataset('a'), version: 1, hash: 'h', catalogue }
    return builder.dataset({ ...input, graph: graphOf([]) }).document.facets['catalog']
  }
  expect(await inside('One')).toEqual([{ id: 'cat', title: 'One' }])
  expect(await inside('Two')).toEqual([{ id: 'cat', title: 'Two' }])
  expect(concepts.revision).toBe(0)
})
