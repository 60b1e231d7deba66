/** Values that name a concept: of controlled vocabularies, languages, licences and file formats, and resources that may have a label. */

import type { Term } from '@rdfjs/types'
import { compareCodePoints } from '../../text/code-points.ts'
import type { JsonObject } from '../../text/json.ts'
import { threeLetters } from '../../vocabularies/coded-values.ts'
import { type Concept, schemes } from '../../vocabularies/concept.ts'
import { oneText } from '../../vocabularies/labels.ts'
import {
  afterLast,
  eachValue,
  predicateIris,
  iriLike,
  isBlank,
  keyedBy,
  type Mapping,
  nodeIri,
  objectOf,
  type Ranked,
  type Scene,
  type Slot,
} from './mapping.ts'
import { allLabels, mediaTypeOf, nodeLabel, normalised } from './texts.ts'

// Resources that may have a label: standards, rights statements, states, package formats.

function described(node: Term, scene: Scene): JsonObject | undefined {
  if (node.termType === 'Literal') return objectOf({ label: node.value.trim() || undefined })
  const resource = nodeIri(node, scene)
  const label = nodeLabel(node, scene) ?? scene.concepts.find(resource ?? '')?.label
  return objectOf({ label, resource })
}

/** AdmsSkos and LabeledResource: `{label?, resource?}`. */
export const labelledResource = eachValue(
  (node, scene) => keyedBy(described(node, scene), 'resource', 'label') ?? 'unknown-concept',
)

/** Document: the same, and a media type is its own label. */
export const documentFormat = eachValue((node, scene) => {
  const json = described(node, scene)
  const label = json && (json['label'] ?? mediaTypeOf(node.value))
  const labelled = json && label !== undefined ? { label, ...json } : json
  return keyedBy(labelled, 'resource', 'label') ?? 'unknown-concept'
})

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

/** The concept of an IRI, or of a code of a scheme. */
function conceptOf(node: Term, scene: Scene, scheme?: string): Concept | undefined {
  const iri = iriLike(node, scene)
  if (iri !== undefined) return scene.concepts.find(iri)
  return scheme !== undefined && node.termType === 'Literal'
    ? scene.concepts.byCode(scheme, node.value.trim())
    : undefined
}

/** What is left of a value that is in no vocabulary: its IRI, with a report. */
function unknown(node: Term, scene: Scene, slot: Slot): Ranked | 'unknown-concept' {
  const iri = iriLike(node, scene)
  if (iri === undefined) return 'unknown-concept'
  scene.report(slot.path, 'unknown-concept', node)
  return { key: iri, json: { resource: iri } }
}

/** Theme: an IRI of any known vocabulary, or a code of the EU table; what is unknown is left out. */
export const theme = eachValue((node, scene) => {
  const concept = conceptOf(node, scene, schemes.dataTheme)
  return concept ? { key: concept.iri, json: multilingual(concept) } : 'unknown-concept'
})

/** HvdCategory, EuroVoc, GenericSkosMultiLang: of an unknown concept the IRI is kept. */
export const skosConcept = eachValue((node, scene, slot) => {
  const concept = conceptOf(node, scene)
  return concept ? { key: concept.iri, json: multilingual(concept) } : unknown(node, scene, slot)
})

/** Concepts of small EU tables with their English label; `keepsTexts` = a literal that is in no vocabulary is a label. */
const fromTable = (scheme: string, keepsTexts: boolean): Mapping =>
  eachValue((node, scene, slot) => {
    const concept = conceptOf(node, scene, scheme)
    if (concept) return { key: concept.iri, json: labelled(concept) }
    const iri = iriLike(node, scene)
    const text = node.value.trim()
    if (keepsTexts && iri === undefined && node.termType === 'Literal')
      return { key: text, json: { label: text } }
    scene.report(slot.path, 'unknown-concept', text)
    return iri === undefined ? undefined : { key: text, json: { resource: iri } }
  })

/** `{id, label, resource}` of each of the four tables. */
export const accessRight = fromTable(schemes.accessRight, true)
export const frequency = fromTable(schemes.frequency, true)
export const datasetType = fromTable(schemes.datasetType, false)
export const distributionType = fromTable(schemes.distributionType, false)

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

