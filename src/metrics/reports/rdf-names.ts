/** Names of RDF as people write them, and figures as short as people read them. */

import { prefixes } from '../../rdf/namespaces.ts'

/** To one decimal, as a number. */
export const tenths = (value: number): number => Math.round(value * 10) / 10

const longestFirst = Object.entries(prefixes).sort(
  ([, one], [, other]) => other.length - one.length,
)

/** `dcat:byteSize`; an IRI of no known namespace stays whole. */
export function compact(iri: string): string {
  const found = longestFirst.find(([, namespace]) => iri.startsWith(namespace))
  if (found === undefined) return iri
  const [prefix, namespace] = found
  const local = iri.slice(namespace.length)
  return /^[\w-]+$/.test(local) ? `${prefix}:${local}` : iri
}

/** `MinCountConstraintComponent` → `min count` (SHACL 4). */
export const constraintName = (component: string): string =>
  component
    .replace(/ConstraintComponent$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
