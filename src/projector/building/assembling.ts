/** Puts a document together: the JSON of a record and all that is indexed of it. */

import type { Document, FacetValue } from '../../search-index/search-index.ts'
import type { IndexName } from '../../search-index/index-settings.ts'
import type { FacetConfig } from '../facets.ts'
import type { Columns } from '../indexing/columns.ts'
import { facetReader, hasCountry, type FacetScene } from '../indexing/facet-values.ts'
import { indexFields, nothingIndexed } from '../indexing/index-fields.ts'
import { addText, noLanguage } from '../indexing/texts.ts'
import type { JsonObject } from '../mappings/json.ts'
import type { BuilderDeps } from './deps.ts'
import { facetReaders, type NamedReader } from './facet-readers.ts'

export type Assembled = {
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
