import { expect, test } from 'vitest'
import { dcat, dct, foaf } from '../../src/rdf/namespaces.ts'
import { parse } from '../../src/rdf/parse.ts'
import {
  closure,
  firstObject,
  graphOf,
  instances,
  isA,
  keyOf,
  literalOf,
  textOf,
} from '../../src/rdf/read.ts'
import { blankNode, namedNode } from '../../src/rdf/terms.ts'

const graph = graphOf(
  await parse(
    `@prefix : <http://e/> . @prefix dcat: <http://www.w3.org/ns/dcat#> .
     @prefix dct: <http://purl.org/dc/terms/> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
     :d a dcat:Dataset, dcat:Resource ; dct:title :odd, "Titel"@de, "Title"@en ; dct:publisher _:p ;
       dcat:distribution :x ; dct:relation _:loop .
     _:p foaf:name "P" ; foaf:member [ foaf:name "M" ] . _:loop dct:relation _:loop .
     :x a dcat:Distribution ; dct:license [ dct:title "L" ] . :other dct:publisher _:p .`,
    'turtle',
    { baseIri: 'http://e/' },
  ),
)
const d = 'http://e/d'

test('objects come in the order of the triples, none is an empty list', () => {
  expect(graph.objects(d, dct('title')).map(({ value }) => value)).toEqual([
    'http://e/odd',
    'Titel',
    'Title',
  ])
  expect(graph.objects(namedNode(d), dct('title').value)).toHaveLength(3)
  expect(graph.objects('http://e/absent', dct('title'))).toEqual([])
  expect(graph.objects(d, dct('absent'))).toEqual([])
})

test('readers find the first, the first literal, the first IRI', () => {
  expect(firstObject(graph, d, dct('title'))?.value).toBe('http://e/odd')
  expect(literalOf(graph, d, dct('title'))?.language).toBe('de')
  expect(textOf(graph, d, dct('title'))).toBe('Titel')
  expect(textOf(graph, d, dct('absent'))).toBeUndefined()
})

test('classes are told by any rdf:type', () => {
  expect(isA(graph, d, dcat('Resource'))).toBe(true)
  expect(isA(graph, d, dcat('Distribution'))).toBe(false)
  expect(instances(graph, dcat('Dataset'))).toEqual([d])
})

test('nodes can be found by what they point to, blank nodes by their key', () => {
  const publisher = firstObject(graph, d, dct('publisher'))
  expect(publisher && graph.subjectsOf(dct('publisher'), publisher)).toEqual([d, 'http://e/other'])
  expect(publisher && textOf(graph, keyOf(publisher), foaf('name'))).toBe('P')
  expect(keyOf(blankNode('b'))).toBe('_:b')
  expect([...graph.predicates('http://e/other')]).toEqual([dct('publisher').value])
})

test('a closure goes through blank nodes, once through circles, and further only where told', () => {
  const own = closure(graph, d)
  expect(own).toHaveLength(8 + 2 + 1 + 1)
  const more = closure(graph, d, ({ predicate }) => predicate.equals(dcat('distribution')))
  expect(more).toHaveLength(own.length + 3)
  expect(graph.quads()).toHaveLength(graph.size)
  expect([...graph.subjects()]).toHaveLength(7)
})
