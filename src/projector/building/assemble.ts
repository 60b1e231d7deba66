/** Puts a document together: the JSON of a record and all that is indexed of it. */

import type { Quad, Term } from '@rdfjs/types'
import type { Field, MappingClass, Profile } from '../../profile/profile.ts'
import type { Names } from '../../rdf/names.ts'
import { type Graph, graphOf } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { IndexName } from '../../search-index/index-settings.ts'
import type { Document, FacetValue } from '../../search-index/search-index.ts'
import type { ConceptCache } from '../concept-cache.ts'
import { allFacets, type FacetConfig, servedFacet } from './facets.ts'
import type { Columns } from './columns.ts'
import { facetReader, type FacetReader, type FacetScene, hasCountry } from './facet-values.ts'
import { addText, indexFields, noLanguage, nothingIndexed } from './index-fields.ts'
import type { CatalogueFacts, JsonObject, Report, Scene } from '../mappings/mapping.ts'
import { fieldsOf } from '../mappings/nested.ts'
import { slotsOf } from '../mappings/slots.ts'

type Assembled = {
  readonly id: string
  readonly version: number
  readonly hash: string
  readonly record: JsonObject
  /** Languages of the record's catalogue, the default language first. */
  readonly languages: readonly string[]
  readonly catalogue?: NonNullable<FacetScene['catalogue']>
}

/** Whether distributions are given access to by data services. */
const dataServices: FacetConfig = {
  id: 'dataServices',
  title: '',
  indices: ['dataset'],
  path: 'distributions.access_service',
  kind: 'exists',
}
const hasService = facetReader(dataServices)

function facetsOf(record: JsonObject, readers: readonly NamedReader[], scene: FacetScene) {
  const facets: Record<string, readonly FacetValue[]> = {}
  for (const { id, read } of readers) {
    const values = read(record, scene)
    if (values.length > 0) facets[id] = values
  }
  return facets
}

const lastSegment = (iri: string) =>
  iri.replace(/\/+$/, '').slice(iri.replace(/\/+$/, '').lastIndexOf('/') + 1)

/** A function that makes the documents of one index. */
export function assembler(
  deps: BuilderDeps,
  index: Exclude<IndexName, 'vocabulary'>,
  columns: Columns,
): (from: Assembled) => Document {
  const { names, nonCountries } = deps
  const readers = facetReaders(deps, index)
  const catalogueId = (iri: string) => names.idOf('catalogue', iri) ?? lastSegment(iri)
  return ({ id, version, hash, record, languages, catalogue }) => {
    const scene = {
      language: languages[0] ?? 'en',
      nonCountries,
      catalogueId,
      ...(catalogue && { catalogue }),
    }
    const indexed = nothingIndexed()
    addText(indexed.text, 'id', noLanguage, id)
    indexFields(indexed, columns, record, languages)
    indexed.flags['countryData'] = hasCountry(record, scene) === true
    if (index === 'dataset') indexed.flags['dataServices'] = hasService(record, scene).length > 0
    const values = facetsOf(record, readers, scene)
    return { index, id, version, hash, ...indexed, facets: values, record }
  }
}

// What all builders of documents work with.

/** A document and what did not get into it. */
export type Built = { readonly document: Document; readonly reports: readonly Report[] }

export type BuilderDeps = {
  readonly profile: Profile
  readonly concepts: ConceptCache
  readonly names: Names
  readonly facets: readonly FacetConfig[]
  /** Values of `country.id` that are no countries. */
  readonly nonCountries: ReadonlySet<string>
  /** Changes the JSON of a record before it is indexed (vocabulary enrichment); `language` is the record's default one. */
  readonly enrich?: (record: JsonObject, index: Document['index'], language: string) => JsonObject
}

// The facets that the records of an index feed, each with what reads it.

type NamedReader = {
  readonly id: string
  readonly read: FacetReader
}

const facetReaders = (
  { profile, facets }: Pick<BuilderDeps, 'profile' | 'facets'>,
  index: IndexName,
): readonly NamedReader[] =>
  allFacets(profile, facets).flatMap((facet): NamedReader[] => {
    const served = servedFacet(facet, index, profile)
    return served ? [{ id: facet.id, read: facetReader(served) }] : []
  })

// The scene of a record, and the list of complaints that grows while it is being mapped.

type MappedRecord = {
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
  record: MappedRecord,
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

// Values of a dataset that its document cannot show because they are not written as their field asks, told before it
// is stored.

/** Classes that look at how a value is written, and at nothing that is stored elsewhere. */
const strict: ReadonlySet<MappingClass> = new Set([
  'DateTime',
  'DateRange',
  'Integer',
  'Numeric',
  'Boolean',
  'Spatial',
])

/** One value with the dotted path of its field. */
export type UnfitValues = (quads: readonly Quad[], dataset: string) => readonly Report[]

/** Costs little beside the building of a document: texts and concepts are not looked at. */
export function unfitValues(
  deps: Pick<BuilderDeps, 'profile' | 'concepts' | 'names'>,
): UnfitValues {
  const slots = slotsOf(strictOnly(deps.profile.dataset.fields))
  return (quads, dataset) => {
    const record = { id: '', iri: dataset, graph: graphOf(quads), language: 'en' }
    const { scene, reports } = sceneOf(deps, record)
    fieldsOf(namedNode(dataset), slots, scene)
    return reports
  }
}

/** What is strict, and what leads to it. */
const strictOnly = (fields: readonly Field[]): readonly Field[] =>
  fields.flatMap((field) => {
    if (field.paths.length === 0 || field.tooDeep) return []
    if (field.mapping !== 'Nested') return strict.has(field.mapping) ? [field] : []
    const children = strictOnly(field.children)
    return children.length > 0 ? [{ ...field, children }] : []
  })
