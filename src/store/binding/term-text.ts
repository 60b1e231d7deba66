/** RDF terms as SPARQL text that cannot be read as anything else. */

import type { Term } from '@rdfjs/types'
import { shortEscapes } from '../../rdf/lines.ts'
import { rdf, xsd } from '../../rdf/namespaces.ts'

const xsdString = xsd('string').value
const langString = rdf('langString').value

// A backslash before u is written `\\` + an escaped u: stores that decode \uXXXX before they parse (SPARQL 1.1, 19.2)
// would otherwise see a quotation mark in what is text.
const escapes: Readonly<Record<string, string>> = {
  ...shortEscapes,
  '\\u': '\\\\\\u0075',
  '\\U': '\\\\\\u0055',
}

const escape = (value: string) =>
  value.replace(/\\[uU]|["\\\n\r\t\b\f]/g, (found) => escapes[found] ?? '')

/** `<iri>`; an Error for anything that would not be one IRI token. */
function iriText(iri: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what must not get through
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:[^\u0000-\u0020<>"{}|^`\\\u007F-\u009F]*$/.test(iri)) {
    throw new Error(`not an absolute IRI: ${JSON.stringify(iri)}`)
  }
  if (!iri.isWellFormed()) throw new Error('an IRI with half a character')
  return `<${iri}>`
}

function literalText(value: string, language: string, datatype: string): string {
  if (!value.isWellFormed()) throw new Error('a literal with half a character')
  const text = `"${escape(value)}"`
  if (language !== '') {
    if (!/^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/.test(language)) {
      throw new Error(`not a language tag: ${JSON.stringify(language)}`)
    }
    return `${text}@${language}`
  }
  return datatype === xsdString || datatype === langString ? text : `${text}^^${iriText(datatype)}`
}

/** A named node or literal in SPARQL. Others (blank nodes, variables) are an Error: they would change the query. */
export function sparqlText(term: Term): string {
  if (term.termType === 'NamedNode') return iriText(term.value)
  if (term.termType === 'Literal') {
    return literalText(term.value, term.language, term.datatype.value)
  }
  throw new Error(`a ${term.termType} cannot be bound`)
}
