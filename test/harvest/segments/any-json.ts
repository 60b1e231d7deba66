/** Records in which anything stands anywhere, and what must hold of their mappings all the same. */

import * as fc from 'fast-check'
import type { Quad } from '@rdfjs/types'
import { isIri } from '../../../src/rdf/iri.ts'
import { fieldsOf } from '../../../src/vocabularies/loose-values.ts'
import type { Fields } from '../../../src/text/json.ts'

type Path = readonly (string | number)[]

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const steps = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  const below = steps.flatMap((step) =>
    pathsIn((value as Record<string | number, unknown>)[step], [...path, step]),
  )
  return path.length === 0 ? below : [path, ...below]
}

const hostile = fc.constantFrom(
  '',
  ' ',
  'null',
  '-',
  '{{name}}',
  '<p',
  '<a href="',
  '&#0;',
  '\ud800',
  '\u0000',
  '%',
  '%zz',
  'http://a b/<>',
  'http://[',
  'https://u:p@h.example/?apikey=1',
  'javascript:alert(1)',
  '_:b1',
  '//x',
  '..',
  'mailto:',
  'urn:x y',
  'a:b',
  'odsfile://x',
  'file:///etc/passwd',
  'rdf:type',
  '2020-13-45',
  '0001-01-01',
  '99999999999999999999',
  'R/P1D',
  '/',
  '..//..',
  '1,2,3,4',
  '9,9,9,999',
  '{"type":"Point","coordinates":[]}',
  '[',
  '__proto__',
  'constructor',
  '-1',
  '1e400',
)
const anything = fc.oneof(hostile, fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary' }))
const node = fc.record({
  '@id': anything,
  '@type': anything,
  '@value': anything,
  'dct:title': anything,
})

/** The sample with one to six values, leaves or branches, replaced by anything. */
export const disturbed = (sample: Fields): fc.Arbitrary<Fields> => {
  const change = fc.tuple(fc.constantFrom(...pathsIn(sample)), fc.oneof(anything, node))
  return fc.array(change, { minLength: 1, maxLength: 6 }).map((changes) => {
    const copy: unknown = structuredClone(sample)
    for (const [path, value] of changes) put(copy, path, value)
    return fieldsOf(copy)
  })
}

function put(root: unknown, path: Path, value: unknown): void {
  const last = path.at(-1)
  const holder = path
    .slice(0, -1)
    .reduce((at, step) => (at as Record<string | number, unknown> | undefined)?.[step], root)
  if (last !== undefined && typeof holder === 'object' && holder !== null)
    (holder as Record<string | number, unknown>)[last] = value
}

/** What is wrong with the quads of a record: IRIs that are none, and quads that nothing leads to. */
export function faultsOf(quads: readonly Quad[]): string[] {
  const bad = quads
    .flatMap(({ subject, predicate, object }) => [subject, predicate, object])
    .flatMap((term) => [term, ...(term.termType === 'Literal' ? [term.datatype] : [])])
    .filter((term) => term.termType === 'NamedNode' && !isIri(term.value))
    .map(({ value }) => `no IRI: ${value}`)
  const reached = new Set([quads[0]?.subject.value])
  for (let size = 0; size !== reached.size;) {
    size = reached.size
    for (const { subject, object } of quads)
      if (reached.has(subject.value)) reached.add(object.value)
  }
  const lost = quads
    .filter(({ subject }) => !reached.has(subject.value))
    .map(({ subject }) => `outside the record: ${subject.value}`)
  return [...bad, ...lost]
}
