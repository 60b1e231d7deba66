/**
 * Mapping of values that name a concept (controlled vocabularies, languages, file formats), and of resources that may have a
 * label.
 */

import type { Term } from '@rdfjs/types'
import { isJsonObject, type JsonObject } from '../../text/json.ts'
import { type Authorities, type AuthorityName, conceptIri } from '../../vocabularies/authorities.ts'
import {
  accessRightOf,
  frequencyOf,
  languageOf as languageIriOf,
  themesOf,
  alpha3CodeOf,
} from '../../vocabularies/coded-values.ts'
import { type Concept, schemes } from '../../vocabularies/concept.ts'
import { identityIri, meaningOf } from '../../vocabularies/described-values.ts'
import { languageMap } from '../../vocabularies/labels.ts'
import { meaningfulText } from '../../vocabularies/loose-values.ts'
import {
  absoluteIri,
  lastSegment,
  eachValue,
  predicateIris,
  iriLike,
  keyedBy,
  type Mapping,
  nodeIri,
  objectOf,
  type SortableValue,
  type MappingContext,
  type CompiledField,
} from './mapping.ts'
import { allLabels, labelMapOf, mediaTypeOf, nodeLabel, slugOf } from './texts.ts'

// JSON of concepts is cached, because the same few concepts occur in every record.

/** Caches the result of a function by concept. */
export function memoiseByConcept<T>(make: (concept: Concept) => T): (concept: Concept) => T {
  const cache = new WeakMap<Concept, T>()
  return (concept) => {
    const value = cache.get(concept) ?? make(concept)
    cache.set(concept, value)
    return value
  }
}

/** Returns `{id, label, resource}` with one label, English where there is one. */
const labelled = memoiseByConcept(({ id, label, iri }): JsonObject => ({
  id,
  label,
  resource: iri,
}))

/** Returns `{id, label: {language: text}, resource}` with all preferred labels. */
const multilingual = memoiseByConcept((concept): JsonObject => ({
  id: concept.id,
  label: allLabels(concept),
  resource: concept.iri,
}))

/** Finds the concepts for a name: an IRI, a code or a label. */
type Lookup = (name: string, context: MappingContext) => readonly Concept[]

/** Creates a lookup by IRI, code or label in some tables; the first table that has the name counts. */
const inTables =
  (...names: readonly AuthorityName[]): Lookup =>
  (name, { concepts }) => {
    const iris = names.flatMap((table) => conceptIri(table, name, concepts.authorities) ?? [])
    return iris.slice(0, 1).flatMap((iri) => concepts.find(iri) ?? [])
  }

/** Creates a lookup by the names that sources use for a concept. */
const byName =
  (
    read: (name: string, authorities: Authorities) => string | readonly string[] | undefined,
  ): Lookup =>
  (name, { concepts }) =>
    [read(name, concepts.authorities) ?? []].flat().flatMap((iri) => concepts.find(iri) ?? [])

/** Finds the concepts of a value: its IRI may be in any vocabulary, other names have to be in the vocabulary of the field. */
function conceptsOf(node: Term, context: MappingContext, lookup: Lookup): readonly Concept[] {
  const iri = iriLike(node, context)
  const concept = iri === undefined ? undefined : context.concepts.find(iri)
  if (concept) return [concept]
  const hits = meaningOf(node, context.graph, (name) => {
    const concepts = lookup(name, context)
    return concepts.length > 0 ? concepts : undefined
  })
  return hits ?? []
}

/** Returns the text of a value without a concept: a literal that is neither an IRI nor a placeholder, or the label of a node. */
export function valueLabel(node: Term, context: MappingContext): string | undefined {
  const isLiteral = node.termType === 'Literal'
  if (isLiteral && iriLike(node, context) !== undefined) return undefined
  return meaningfulText(isLiteral ? node.value : nodeLabel(node, context))
}

