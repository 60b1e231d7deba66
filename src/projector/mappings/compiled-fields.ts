/** Compiles the fields of a shape for mapping many records: functions and dotted paths are looked up once. */

import type { Field } from '../../profile/profile.ts'
import { dcat, foaf, rdf } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { keyedTexts } from '../../vocabularies/labels.ts'
import { mappingClasses } from './classes.ts'
import {
  lastSegment,
  predicateIris,
  type ComputedField,
  mapField,
  nested,
  nodeIri,
  type MappingContext,
  type CompiledField,
} from './mapping.ts'
import { computedScores } from './values.ts'
import { countriesOf, spatialResource } from './places.ts'

/** Properties of a dataset that apply to its distributions without a value of their own. */
const inherited: ReadonlySet<string> = new Set(predicateIris('dct:license dct:rights'))

/** Compiles fields; `inside` is the dotted path of the enclosing field, with a trailing dot, `parent` that field. */
export const compileFields = (
  fields: readonly Field[],
  inside = '',
  parent?: Field,
): readonly CompiledField[] =>
  fields.map((field) => {
    const path = inside + field.name
    const isInDistribution = parent?.paths.includes(distribution) === true
    return {
      profileField: field,
      path,
      ...(isInDistribution &&
        field.paths.some((predicate) => inherited.has(predicate)) && { inherits: true }),
      children: compileFields(field.children, `${path}.`, field),
      map: mappingClasses[field.mapping].map,
      ...sourceOf(field, path, fields),
    }
  })

/** Returns the property that the field at a dotted path is read from; for a key inside a value, the property of its field. */
export function propertyAt(fields: readonly CompiledField[], path: string): string | undefined {
  const [name, ...innerNames] = path.split('.')
  const field = fields.find(({ profileField }) => profileField.name === name)
  return (
    field &&
    (propertyAt(field.children, innerNames.join('.')) ?? field.paths[0] ?? field.reads?.[0])
  )
}

/** Returns the source of a field: a function of the platform, or predicates; `siblings` are the fields of the same node. */
function sourceOf(
  field: Field,
  path: string,
  siblings: readonly Field[],
): Pick<CompiledField, 'compute' | 'paths' | 'reads'> {
  if (field.mapping === 'Metrics') return { compute: computedScores, paths: [] }
  if (field.mapping === 'TranslationMeta') {
    const texts = siblings.filter(({ name }) => name === 'title' || name === 'description')
    const predicates = texts.flatMap((text) => text.paths)
    const reads = predicates.length > 0 ? predicates : predicateIris('dct:title dct:description')
    return { compute: translationMeta(reads), paths: [], reads }
  }
  if (field.paths.length > 0) return { paths: field.paths }
  if (field.mapping === 'DistributionType') return { paths: predicateIris('dct:type') }
  // Predicates of fields that may lack `sh:path` because their name is sufficient.
  if (path === 'catalog_record.issued') return { paths: predicateIris('dct:issued') }
  if (path === 'catalog_record.modified') return { paths: predicateIris('dct:modified') }
  return { paths: [], ...computedFields[field.name] }
}

// Fields that the platform fills: identity, catalogue, country, quality, translations.

/** Returns the platform id of the record; for an embedded node the last segment of its IRI. */
const id: ComputedField = (node, { path }, context) => {
  if (path === 'id') return context.id
  const iri = nodeIri(node, context)?.replace(/\/+$/, '')
  return iri === undefined ? undefined : lastSegment(iri) || undefined
}

const [spatial = '', legislation = '', distribution = ''] = predicateIris(
  'dct:spatial dcatap:applicableLegislation dcat:distribution',
)

/**
 * Returns the country of the catalogue, else that of the record, when its places lead to exactly one. For a catalogue and a
 * record in none, it is the first by id of those that their places lead to.
 */
