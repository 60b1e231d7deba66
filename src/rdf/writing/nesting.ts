/** Decides which blank nodes can be nested in the one triple that references them. */
import type { Quad } from '@rdfjs/types'
import { keyOf } from '../read.ts'

/** Maximum nesting depth; deeper nodes are labelled, because readers limit depth. */
const deepest = 12

/** Triples of a graph by subject. `roots` are written at top level, other subjects inside their parent. */
export type Nesting = {
  readonly about: ReadonlyMap<string, readonly Quad[]>
  readonly roots: readonly string[]
  /** Keys (`_:label`) of nested blank nodes. */
  readonly inside: ReadonlySet<string>
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
    const counts = about.get(key)
    if (counts) counts.push(quad)
    else about.set(key, [quad])
  }
  const counts = references(quads)
  const single = (key: string) => counts.get(key) === 1 && !labelled.has(key)
  const roots: string[] = []
  const inside = new Set<string>()
  const seen = new Set<string>()
  const plant = (root: string) => {
    roots.push(root)
    let level = [root]
    for (let depth = 0; level.length > 0; depth += 1) {
      const below: string[] = []
      for (const key of level) {
        for (const { object } of about.get(key) ?? []) {
          const child = keyOf(object)
          if (object.termType !== 'BlankNode' || !single(child) || seen.has(child)) continue
          seen.add(child)
          if (depth < deepest) {
            inside.add(child)
            below.push(child)
          } else later.push(child)
        }
      }
      level = below
    }
  }
  const later: string[] = []
  const grow = (key: string) => {
    seen.add(key)
    plant(key)
    for (let next = later.pop(); next !== undefined; next = later.pop()) {
      if (about.has(next)) plant(next)
    }
  }
  for (const key of about.keys()) if (!key.startsWith('_:') || !single(key)) grow(key)
  // Remaining subjects are in cycles without an entry.
  for (const key of about.keys()) if (!seen.has(key)) grow(key)
  return { about, roots, inside }
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
    const known = groups.get(quad.predicate.value)
    if (known) known.push(quad)
    else groups.set(quad.predicate.value, [quad])
  }
  if (groups.get(type)?.length === 0) groups.delete(type)
  return groups
}
