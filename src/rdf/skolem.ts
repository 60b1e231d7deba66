/** Skolemisation: converts blank nodes to IRIs for stores, and back (RDF 1.1 Concepts, 3.5). */
import type { NamedNode, Quad, Term } from '@rdfjs/types'
import { blankNode, namedNode, quad } from './terms.ts'

/** Replaces every blank node `b` by `{genid}{labels.get(b)}`. Throws an `Error` if a label is missing. */
export function skolemise(
  quads: Iterable<Quad>,
  options: { readonly genid: string; readonly labels: ReadonlyMap<string, string> },
): Quad[] {
  const nodes = new Map<string, NamedNode>()
  return mapTerms(quads, (term) => {
    if (term.termType !== 'BlankNode') return undefined
    const known = nodes.get(term.value)
    if (known) return known
    const label = options.labels.get(term.value)
    if (label === undefined) throw new Error(`blank node ${term.value} has no canonical label`)
    const node = namedNode(options.genid + label)
    nodes.set(term.value, node)
    return node
  })
}

type UnskolemiseOptions = {
  readonly prefix: string
  /** Selects IRIs to replace; all by default. */
  readonly isReplaced?: (iri: string) => boolean
}

/** Replaces every IRI under `prefix` by a blank node; equal IRIs give the same node, also over several calls. */
export function unskolemise(
  quads: Iterable<Quad>,
  { prefix, isReplaced }: UnskolemiseOptions,
): Quad[] {
  return mapTerms(quads, (term) =>
    term.termType === 'NamedNode' &&
    term.value.startsWith(prefix) &&
    (isReplaced === undefined || isReplaced(term.value))
      ? blankNode(`g${labelOf(term.value.slice(prefix.length))}`)
      : undefined,
  )
}

/**
 * Replaces skolem IRIs in lines as written by `toLines`, without parsing. An object is followed by the end of its line; equal
 * text inside a literal is followed by a quotation mark.
 */
export function unskolemiseLines(lines: string, { prefix }: { readonly prefix: string }): string {
  if (!lines.includes(prefix)) return lines
  return lines.replace(nodesUnder(prefix), (_, subject?: string, object?: string) =>
    subject === undefined ? ` _:g${labelOf(object ?? '')} .` : `_:g${labelOf(subject)} `,
  )
}

function nodesUnder(prefix: string): RegExp {
  const start = prefix.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  return new RegExp(`^<${start}([^>]*)> | <${start}([^>]*)> \\.$`, 'gm')
}

/**
 * Chooses the labels of a graph that was edited: nodes of `known` keep theirs, the others get their canonical label after
 * `start`, with a number where that is taken.
 */
export function keptLabels(
  canonical: ReadonlyMap<string, string>,
  { known, start = '' }: { readonly known: ReadonlyMap<string, string>; readonly start?: string },
): ReadonlyMap<string, string> {
  const taken = new Set([...canonical.keys()].flatMap((label) => known.get(label) ?? []))
  const fresh = (label: string) => {
    let name = start + label
    for (let number = 2; taken.has(name); number += 1) name = `${start}${label}-${number}`
    taken.add(name)
    return name
  }
  return new Map(
    [...canonical].map(([node, label]) => [node, known.get(node) ?? fresh(label)] as const),
  )
}

/** Converts a text to a label that is valid in every syntax; different texts give different labels. */
export const labelOf = (text: string) =>
  text.replace(/[^A-Za-z0-9]/g, (character) => `_${character.charCodeAt(0).toString(16)}_`)

type Node = ReturnType<typeof namedNode> | ReturnType<typeof blankNode>

/** Replaces terms in subject and object position; unchanged quads are kept as objects. */
function mapTerms(quads: Iterable<Quad>, rename: (term: Term) => Node | undefined): Quad[] {
  const mapped: Quad[] = []
  for (const q of quads) {
    const subject = rename(q.subject)
    const object = rename(q.object)
    mapped.push(
      subject || object ? quad(subject ?? q.subject, q.predicate, object ?? q.object, q.graph) : q,
    )
  }
  return mapped
}
