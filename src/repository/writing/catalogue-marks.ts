/** What has to be projected again when a catalogue comes, changes or goes. */

import type { Quad } from '@rdfjs/types'
import { markLine, type Mark } from '../../store/marks.ts'
import { embeddedFactsDiffer } from '../content/embedded-facts.ts'
import { partsThatDiffer } from '../content/parts.ts'
import type { RepositoryDeps } from '../deps.ts'

/** States of a catalogue: `[]` = it is not there. */
export type Turn = {
  readonly iri: string
  readonly before: readonly Quad[]
  readonly after: readonly Quad[]
}

export type CatalogueMarks = {
  /** That of the catalogue itself. */
  readonly mark: Mark
  /** Of the catalogue and of those that it names, or no longer names, as its parts. */
  readonly marks: readonly Mark[]
  /** Lines of the system graph. */
  readonly lines: readonly string[]
  /** Whether datasets are to be projected again. */
  readonly cascades: boolean
}

/** Marks the catalogue, its datasets if they embed what has changed, and its parts with theirs. */
export function catalogueMarks(
  { names, versions }: Pick<RepositoryDeps, 'names' | 'versions'>,
  { iri, before, after }: Turn,
): CatalogueMarks {
  const markOf = (resource: string): Mark => ({ resource, version: versions.next() })
  const mark = markOf(iri)
  const parts = partsThatDiffer(before, after, { catalogue: iri, names }).map(markOf)
  // A catalogue that comes or goes has no datasets that stay.
  const stays = before.length > 0 && after.length > 0
  const cascading = [...(stays && embeddedFactsDiffer(before, after, iri) ? [mark] : []), ...parts]
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