function languageOf(node: Term, scene: Scene): JsonObject | undefined {
  const iri = iriLike(node, scene)
  const text = node.value.trim()
  const concept = iri === undefined ? undefined : scene.concepts.find(iri)
  const isCode = node.termType === 'Literal' && /^[a-z]{2,3}$/i.test(text)
  const code = iri === undefined ? (isCode ? text : undefined) : languageIri.exec(iri)?.[1]
  const facts = concept
    ? languageFacts(concept)
    : code === undefined
      ? undefined
      : languageByCode(code, scene)
  const resource = iri ?? facts?.iri
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

// Licences: concepts of the licence table in all their spellings, described nodes, foreign IRIs, names.

const authorityLicence = oncePerConcept(
  ({ id, label, definition, exactMatch, iri, extensions }: Concept): JsonObject => ({
    id,
    label,
    ...(definition !== undefined && { description: definition }),
    resource: exactMatch[0] ?? iri,
    ...(extensions.licensing_assistant && { la_url: extensions.licensing_assistant }),
  }),
)

/**
 * A licence of another vocabulary keeps its IRI as id, whether or not that vocabulary is installed: links and filters of
 * clients hold it. A rule of enrichment may name another id.
 */
function knownLicence(iri: string, { concepts }: Scene): JsonObject | undefined {
  const concept = concepts.find(iri) ?? concepts.licences.byIri(iri)
  if (!concept || concept.scheme === schemes.licence) return concept && authorityLicence(concept)
  const { label, definition: description } = concept
  return { id: iri, label, ...(description !== undefined && { description }), resource: iri }
}

const licencePredicates = {
  label: predicateIris('skos:prefLabel dct:title skos:altLabel rdfs:label'),
  id: predicateIris('dct:identifier dc:identifier'),
  description: predicateIris('dct:description'),
  match: predicateIris('skos:exactMatch'),
}

/** A licence that its own graph describes, or names another one of. */
function describedLicence(node: Term, scene: Scene): JsonObject | undefined {
  const { graph, language } = scene
  const text = (name: 'label' | 'id' | 'description') =>
    licencePredicates[name]
      .map((predicate) => oneText(graph.objects(node, predicate), language))
      .find((one) => one !== undefined)
  const matches = licencePredicates.match
    .flatMap((predicate) => graph.objects(node, predicate))
    .flatMap((term) => nodeIri(term, scene) ?? [])
    .sort(compareCodePoints)
  for (const iri of matches) {
    const licence = knownLicence(iri, scene)
    if (licence) return licence
  }
  const label = text('label')
  const id = text('id') ?? (label && normalised(label))
  const resource = matches[0] ?? nodeIri(node, scene)
  if (label === undefined && id === undefined && matches.length === 0) return undefined
  const description = text('description')
  return objectOf({ id: id || resource, label: label ?? id ?? resource, description, resource })
}

function licenceOf(node: Term, scene: Scene): JsonObject | undefined {
  const iri = iriLike(node, scene)
  const isLiteral = node.termType === 'Literal'
  const json =
    (iri === undefined ? undefined : knownLicence(iri, scene)) ??
    (isLiteral ? undefined : describedLicence(node, scene))
  if (json) return json
  if (iri !== undefined) return { id: iri, label: iri, resource: iri }
  const text = isLiteral ? node.value.trim() : ''
  const concept = scene.concepts.licences.byText(text)
  const id = normalised(text)
  if (concept && isLiteral) return authorityLicence(concept)
  return id === '' ? undefined : { id, label: text }
}

/** License: `{id, label, description?, resource, la_url?}`. */
export const license = eachValue(
  (node, scene) => keyedBy(licenceOf(node, scene), 'resource', 'id') ?? 'unknown-concept',
)

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

/** The format that a term names; `undefined` for what names none. */
export function formatOf(node: Term, scene: Scene): JsonObject | undefined {
  const { concepts } = scene
  const iri = iriLike(node, scene)
  const text = node.value.trim()
  if (iri === undefined && node.termType !== 'Literal') return undefined
  const concept = iri === undefined ? concepts.formats.byText(text) : concepts.find(iri)
  if (concept) return labelled(concept)
  const type = mediaTypeOf(iri ?? text)
  if (type !== undefined && (iri !== undefined || topLevel.test(type)))
    return formatByMediaType(type, scene, iri)
  const label = iri === undefined ? text : lastSegment(iri)
  const id = iri === undefined ? normalised(text) : label
  if (iri !== undefined) return { id, label, resource: iri }
  return id === '' ? undefined : { id, label }
}

/** Format: `{id, label, resource}`. */
export const format = eachValue((node, scene) =>
  isBlank(node, scene) ? 'not-an-iri' : keyedBy(formatOf(node, scene), 'resource', 'id'),
)
