/** How Virtuoso 7 keeps the terms of a triple, measured with 7.2.5.1 by CONSTRUCT and by SELECT. */

import { Failure } from '../../errors.ts'
import { rdf } from '../../rdf/namespaces.ts'
import type { Fidelity } from '../remote/dialect.ts'
import { hidden, lineOf, shown, valueOf, xsdName, type Value } from '../remote/values.ts'
import { numberFate, numberKey, type Fate } from './numbers.ts'
import { timeFate, timeKey } from './times.ts'

/** Datatypes of XML Schema that it does not look into. */
const texts = new Set(
  (
    'string normalizedString token language Name NCName NMTOKEN NMTOKENS ID IDREF IDREFS ENTITY ENTITIES QName NOTATION ' +
    'anyURI hexBinary base64Binary anyType anySimpleType anyAtomicType'
  ).split(' '),
)

// It parses XML literals and prints them anew, reads geometries into its own type with other digits, and has no durations.
const reinterpreted = new Set([
  rdf('XMLLiteral').value,
  rdf('langString').value,
  rdf('dirLangString').value,
  'http://www.opengis.net/ont/geosparql#wktLiteral',
])
const foreign = /^(?:http:\/\/www\.openlinksw\.com\/schemas\/virtrdf#|urn:cartulary:literal:)/

function fateOf({ datatype, lexical }: Value): Fate {
  const name = xsdName(datatype)
  if (name === undefined) {
    return reinterpreted.has(datatype) || foreign.test(datatype) ? 'damaged' : 'exact'
  }
  if (texts.has(name)) return 'exact'
  return numberFate(name, lexical) ?? timeFate(name, lexical) ?? 'damaged'
}

/** IRIs that it holds for names of blank nodes, and for addresses on itself. */
const seized = /<(?:nodeID:\/\/|local:)/
const seizedTerm =
  /^(?:<[^>]*> ){0,2}<(?:nodeID:\/\/|local:)|"\^\^<(?:nodeID:\/\/|local:)[^>]*> \.$/

function check(line: string): void {
  if (!seized.test(line) || !seizedTerm.test(line)) return
  throw new Failure(
    'invalid-content',
    'The triplestore cannot keep IRIs that begin with nodeID:// or local:.',
    { errors: [{ detail: line.slice(0, 200) }] },
  )
}

/** Checks the name of a graph; `Failure` invalid-content. */
export const checkName = (graph: string): void => check(`<${graph}>`)

function keyOf(line: string): string {
  const value = valueOf(line)
  if (!value) return line
  const { head, lexical, language, datatype } = value
  if (language !== '') return lineOf({ ...value, language: language.toLowerCase() })
  const name = xsdName(datatype)
  if (name === undefined || fateOf(value) === 'damaged') return line
  if (numberFate(name, lexical)) return `${head}${numberKey(name, lexical)}" number`
  return timeFate(name, lexical) ? `${head}${timeKey(name, lexical)}" time` : line
}

/** What would be damaged goes under an opaque datatype; what is only respelt has a note. */
export const virtuosoFidelity: Fidelity = {
  encode: (line) => {
    check(line)
    const value = valueOf(line)
    if (!value) return { line, exact: true }
    const { language } = value
    if (language !== '') {
      const lower = language.toLowerCase()
      return { line: lineOf({ ...value, language: lower }), exact: lower === language }
    }
    const fate = fateOf(value)
    return fate === 'damaged'
      ? { line: hidden(line), exact: true }
      : { line, exact: fate === 'exact' }
  },
  decode: shown,
  key: keyOf,
}
