/** Builds the documents of the search index out of stored graphs, by the field tree of the profile. */

import type { ResourceType } from '../../profile/profile.ts'
import { dcat, dct } from '../../rdf/namespaces.ts'
import type { Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { Document } from '../../search-index/search-index.ts'
import type { Concept } from '../../vocabularies/concept.ts'
import { languageMap } from '../../vocabularies/labels.ts'
import { defaultFacets, defaultNonCountries, type FacetConfig } from './facets.ts'
import { columnsOf } from './columns.ts'
import { languageCodes } from '../mappings/concepts.ts'
import { countriesOf } from '../mappings/places.ts'
import type { CatalogueFacts, JsonObject, Report, Slot } from '../mappings/mapping.ts'
import { fieldsOf } from '../mappings/nested.ts'
import { slotsOf } from '../mappings/slots.ts'
import { assembler, type BuilderDeps, type Built, sceneOf } from './assemble.ts'
import { conceptBuilder, type ConceptPlace, type ConceptsInput } from './concept-documents.ts'

type DocumentDeps = Pick<BuilderDeps, 'profile' | 'concepts' | 'names' | 'enrich'> & {
  readonly facets?: readonly FacetConfig[]
  /** Values of `country.id` that are no countries; default `eu`, `io`. */
  readonly nonCountries?: readonly string[]
}

export type DocumentBuilder = {
  readonly dataset: (input: DatasetInput) => Built
  readonly catalogue: (input: CatalogueInput) => Built
  /** A record of a custom type. */
  readonly resource: (type: ResourceType, input: ResourceInput) => Built
  /** One document per concept that has a label; current concepts first, then by IRI. */
  readonly concepts: (input: ConceptsInput) => Built[]
  /** The document of one concept, for vocabularies that are read piece by piece. */
  readonly concept: (concept: Concept, at: ConceptPlace) => Built
}

/**
 * A builder of documents. A value that cannot be mapped is left out and reported; it keeps no document from being built.
 * Pass the same graph object for a catalogue as long as it does not change: what is read from it is remembered.
 */
export function documentBuilder(given: DocumentDeps): DocumentBuilder {
  const deps: BuilderDeps = {
    ...given,
    facets: given.facets ?? defaultFacets,
    nonCountries: new Set(given.nonCountries ?? defaultNonCountries),
  }
  const read = catalogueReader(deps)
  const { one, all } = conceptBuilder(deps)
  return {
    dataset: datasetBuilder(deps, read),
    catalogue: catalogueBuilder(deps, read),
    resource: resourceBuilder(deps, read),
    concepts: all,
    concept: one,
  }
}

// Documents of datasets.

type DatasetInput = {
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
function datasetBuilder(deps: BuilderDeps, read: CatalogueReader) {
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

// Documents of custom resource types.

type ResourceInput = {
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
function resourceBuilder(deps: BuilderDeps, read: CatalogueReader) {
  const builders = new WeakMap<ResourceType, Builder>()
  return (type: ResourceType, input: ResourceInput): Built => {
    const known = builders.get(type) ?? builderOf(deps, read, type)
    builders.set(type, known)
    return known(input)
  }
}

// Documents of catalogues, and what the datasets of a catalogue need to know about it.

type CatalogueInput = {
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

type CatalogueReader = (catalogue: Catalogue) => Read

/** Reads catalogues; one that was read is remembered as long as its graph object and the vocabularies stay. */
function catalogueReader(deps: BuilderDeps): CatalogueReader {
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
function inCatalogue({ id, title, record }: CatalogueFacts) {
  const parents = record['is_part_of']
  const [parent] = Array.isArray(parents) ? parents : [parents]
  return { id, title, ...(typeof parent === 'string' && { parent }) }
}

/** The builder of catalogue documents. */
function catalogueBuilder(deps: BuilderDeps, read: CatalogueReader) {
  const columns = columnsOf(deps.profile.catalogue.fields)
  const assemble = assembler(deps, 'catalogue', columns)
  return ({ id, version, hash, graph }: CatalogueInput): Built => {
    const { facts, reports } = read({ id, graph })
    const { record, languages } = facts
    const document: Document = assemble({ id, version, hash, record, languages })
    return { document, reports }
  }
}
