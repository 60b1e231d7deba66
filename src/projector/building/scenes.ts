/** The scene of a record, and the list of complaints that grows while it is being mapped. */

import type { Term } from '@rdfjs/types'
import type { Graph } from '../../rdf/read.ts'
import type { CatalogueFacts, Report, Scene } from '../mappings/mapping.ts'
import type { BuilderDeps } from './deps.ts'

type Record = {
  readonly id: string
  readonly iri: string
  readonly graph: Graph
  readonly language: string
  readonly catalogue?: CatalogueFacts
  readonly metrics?: Graph
  /** IRI of the catalogue record; by default that of a dataset. */
  readonly recordIri?: string
}

const longest = 200

/** Blank nodes have no name that would mean anything to a reader. */
function shown(value: string | Term, genidPrefix: string): string {
  const isTerm = typeof value !== 'string'
  const text = isTerm ? value.value.trim() : value
  const isBlank = isTerm && (value.termType === 'BlankNode' || text.startsWith(genidPrefix))
  if (isBlank) return '[]'
  return text.length > longest ? text.slice(0, longest).replace(/[\ud800-\udbff]$/, '') : text
}

/** The scene of a record and the reports that mapping it leaves behind. */
export function sceneOf(
  { names, concepts }: Pick<BuilderDeps, 'names' | 'concepts'>,
  record: Record,
): { readonly scene: Scene; readonly reports: readonly Report[] } {
  const reports: Report[] = []
  const { genidPrefix } = names
  const scene: Scene = {
    recordIri: names.record(record.id),
    ...record,
    resource: record.iri,
    concepts,
    genidPrefix,
    report: (field, problem, value) => {
      reports.push({ resource: record.iri, field, problem, value: shown(value, genidPrefix) })
    },
  }
  return { scene, reports }
}
