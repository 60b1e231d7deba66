/** Values that name a concept: of controlled vocabularies, languages and file formats, and resources that may have a label. */

import type { Term } from '@rdfjs/types'
import { isJsonObject, type JsonObject } from '../../text/json.ts'
import { type Authorities, type AuthorityName, conceptIri } from '../../vocabularies/authorities.ts'
import {
  accessOf,
  frequencyOf,
  languageOf as languageIriOf,
  themesOf,
  threeLetters,
} from '../../vocabularies/coded-values.ts'
import { type Concept, schemes } from '../../vocabularies/concept.ts'
import { identityIri, meaningOf } from '../../vocabularies/described-values.ts'
import { languageMap } from '../../vocabularies/labels.ts'
import { saidText } from '../../vocabularies/loose-values.ts'
import {
  absolute,
  afterLast,
  eachValue,
  predicateIris,
  iriLike,
  keyedBy,
  type Mapping,
  nodeIri,
  objectOf,
  type Ranked,
  type Scene,
  type Slot,
} from './mapping.ts'
import { allLabels, labelMapOf, mediaTypeOf, nodeLabel, normalised } from './texts.ts'

// The JSON of a concept is made once, because the same few concepts stand in every record.

/** Makes a function of a concept that remembers what it made. */
export function oncePerConcept<T>(make: (concept: Concept) => T): (concept: Concept) => T {
  const made = new WeakMap<Concept, T>()
  return (concept) => {
    const value = made.get(concept) ?? make(concept)
    made.set(concept, value)
    return value
  }
}

/** `{id, label, resource}` with the English label. */
const labelled = oncePerConcept(({ id, label, iri }): JsonObject => ({ id, label, resource: iri }))

/** `{id, label: {language: text}, resource}` with all labels. */
const multilingual = oncePerConcept((concept): JsonObject => ({
  id: concept.id,
  label: allLabels(concept),
  resource: concept.iri,
}))

/** The concepts that a name means: an IRI, a code or a label. */
type Lookup = (name: string, scene: Scene) => readonly Concept[]

/** A lookup by IRI, code or label in some tables. */
const inTables =
  (...names: readonly AuthorityName[]): Lookup =>
  (name, { concepts }) => {
    const all = names.flatMap((table) => conceptIri(table, name, concepts.authorities) ?? [])
    return all.slice(0, 1).flatMap((iri) => concepts.find(iri) ?? [])
  }

/** A lookup by what sources call a concept. */
const named =
  (
    read: (name: string, authorities: Authorities) => string | readonly string[] | undefined,
  ): Lookup =>
  (name, { concepts }) =>
    [read(name, concepts.authorities) ?? []].flat().flatMap((iri) => concepts.find(iri) ?? [])

/** The concepts of a value: its own IRI may be in any vocabulary, all else that names it has to be in that of the field. */
function conceptsOf(node: Term, scene: Scene, lookup: Lookup): readonly Concept[] {
  const iri = iriLike(node, scene)
  const own = iri === undefined ? undefined : scene.concepts.find(iri)
  if (own) return [own]
  const found = meaningOf(node, scene.graph, (name) => {
    const all = lookup(name, scene)
    return all.length > 0 ? all : undefined
  })
  return found ?? []
}

/** The text of a value without a concept: a literal that is neither an IRI nor a placeholder, or the label of a node. */
export function valueLabel(node: Term, scene: Scene): string | undefined {
  const isLiteral = node.termType === 'Literal'
  if (isLiteral && iriLike(node, scene) !== undefined) return undefined
  return saidText(isLiteral ? node.value : nodeLabel(node, scene))
}

/** The IRI of a value, or the one that a node without a name of its own gives. */
export const valueIri = (node: Term, scene: Scene): string | undefined =>
  iriLike(node, scene) ?? identityIri(node, scene.graph)

/** A label that is counted by itself: its normal form, or the text where nothing is left of it. */
export const textId = (text: string): string => normalised(text) || text

/** What is left of a value that is in no vocabulary: its text or its IRI, with a report; texts come behind IRIs. */
function unknown(node: Term, scene: Scene, slot: Slot): Ranked | 'unknown-concept' {
  const label = valueLabel(node, scene)
  const resource = valueIri(node, scene)
  const json = objectOf({ ...(label && { id: textId(label), label }), resource })
  const name = label ?? resource
  if (!json || name === undefined) return 'unknown-concept'
  scene.report(slot.path, 'unknown-concept', name)
  return { key: resource ?? `~${name}`, json, name }
}

/** The same with the label as object language → text. */
function unknownSkos(node: Term, scene: Scene, slot: Slot): Ranked | 'unknown-concept' {
  const ranked = unknown(node, scene, slot)
  if (typeof ranked === 'string' || !isJsonObject(ranked.json)) return ranked
  const { label, ...rest } = ranked.json
  if (label === undefined) return ranked
  const map = labelMapOf(node, scene) ?? languageMap([node], scene.language) ?? {}
  return { ...ranked, json: { ...rest, label: map } }
}

