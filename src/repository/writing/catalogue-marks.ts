/** Marks for projecting again when a catalogue is created, changed or deleted. */

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

/** Marks in the forms that the writer needs: to wait for, to report, and as lines of the write. */
type CatalogueMarks = {
  /** Mark of the catalogue itself. */
  readonly mark: Mark
  /** Marks of the catalogue and of its former and current parts. */
  readonly marks: readonly Mark[]
  /** Lines of the system graph. */
  readonly lines: readonly string[]
  /** True when datasets have to be projected again. */
  readonly cascades: boolean
}

/** Marks the catalogue, its datasets if they embed a changed fact, and its parts with theirs. */
export function catalogueMarks(
  { names, versions }: RepositoryContext,
  { iri, before, after }: CatalogueStates,
): CatalogueMarks {
  const markOf = (resource: string): Mark => ({ resource, version: versions.next() })
  const mark = markOf(iri)
  const [old, fresh] = [partsOf(before, iri, names), partsOf(after, iri, names)]
  const parts = [...old.symmetricDifference(fresh)].map(markOf)
  // A catalogue that is created or deleted has no datasets that stay.
  const stays = before.length > 0 && after.length > 0
  const differs = stays && facts(before, iri) !== facts(after, iri)
  const cascading = [...(differs ? [mark] : []), ...parts]
  const marks = [mark, ...parts]
  return {
    mark,
    marks,
    lines: [
      ...marks.map((one) => markLine('pending', one)),
      ...cascading.map((one) => markLine('cascade', one)),
    ],
    cascades: cascading.length > 0,
  }
}

/** Facts of a catalogue that its datasets embed; its visibility decides whether they are searchable. */
const embedded = new Set(
  ['title', 'language', 'spatial', 'type', 'isPartOf', 'hasPart'].map((name) => dct(name).value),
)

/** Returns a text that differs when one of these facts differs. */
const facts = (quads: readonly Quad[], catalogue: string): string =>
  quads
    .filter(({ subject }) => subject.value === catalogue)
    .filter(({ predicate }) => embedded.has(predicate.value) || isVisibility(predicate.value))
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
