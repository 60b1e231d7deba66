/** Makes the fields of a shape ready for many records: functions and dotted paths are looked up once. */

import type { Field } from '../../profile/profile.ts'
import { dcat, foaf, rdf } from '../../rdf/namespaces.ts'
import { keyOf } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { keyedTexts } from '../../vocabularies/labels.ts'
import { mappingClasses } from './classes.ts'
import {
  afterLast,
  predicateIris,
  type Filler,
  mapped,
  nested,
  nodeIri,
  type Scene,
  type Slot,
} from './mapping.ts'
import { scoresFiller } from './values.ts'
import { countriesOf, spatialResource } from './places.ts'

/** Properties of a dataset that count for its distributions without a value of their own. */
const inherited: ReadonlySet<string> = new Set(predicateIris('dct:license dct:rights'))

/** The slots of fields; `inside` is the dotted path of the field around, with a dot at its end, `around` that field. */
export const slotsOf = (fields: readonly Field[], inside = '', around?: Field): readonly Slot[] =>
  fields.map((field) => {
    const path = inside + field.name
    const isOfFile = around?.paths.includes(distribution) === true
    return {
      field,
      path,
      ...(isOfFile && field.paths.some((one) => inherited.has(one)) && { inherits: true }),
      children: slotsOf(field.children, `${path}.`, field),
      map: mappingClasses[field.mapping].map,
      ...sourceOf(field, path, fields),
    }
  })

/** The property that the field at a dotted path is read from; of a key inside a value that of its field. */
export function propertyAt(slots: readonly Slot[], path: string): string | undefined {
  const [name, ...rest] = path.split('.')
  const slot = slots.find(({ field }) => field.name === name)
  return slot && (propertyAt(slot.children, rest.join('.')) ?? slot.paths[0] ?? slot.reads?.[0])
}

/** How a field gets its values: by the platform, or from predicates; `beside` are the fields of the same node. */
function sourceOf(
  field: Field,
  path: string,
  beside: readonly Field[],
): Pick<Slot, 'fill' | 'paths' | 'reads'> {
  if (field.mapping === 'Metrics') return { fill: scoresFiller, paths: [] }
  if (field.mapping === 'TranslationMeta') {
    const texts = beside.filter(({ name }) => name === 'title' || name === 'description')
    const own = texts.flatMap((one) => one.paths)
    const reads = own.length > 0 ? own : predicateIris('dct:title dct:description')
    return { fill: translationMeta(reads), paths: [], reads }
  }
  if (field.paths.length > 0) return { paths: field.paths }
  if (field.mapping === 'DistributionType') return { paths: predicateIris('dct:type') }
  // Predicates of fields that may stand without `sh:path` because their name says enough.
  if (path === 'catalog_record.issued') return { paths: predicateIris('dct:issued') }
  if (path === 'catalog_record.modified') return { paths: predicateIris('dct:modified') }
  return { paths: [], ...fillers[field.name] }
}

// Fields that the platform fills: identity, catalogue, country, quality, translations.

/** The record's platform id; of an embedded node the last segment of its IRI. */
const id: Filler = (node, { path }, scene) => {
  if (path === 'id') return scene.id
  const iri = nodeIri(node, scene)?.replace(/\/+$/, '')
  return iri === undefined ? undefined : afterLast(iri) || undefined
}

const [spatial = '', legislation = '', distribution = ''] = predicateIris(
  'dct:spatial dcatap:applicableLegislation dcat:distribution',
)

/** The catalogue's country; without one the record's own when its places lead to exactly one. */
const country: Filler = (node, { field }, scene) => {
  const { catalogue } = scene
  const own = () => countriesOf(scene.graph.objects(node, spatial), scene)
  const countries = catalogue?.country ? [catalogue.country] : own()
  const chosen = !catalogue || countries.length === 1 ? countries[0] : undefined
  return chosen === undefined || field.single ? chosen : [chosen]
}

const regulation = /^https?:\/\/data\.europa\.eu\/eli\/reg_impl\/2023\/138\/oj\/?$/

const isHvd: Filler = (node, _slot, { graph }) =>
  [node, ...graph.objects(node, distribution)].some((each) =>
    graph.objects(each, legislation).some(({ value }) => regulation.test(value)),
  )

/** The catalogue record in the graph of its dataset. */
const catalogRecord: Filler = (node, slot, scene) => {
  const { graph, recordIri } = scene
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
  return nodes.length === 0 ? undefined : nested(nodes, slot, scene)
}

/** What of the catalogue stands in its datasets; the same for all of them. */
const catalog: Filler = (_node, slot, scene) => {
  const { catalogue } = scene
  const made = catalogue?.embedded.get(slot)
  if (!catalogue || made !== undefined) return made
  const { graph, iri, record } = catalogue
  const object: Record<string, Json> = {}
  for (const inner of slot.children) {
    const nodes = inner.paths.flatMap((path) => [...graph.objects(iri, path)])
    const { name, paths } = inner.field
    const json = paths.length > 0 ? mapped(nodes, inner, { ...scene, graph }) : record[name]
    if (json !== undefined) object[name] = json
  }
  const json = slot.field.single ? object : [object]
  catalogue.embedded.set(slot, json)
  return json
}

/** Fields that are filled by their name, and the predicates that their fillers read. */
const fillers: Readonly<Record<string, Pick<Slot, 'fill' | 'reads'>>> = {
  id: { fill: id },
  resource: { fill: (node, _slot, scene) => nodeIri(node, scene) },
  country: { fill: country, reads: [spatial] },
  catalog: { fill: catalog },
  spatial_resource: {
    fill: (node, slot, scene) => spatialResource(scene.graph.objects(node, spatial), slot, scene),
    reads: [spatial],
  },
  is_hvd: { fill: isHvd, reads: [legislation, distribution] },
  catalog_record: { fill: catalogRecord },
}

const silent = { notLiteral: () => undefined, twice: () => undefined }

/**
 * TranslationMeta of these predicates: which languages a record has, and which of them a machine translated. A language with at
 * least one text by a human counts as not translated.
 */
const translationMeta =
  (predicates: readonly string[]): Filler =>
  (node, _slot, { graph, language }: Scene) => {
    const texts = predicates.flatMap((predicate) =>
      keyedTexts(graph.objects(node, predicate), language, silent),
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
