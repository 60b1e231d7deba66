/** The service description of the public endpoint (SPARQL 1.1 Service Description). */

import type { Quad } from '@rdfjs/types'
import { rdf, sd } from '../../rdf/namespaces.ts'
import { blankNode, namedNode, quad } from '../../rdf/terms.ts'

const formats = [
  'SPARQL_Results_JSON',
  'SPARQL_Results_XML',
  'SPARQL_Results_CSV',
  'SPARQL_Results_TSV',
  'Turtle',
  'N-Triples',
  'RDF_XML',
]

/** `address` is the endpoint's own public address. */
export function serviceDescription(address: string): Quad[] {
  const service = blankNode()
  const results = formats.map((format) => namedNode(`http://www.w3.org/ns/formats/${format}`))
  return [
    quad(service, rdf('type'), sd('Service')),
    quad(service, sd('endpoint'), namedNode(address)),
    quad(service, sd('supportedLanguage'), sd('SPARQL11Query')),
    // Published data lies in named graphs; a query without GRAPH sees all of them together.
    quad(service, sd('feature'), sd('UnionDefaultGraph')),
    ...results.map((format) => quad(service, sd('resultFormat'), format)),
  ]
}
