/** Decides which blank nodes can be nested in the one triple that references them. */
import type { Quad } from '@rdfjs/types'
import { keyOf } from '../read.ts'

/** Maximum nesting depth; deeper nodes are labelled, because readers limit depth. */
const maxDepth = 12

/** Triples of a graph by subject. `roots` are written at top level, other subjects inside their parent. */
export type Nesting = {
  readonly about: ReadonlyMap<string, readonly Quad[]>
  readonly roots: readonly string[]
  /** Keys (`_:label`) of nested blank nodes. */
  readonly nested: ReadonlySet<string>
}

/** `_:label` → number of triples of the document that reference it. */
function references(quads: readonly Quad[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { object } of quads) {
    if (object.termType !== 'BlankNode') continue
    const key = keyOf(object)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** Groups the distinct triples of one graph; keys in `labelled` (nodes of several graphs) are never nested. */
export function nest(quads: readonly Quad[], labelled: ReadonlySet<string> = new Set()): Nesting {
  const about = new Map<string, Quad[]>()
  for (const quad of quads) {
    const key = keyOf(quad.subject)
    const subjectQuads = about.get(key)
    if (subjectQuads) subjectQuads.push(quad)
    else about.set(key, [quad])
  }
  const counts = references(quads)
  const isNestable = (key: string) => counts.get(key) === 1 && !labelled.has(key)
  const roots: string[] = []
  const nested = new Set<string>()
  const visited = new Set<string>()
  const addRoot = (root: string) => {
    roots.push(root)
    let level = [root]
    for (let depth = 0; level.length > 0; depth += 1) {
      const children: string[] = []
      for (const key of level) {
        for (const { object } of about.get(key) ?? []) {
          const child = keyOf(object)
          if (object.termType !== 'BlankNode' || !isNestable(child) || visited.has(child)) continue
          visited.add(child)
          if (depth < maxDepth) {
            nested.add(child)
            children.push(child)
          } else tooDeep.push(child)
        }
      }
      level = children
    }
  }
  const tooDeep: string[] = []
  const addTree = (key: string) => {
    visited.add(key)
    addRoot(key)
    for (let next = tooDeep.pop(); next !== undefined; next = tooDeep.pop()) {
      if (about.has(next)) addRoot(next)
    }
  }
  for (const key of about.keys()) if (!key.startsWith('_:') || !isNestable(key)) addTree(key)
  // Remaining subjects are in cycles without an entry.
  for (const key of about.keys()) if (!visited.has(key)) addTree(key)
  return { about, roots, nested }
}

/** Keys of all blank nodes; labelled nodes may occur in other parts of a document. */
export const blankNodesOf = (quads: readonly Quad[]): Set<string> =>
  new Set(
    quads.flatMap(({ subject, object }) =>
      [subject, object].flatMap((term) => (term.termType === 'BlankNode' ? keyOf(term) : [])),
    ),
  )

/** Triples of a subject by predicate, `rdf:type` first, otherwise in order. */
export function byPredicate(quads: readonly Quad[]): Map<string, Quad[]> {
  const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'
  const groups = new Map<string, Quad[]>([[type, []]])
  for (const quad of quads) {
    const group = groups.get(quad.predicate.value)
    if (group) group.push(quad)
    else groups.set(quad.predicate.value, [quad])
  }
  if (groups.get(type)?.length === 0) groups.delete(type)
  return groups
}
