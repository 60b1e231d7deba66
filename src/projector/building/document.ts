/**
 * Builds the documents of the search index out of stored graphs, by the field tree of the profile: the JSON of a record, and all
 * that is indexed of it. A value that cannot be mapped is left out and reported; it keeps no document from being built.
 */

import type { Term } from '@rdfjs/types'
import type { Field, Profile, ResourceType } from '../../profile/profile.ts'
import type { Names } from '../../rdf/names.ts'
import { dcat, dct, skos } from '../../rdf/namespaces.ts'
import type { Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { IndexName } from '../../search-index/index-settings.ts'
import type { Document, FacetValue } from '../../search-index/search-index.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { preferred } from '../../vocabularies/concept-table.ts'
import { type Concept, conceptsOf } from '../../vocabularies/concept.ts'
import { languageMap, oneText } from '../../vocabularies/labels.ts'
import type { ConceptCache } from '../concept-cache.ts'
import { languageCodes } from '../mappings/concepts.ts'
import {
  afterLast,
  type CatalogueFacts,
  objectOf,
  type Report,
  type Scene,
} from '../mappings/mapping.ts'
import type { JsonObject } from '../../text/json.ts'
import { mappedFields } from '../mappings/mapping.ts'
import { countriesOf } from '../mappings/places.ts'
import { slotsOf } from '../mappings/slots.ts'
import { fieldColumns } from './columns.ts'
import { facetReader, type FacetScene, hasCountry } from './facet-values.ts'
import {
  allFacets,
  defaultFacets,
  defaultNonCountries,
  type FacetConfig,
  servedFacet,
} from './facets.ts'
import { addText, indexFields, noLanguage, nothingIndexed } from './index-fields.ts'

export type BuilderContext = {
  readonly profile: Profile
  readonly concepts: ConceptCache
  readonly names: Names
  readonly facets?: readonly FacetConfig[]
  /** Values of `country.id` that are no countries; default `eu`, `io`. */
  readonly nonCountries?: readonly string[]
  /** Changes the JSON of a record before it is indexed (vocabulary enrichment); `language` is the record's default one. */
  readonly enrich?: (record: JsonObject, index: IndexName, language: string) => JsonObject
}

/** A document and what did not get into it. */
export type Built = { readonly document: Document; readonly reports: readonly Report[] }

type CatalogueInput = {
  readonly id: string
  readonly iri: string
  readonly version: number
  readonly hash: string
  readonly graph: Graph
}

/** A record: its graph holds all that is said of it, the catalogue is the one that it was written into. */
type RecordInput = CatalogueInput & {
  readonly catalogue?: Pick<CatalogueInput, 'id' | 'graph'>
  readonly metrics?: Graph
}

export type DocumentBuilder = {
  readonly dataset: (input: RecordInput) => Built
  readonly catalogue: (input: CatalogueInput) => Built
  /** A record of a custom type. */
  readonly resource: (type: ResourceType, input: RecordInput) => Built
  /** One document per concept that has a label; current concepts first, then by IRI. */
  readonly concepts: (input: ConceptsInput) => Built[]
  /** The document of one concept, for vocabularies that are read piece by piece. */
  readonly concept: (concept: Concept, at: ConceptPlace) => Built
}

/** A builder. Pass the same graph object for a catalogue as long as it does not change: what is read from it is remembered. */
export function documentBuilder(context: BuilderContext): DocumentBuilder {
  const { profile, names } = context
  const read = catalogueReader(context)
  const assembleCatalogue = assembler(context, 'catalogue', profile.catalogue.fields)
  const records = (index: IndexName, fields: readonly Field[], record: (id: string) => string) =>
    recordBuilder(context, { index, fields, record, read })
  const types = new Map(
    profile.resources.map(({ id: type, shape }) => {
      const record = (id: string) => names.resourceRecord(type, id)
      return [type, records(`resource_${type}`, shape.fields, record)]
    }),
  )
  return {
    dataset: records('dataset', profile.dataset.fields, names.record),
    catalogue: ({ id, version, hash, graph }) => {
      const { facts, reports } = read({ id, graph })
      const { record, languages } = facts
      return { document: assembleCatalogue({ id, version, hash, record, languages }), reports }
    },
    resource: ({ id }, input) => {
      const build = types.get(id)
      if (!build) throw new Error(`the profile has no type ${id}`)
      return build(input)
    },
    ...conceptBuilder(profile),
  }
}

type RecordKind = {
  readonly index: IndexName
  readonly fields: readonly Field[]
  /** IRI of the catalogue record. */
  readonly record: (id: string) => string
  readonly read: CatalogueReader
}

const distribution = dcat('distribution').value

/** The builder of the documents of datasets, or of one custom type. */
function recordBuilder(
  context: BuilderContext,
  { index, fields, record: recordIri, read }: RecordKind,
): (input: RecordInput) => Built {
  const slots = slotsOf(fields)
  const assemble = assembler(context, index, fields)
  // Arrays even without a value.
  const always = fields.filter(
    ({ paths, single }) => index === 'dataset' && paths.includes(distribution) && !single,
  )
  return ({ id, iri, version, hash, graph, catalogue, metrics }) => {
    const facts = catalogue && read(catalogue).facts
    const languages = facts?.languages ?? ['en']
    const language = languages[0] ?? 'en'
    const { scene, reports } = sceneOf(context, {
      id,
      iri,
      graph,
      language,
      recordIri: recordIri(id),
      ...(facts && { catalogue: facts }),
      ...(metrics && { metrics }),
    })
    const found = mappedFields(namedNode(iri), slots, scene) ?? {}
    const absent = always.filter(({ name }) => !(name in found)).map(({ name }) => [name, []])
    const mapped: JsonObject = { ...found, ...Object.fromEntries(absent) }
    const record = context.enrich?.(mapped, index, language) ?? mapped
    return { document: assemble({ id, version, hash, record, languages, facts }), reports }
  }
}

type Assembled = Pick<Document, 'id' | 'version' | 'hash'> & {
  readonly record: JsonObject
  /** Languages of the record's catalogue, the default language first. */
  readonly languages: readonly string[]
  readonly facts?: CatalogueFacts | undefined
}

/** Whether distributions are given access to by data services. */
const hasService = facetReader({
  id: 'dataServices',
  title: '',
  indices: ['dataset'],
  path: 'distributions.access_service',
  kind: 'exists',
})

/** A function that makes the documents of one index out of the JSON of its records. */
function assembler(
  context: BuilderContext,
  index: IndexName,
  fields: readonly Field[],
): (from: Assembled) => Document {
  const { profile, names, facets = defaultFacets } = context
  const columns = fieldColumns(fields)
  const nonCountries = new Set(context.nonCountries ?? defaultNonCountries)
  const readers = allFacets(profile, facets).flatMap((facet) => {
    const served = servedFacet(facet, index, profile)
    return served ? [{ id: facet.id, read: facetReader(served) }] : []
  })
  const catalogueId = (iri: string) =>
    names.idOf('catalogue', iri) ?? afterLast(iri.replace(/\/+$/, ''))
  return ({ id, version, hash, record, languages, facts }) => {
    const catalogue = facts && inCatalogue(facts)
    const language = languages[0] ?? 'en'
    const scene = { language, nonCountries, catalogueId, ...(catalogue && { catalogue }) }
    const indexed = nothingIndexed()
    addText(indexed.text, 'id', noLanguage, id)
    indexFields(indexed, columns, record, languages)
    indexed.flags['countryData'] = hasCountry(record, scene) === true
    if (index === 'dataset') indexed.flags['dataServices'] = hasService(record, scene).length > 0
    const values: Record<string, readonly FacetValue[]> = {}
    for (const { id: facet, read } of readers) {
      const found = read(record, scene)
      if (found.length > 0) values[facet] = found
    }
    return { index, id, version, hash, ...indexed, facets: values, record }
  }
}

/** What the facets of a record need to know about its catalogue. */
function inCatalogue({ id, title, record }: CatalogueFacts): NonNullable<FacetScene['catalogue']> {
  const parents = record['is_part_of']
  const [parent] = Array.isArray(parents) ? parents : [parents]
  return { id, title, ...(typeof parent === 'string' && { parent }) }
}

const longest = 200

/** Blank nodes have no name that would mean anything to a reader. */
function shown(value: string | Term, genidPrefix: string): string {
  const isTerm = typeof value !== 'string'
  const text = isTerm ? value.value.trim() : value
  if (isTerm && (value.termType === 'BlankNode' || text.startsWith(genidPrefix))) return '[]'
  return text.length > longest ? text.slice(0, longest).replace(/[\ud800-\udbff]$/, '') : text
}

/** The scene of a record and the reports that mapping it leaves behind. */
export function sceneOf(
  { names, concepts }: Pick<BuilderContext, 'names' | 'concepts'>,
  record: Omit<Scene, 'resource' | 'concepts' | 'genidPrefix' | 'report'> & {
    readonly iri: string
  },
): { readonly scene: Scene; readonly reports: readonly Report[] } {
  const reports: Report[] = []
  const { genidPrefix } = names
  const { iri: resource, ...about } = record
  const report: Scene['report'] = (field, problem, value) => {
    reports.push({ resource, field, problem, value: shown(value, genidPrefix) })
  }
  return { scene: { ...about, resource, concepts, genidPrefix, report }, reports }
}

// Catalogues, and what the records of a catalogue need to know about it.

/** The default language first: the only one, else English when it is among several, else the first. */
function inPreference(codes: readonly string[]): readonly string[] {
  if (codes.length === 0) return ['en']
  return codes.includes('en') ? ['en', ...codes.filter((code) => code !== 'en')] : codes
}

type Read = { readonly facts: CatalogueFacts; readonly reports: readonly Report[] }
type CatalogueReader = (catalogue: Pick<CatalogueInput, 'id' | 'graph'>) => Read

/** Reads catalogues; one that was read is remembered as long as its graph object and the vocabularies stay. */
function catalogueReader(context: BuilderContext): CatalogueReader {
  const { profile, names, concepts, enrich } = context
  const slots = slotsOf(profile.catalogue.fields)
  const known = new WeakMap<Graph, Read & { readonly revision: number }>()
  const read: CatalogueReader = ({ id, graph }) => {
    const iri = names.catalogue(id)
    const about = { id, iri, graph, recordIri: names.record(id) }
    const { scene: english } = sceneOf(context, { ...about, language: 'en' })
    const languages = inPreference(languageCodes(graph.objects(iri, dct('language')), english))
    const language = languages[0] ?? 'en'
    const { scene, reports } = sceneOf(context, { ...about, language })
    const mapped = mappedFields(namedNode(iri), slots, scene) ?? {}
    const record = enrich?.(mapped, 'catalogue', language) ?? mapped
    const titles = languageMap(graph.objects(iri, dct('title')), language) ?? {}
    const title = titles[language] ?? titles['en'] ?? Object.values(titles)[0] ?? id
    const [country] = countriesOf(graph.objects(iri, dct('spatial')), scene)
    const embedded = new Map()
    return { facts: { id, iri, graph, record, country, title, languages, embedded }, reports }
  }
  return (catalogue) => {
    const revision = concepts.revision()
    const found = known.get(catalogue.graph)
    if (found && found.revision === revision && found.facts.id === catalogue.id) return found
    const fresh = { ...read(catalogue), revision }
    known.set(catalogue.graph, fresh)
    return fresh
  }
}

// Concepts of a stored vocabulary.

type VocabularyPlace = {
  /** Id of the vocabulary. */
  readonly vocabulary: string
  readonly version: number
  readonly hash: string
}

type ConceptsInput = VocabularyPlace & {
  /** IRI of its concept scheme. */
  readonly scheme: string
  readonly graph: Graph
}

type ConceptPlace = VocabularyPlace & {
  /** Label of the vocabulary. */
  readonly title: string
  /** The id of the concept inside the vocabulary; of several with one id only the first has it. */
  readonly name: string
}

function conceptRecord({ id, iri, scheme, prefLabel, altLabel, extensions }: Concept): JsonObject {
  const alternatives = Object.entries(altLabel).map(([language, [text = '']]) => [language, text])
  return {
    id,
    resource: iri,
    in_scheme: scheme,
    pref_label: prefLabel,
    ...objectOf({
      alt_label: objectOf(Object.fromEntries(alternatives)),
      extensions: objectOf({ ...extensions }),
    }),
  }
}

function conceptBuilder(profile: Profile): Pick<DocumentBuilder, 'concept' | 'concepts'> {
  const columns = fieldColumns(profile.concept.fields)
  const fields = new Set(profile.concept.fields.map(({ name }) => name))

  const concept: DocumentBuilder['concept'] = (one, place) => {
    const { vocabulary, name, title, version, hash } = place
    const entries = Object.entries(conceptRecord(one)).filter(([key]) => fields.has(key))
    const record: JsonObject = Object.fromEntries(entries)
    const indexed = nothingIndexed()
    addText(indexed.text, 'id', noLanguage, one.id)
    indexFields(indexed, columns, record, ['en'])
    for (const [language, texts] of fields.has('alt_label') ? Object.entries(one.altLabel) : [])
      for (const text of texts) addText(indexed.text, 'alt_label', language, text)
    indexed.numbers['resource'] = fingerprint(one.iri)
    const facets = { vocabulary: [{ id: vocabulary, title }] }
    const id = `${vocabulary}/${name}`
    return {
      document: { index: 'vocabulary', id, version, hash, ...indexed, facets, record },
      reports: [],
    }
  }
  const concepts: DocumentBuilder['concepts'] = ({ scheme, graph, ...place }) => {
    const title = oneText(graph.objects(scheme, skos('prefLabel')), 'en') ?? place.vocabulary
    const taken = new Set<string>()
    const all = preferred(conceptsOf(graph, scheme))
    const labelled = all.filter(({ prefLabel }) => Object.keys(prefLabel).length > 0)
    return labelled.map((one) => {
      const name = taken.has(one.id) ? encodeURIComponent(one.iri) : one.id
      taken.add(one.id)
      return concept(one, { ...place, title, name })
    })
  }
  return { concept, concepts }
}
