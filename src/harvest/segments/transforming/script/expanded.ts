/** Quads as expanded JSON-LD (JSON-LD 1.1, 9): one node object per subject, nothing nested, nothing shortened. */

import type { Quad, Term } from '@rdfjs/types'
import { dcat, rdf, xsd } from '../../../../rdf/namespaces.ts'

type Value =
  | { readonly '@id': string }
  | { readonly '@value': string; readonly '@language'?: string; readonly '@type'?: string }
type Node = Record<string, string | string[] | Value[]>

const type = rdf('type').value
const text = xsd('string').value
const dataset = dcat('Dataset').value

/** Datasets come first, then the others in the order of their first triple. Graph names are left out. */
export function expanded(quads: Iterable<Quad>): Node[] {
  const nodes = new Map<string, Node>()
  for (const { subject, predicate, object } of quads) {
    const id = nameOf(subject)
    const node = nodes.get(id) ?? { '@id': id }
    nodes.set(id, node)
    if (predicate.value === type && object.termType !== 'Literal') {
      put(node, '@type', nameOf(object))
    } else put(node, predicate.value, valueOf(object))
  }
  const isDataset = (node: Node) => [node['@type'] ?? []].flat().some((name) => name === dataset)
  const all = [...nodes.values()]
  return [...all.filter(isDataset), ...all.filter((node) => !isDataset(node))]
}

function put(node: Node, key: string, value: string | Value): void {
  // A predicate that JSON would take for something else is a key like every other.
  const old = Object.hasOwn(node, key) ? node[key] : undefined
  const list = Array.isArray(old) ? [...old, value] : [value]
  Object.defineProperty(node, key, { value: list, enumerable: true, configurable: true })
}

const nameOf = (term: Term) => (term.termType === 'BlankNode' ? `_:${term.value}` : term.value)

function valueOf(term: Term): Value {
  if (term.termType !== 'Literal') return { '@id': nameOf(term) }
  const { value, language, datatype } = term
  if (language !== '') return { '@value': value, '@language': language }
  return datatype.value === text
    ? { '@value': value }
    : { '@value': value, '@type': datatype.value }
}