/** Values of a vocabulary: each concept as `json` shows it, of all else what `rest` keeps. */
const coded = (
  lookup: Lookup,
  json: (concept: Concept) => JsonObject,
  rest: typeof unknown = unknown,
): Mapping =>
  eachValue((node, scene, slot) => {
    const concepts = conceptsOf(node, scene, lookup)
    if (concepts.length === 0) return rest(node, scene, slot)
    return concepts.map((one) => ({ key: one.iri, json: json(one) }))
  })

/** Theme: an IRI of any known vocabulary, or what sources call a theme; an unknown IRI is its own id. */
export const theme = coded(named(themesOf), multilingual, (node, scene, slot) => {
  const ranked = unknownSkos(node, scene, slot)
  const iri = typeof ranked === 'string' ? undefined : ranked.key
  if (typeof ranked === 'string' || !isJsonObject(ranked.json) || 'label' in ranked.json)
    return ranked
  return {
    ...ranked,
    json: { id: iri ?? '', label: { en: lastSegment(iri ?? '') }, ...ranked.json },
  }
})

/** HvdCategory. */
export const hvdCategory = coded(inTables('hvdCategory'), multilingual, unknownSkos)
/** EuroVoc and GenericSkosMultiLang: no table of their own. */
export const skosConcept = coded(() => [], multilingual, unknownSkos)

/** `{id, label, resource}` with the English label. */
export const accessRight = coded(named(accessOf), labelled)
export const frequency = coded(named(frequencyOf), labelled)
/** FrequencyMultiLang: with the labels in all languages. */
export const frequencyMultiLang = coded(named(frequencyOf), multilingual, unknownSkos)
export const datasetType = coded(inTables('datasetType'), labelled)
export const distributionType = coded(inTables('distributionType'), labelled)

// Resources that may have a label: standards, rights statements, states, package formats.

const [status = '', availability = ''] = predicateIris('adms:status dcatap:availability')

/** Tables of properties whose class is one for resources of any kind. */
const tablesOf: Readonly<Record<string, Lookup>> = {
  [status]: inTables('distributionStatus', 'admsStatus'),
  [availability]: inTables('availability'),
}

function described(node: Term, scene: Scene, { paths }: Slot): JsonObject | undefined {
  const own = nodeIri(node, scene)
  const known = own === undefined ? undefined : scene.concepts.find(own)
  const lookup = paths.map((path) => tablesOf[path]).find(Boolean)
  const [concept] = lookup && !known ? conceptsOf(node, scene, lookup) : []
  if (concept) return { label: concept.label, resource: concept.iri }
  const isLiteral = node.termType === 'Literal'
  const text = isLiteral ? node.value.trim() || undefined : nodeLabel(node, scene)
  return objectOf({
    label: text ?? known?.label,
    resource: own ?? identityIri(node, scene.graph),
  })
}

/** AdmsSkos and LabeledResource: `{label?, resource?}`. */
export const labelledResource = eachValue(
  (node, scene, slot) =>
    keyedBy(described(node, scene, slot), 'resource', 'label') ?? 'unknown-concept',
)

/** Document: the same; a media type is its own label, and what else names a format without an IRI is that format. */
export const documentFormat = eachValue((node, scene, slot) => {
  const named = nodeIri(node, scene)
    ? undefined
    : meaningOf(node, scene.graph, (name) => formatNamed(name, scene))
  const { label: formatLabel, resource } = named ?? {}
  const json = named ? objectOf({ label: formatLabel, resource }) : described(node, scene, slot)
  const label = json && (json['label'] ?? mediaTypeOf(node.value))
  const labelled = json && label !== undefined ? { label, ...json } : json
  return keyedBy(labelled, 'resource', 'label') ?? 'unknown-concept'
})

// Languages from the EU table, LOC, lexvo and bare codes (ISO 639).

const languageIri =
  /^https?:\/\/(?:id\.loc\.gov\/vocabulary\/iso639-[12]|lexvo\.org\/id\/iso639-[123]|publications\.europa\.eu\/resource\/authority\/language)\/([a-z]{2,3})\/?$/i

const english = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** What Intl says of a code; `undefined` for what is none. */
function fromIntl(read: () => string | undefined): string | undefined {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof RangeError) return undefined
    throw cause
  }
}

/** The shortest code: two letters where ISO 639-1 has them. */
const shortest = (code: string): string => fromIntl(() => new Intl.Locale(code).language) ?? code

type LanguageFacts = { readonly id: string; readonly label: string; readonly iri?: string }

