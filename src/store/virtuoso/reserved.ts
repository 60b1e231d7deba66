/** Names by which a query would reach the SQL engine behind Virtuoso's SPARQL. */

import { xsd } from '../../rdf/namespaces.ts'

const engine =
  /^(?:bif|sql|xpf|rdfdf|box|long|sqlval|short|iri_id):|^http:\/\/www\.openlinksw\.com\/schemas\/(?:bif|sql|sparql)/i

/** Functions that SPARQL 1.1 itself knows by IRI: the casts (17.5). All others would be looked for among SQL's. */
const casts = new Set(
  'boolean double float decimal integer dateTime string date time'
    .split(' ')
    .map((name) => xsd(name).value),
)

export const isReservedName = (iri: string, isFunction: boolean): boolean =>
  engine.test(iri) || (isFunction && !casts.has(iri))
