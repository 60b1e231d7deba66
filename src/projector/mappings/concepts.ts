/** Resources that may have a label: standards, rights statements, states, package formats. */

import type { Term } from '@rdfjs/types'
import { type Concept, schemes } from '../../vocabularies/concept.ts'
import { threeLetters } from '../../vocabularies/coded-values.ts'
import {
  eachValue,
  iriLike,
  keyedBy,
  type Mapping,
  nodeIri,
  objectOf,
  type Ranked,
  type Scene,
  type Site,
} from './mapping.ts'
import type { JsonObject } from '../../text/json.ts'
import { nodeLabel, mediaTypeOf } from './texts.ts'

function described(node: Term, scene: Scene): JsonObject | undefined {
  if (node.termType === 'Literal') return objectOf({ label: node.value.trim() || undefined })
  const resource = nodeIri(node, scene)
  const label =
    nodeLabel(node, scene) ??
    (resource === undefined ? undefined : scene.concepts.find(resource)?.label)
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

// The JSON of a known concept; made once per concept, because the same few concepts stand in every record.

/** Makes a function of a concept that remembers what it made. */
export function remembered<T>(make: (concept: Concept) => T): (concept: Concept) => T {
  const made = new WeakMap<Concept, T>()
  return (concept) => {
    const found = made.get(concept)
    if (found !== undefined) return found
    const value = make(concept)
    made.set(concept, value)
    return value
  }
}

/** `{id, label, resource}` with the English label. */
export const labelled = remembered(({ id, label, iri }): JsonObject => ({
  id,
  label,
  resource: iri,
}))

/** `{id, label: {language: text}, resource}` with all labels. */
const multilingual = remembered(({ id, label, prefLabel, iri }): JsonObject => ({
  id,
  label: Object.keys(prefLabel).length > 0 ? prefLabel : { en: label },
  resource: iri,
}))

// Concepts with labels in all languages.

/** Theme: an IRI of any known vocabulary, or a code of the EU table; what is unknown is left out. */
export const theme = eachValue((node, scene) => {
  const concept = conceptOf(node, schemes.dataTheme, scene)
  return concept ? { key: concept.iri, json: multilingual(concept) } : 'unknown-concept'
})

/** The concept of an IRI, or of a code of a scheme. */
function conceptOf(node: Term, scheme: string, scene: Scene): Concept | undefined {
  const iri = iriLike(node, scene)
  if (iri !== undefined) return scene.concepts.find(iri)
  return node.termType === 'Literal' ? scene.concepts.byCode(scheme, node.value.trim()) : undefined
}

/** What is left of a value that is in no vocabulary: its IRI, with a report. */
function unknown(node: Term, scene: Scene, site: Site): Ranked | 'unknown-concept' {
  const iri = iriLike(node, scene)
  if (iri === undefined) return 'unknown-concept'
  scene.report(site.path, 'unknown-concept', node)
  return { key: iri, json: { resource: iri } }
}

/** HvdCategory, EuroVoc, GenericSkosMultiLang: of an unknown concept the IRI is kept. */
export const skosConcept = eachValue((node, scene, site) => {
  const iri = iriLike(node, scene)
  const concept = iri === undefined ? undefined : scene.concepts.find(iri)
  return concept ? { key: concept.iri, json: multilingual(concept) } : unknown(node, scene, site)
})

// Languages from the EU table, LOC, lexvo and bare codes (ISO 639).

const foreign =
  /^https?:\/\/(?:id\.loc\.gov\/vocabulary\/iso639-[12]|lexvo\.org\/id\/iso639-[123])\/([a-z]{2,3})\/?$/i
const own = /^https?:\/\/publications\.europa\.eu\/resource\/authority\/language\/([A-Z]{3})\/?$/

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

type Known = { readonly id: string; readonly label: string; readonly iri?: string }

const fromConcept = remembered((concept: Concept): Known => ({
  id: concept.extensions.iso_6391_code ?? shortest(concept.id.toLowerCase()),
  label: concept.label,
  iri: concept.iri,
}))

function computed(code: string): Known | undefined {
  const label = fromIntl(() => english.of(code))
  if (label === undefined) return undefined
  const long = threeLetters(code)
  const iri = long === undefined ? undefined : `${schemes.language}/${long.toUpperCase()}`
  return { id: shortest(code), label, ...(iri !== undefined && { iri }) }
}

function byCode(code: string, scene: Scene): Known | undefined {
  const lower = code.toLowerCase()
  const { concepts } = scene
  const concept =
    lower.length === 2
      ? concepts.byAlpha2(schemes.language, lower)
      : (concepts.byCode(schemes.language, lower) ??
        concepts.byAlpha2(schemes.language, shortest(lower)))
  return concept ? fromConcept(concept) : computed(lower)
}

function byIri(iri: string, scene: Scene): Known | undefined {
  const concept = scene.concepts.find(iri)
  if (concept) return fromConcept(concept)
  const code = (foreign.exec(iri) ?? own.exec(iri))?.[1]
  return code === undefined ? undefined : byCode(code, scene)
}

function languageOf(node: Term, scene: Scene): JsonObject | undefined {
  const iri = iriLike(node, scene)
  if (iri !== undefined) {
    const known = byIri(iri, scene)
    return known && { id: known.id, label: known.label, resource: iri }
  }
  const text = node.value.trim()
  if (node.termType !== 'Literal' || !/^[a-z]{2,3}$/i.test(text)) return undefined
  const known = byCode(text, scene)
  return known && { id: known.id, label: known.label, ...(known.iri && { resource: known.iri }) }
}

/** Language: `{id: two-letter code, label, resource}`. */
export const language = eachValue((node, scene, site) => {
  const json = languageOf(node, scene)
  if (!json) return unknown(node, scene, site)
  const resource = json['resource']
  return { key: typeof resource === 'string' ? resource : node.value, json }
})

/** Codes of the languages that are known, in order. */
export const languageCodes = (nodes: readonly Term[], scene: Scene): readonly string[] => {
  const codes = nodes.flatMap((node) => languageOf(node, scene)?.['id'] ?? [])
  return [...new Set(codes.filter((code) => typeof code === 'string'))].sort()
}

// Concepts of small EU tables with their English label: access rights, frequencies, types.

/** `unknown` = what is left of a literal that is in no vocabulary. */
const fromTable = (scheme: string, unknown: (label: string) => JsonObject | undefined): Mapping =>
  eachValue((node, scene, site) => {
    const concept = conceptOf(node, scheme, scene)
    if (concept) return { key: concept.iri, json: labelled(concept) }
    const iri = iriLike(node, scene)
    const text = node.value.trim()
    const literal = iri === undefined && node.termType === 'Literal' ? unknown(text) : undefined
    if (literal) return { key: text, json: literal }
    scene.report(site.path, 'unknown-concept', text)
    return iri === undefined ? undefined : { key: text, json: { resource: iri } }
  })

const asLabel = (label: string): JsonObject => ({ label })
const leftOut = () => undefined

export const accessRight = fromTable(schemes.accessRight, asLabel)
export const frequency = fromTable(schemes.frequency, asLabel)
export const datasetType = fromTable(schemes.datasetType, leftOut)
export const distributionType = fromTable(schemes.distributionType, leftOut)
