/** Documents of catalogues, and what the datasets of a catalogue need to know about it. */

import type { Document } from '../../search-index/search-index.ts'
import { dct } from '../../rdf/namespaces.ts'
import type { Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { columnsOf } from '../indexing/columns.ts'
import { languageCodes } from '../mappings/concept/language.ts'
import { countriesOf } from '../mappings/concept/places.ts'
import { languageMap } from '../../vocabularies/labels.ts'
import type { CatalogueFacts, Report, Slot } from '../mappings/mapping.ts'
import { fieldsOf } from '../mappings/nested.ts'
import { slotsOf } from '../mappings/slots.ts'
import type { BuilderDeps, Built } from './deps.ts'
import { assembler } from './assembling.ts'
import { sceneOf } from './scenes.ts'

export type CatalogueInput = {
  readonly id: string
  /** IRI of the catalogue. */
  readonly iri: string
  readonly version: number
  readonly hash: string
  readonly graph: Graph
}

type Catalogue = Pick<CatalogueInput, 'id' | 'graph'>

/** The default language first: the only one, else English when it is among several, else the first. */
function inPreference(codes: readonly string[]): readonly string[] {
  if (codes.length === 0) return ['en']
  return codes.includes('en') ? ['en', ...codes.filter((code) => code !== 'en')] : codes
}

type Read = { readonly facts: CatalogueFacts; readonly reports: readonly Report[] }

function readCatalogue(deps: BuilderDeps, slots: readonly Slot[], { id, graph }: Catalogue): Read {
  const iri = deps.names.catalogue(id)
  const node = namedNode(iri)
  const { scene: first } = sceneOf(deps, { id, iri, graph, language: 'en' })
  const languages = inPreference(languageCodes(graph.objects(iri, dct('language')), first))
  const language = languages[0] ?? 'en'
  const { scene, reports } = sceneOf(deps, { id, iri, graph, language })
  const mapped = fieldsOf(node, slots, scene) ?? {}
  const record = deps.enrich?.(mapped, 'catalogue', language) ?? mapped
  const titles = languageMap(graph.objects(iri, dct('title')), language) ?? {}
  const title = titles[language] ?? titles['en'] ?? Object.values(titles)[0] ?? id
  const [country] = countriesOf(graph.objects(iri, dct('spatial')), scene)
  const facts = { id, iri, graph, record, country, title, languages }
  return { facts: { ...facts, embedded: new Map() }, reports }
}

export type CatalogueReader = (catalogue: Catalogue) => Read

/** Reads catalogues; one that was read is remembered as long as its graph object and the vocabularies stay. */
export function catalogueReader(deps: BuilderDeps): CatalogueReader {
  const slots = slotsOf(deps.profile.catalogue.fields)
  const known = new WeakMap<Graph, Read & { readonly revision: number }>()
  return (catalogue) => {
    const revision = deps.concepts.revision()
    const found = known.get(catalogue.graph)
    if (found && found.revision === revision && found.facts.id === catalogue.id) return found
    const read = { ...readCatalogue(deps, slots, catalogue), revision }
    known.set(catalogue.graph, read)
    return read
  }
}

/** What the facets of a record need to know about its catalogue. */
export function inCatalogue({ id, title, record }: CatalogueFacts) {
  const parents = record['is_part_of']
  const [parent] = Array.isArray(parents) ? parents : [parents]
  return { id, title, ...(typeof parent === 'string' && { parent }) }
}

/** The builder of catalogue documents. */
export function catalogueBuilder(deps: BuilderDeps, read: CatalogueReader) {
  const columns = columnsOf(deps.profile.catalogue.fields)
  const assemble = assembler(deps, 'catalogue', columns)
  return ({ id, version, hash, graph }: CatalogueInput): Built => {
    const { facts, reports } = read({ id, graph })
    const { record, languages } = facts
    const document: Document = assemble({ id, version, hash, record, languages })
    return { document, reports }
  }
}
