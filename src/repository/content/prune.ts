/** Removes what a write must not carry: named subjects, and the blank nodes that hung on them alone. */

import type { Quad, Term } from '@rdfjs/types'
import { keyOf } from '../../rdf/read.ts'

const isBlank = (term: Term) => term.termType === 'BlankNode'

/**
 * The quads without those that `drop` names, and without blank nodes that only dropped quads pointed to. Blank nodes that
 * nothing pointed to in the first place stay: they are the sender's.
 */
export function prune(quads: readonly Quad[], drop: (quad: Quad) => boolean): Quad[] {
  let kept = quads.filter((quad) => !drop(quad))
  let gone = quads.filter(drop)
  while (gone.length > 0) {
    const referenced = new Set(kept.filter((q) => isBlank(q.object)).map((q) => keyOf(q.object)))
    const orphans = new Set(
      gone
        .filter((q) => isBlank(q.object))
        .map((q) => keyOf(q.object))
        .filter((key) => !referenced.has(key)),
    )
    if (orphans.size === 0) break
    gone = kept.filter((q) => orphans.has(keyOf(q.subject)))
    kept = kept.filter((q) => !orphans.has(keyOf(q.subject)))
  }
  return kept
}
