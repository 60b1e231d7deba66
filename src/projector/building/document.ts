/**
 * Builds documents of the search index from stored graphs, following the fields of the profile: the JSON of a record and
 * everything that is indexed from it. A value that does not fit its field is reported, and left out or shown as its text or IRI
 * (`ValueProblem`); the document is built in any case.
 */

import type { Field, Profile, ResourceType } from '../../profile/profile.ts'
import type { Names } from '../../rdf/names.ts'
import { dcat, dct, skos } from '../../rdf/namespaces.ts'
import type { Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { IndexName } from '../../search-index/index-settings.ts'
import type { Document, FacetValue } from '../../search-index/search-index.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import type { JsonObject } from '../../text/json.ts'
import { otherBucket } from '../../text/language.ts'
import { currentFirst } from '../../vocabularies/concept-table.ts'
import { type Concept, conceptsOf } from '../../vocabularies/concept.ts'
import { languageMap, preferredText } from '../../vocabularies/labels.ts'
import type { YieldWhenDue } from '../../workers/event-loop.ts'
import type { ConceptCache } from '../concept-cache.ts'
import { languageCodes } from '../mappings/concepts.ts'
import {
  lastSegment,
  premapNodes,
  mapFields,
  objectOf,
  reportValue,
  type CatalogueFacts,
  type DateForm,
  type LeftOutValue,
  type PremappedNodes,
  type MappingContext,
  type CompiledField,
} from '../mappings/mapping.ts'
import { countriesOf } from '../mappings/places.ts'
import { compileFields } from '../mappings/compiled-fields.ts'
import {
  fieldColumns,
  addOtherLabels,
  addText,
  removeDuplicateTexts,
  indexFields,
  emptyIndexedFields,
} from './index-fields.ts'
import {
  facetReader,
  hasCountry,
  allFacets,
  defaultFacets,
  defaultNonCountries,
  type FacetConfig,
  servedFacet,
} from './facets.ts'

/** Settings and lookups that documents depend on, besides the records themselves. */
export type BuilderContext = {
  readonly profile: Profile
  readonly concepts: ConceptCache
  readonly names: Names
  /** Default: the facets of the platform. */
  readonly facets?: readonly FacetConfig[]
  /** Values of `country.id` that are not countries; default `eu`, `io`. */
  readonly nonCountries?: readonly string[]
  /** Form of dates; default `utc`. */
  readonly dates?: DateForm
  /** Time zone in which days begin and end for searches; UTC when absent. */
  readonly timeZone?: string
  /**
   * Changes the JSON of a record before it is indexed (vocabulary enrichment); `language` is the default language of the record.
   * Not called for concepts.
   */
  readonly enrich?: (record: JsonObject, index: IndexName, language: string) => JsonObject
}

/** Document of a record or concept, and reports of the values that do not fit their fields. */
export type BuiltDocument = {
  readonly document: Document
  readonly reports: readonly LeftOutValue[]
}

/** Catalogue to build a document from; the document gets `version` and `hash` unchanged. */
type CatalogueInput = {
  readonly id: string
  readonly iri: string
  readonly version: number
  /** Hash of the record as it was sent; '' where the store has none. */
  readonly hash: string
  readonly graph: Graph
}

/** Record to build a document from. Its graph holds at least its statements; `catalogue` is absent for a record in none. */
type RecordInput = CatalogueInput & {
  readonly catalogue?: Pick<CatalogueInput, 'id' | 'graph'> | undefined
  /** Statements of the metrics graph about scores; datasets only. */
  readonly metrics?: Graph
  /** Result of `prepareDataset`; without it the long lists are mapped with the rest. */
  readonly prepared?: Prepared
}

/** Nodes of long lists that are mapped already, and the reports about them. */
type Prepared = Pick<BuiltDocument, 'reports'> & { readonly premapped: PremappedNodes }

/** Input for the concepts of a vocabulary; `vocabulary` is its id. */
type ConceptInput = Pick<CatalogueInput, 'version' | 'hash'> & { readonly vocabulary: string }

/** Builder of the documents of all indices. */
export type DocumentBuilder = ReturnType<typeof documentBuilder>

/**
 * Creates a builder of documents. Pass the same graph object for a catalogue until it changes: the facts read from it are cached.
 */
export function documentBuilder(context: BuilderContext) {
  const { profile, names } = context
  const readCatalogue = catalogueReader(context)
  const assembleCatalogue = assembler(context, 'catalogue', profile.catalogue.fields)
  const buildersByType = new Map(
    profile.resources.map(({ id: type, shape: { fields } }) => {
      const recordIri = (id: string) => names.resourceRecord(type, id)
      const kind = { index: `resource_${type}`, fields, recordIri, readCatalogue } as const
      return [type, recordBuilder(context, kind).build]
    }),
  )
  const { fields } = profile.dataset
  const kind = { index: 'dataset', fields, recordIri: names.record, readCatalogue } as const
  const datasetBuilder = recordBuilder(context, kind)
  return {
    dataset: datasetBuilder.build,
    /** Maps the long lists of a dataset, such as distributions, and yields to other work; pass the result to `dataset`. */
    prepareDataset: datasetBuilder.prepare,
    catalogue: ({ id, version, hash, graph }: CatalogueInput): BuiltDocument => {
      const { facts, reports } = readCatalogue({ id, graph })
      const { record, languages } = facts
      return { document: assembleCatalogue({ id, version, hash, record, languages }), reports }
    },
    /** Builds the document of a record of a declared type. Throws when the profile has no such type. */
    resource: ({ id }: ResourceType, input: RecordInput): BuiltDocument => {
      const build = buildersByType.get(id)
      if (!build) throw new Error(`the profile has no type ${id}`)
      return build(input)
    },
    ...conceptBuilder(profile),
  }
}

const distribution = dcat('distribution').value

/** Creates the builder for datasets or for one declared type. `recordIri` returns the IRI of the catalogue record. */
function recordBuilder(
  context: BuilderContext,
  kind: {
    readonly index: IndexName
    readonly fields: readonly Field[]
    readonly recordIri: (id: string) => string
    readonly readCatalogue: CatalogueReader
  },
): {
  readonly build: (input: RecordInput) => BuiltDocument
  readonly prepare: (input: RecordInput, yieldWhenDue: YieldWhenDue) => Promise<Prepared>
} {
  const { index, fields, recordIri, readCatalogue } = kind
  const compiled = compileFields(fields)
  const assemble = assembler(context, index, fields)
  // The distributions of a dataset are an array even if there are none.
  const arrayFields = fields
    .filter(({ paths, single }) => index === 'dataset' && paths.includes(distribution) && !single)
    .map(({ name }) => name)
  const preparedContext = ({ id, iri, graph, catalogue, metrics, prepared }: RecordInput) => {
    const facts = catalogue && readCatalogue(catalogue).facts
    const languages = facts?.languages ?? ['en']
    const language = languages[0] ?? 'en'
    const mapping: RecordMappingContext = {
      id,
      iri,
      graph,
      language,
      recordIri: recordIri(id),
      ...(facts && { catalogue: facts }),
      ...(metrics && { metrics }),
      ...(prepared && { premapped: prepared.premapped }),
    }
    return { facts, languages, language, mapping }
  }
  const build = (input: RecordInput): BuiltDocument => {
    const { id, version, hash, prepared } = input
    const { facts, languages, language, mapping } = preparedContext(input)
    const { object, reports } = mapRecord(context, compiled, mapping)
    const emptyArrays = arrayFields.filter((name) => !(name in object)).map((name) => [name, []])
    const mapped: JsonObject = { ...object, ...Object.fromEntries(emptyArrays) }
    const record = context.enrich?.(mapped, index, language) ?? mapped
    const document = assemble({ id, version, hash, record, languages, facts })
    return { document, reports: [...(prepared?.reports ?? []), ...reports] }
  }
  const prepare = async (input: RecordInput, yieldWhenDue: YieldWhenDue): Promise<Prepared> => {
    const { mapping, reports } = mappingContextOf(context, preparedContext(input).mapping)
    return { premapped: await premapNodes(compiled, mapping, yieldWhenDue), reports }
  }
  return { build, prepare }
}

/** Facts about a record for its mapping context; `iri` is that of the record. */
type RecordMappingContext = Omit<
  MappingContext,
  'resource' | 'concepts' | 'genidPrefix' | 'report'
> & {
  readonly iri: string
}

/** Creates the mapping context of a record, with the list that its reports go to. */
function mappingContextOf(
  { names, concepts, dates }: Pick<BuilderContext, 'names' | 'concepts' | 'dates'>,
  { iri: resource, ...about }: RecordMappingContext,
) {
  const reports: LeftOutValue[] = []
  const { genidPrefix } = names
  const report: MappingContext['report'] = (field, problem, value) => {
    reports.push({ resource, field, problem, value: reportValue(value, genidPrefix) })
  }
  const mapping: MappingContext = { ...about, resource, concepts, dates, genidPrefix, report }
  return { mapping, reports }
}

/** Maps the fields of a record; returns its JSON (`{}` without values), its mapping context and the reports. */
export function mapRecord(
  context: Pick<BuilderContext, 'names' | 'concepts' | 'dates'>,
  compiled: readonly CompiledField[],
  about: RecordMappingContext,
) {
  const { mapping, reports } = mappingContextOf(context, about)
  const object = mapFields(namedNode(about.iri), compiled, mapping) ?? {}
  return { object, mapping, reports }
}

type DocumentParts = Pick<Document, 'id' | 'version' | 'hash'> & {
  readonly record: JsonObject
  /** Languages of the record's catalogue, or of the catalogue itself, the default language first. */
  readonly languages: readonly string[]
  readonly facts?: CatalogueFacts
}

/** Creates a function that makes the documents of one index from the JSON of its records. */
function assembler(
  context: BuilderContext,
  index: IndexName,
  fields: readonly Field[],
): (from: DocumentParts) => Document {
  const { profile, names, facets = defaultFacets } = context
  const columns = fieldColumns(fields)
  const nonCountries = new Set(context.nonCountries ?? defaultNonCountries)
  const readers = allFacets(profile, facets).flatMap((facet) => {
    const served = servedFacet(facet, index, profile)
    return served ? [{ id: facet.id, read: facetReader(served) }] : []
  })
  const conceptAt = (iri: string) =>
    context.concepts.find(iri) ?? context.concepts.licences.byIri(iri)
  const catalogueId = (iri: string) =>
    names.idOf('catalogue', iri) ?? lastSegment(iri.replace(/\/+$/, ''))
  return ({ id, version, hash, record, languages, facts }) => {
    const [parent] = [facts?.record['is_part_of']].flat()
    const catalogue = facts && {
      id: facts.id,
      title: facts.title,
      ...(typeof parent === 'string' && { parent }),
    }
    const language = languages[0] ?? 'en'
    const mapping = { language, nonCountries, catalogueId, ...(catalogue && { catalogue }) }
    const indexed = emptyIndexedFields()
    addText(indexed, 'id', otherBucket, id)
    indexFields(indexed, columns, record, { languages, zone: context.timeZone, conceptAt })
    removeDuplicateTexts(indexed)
    indexed.flags['countryData'] = hasCountry(record, mapping) === true
    if (index === 'dataset') indexed.flags['dataServices'] = hasService(record, mapping).length > 0
    const values: Record<string, readonly FacetValue[]> = {}
    for (const { id: facet, read } of readers) {
      const facetValues = read(record, mapping)
      if (facetValues.length > 0) values[facet] = facetValues
    }
    return { index, id, version, hash, ...indexed, facets: values, record }
  }
}

/** Reads whether data services give access to distributions: one value, or none. */
const hasService = facetReader({
  id: 'dataServices',
  title: '',
  indices: ['dataset'],
  path: 'distributions.access_service',
  kind: 'exists',
})

// Catalogues, and the facts about them that their records need.

type CatalogueRead = { readonly facts: CatalogueFacts; readonly reports: readonly LeftOutValue[] }
type CatalogueReader = (catalogue: Pick<CatalogueInput, 'id' | 'graph'>) => CatalogueRead

/** Creates a reader of catalogues. Results are cached until the graph object or the vocabularies change. */
function catalogueReader(context: BuilderContext): CatalogueReader {
  const { profile, names, concepts, enrich } = context
  const compiled = compileFields(profile.catalogue.fields)
  const cache = new WeakMap<Graph, CatalogueRead & { readonly revision: number }>()
  const readUncached: CatalogueReader = ({ id, graph }) => {
    const iri = names.catalogue(id)
    const about = { id, iri, graph, recordIri: names.record(id) }
    const { mapping: englishContext } = mapRecord(context, [], { ...about, language: 'en' })
    const codes = languageCodes(graph.objects(iri, dct('language')), englishContext)
    // The default language first: the only one, else English when it is among several, else the first by code.
    const languages = codes.includes('en') ? [...new Set(['en', ...codes])] : codes
    const [language = 'en'] = languages
    const { object, mapping, reports } = mapRecord(context, compiled, { ...about, language })
    const record = enrich?.(object, 'catalogue', language) ?? object
    const titles = languageMap(graph.objects(iri, dct('title')), language) ?? {}
    const title = titles[language] ?? titles['en'] ?? Object.values(titles)[0] ?? id
    const [country] = countriesOf(graph.objects(iri, dct('spatial')), mapping)
    const titleLanguages = languages.length > 0 ? languages : ['en']
    const facts = {
      id,
      iri,
      graph,
      record,
      country,
      title,
      languages: titleLanguages,
      embedded: new Map(),
    }
    return { facts, reports }
  }
  return (catalogue) => {
    const revision = concepts.revision
    const cached = cache.get(catalogue.graph)
    if (cached && cached.revision === revision && cached.facts.id === catalogue.id) return cached
    const result = { ...readUncached(catalogue), revision }
    cache.set(catalogue.graph, result)
    return result
  }
}

// Concepts of a stored vocabulary.

function conceptRecord(concept: Concept): JsonObject {
  const { id, iri, scheme, prefLabel, altLabel, extensions } = concept
  const { broader, narrower, exactMatch } = concept
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
    ...(broader.length > 0 && { broader }),
    ...(narrower.length > 0 && { narrower }),
    ...(exactMatch.length > 0 && { exact_match: exactMatch }),
  }
}

