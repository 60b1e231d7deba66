/** The blank nodes of a vocabulary, under names that the same vocabulary gets again. */

import { hash } from 'node:crypto'
import type { Quad, Term } from '@rdfjs/types'
import { canonicalise } from '../../rdf/canonical.ts'
import { toLine } from '../../rdf/lines.ts'
import { skolemise } from '../../rdf/skolem.ts'
import { blankNode, namedNode, quad } from '../../rdf/terms.ts'

const isBlank = (term: Term) => term.termType === 'BlankNode'

export const hasBlankNodes = ({ subject, object }: Quad): boolean =>
  isBlank(subject) || isBlank(object)

/** Lines without ends, sorted: what is stored, and what is hashed, which differ in the names of blank nodes. */
export type Named = { readonly stored: readonly string[]; readonly hashed: readonly string[] }

const sortedLines = (quads: readonly Quad[]) => [...new Set(quads.map(toLine))].sort()

/**
 * Canonical labels. They are a function of the triples with blank nodes alone, because ground triples of a graph have no part
 * in them: the hash over these lines and the ground ones is the one of `canonicalise` over the whole graph.
 */
export async function canonicallyNamed(
  quads: readonly Quad[],
  genid: string,
  work: number | undefined,
): Promise<Named> {
  const { labels } = await canonicalise(quads, { work })
  const labelled = (term: Quad['subject'] | Quad['object']) =>
    isBlank(term) ? blankNode(labels.get(term.value) ?? '') : term
  const renamed = quads.map(({ subject, predicate, object }) => {
    const about = labelled(subject)
    return quad(about.termType === 'Literal' ? subject : about, predicate, labelled(object))
  })
  return { stored: sortedLines(skolemise(quads, { genid, labels })), hashed: sortedLines(renamed) }
}

/** Readers put a mark of the parse in front of a label; what follows is a function of the document. */
const parseMark = /^p\d+_/

/**
 * Names by the document, for vocabularies with too many blank nodes to compare: 24 hex digits of SHA-256 over the label that
 * the node has there, or over how many came before it without one. The same document gives the same names; another document
 * of the same graph gives others.
 */
export function nameByDocument(genid: string): (one: Quad) => Quad {
  const named = <T extends Term>(term: T) =>
    isBlank(term)
      ? namedNode(genid + hash('sha256', term.value.replace(parseMark, ''), 'hex').slice(0, 24))
      : term
  return ({ subject, predicate, object }) => quad(named(subject), predicate, named(object))
}
