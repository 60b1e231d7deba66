/** Terms as a reader of reports knows them, and the terms of vocabularies that only mappings write. */
import type { NamedNode } from '@rdfjs/types'
import { prefixes } from '../../../../rdf/namespaces.ts'
import { namedNode } from '../../../../rdf/terms.ts'

/** `dct:title` for a term of a known namespace, else its IRI. */
export function nameOf({ value }: NamedNode): string {
  const found = Object.entries(prefixes).find(([, namespace]) => value.startsWith(namespace))
  return found ? `${found[0]}:${value.slice(found[1].length)}` : value
}

export const adms = (name: string): NamedNode => namedNode(`http://www.w3.org/ns/adms#${name}`)
