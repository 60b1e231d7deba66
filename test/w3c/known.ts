/** The cases of the W3C suites that fail, each with its reason. A case that begins to pass has to leave this list. */

const earlier = 'JSON-LD 1.0 only: the reader speaks 1.1, which says the opposite'
const option = 'needs an option of the API that a document sent by HTTP cannot set'
const remote =
  'names a context on another host: nothing is fetched for a body, the answer says which context it is'
const strict =
  'the suite wants the statement dropped in silence: a body that loses something is refused with its line'
const noIri = 'makes IRIs with two "#", which RFC 3987 does not know'
const nest = 'property-scoped contexts of @nest, which jsonld 9.0 does not read'
const generalised = 'blank nodes as predicates, which RDF 1.1 does not know'

const reasons: Readonly<Record<string, string>> = {
  t0118: generalised,
  tc029: earlier,
  tc031: remote,
  tc034: remote,
  tc037: nest,
  tc038: nest,
  tdi09: option,
  tdi10: option,
  tdi11: option,
  tdi12: option,
  te014: earlier,
  te026: earlier,
  te060: strict,
  te071: earlier,
  te075: generalised,
  te077: option,
  te111: noIri,
  te112: noIri,
  te115: earlier,
  te116: earlier,
  te126: remote,
  te127: remote,
  te128: remote,
  tep02: earlier,
  ter21: earlier,
  ter24: earlier,
  ter32: earlier,
  ter42: earlier,
  tli12: strict,
  tli14: strict,
  tso05: remote,
  tso06: remote,
  tso08: remote,
  tso09: remote,
  tso11: remote,
  ttn01: earlier,
  twf01: strict,
  twf03: strict,
  twf04: strict,
  twf05: strict,
  twf07: strict,
}

/** Case → why it fails. All cases of RDF 1.1 pass. */
export const known: ReadonlyMap<string, string> = new Map(
  Object.entries(reasons).map(([name, reason]) => [`json-ld#${name}`, reason]),
)