const country: ComputedField = (node, { profileField }, context) => {
  const { catalogue } = context
  const recordCountries = () => countriesOf(context.graph.objects(node, spatial), context)
  const countries = catalogue?.country ? [catalogue.country] : recordCountries()
  const chosen = !catalogue || countries.length === 1 ? countries[0] : undefined
  return chosen === undefined || profileField.single ? chosen : [chosen]
}

/** Matches Implementing Regulation (EU) 2023/138, which lists the high-value datasets (HVD). */
const regulation = /^https?:\/\/data\.europa\.eu\/eli\/reg_impl\/2023\/138\/oj\/?$/

const isHvd: ComputedField = (node, _field, { graph }) =>
  [node, ...graph.objects(node, distribution)].some((each) =>
    graph.objects(each, legislation).some(({ value }) => regulation.test(value)),
  )

/**
 * Maps the catalogue record in the graph of a record: the one of the platform, else those that name the record as their topic.
 */
const catalogRecord: ComputedField = (node, field, context) => {
  const { graph, recordIri } = context
  const typesOf = (key: string) => graph.objects(key, rdf('type'))
  const keys =
    recordIri !== undefined && typesOf(recordIri).length > 0
      ? [recordIri]
      : graph
          .subjectsOf(foaf('primaryTopic'), node)
          .filter(
            (key) =>
              key !== keyOf(node) &&
              typesOf(key).some((type) => type.equals(dcat('CatalogRecord'))),
          )
  const nodes = keys.map((key) => namedNode(key))
  return nodes.length === 0 ? undefined : nested(nodes, field, context)
}

/** Maps the fields of the catalogue that its records embed; cached, because they are equal in all of them. */
const catalog: ComputedField = (_node, field, context) => {
  const { catalogue } = context
  const cached = catalogue?.embedded.get(field)
  if (!catalogue || cached !== undefined) return cached
  const { graph, iri, record } = catalogue
  const object: Record<string, Json> = {}
  for (const inner of field.children) {
    const nodes = inner.paths.flatMap((path) => [...graph.objects(iri, path)])
    const { name, paths } = inner.profileField
    const json = paths.length > 0 ? mapField(nodes, inner, { ...context, graph }) : record[name]
    if (json !== undefined) object[name] = json
  }
  const json = field.profileField.single ? object : [object]
  catalogue.embedded.set(field, json)
  return json
}

/** Fields that are computed by their name, and the predicates that the functions read. */
const computedFields: Readonly<Record<string, Pick<CompiledField, 'compute' | 'reads'>>> = {
  id: { compute: id },
  resource: { compute: (node, _field, context) => nodeIri(node, context) },
  country: { compute: country, reads: [spatial] },
  catalog: { compute: catalog },
  spatial_resource: {
    compute: (node, field, context) =>
      spatialResource(context.graph.objects(node, spatial), field, context),
    reads: [spatial],
  },
  is_hvd: { compute: isHvd, reads: [legislation, distribution] },
  catalog_record: { compute: catalogRecord },
}

/**
 * Creates TranslationMeta for predicates: the languages of a record, and which of them are machine translations. A language with
 * at least one human text counts as not translated.
 */
const translationMeta =
  (predicates: readonly string[]): ComputedField =>
  (node, _field, { graph, language }: MappingContext) => {
    const texts = predicates.flatMap((predicate) =>
      keyedTexts(graph.objects(node, predicate), language),
    )
    const byCode = Map.groupBy(texts, ({ tag, key }) => tag.primary || key)
    const codes = [...byCode.keys()].sort(compareCodePoints)
    const details: Record<string, JsonObject> = {}
    for (const code of codes) {
      const origins = (byCode.get(code) ?? []).map(({ tag }) => tag.translatedFrom)
      const [original] = origins
      details[code] =
        original === undefined || origins.includes(undefined)
          ? { machine_translated: false }
          : { machine_translated: true, original_language: original }
    }
    return { full_available_languages: codes, details, status: 'unknown' }
  }
