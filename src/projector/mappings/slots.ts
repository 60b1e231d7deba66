/** Makes the fields of a shape ready for many records: functions and dotted paths are looked up once. */

import type { Term } from '@rdfjs/types'
import type { Field } from '../../profile/profile.ts'
import { dcat, dcatap, dct, foaf, rdf } from '../../rdf/namespaces.ts'
import { namedNode } from '../../rdf/terms.ts'
import { compareCodePoints } from '../../text/code-points.ts'
import { type KeyedText, keyedTexts } from '../../vocabularies/labels.ts'
import { mappingClasses } from './classes.ts'
import { afterLast, type Filler, nodeIri, type Scene, type Slot } from './mapping.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { metrics } from './metrics.ts'
import { mapped, nested } from './nested.ts'
import { countriesOf, spatialResource } from './places.ts'

/** The slots of fields; `inside` is the dotted path of the field around, with a dot at its end. */
export function slotsOf(fields: readonly Field[], inside = ''): readonly Slot[] {
  return fields.map((field) => {
    const path = inside + field.name
    const site = {
      path,
      single: field.single,
      children: slotsOf(field.children, `${path}.`),
      tooDeep: field.tooDeep === true,
    }
    return {
      field,
      site,
      map: mappingClasses[field.mapping].map,
      ...sourceOf(field, { path, beside: fields }),
    }
  })
}

// Fields that the platform fills: identity, catalogue, country, quality, translations.

/** The record's platform id; of an embedded node the last segment of its IRI. */
const id: Filler = (node, site, scene) => {
  if (site.path === 'id') return scene.id
  const iri = nodeIri(node, scene)?.replace(/\/+$/, '')
  return iri === undefined ? undefined : afterLast(iri) || undefined
}

const resource: Filler = (node, _site, scene) => nodeIri(node, scene)

const spatialPredicate = dct('spatial').value

const spatialResources: Filler = (node, site, scene) =>
  spatialResource(scene.graph.objects(node, spatialPredicate), site, scene)

/** The catalogue's country; without one the record's own when its places lead to exactly one. */
const country: Filler = (node, site, scene) => {
  const ofCatalogue = scene.catalogue?.country
  const own = () => countriesOf(scene.graph.objects(node, spatialPredicate), scene)
  const isCatalogue = scene.catalogue === undefined
  const found = ofCatalogue ? [ofCatalogue] : own()
  const chosen = isCatalogue || found.length === 1 ? found[0] : undefined
  return chosen === undefined || site.single ? chosen : [chosen]
}

const legislation = dcatap('applicableLegislation').value
const distribution = dcat('distribution').value
const regulation = /^https?:\/\/data\.europa\.eu\/eli\/reg_impl\/2023\/138\/oj\/?$/

const isHvd: Filler = (node, _site, scene) =>
  [node, ...scene.graph.objects(node, distribution)].some((each) =>
    scene.graph.objects(each, legislation).some(({ value }) => regulation.test(value)),
  )

const recordClass = dcat('CatalogRecord')
const topic = foaf('primaryTopic')

/** The catalogue record in the graph of its dataset. */
function recordsOf(node: Term, scene: Scene): readonly Term[] {
  const own = scene.recordIri
  if (own !== undefined && scene.graph.objects(own, rdf('type')).length > 0) return [namedNode(own)]
  return scene.graph
    .subjectsOf(topic, node)
    .filter((key) => scene.graph.objects(key, rdf('type')).some((type) => type.equals(recordClass)))
    .map((key) => namedNode(key))
}

const catalogRecord: Filler = (node, site, scene) => {
  const nodes = recordsOf(node, scene)
  return nodes.length === 0 ? undefined : nested(nodes, site, scene)
}

