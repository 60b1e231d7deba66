/** Documents of custom resource types. */

import type { ResourceType } from '../../profile/fields.ts'
import type { Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { columnsOf } from '../indexing/columns.ts'
import { fieldsOf } from '../mappings/nested.ts'
import { slotsOf } from '../mappings/slots.ts'
import { assembler } from './assembling.ts'
import { inCatalogue, type CatalogueReader } from './catalogues.ts'
import type { BuilderDeps, Built } from './deps.ts'
import { sceneOf } from './scenes.ts'

export type ResourceInput = {
  readonly id: string
  /** IRI of the resource. */
  readonly iri: string
  readonly version: number
  readonly hash: string
  readonly graph: Graph
  /** The catalogue that it was written into, for types that live in one. */
  readonly catalogue?: { readonly id: string; readonly graph: Graph }
}

type Builder = (input: ResourceInput) => Built

function builderOf(deps: BuilderDeps, read: CatalogueReader, type: ResourceType): Builder {
  const { fields } = type.shape
  const index = `resource_${type.id}` as const
  const slots = slotsOf(fields)
  const assemble = assembler(deps, index, columnsOf(fields))
  return ({ id, iri, version, hash, graph, catalogue }) => {
    const facts = catalogue && read(catalogue).facts
    const languages = facts?.languages ?? ['en']
    const language = languages[0] ?? 'en'
    const { scene, reports } = sceneOf(deps, {
      id,
      iri,
      graph,
      language,
      recordIri: deps.names.resourceRecord(type.id, id),
      ...(facts && { catalogue: facts }),
    })
    const mapped = fieldsOf(namedNode(iri), slots, scene) ?? {}
    const record = deps.enrich?.(mapped, index, language) ?? mapped
    const around = facts && { catalogue: inCatalogue(facts) }
    return { document: assemble({ id, version, hash, record, languages, ...around }), reports }
  }
}

/** The builder of the documents of all custom types; each type is made ready once. */
export function resourceBuilder(deps: BuilderDeps, read: CatalogueReader) {
  const builders = new WeakMap<ResourceType, Builder>()
  return (type: ResourceType, input: ResourceInput): Built => {
    const known = builders.get(type) ?? builderOf(deps, read, type)
    builders.set(type, known)
    return known(input)
  }
}
