/** Hidden catalogues: they and their datasets are stored and read by their IRIs, but neither searched nor listed. */

import type { Graph } from './read.ts'

/** The end of an IRI, after its last slash, hash or colon. */
const localNameOf = (iri: string): string => /[^/#:]*$/.exec(iri)?.[0] ?? ''

/** Whether the property says how visible a catalogue is: by its local name, in any namespace. */
export const isVisibility = (property: string): boolean => localNameOf(property) === 'visibility'

/** Whether a catalogue says that it is hidden: its visibility is an IRI with the local name `hidden`, or the literal `hidden`. */
export const isHiddenCatalogue = (graph: Graph, catalogue: string): boolean =>
  [...graph.about(catalogue)].some(
    ([property, objects]) =>
      isVisibility(property) &&
      objects.some(
        ({ termType, value }) => (termType === 'Literal' ? value : localNameOf(value)) === 'hidden',
      ),
  )
