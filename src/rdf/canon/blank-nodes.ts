/** The blank nodes of a graph as a structure: what each says, and who points to it. */
import type { Quad, Term } from '@rdfjs/types'
import { bracketed, termText } from '../lines.ts'

/** `object` is another blank node, or any other term as N-Triples. */
type Says = { readonly predicate: string; readonly object: Blank | string }
/** `subject` is another blank node, or an IRI as N-Triples. */
type PointedAt = { readonly predicate: string; readonly subject: Blank | string }

export class Blank {
  readonly name: string
  readonly says: Says[] = []
  readonly pointedAt: PointedAt[] = []
  /** Triples to blank nodes whose content is not known yet. */
  pending = 0
  /** SHA-256 over what it says, nodes below included; `''` when it is not the top of a tree. */
  content = ''
  /** The canonical label; `''` until known. */
  label = ''
  constructor(name: string) {
    this.name = name
  }
}

/** Nodes by their label in the input, from distinct triples. */
export function blankNodes(quads: readonly Quad[]): Map<string, Blank> {
  const nodes = new Map<string, Blank>()
  const node = (term: Term): Blank | undefined => {
    if (term.termType !== 'BlankNode') return undefined
    let found = nodes.get(term.value)
    if (!found) nodes.set(term.value, (found = new Blank(term.value)))
    return found
  }
  for (const quad of quads) {
    const subject = node(quad.subject)
    const object = node(quad.object)
    if (!subject && !object) continue
    const predicate = bracketed(quad.predicate.value)
    subject?.says.push({ predicate, object: object ?? termText(quad.object) })
    object?.pointedAt.push({ predicate, subject: subject ?? termText(quad.subject) })
    if (subject && object) subject.pending += 1
  }
  return nodes
}
