/** What belongs to a dataset, and what only stands beside it. */

import { describe, expect, it } from 'vitest'
import { extractResource, nodeOf } from '../../../src/harvest/importing/cutting/splitter.ts'
import { size, spooled } from './builders.ts'

const cutOf = async (text: string, iri: string, graph = '') => {
  const spool = await spooled(text)
  return extractResource(spool, { term: `<https://example.org/${iri}>`, graph })
}

describe('the closure of a dataset', () => {
  it('holds blank nodes at any depth, distributions, agents and services', async () => {
    const piece = await cutOf(
      `ex:d a dcat:Dataset ; dct:publisher ex:p ;
         dcat:contactPoint [ a vcard:Kind ; vcard:hasAddress [ vcard:locality "Basel" ] ] ;
         dcat:distribution ex:x .
       ex:x a dcat:Distribution ; dcat:accessService ex:s .
       ex:s a dcat:DataService ; dct:publisher ex:p .
       ex:p a foaf:Organization ; foaf:name "P" .
       ex:stranger a foaf:Organization .`,
      'd',
    )
    expect(size(piece!.body)).toBe(13)
    expect(piece!.body).toContain('"Basel"')
    expect(piece!.body).not.toContain('stranger')
  })

  it('copies a publisher that two datasets share into each', async () => {
    const text = `ex:a a dcat:Dataset ; dct:publisher ex:p . ex:b a dcat:Dataset ; dct:publisher ex:p .
      ex:p foaf:name "Both" .`
    for (const iri of ['a', 'b']) expect((await cutOf(text, iri))!.body).toContain('"Both"')
  })

  it('ends at other datasets, series, catalogues, records and concept schemes', async () => {
    const piece = await cutOf(
      `ex:d a dcat:Dataset ; dcat:inSeries ex:s ; dct:source ex:e ; dct:isPartOf ex:c ;
         foaf:isPrimaryTopicOf ex:r ; dcat:themeTaxonomy ex:t .
       ex:s a dcat:DatasetSeries ; dct:title "no" . ex:e a dcat:Dataset ; dct:title "no" .
       ex:c a dcat:Catalog ; dct:title "no" . ex:r a dcat:CatalogRecord ; dct:title "no" .
       ex:t a skos:ConceptScheme ; dct:title "no" .`,
      'd',
    )
    expect(size(piece!.body)).toBe(6)
    expect(piece!.body).not.toContain('"no"')
  })

  it('takes a concept with its labels, but not the thesaurus around it', async () => {
    const piece = await cutOf(
      `ex:d a dcat:Dataset ; dcat:theme ex:t . ex:t a skos:Concept ; skos:prefLabel "T" ; skos:broader ex:u .
       ex:u a skos:Concept ; skos:prefLabel "U" .`,
      'd',
    )
    expect(piece!.body).toContain('"T"')
    expect(piece!.body).not.toContain('"U"')
  })

  it('contains a blank dataset that no catalogue links', async () => {
    const piece = await cutOf(
      `ex:d a dcat:Dataset ; dct:source [ a dcat:Dataset ; dct:title "inner" ] .`,
      'd',
    )
    expect(piece!.body).toContain('"inner"')
    expect(piece!.nested).toHaveLength(1)
  })

  it('survives a circle of links', async () => {
    const piece = await cutOf(
      `ex:d a dcat:Dataset ; dcat:distribution ex:x . ex:x dct:isPartOf ex:d ; dct:relation ex:x .`,
      'd',
    )
    expect(size(piece!.body)).toBe(4)
  })

  it('keeps to the graph that describes the dataset, and borrows from the default graph', async () => {
    const piece = await cutOf(
      `ex:g1 { ex:d a dcat:Dataset ; dct:publisher ex:p ; dct:creator ex:q . ex:p foaf:name "one" . }
       ex:g2 { ex:p foaf:name "two" . }
       ex:q foaf:name "all" .`,
      'd',
      '<https://example.org/g1>',
    )
    expect(piece!.body).toContain('"one"')
    expect(piece!.body).toContain('"all"')
    expect(piece!.body).not.toContain('"two"')
  })

  it('does not copy the whole list of datasets out of a service that serves hundreds', async () => {
    const served = Array.from({ length: 300 }, (_, n) => `ex:o${n}`).join(', ')
    const text = (list: string) =>
      `ex:d a dcat:Dataset ; dcat:distribution ex:x . ex:x dcat:accessService ex:s .
       ex:s dct:title "S" ; dcat:servesDataset ex:d, ${list} .`
    const wide = await cutOf(text(served), 'd')
    expect(size(wide!.body)).toBe(5)
    const narrow = await cutOf(text('ex:o1, ex:o2'), 'd')
    expect(size(narrow!.body)).toBe(7)
  })

  it('is refused when it runs into the hundreds of thousands', async () => {
    const many = Array.from({ length: 201_000 }, (_, n) => `<https://example.org/v> ex:n ${n} .`)
    expect(await cutOf(`ex:d a dcat:Dataset ; dct:relation ex:v . ${many.join('\n')}`, 'd')).toBe(
      undefined,
    )
  })
})

describe('the object of a line', () => {
  it.each([
    ['<a:s> <a:p> <a:o> .', '<a:o>'],
    ['_:b1 <a:p> _:b2 .', '_:b2'],
    ['<a:s> <a:p> "<a:o> ." .', undefined],
    ['<a:s> <a:p> "x"^^<a:t> .', undefined],
  ])('%s', (line, node) => {
    expect(nodeOf(line)).toBe(node)
  })
})
