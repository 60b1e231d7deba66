/** Says in an answer itself that it is cut, in the formats that have a place for it: headers get lost when answers are kept. */

import { resultsCut } from './description.ts'

const links: Readonly<Record<string, (body: string, link: string) => string>> = {
  'application/sparql-results+json': inJson,
  'application/json': inJson,
  'application/sparql-results+xml': inXml,
  'application/xml': inXml,
  'text/turtle': inComment,
  'application/n-triples': inComment,
  'application/n-quads': inComment,
  'application/trig': inComment,
  'text/n3': inComment,
}

// SPARQL 1.1 Query Results JSON Format, 3.1.2: "link" refers to further metadata.
function inJson(body: string, link: string): string {
  return body.replace('{"head":{', () => `{"head":{"link":[${JSON.stringify(link)}],`)
}

// SPARQL Query Results XML Format, 2.3.1: links come after the variables.
function inXml(body: string, link: string): string {
  return body.replace('</head>', () => `<link href="${link.replaceAll('&', '&amp;')}"/></head>`)
}

function inComment(body: string, link: string): string {
  return `# The answer is cut: ${link}\n${body}`
}

/** A cut answer of a media type with a link to what `Results-Cut` means; CSV, TSV, RDF/XML and JSON-LD stay as they are. */
export const markedAsCut = (body: string, mediaType: string, address: string): string =>
  links[mediaType]?.(body, resultsCut(address)) ?? body
