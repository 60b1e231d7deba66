/** Removes what a write must not carry: named subjects, and the blank nodes that hung on them alone. */

import type { Quad } from '@rdfjs/types'
import { keyOf } from '../../rdf/read.ts'

const blankObject = (quad: Quad): string | undefined =>
  quad.object.termType === 'BlankNode' ? keyOf(quad.object) : undefined

/**
 * The quads without those that `drop` names, and without blank nodes that only dropped quads pointed to. Blank nodes that
 * nothing pointed to in the first place stay: they are the sender's. Linear in the number of quads.
 */
export function prune(quads: readonly Quad[], drop: (quad: Quad) => boolean): Quad[] {
  const gone = quads.filter(drop)
  if (gone.length === 0) return [...quads]
  const dropped = new Set(gone)
  const about = new Map<string, Quad[]>()
  const references = new Map<string, number>()
  for (const quad of quads) {
    if (dropped.has(quad)) continue
    const object = blankObject(quad)
    if (object !== undefined) references.set(object, (references.get(object) ?? 0) + 1)
    if (quad.subject.termType !== 'BlankNode') continue
    const key = keyOf(quad.subject)
    const known = about.get(key)
    if (known) known.push(quad)
    else about.set(key, [quad])
  }
  // The list grows while it is walked: what a dropped node pointed to may have lost its last reference.
  for (const quad of gone) {
    const object = blankObject(quad)
    if (object === undefined || (references.get(object) ?? 0) > 0) continue
    for (const below of about.get(object) ?? []) {
      if (dropped.has(below)) continue
      dropped.add(below)
      gone.push(below)
      const next = blankObject(below)
      if (next !== undefined) references.set(next, (references.get(next) ?? 1) - 1)
    }
  }
  return quads.filter((quad) => !dropped.has(quad))
}
