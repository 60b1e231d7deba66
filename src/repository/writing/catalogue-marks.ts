/** Chooses which records have to be projected again when a catalogue is created, changed or deleted, and makes their marks. */

import type { Quad } from '@rdfjs/types'
import { isVisibility } from '../../rdf/catalogue-visibility.ts'
import type { Names } from '../../rdf/names.ts'
import { dct } from '../../rdf/namespaces.ts'
import { type Mark, markLine } from '../../store/marks.ts'
import type { RepositoryContext } from '../repository-context.ts'

/** States of a catalogue; `[]` = it does not exist. */
type CatalogueStates = {
  readonly iri: string
  readonly before: readonly Quad[]
  readonly after: readonly Quad[]
}

/** Marks of a write of a catalogue, as objects and as lines. */
type CatalogueMarks = {
  /** Mark of the catalogue itself. */
  readonly mark: Mark
  /** Marks of the catalogue and of its added and removed parts. */
  readonly marks: readonly Mark[]
  /** Lines of the system graph. */
  readonly lines: readonly string[]
  /** True when datasets have to be projected again. */
  readonly cascades: boolean
}

/** Makes marks of the catalogue (with its datasets if they embed a changed fact), and of added and removed parts with theirs. */
export function catalogueMarks(
  { names, versions }: RepositoryContext,
  { iri, before, after }: CatalogueStates,
): CatalogueMarks {
  const markOf = (resource: string): Mark => ({ resource, version: versions.next() })
  const mark = markOf(iri)
  const [formerParts, currentParts] = [partsOf(before, iri, names), partsOf(after, iri, names)]
  const parts = [...formerParts.symmetricDifference(currentParts)].map(markOf)
  // A catalogue that is created or deleted has no datasets that stay.
  const isReplaced = before.length > 0 && after.length > 0
  const differs = isReplaced && embeddedFacts(before, iri) !== embeddedFacts(after, iri)
  const cascading = [...(differs ? [mark] : []), ...parts]
  const marks = [mark, ...parts]
  return {
    mark,
    marks,
    lines: [
      ...marks.map((pending) => markLine('pending', pending)),
      ...cascading.map((cascade) => markLine('cascade', cascade)),
    ],
    cascades: cascading.length > 0,
  }
}

/** Predicates of a catalogue whose values the documents of its datasets embed. */
const embeddedPredicates = new Set(
  ['title', 'language', 'spatial', 'type', 'isPartOf', 'hasPart'].map((name) => dct(name).value),
)

/** Returns a text that differs when an embedded fact differs or the visibility, which decides whether datasets are indexed. */
const embeddedFacts = (quads: readonly Quad[], catalogue: string): string =>
  quads
    .filter(({ subject }) => subject.value === catalogue)
    .filter(
      ({ predicate }) => embeddedPredicates.has(predicate.value) || isVisibility(predicate.value),
    )
    .map(({ predicate, object }) => {
      const tag = object.termType === 'Literal' ? object.language : ''
      return JSON.stringify([predicate.value, object.value, tag])
    })
    .sort()
    .join('\n')

const hasPart = dct('hasPart').value

/** Returns the platform's catalogues that a catalogue names as parts; their documents depend on it. */
const partsOf = (quads: readonly Quad[], catalogue: string, names: Names): ReadonlySet<string> =>
  new Set(
    quads
      .filter((q) => q.subject.value === catalogue && q.predicate.value === hasPart)
      .map(({ object }) => object.value)
      .filter((part) => part !== catalogue && names.idOf('catalogue', part) !== undefined),
  )
