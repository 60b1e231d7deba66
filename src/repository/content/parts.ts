/** The parts of a super catalogue: what they show in search depends on who names them. */

import type { Quad } from '@rdfjs/types'
import { dct } from '../../rdf/namespaces.ts'
import type { Names } from '../../rdf/names.ts'

const hasPart = dct('hasPart').value

const partsOf = (quads: readonly Quad[], catalogue: string, names: Names): ReadonlySet<string> =>
  new Set(
    quads
      .filter(
        ({ subject, predicate }) => subject.value === catalogue && predicate.value === hasPart,
      )
      .map(({ object }) => object.value)
      .filter((part) => part !== catalogue && names.idOf('catalogue', part) !== undefined),
  )

/** The platform's catalogues that are named as parts in one of two states of a catalogue and not in the other. */
export function partsThatDiffer(
  before: readonly Quad[],
  after: readonly Quad[],
  { catalogue, names }: { readonly catalogue: string; readonly names: Names },
): string[] {
  const [old, fresh] = [partsOf(before, catalogue, names), partsOf(after, catalogue, names)]
  return [...old.symmetricDifference(fresh)]
}