/** Returns the IRI of a value, or the IRI that a blank node refers to. */
export const valueIri = (node: Term, context: MappingContext): string | undefined =>
  iriLike(node, context) ?? identityIri(node, context.graph)

/** Returns the id of a label: its slug, or the text where the slug is empty. */
export const textId = (text: string): string => slugOf(text) || text

/**
 * Returns the JSON of a value that is in no vocabulary: its text, its IRI or both, with a report; values without an IRI are
 * sorted last.
 */
function unknownValue(
  node: Term,
  context: MappingContext,
  field: CompiledField,
): SortableValue | 'unknown-concept' {
  const label = valueLabel(node, context)
  const resource = valueIri(node, context)
  const json = objectOf({ ...(label && { id: textId(label), label }), resource })
  const name = label ?? resource
  if (!json || name === undefined) return 'unknown-concept'
  context.report(field.path, 'unknown-concept', name)
  return { key: resource ?? `~${name}`, json, name }
}

/** Returns the JSON of an unknown value, with the label as object language → text. */
function unknownSkos(
  node: Term,
  context: MappingContext,
  field: CompiledField,
): SortableValue | 'unknown-concept' {
  const unknown = unknownValue(node, context, field)
  if (typeof unknown === 'string' || !isJsonObject(unknown.json)) return unknown
  const { label, ...others } = unknown.json
  if (label === undefined) return unknown
  const map = labelMapOf(node, context) ?? languageMap([node], context.language) ?? {}
  return { ...unknown, json: { ...others, label: map } }
}

/** Creates the mapping of values of a vocabulary: `json` for concepts, `fallback` for other values. */
const conceptMapping = (
  lookup: Lookup,
  json: (concept: Concept) => JsonObject,
  fallback: typeof unknownValue = unknownValue,
): Mapping =>
  eachValue((node, context, field) => {
    const concepts = conceptsOf(node, context, lookup)
    if (concepts.length === 0) return fallback(node, context, field)
    return concepts.map((concept) => ({ key: concept.iri, json: json(concept) }))
  })

/**
 * Theme: an IRI of any known vocabulary, or a name that sources use for a theme. An unknown IRI without a label is its own id,
 * and its last segment the English label.
 */
export const theme = conceptMapping(byName(themesOf), multilingual, (node, context, field) => {
  const unknown = unknownSkos(node, context, field)
  const iri = typeof unknown === 'string' ? undefined : unknown.key
  if (typeof unknown === 'string' || !isJsonObject(unknown.json) || 'label' in unknown.json)
    return unknown
  return {
    ...unknown,
    json: { id: iri ?? '', label: { en: decodedSegment(iri ?? '') }, ...unknown.json },
  }
})

/** HvdCategory: concepts of the table of high-value dataset categories. */
export const hvdCategory = conceptMapping(inTables('hvdCategory'), multilingual, unknownSkos)
/** EuroVoc and GenericSkosMultiLang: concepts without a table of their own, found by their IRI only. */
export const skosConcept = conceptMapping(() => [], multilingual, unknownSkos)

/** AccessRight: `{id, label, resource}` with one label. */
export const accessRight = conceptMapping(byName(accessRightOf), labelled)
/** Frequency: `{id, label, resource}` with one label. */
export const frequency = conceptMapping(byName(frequencyOf), labelled)
/** FrequencyMultiLang: frequencies with labels in all languages. */
export const frequencyMultiLang = conceptMapping(byName(frequencyOf), multilingual, unknownSkos)
/** DatasetType: `{id, label, resource}` with one label. */
export const datasetType = conceptMapping(inTables('datasetType'), labelled)
/** DistributionType: `{id, label, resource}` with one label. */
export const distributionType = conceptMapping(inTables('distributionType'), labelled)

// Resources that may have a label: standards, rights statements, states, package formats.

const [status = '', availability = ''] = predicateIris('adms:status dcatap:availability')

/** Tables of properties whose class accepts resources of any kind. */
const tablesOf: Readonly<Record<string, Lookup>> = {
  [status]: inTables('distributionStatus', 'admsStatus'),
  [availability]: inTables('availability'),
}