/** What of the catalogue stands in its datasets; the same for all of them. */
const catalog: Filler = (_node, site, scene) => {
  const { catalogue } = scene
  if (!catalogue) return undefined
  const known = catalogue.embedded.get(site)
  if (known !== undefined) return known
  const object: Record<string, Json> = {}
  for (const { field, paths, map, site: inner } of site.children) {
    const nodes = paths.flatMap((path) => [...catalogue.graph.objects(catalogue.iri, path)])
    const json =
      field.paths.length > 0
        ? mapped(nodes, { map, site: inner }, { ...scene, graph: catalogue.graph })
        : catalogue.record[field.name]
    if (json !== undefined) object[field.name] = json
  }
  const json = site.single ? object : [object]
  catalogue.embedded.set(site, json)
  return json
}

const byName: Readonly<Record<string, Filler>> = {
  id,
  resource,
  country,
  catalog,
  spatial_resource: spatialResources,
  is_hvd: isHvd,
  catalog_record: catalogRecord,
}

/** Predicates that these fillers look at. */
const readBy: Readonly<Record<string, readonly string[]>> = {
  country: [spatialPredicate],
  spatial_resource: [spatialPredicate],
  is_hvd: [legislation, distribution],
}

/** Predicates of fields that may stand without `sh:path` because their name says enough. */
const usualPaths: Readonly<Record<string, string>> = {
  'catalog_record.issued': dct('issued').value,
  'catalog_record.modified': dct('modified').value,
}

/** Fields whose languages `translation_meta` tells. */
const described: ReadonlySet<string> = new Set(['title', 'description'])
const usualTexts = [dct('title').value, dct('description').value]

function textPaths(fields: readonly Field[]): readonly string[] {
  const paths = fields.filter(({ name }) => described.has(name)).flatMap((field) => field.paths)
  return paths.length > 0 ? paths : usualTexts
}

/** A field among the fields beside it; `path` is its dotted path. */
type Place = { readonly path: string; readonly beside: readonly Field[] }

/** How a field gets its values: by the platform, or from predicates. */
function sourceOf(field: Field, { path, beside }: Place): Pick<Slot, 'fill' | 'paths' | 'reads'> {
  if (field.mapping === 'Metrics') return { fill: metrics, paths: [] }
  if (field.mapping === 'TranslationMeta') {
    const reads = textPaths(beside)
    return { fill: translationMeta(reads), paths: [], reads }
  }
  if (field.paths.length > 0) return { paths: field.paths }
  if (field.mapping === 'DistributionType') return { paths: [dct('type').value] }
  const usual = usualPaths[path]
  if (usual !== undefined) return { paths: [usual] }
  const fill = byName[field.name]
  const reads = readBy[field.name]
  return { paths: [], ...(fill && { fill }), ...(fill && reads && { reads }) }
}

// Which languages a record has, and which of them a machine translated.

const silent = { notLiteral: () => undefined, twice: () => undefined }

function textsOf(node: Term, sources: readonly string[], scene: Scene): readonly KeyedText[] {
  return sources.flatMap((predicate) =>
    keyedTexts(scene.graph.objects(node, predicate), scene.language, silent),
  )
}

/** TranslationMeta of these predicates: a language with at least one text by a human counts as not translated. */
const translationMeta =
  (sources: readonly string[]): Filler =>
  (node, _site, scene) => {
    const origins = new Map<string, string | undefined>()
    for (const { tag, key } of textsOf(node, sources, scene)) {
      const code = tag.primary || key
      const known = origins.get(code)
      if (!origins.has(code)) origins.set(code, tag.translatedFrom)
      else if (known !== undefined) origins.set(code, tag.translatedFrom && known)
    }
    const codes = [...origins.keys()].sort(compareCodePoints)
    const details: Record<string, JsonObject> = {}
    for (const code of codes) {
      const original = origins.get(code)
      details[code] =
        original === undefined
          ? { machine_translated: false }
          : { machine_translated: true, original_language: original }
    }
    return { full_available_languages: codes, details, status: 'unknown' }
  }
