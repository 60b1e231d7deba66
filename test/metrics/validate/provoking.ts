/** Records that try shapes with every kind of value: one per class and kind, each property of the shapes with that value. */

import type { Quad, Quad_Object } from '@rdfjs/types'
import { rdf, skos, xsd } from '../../../src/rdf/namespaces.ts'
import { blankNode, literal, namedNode, quad } from '../../../src/rdf/terms.ts'

const typed: readonly (readonly [string, string])[] = [
  ['2024-01-15', 'date'],
  ['2024-13-45', 'date'],
  ['2024-01-15T10:00:00Z', 'dateTime'],
  ['2024', 'gYear'],
  ['2024-01', 'gYearMonth'],
  ['1.5', 'decimal'],
  ['12', 'nonNegativeInteger'],
  ['-12', 'nonNegativeInteger'],
  ['P1D', 'duration'],
  ['0aff', 'hexBinary'],
]
const authority = 'http://publications.europa.eu/resource/authority/'
const iris = [
  'https://example.org/some',
  'https://www.iana.org/assignments/media-types/text/csv',
  'https://sws.geonames.org/2782113/',
  'https://spdx.org/rdf/terms#checksumAlgorithm_sha1',
  'http://spdx.org/rdf/terms#checksumAlgorithm_sha1',
  'http://purl.org/adms/status/Completed',
  'http://purl.org/adms/publishertype/NationalAuthority',
  'http://purl.org/adms/licencetype/Attribution',
  `${authority}access-right/PUBLIC`,
  `${authority}country/AUT`,
  `${authority}continent/EUROPE`,
  `${authority}data-theme`,
  `${authority}data-theme/ENVI`,
  `${authority}dataset-type/CODE_LIST`,
  `${authority}distribution-status/COMPLETED`,
  `${authority}file-type/CSV`,
  `${authority}frequency/DAILY`,
  `${authority}language/ENG`,
  `${authority}planned-availability/STABLE`,
]
const schemes = ['place', 'corporate-body', 'country'].map((name) => `${authority}${name}`)

type Kind = { readonly values: readonly Quad_Object[]; readonly more: readonly Quad[] }

const alone = (...values: readonly Quad_Object[]): Kind => ({ values, more: [] })

const typedAs = (iri: string): Kind => {
  const node = namedNode('https://example.org/typed')
  return { values: [node], more: [quad(node, rdf('type'), namedNode(iri))] }
}

/** A concept of a scheme that is not shipped; with the class of publishers' types for its type. */
const within = (scheme: string): Kind => {
  const [node, type] = [namedNode('https://example.org/concept'), namedNode(iris[6] ?? '')]
  const more = [
    quad(node, skos('inScheme'), namedNode(scheme)),
    quad(node, namedNode('http://purl.org/dc/terms/type'), type),
  ]
  return { values: [node], more }
}

const kinds = (classes: readonly string[]): readonly Kind[] => [
  alone(),
  alone(literal('text')),
  alone(literal('Text', 'de')),
  alone(literal('one'), literal('two')),
  alone(blankNode('b1')),
  alone(namedNode('https://example.org/a'), namedNode('https://example.org/b')),
  alone(literal('text'), namedNode('https://example.org/a')),
  ...typed.map(([value, name]) => alone(literal(value, xsd(name)))),
  ...iris.map((iri) => alone(namedNode(iri))),
  ...classes.map(typedAs),
  ...schemes.map(within),
]

const objectsOf = (quads: readonly Quad[], name: string) =>
  [
    ...new Set(
      quads.filter((q) => q.predicate.value.endsWith(`shacl#${name}`)).map((q) => q.object),
    ),
  ]
    .filter((term) => term.termType === 'NamedNode')
    .map(({ value }) => value)

/** One record per kind of value; in it one node per class that the shapes aim at. */
export function provoking(shapes: readonly Quad[]): readonly (readonly Quad[])[] {
  const targets = [...new Set(objectsOf(shapes, 'targetClass'))]
  const paths = [...new Set([...objectsOf(shapes, 'path'), ...objectsOf(shapes, 'inversePath')])]
  const classes = [...new Set(objectsOf(shapes, 'class'))]
  return kinds(classes).map(({ values, more }) => [
    ...more,
    ...targets.flatMap((target, at) => {
      const node = namedNode(`https://example.org/node/${at}`)
      const statements = paths.flatMap((path) =>
        values.map((value) => quad(node, namedNode(path), value)),
      )
      return [quad(node, rdf('type'), namedNode(target)), ...statements]
    }),
  ])
}