const languageFacts = oncePerConcept(({ id, label, iri, extensions }: Concept): LanguageFacts => ({
  id: extensions.iso_6391_code ?? shortest(id.toLowerCase()),
  label,
  iri,
}))

/** The language of a code in the table, else what Intl knows of it. */
function languageByCode(code: string, { concepts }: Scene): LanguageFacts | undefined {
  const lower = code.toLowerCase()
  const concept =
    (lower.length === 2 ? undefined : concepts.byCode(schemes.language, lower)) ??
    concepts.byAlpha2(schemes.language, lower.length === 2 ? lower : shortest(lower))
  if (concept) return languageFacts(concept)
  const label = fromIntl(() => english.of(lower))
  const long = threeLetters(lower)?.toUpperCase()
  if (label === undefined) return undefined
  return { id: shortest(lower), label, ...(long && { iri: `${schemes.language}/${long}` }) }
}

/** The language of an IRI of any list of codes, of a code, a tag or a name. */
function languageNamed(name: string, scene: Scene): LanguageFacts | undefined {
  const concept = scene.concepts.find(name)
  if (concept) return concept.scheme === schemes.language ? languageFacts(concept) : undefined
  const code = languageIri.exec(name)?.[1] ?? (/^[a-z]{2,3}$/i.test(name) ? name : undefined)
  const facts = code === undefined ? undefined : languageByCode(code, scene)
  if (facts || /^[a-z][a-z0-9+.-]*:/i.test(name)) return facts
  const iri = languageIriOf(name, scene.concepts.authorities)
  return iri === undefined ? undefined : languageByCode(afterLast(iri), scene)
}

function languageOf(node: Term, scene: Scene): JsonObject | undefined {
  const facts = meaningOf(node, scene.graph, (name) => languageNamed(name, scene))
  const resource = iriLike(node, scene) ?? facts?.iri
  return facts && { id: facts.id, label: facts.label, ...(resource && { resource }) }
}

/** Language: `{id: two-letter code, label, resource}`. */
export const language = eachValue((node, scene, slot) => {
  const json = languageOf(node, scene)
  if (!json) return unknown(node, scene, slot)
  const resource = json['resource']
  return { key: typeof resource === 'string' ? resource : node.value, json }
})

/** Codes of the languages that are known, in order. */
export const languageCodes = (nodes: readonly Term[], scene: Scene): readonly string[] => {
  const codes = nodes.flatMap((node) => languageOf(node, scene)?.['id'] ?? [])
  return [...new Set(codes.filter((code) => typeof code === 'string'))].sort()
}

// File formats: concepts of the file-type table from IRIs, media types, codes, endings and common names.

function formatByMediaType(type: string, scene: Scene, resource?: string): JsonObject {
  const concept = scene.concepts.formats.byMediaType(type)
  if (concept) return labelled(concept)
  return { id: type, label: type, ...(resource !== undefined && { resource }) }
}

function lastSegment(iri: string): string {
  const segment = afterLast(iri.replace(/[?#]+$/, '').replace(/\/+$/, ''))
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    if (cause instanceof URIError) return segment
    throw cause
  }
}

const topLevel =
  /^(?:application|audio|chemical|font|image|message|model|multipart|text|video|x-[a-z]+)\//

/** The format that one name of a value means: an IRI of the tables, a media type, a code, an ending or a usual name. */
function formatNamed(name: string, scene: Scene): JsonObject | undefined {
  const { concepts } = scene
  const isIri = absolute.test(name)
  const concept = isIri ? concepts.find(name) : concepts.formats.byText(name)
  if (concept) return concept.scheme === schemes.fileType ? labelled(concept) : undefined
  const type = mediaTypeOf(name)
  const isType = type !== undefined && (isIri || topLevel.test(type))
  return isType ? formatByMediaType(type, scene, isIri ? name : undefined) : undefined
}

/** The format that a term names; `undefined` for what names none. `report` hears of a text that no table knows. */
export function formatOf(
  node: Term,
  scene: Scene,
  report?: (text: string) => void,
): JsonObject | undefined {
  const iri = iriLike(node, scene)
  const own = iri === undefined ? undefined : scene.concepts.find(iri)
  const known = own
    ? labelled(own)
    : meaningOf(node, scene.graph, (name) => formatNamed(name, scene))
  if (known) return known
  const resource = valueIri(node, scene)
  const text = valueLabel(node, scene)
  if (resource !== undefined) {
    const id = text === undefined ? lastSegment(resource) : textId(text)
    return { id, label: text ?? id, resource }
  }
  if (text === undefined) return undefined
  report?.(text)
  return { id: textId(text), label: text }
}

/** Format: `{id, label, resource}`. */
export const format = eachValue((node, scene, { path }) => {
  const report = (text: string) => scene.report(path, 'unknown-concept', text)
  return keyedBy(formatOf(node, scene, report), 'resource', 'id') ?? 'not-an-iri'
})
