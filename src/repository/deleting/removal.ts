/** What it takes to take one dataset away. */

import { toLine } from '../../rdf/lines.ts'
import { dcat } from '../../rdf/namespaces.ts'
import type { Names } from '../../rdf/names.ts'
import { namedNode, quad } from '../../rdf/terms.ts'
import type { Change } from '../../store/graph-store.ts'
import { markLine, systemChange, type Mark } from '../../store/marks.ts'

/** The changes that take one dataset away, with its links and its metrics; without marks the index is not told. */
export function removal(
  names: Names,
  dataset: { readonly catalogue: string; readonly id: string },
  marks: readonly Mark[],
): Change[] {
  const { catalogue, id } = dataset
  return [
    { graph: names.dataset(id), drop: true },
    { graph: names.metrics(id), drop: true },
    { graph: names.catalogue(catalogue), remove: linkLines(names, dataset) },
    ...(marks.length > 0
      ? [systemChange({ add: marks.map((mark) => markLine('pending', mark)) })]
      : []),
  ]
}

/** The lines by which a catalogue links a dataset and its record. */
export function linkLines(
  names: Names,
  { catalogue, id }: { readonly catalogue: string; readonly id: string },
): string[] {
  const subject = namedNode(names.catalogue(catalogue))
  return [
    toLine(quad(subject, dcat('dataset'), namedNode(names.dataset(id)))),
    toLine(quad(subject, dcat('record'), namedNode(names.record(id)))),
  ]
}