function conceptBuilder(profile: Profile) {
  const columns = fieldColumns(profile.concept.fields)
  /**
   * Builds the document of one concept, with the id `{vocabulary}/{name}`: `title` is the label of the vocabulary, `name` the id
   * of the concept or, where another concept has this id, its escaped IRI.
   */
  const concept = (
    entry: Concept,
    input: ConceptInput & { readonly title: string; readonly name: string },
  ): BuiltDocument => {
    const { vocabulary, name, title, version, hash } = input
    const entries = Object.entries(conceptRecord(entry)).filter(([key]) => columns.has(key))
    const record: JsonObject = Object.fromEntries(entries)
    const indexed = emptyIndexedFields()
    addText(indexed, 'id', otherBucket, entry.id)
    indexFields(indexed, columns, record, { languages: ['en'] })
    if (columns.has('alt_label')) addOtherLabels(indexed, 'alt_label', entry, 'map')
    removeDuplicateTexts(indexed)
    indexed.numbers['resource'] = fingerprint(entry.iri)
    const facets = { vocabulary: [{ id: vocabulary, title }] }
    const identity = { index: 'vocabulary', id: `${vocabulary}/${name}`, version, hash } as const
    return { document: { ...identity, ...indexed, facets, record }, reports: [] }
  }
  /**
   * Builds one document per labelled concept of a scheme in a file; current concepts first, then by IRI. When several concepts
   * have the same id, the first one gets it and the others are named by their IRI.
   */
  const concepts = (
    input: ConceptInput & { readonly scheme: string; readonly graph: Graph },
  ): BuiltDocument[] => {
    const { scheme, graph, vocabulary, version, hash } = input
    const title = preferredText(graph.objects(scheme, skos('prefLabel')), 'en') ?? vocabulary
    const usedIds = new Set<string>()
    return currentFirst(conceptsOf(graph, scheme))
      .filter(({ prefLabel }) => Object.keys(prefLabel).length > 0)
      .map((entry) => {
        const name = usedIds.has(entry.id) ? encodeURIComponent(entry.iri) : entry.id
        usedIds.add(entry.id)
        return concept(entry, { vocabulary, version, hash, title, name })
      })
  }
  return { concept, concepts }
}
