/**
 * Visibility of catalogues. The repository reads and lists hidden catalogues and their datasets; search, related datasets and
 * figures omit them.
 */

import type { Graph } from './read.ts'
import { lastName } from './iri.ts'

/** Whether a property states the visibility of a catalogue: by its local name, in any namespace. */
export const isVisibility = (property: string): boolean => lastName(property) === 'visibility'

/** Whether a catalogue is hidden: its visibility is an IRI with the local name `hidden`, or the literal `hidden`. */
export const isHiddenCatalogue = (graph: Graph, catalogue: string): boolean =>
  [...graph.about(catalogue)].some(
    ([property, objects]) =>
      isVisibility(property) &&
      objects.some(
        ({ termType, value }) => (termType === 'Literal' ? value : lastName(value)) === 'hidden',
      ),
  )
