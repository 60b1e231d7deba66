/** The facts of a catalogue that its datasets embed in search, or that decide whether they are there at all: when one changes, they are projected again. */

import type { Quad } from '@rdfjs/types'
import { dct } from '../../rdf/namespaces.ts'

const embedded = new Set(
  ['title', 'language', 'spatial', 'type', 'isPartOf', 'hasPart'].map((name) => dct(name).value),
)

/** In any namespace: the platform takes the word wherever it comes from. */
const isVisibility = (iri: string) => /(^|[/#:])visibility$/.test(iri)

const facts = (quads: readonly Quad[], catalogue: string): string =>
  quads
    .filter((q) => q.subject.value === catalogue)
    .filter((q) => embedded.has(q.predicate.value) || isVisibility(q.predicate.value))
    .map((q) => {
      const tag = q.object.termType === 'Literal' ? q.object.language : ''
      return JSON.stringify([q.predicate.value, q.object.value, tag])
    })
    .sort()
    .join('\n')

export const embeddedFactsDiffer = (
  before: readonly Quad[],
  after: readonly Quad[],
  catalogue: string,
): boolean => facts(before, catalogue) !== facts(after, catalogue)
