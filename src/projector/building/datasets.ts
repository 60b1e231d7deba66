/** Documents of datasets. */

import { dcat } from '../../rdf/namespaces.ts'
import type { Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { columnsOf } from '../indexing/columns.ts'
import type { JsonObject } from '../mappings/json.ts'
import type { Slot } from '../mappings/mapping.ts'
import { fieldsOf } from '../mappings/nested.ts'
import { slotsOf } from '../mappings/slots.ts'
import { assembler } from './assembling.ts'
import { inCatalogue, type CatalogueReader } from './catalogues.ts'
import type { BuilderDeps, Built } from './deps.ts'
import { sceneOf } from './scenes.ts'

export type DatasetInput = {
  readonly id: string
  /** IRI of the dataset. */
  readonly iri: string
  readonly version: number
  readonly hash: string
  /** Dataset, distributions and catalogue record. */
  readonly graph: Graph
  readonly catalogue: { readonly id: string; readonly graph: Graph }
  readonly metrics?: Graph
}

const distribution = dcat('distribution').value

/** Names of fields that are arrays even without a value. */
const arrays = (slots: readonly Slot[]): readonly string[] =>
  slots
    .filter(({ paths, site }) => paths.includes(distribution) && !site.single)
    .map(({ field }) => field.name)

/** The builder of dataset documents. */
export function datasetBuilder(deps: BuilderDeps, read: CatalogueReader) {
  const { fields } = deps.profile.dataset
  const slots = slotsOf(fields)
  const always = arrays(slots)
  const assemble = assembler(deps, 'dataset', columnsOf(fields))
  return (input: DatasetInput): Built => {
    const { facts } = read(input.catalogue)
    const { id, iri, version, hash, graph, metrics } = input
    const { languages } = facts
    const language = languages[0] ?? 'en'
    const { scene, reports } = sceneOf(deps, {
      id,
      iri,
      graph,
      language,
      catalogue: facts,
      ...(metrics && { metrics }),
    })
    const found = fieldsOf(namedNode(iri), slots, scene) ?? {}
    const absent = always.filter((name) => !(name in found)).map((name) => [name, []])
    const mapped: JsonObject = { ...found, ...Object.fromEntries(absent) }
    const record = deps.enrich?.(mapped, 'dataset', language) ?? mapped
    const catalogue = inCatalogue(facts)
    return {
      document: assemble({ id, version, hash, record, languages, catalogue }),
      reports,
    }
  }
}
