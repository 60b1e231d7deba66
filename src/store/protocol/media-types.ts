/** Media types of query results, ours first. */

import { formats } from '../../rdf/media-types.ts'

/** SPARQL 1.1 results of SELECT and ASK: JSON, XML, CSV and TSV. */
export const solutionTypes: readonly string[] = [
  'application/sparql-results+json',
  'application/json',
  'application/sparql-results+xml',
  'application/xml',
  'text/csv',
  'text/tab-separated-values',
]

/** RDF of CONSTRUCT and DESCRIBE. */
export const graphTypes: readonly string[] = [
  formats.ntriples.mediaType,
  formats.turtle.mediaType,
  formats.rdfxml.mediaType,
  formats.jsonld.mediaType,
  formats.nquads.mediaType,
  formats.trig.mediaType,
  formats.n3.mediaType,
]