/** Returns label and IRI of a node; the label is that of a concept where the node has none of its own or names the concept. */
function described(
  node: Term,
  context: MappingContext,
  { paths }: CompiledField,
): JsonObject | undefined {
  const iri = nodeIri(node, context)
  const conceptByIri = iri === undefined ? undefined : context.concepts.find(iri)
  const lookup = paths.map((path) => tablesOf[path]).find(Boolean)
  const [concept] = lookup && !conceptByIri ? conceptsOf(node, context, lookup) : []
  if (concept) return { label: concept.label, resource: concept.iri }
  const isLiteral = node.termType === 'Literal'
  const text = isLiteral ? node.value.trim() || undefined : nodeLabel(node, context)
  return objectOf({
    label: text ?? conceptByIri?.label,
    resource: iri ?? identityIri(node, context.graph),
  })
}

/** AdmsSkos and LabeledResource: `{label?, resource?}`. */
export const labelledResource = eachValue(
  (node, context, field) =>
    keyedBy(described(node, context, field), 'resource', 'label') ?? 'unknown-concept',
)

/**
 * Document: `{label?, resource?}`; a media type is its own label, and other names of a format without an IRI become that format.
 */
export const documentFormat = eachValue((node, context, field) => {
  const namedFormat = nodeIri(node, context)
    ? undefined
    : meaningOf(node, context.graph, (name) => formatNamed(name, context))
  const { label: formatLabel, resource } = namedFormat ?? {}
  const json = namedFormat
    ? objectOf({ label: formatLabel, resource })
    : described(node, context, field)
  const label = json && (json['label'] ?? mediaTypeOf(node.value))
  const withLabel = json && label !== undefined ? { label, ...json } : json
  return keyedBy(withLabel, 'resource', 'label') ?? 'unknown-concept'
})

// Languages from IRIs of the EU table, LOC and lexvo, bare codes (ISO 639), tags and names.

const languageIri =
  /^https?:\/\/(?:id\.loc\.gov\/vocabulary\/iso639-[12]|lexvo\.org\/id\/iso639-[123]|publications\.europa\.eu\/resource\/authority\/language)\/([a-z]{2,3})\/?$/i

const english = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** Reads a fact from `Intl`; `undefined` for an invalid code. */
function fromIntl(read: () => string | undefined): string | undefined {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof RangeError) return undefined
    throw cause
  }
}

/** Returns the shortest code: two letters where ISO 639-1 has them. */
const shortest = (code: string): string => fromIntl(() => new Intl.Locale(code).language) ?? code

type LanguageFacts = { readonly id: string; readonly label: string; readonly iri?: string }

const languageFacts = memoiseByConcept(
  ({ id, label, iri, extensions }: Concept): LanguageFacts => ({
    id: extensions.iso_6391_code ?? shortest(id.toLowerCase()),
    label,
    iri,
  }),
)

/** Finds the language of a code in the table, else in `Intl`. */
function languageByCode(code: string, { concepts }: MappingContext): LanguageFacts | undefined {
  const lower = code.toLowerCase()
  const concept =
    (lower.length === 2 ? undefined : concepts.byCode(schemes.language, lower)) ??
    concepts.byAlpha2(schemes.language, lower.length === 2 ? lower : shortest(lower))
  if (concept) return languageFacts(concept)
  const label = fromIntl(() => english.of(lower))
  const long = alpha3CodeOf(lower)?.toUpperCase()
  if (label === undefined) return undefined
  return { id: shortest(lower), label, ...(long && { iri: `${schemes.language}/${long}` }) }
}

