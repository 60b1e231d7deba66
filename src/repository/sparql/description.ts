/** The service description of the public endpoint (SPARQL 1.1 Service Description). */

import type { Quad } from '@rdfjs/types'
import { rdf, rdfs, sd } from '../../rdf/namespaces.ts'
import { blankNode, literal, namedNode, quad } from '../../rdf/terms.ts'

const formats = [
  'SPARQL_Results_JSON',
  'SPARQL_Results_XML',
  'SPARQL_Results_CSV',
  'SPARQL_Results_TSV',
  'Turtle',
  'N-Triples',
  'RDF_XML',
]

/** What answers that are cut link to; the service description says what it means. */
export const resultsCut = (address: string): string => `${address}#results-cut`

const cutMeans =
  'Answers with the header Results-Cut lack rows or triples, because the whole has more rows or bytes than this endpoint gives. Ask for the rest with OFFSET, or harvest the dumps of the catalogues.'

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
    quad(namedNode(resultsCut(address)), rdfs('comment'), literal(cutMeans, 'en')),
    ...results.map((format) => quad(service, sd('resultFormat'), format)),
  ]
}