/** Finds the language for an IRI of a code list, a code, a tag or a name. */
function languageNamed(name: string, context: MappingContext): LanguageFacts | undefined {
  const concept = context.concepts.find(name)
  if (concept) return concept.scheme === schemes.language ? languageFacts(concept) : undefined
  const code = languageIri.exec(name)?.[1] ?? (/^[a-z]{2,3}$/i.test(name) ? name : undefined)
  const facts = code === undefined ? undefined : languageByCode(code, context)
  if (facts || /^[a-z][a-z0-9+.-]*:/i.test(name)) return facts
  const iri = languageIriOf(name, context.concepts.authorities)
  return iri === undefined ? undefined : languageByCode(lastSegment(iri), context)
}

function languageOf(node: Term, context: MappingContext): JsonObject | undefined {
  const facts = meaningOf(node, context.graph, (name) => languageNamed(name, context))
  const resource = iriLike(node, context) ?? facts?.iri
  return facts && { id: facts.id, label: facts.label, ...(resource && { resource }) }
}

/** Language: `{id, label, resource}` with the shortest code as id; an unknown one by its text or IRI, with a report. */
export const language = eachValue((node, context, field) => {
  const json = languageOf(node, context)
  if (!json) return unknownValue(node, context, field)
  const resource = json['resource']
  return { key: typeof resource === 'string' ? resource : node.value, json }
})

/** Returns the codes of the recognised languages, each once, in alphabetical order. */
export const languageCodes = (
  nodes: readonly Term[],
  context: MappingContext,
): readonly string[] => {
  const codes = nodes.flatMap((node) => languageOf(node, context)?.['id'] ?? [])
  return [...new Set(codes.filter((code) => typeof code === 'string'))].sort()
}

// File formats: concepts of the file-type table from IRIs, media types, codes, endings and common names.

function formatByMediaType(type: string, context: MappingContext, resource?: string): JsonObject {
  const concept = context.concepts.formats.byMediaType(type)
  if (concept) return labelled(concept)
  return { id: type, label: type, ...(resource !== undefined && { resource }) }
}

function decodedSegment(iri: string): string {
  const segment = lastSegment(iri.replace(/[?#]+$/, '').replace(/\/+$/, ''))
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    if (cause instanceof URIError) return segment
    throw cause
  }
}

/** Matches the top-level types of media types: other texts with a slash, such as `csv/zip`, are none. */
const topLevel =
  /^(?:application|audio|chemical|font|image|message|model|multipart|text|video|x-[a-z]+)\//

/**
 * Finds the format for one name of a value: an IRI of the tables, a media type, a code, a file name extension or a usual name.
 */
function formatNamed(name: string, context: MappingContext): JsonObject | undefined {
  const { concepts } = context
  const isIri = absoluteIri.test(name)
  const concept = isIri ? concepts.find(name) : concepts.formats.byText(name)
  if (concept) return concept.scheme === schemes.fileType ? labelled(concept) : undefined
  const type = mediaTypeOf(name)
  const isType = type !== undefined && (isIri || topLevel.test(type))
  return isType ? formatByMediaType(type, context, isIri ? name : undefined) : undefined
}

/** Returns the format that a term names; `undefined` without a name. `report` gets a text that is in no table and has no IRI. */
export function formatOf(
  node: Term,
  context: MappingContext,
  report?: (text: string) => void,
): JsonObject | undefined {
  const iri = iriLike(node, context)
  const concept = iri === undefined ? undefined : context.concepts.find(iri)
  const json = concept
    ? labelled(concept)
    : meaningOf(node, context.graph, (name) => formatNamed(name, context))
  if (json) return json
  const resource = valueIri(node, context)
  const text = valueLabel(node, context)
  if (resource !== undefined) {
    const id = text === undefined ? decodedSegment(resource) : textId(text)
    return { id, label: text ?? id, resource }
  }
  if (text === undefined) return undefined
  report?.(text)
  return { id: textId(text), label: text }
}

/** Format: `{id, label, resource}`. */
export const format = eachValue((node, context, { path }) => {
  const report = (text: string) => context.report(path, 'unknown-concept', text)
  return keyedBy(formatOf(node, context, report), 'resource', 'id') ?? 'not-an-iri'
})
