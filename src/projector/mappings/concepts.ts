/** Resources that may have a label: standards, rights statements, states, package formats. */

import type { Term } from '@rdfjs/types'
import { type Concept, schemes } from '../../vocabularies/concept.ts'
import { threeLetters } from '../../vocabularies/coded-values.ts'
import {
  iriLike,
  iriOf,
  type JsonObject,
  type Mapping,
  objectOf,
  type Ranked,
  type Scene,
  settle,
} from './mapping.ts'
import { labelOf, mediaTypeOf } from './texts.ts'

function described(node: Term, scene: Scene): JsonObject | undefined {
  if (node.termType === 'Literal') {
    const label = node.value.trim()
    return label === '' ? undefined : { label }
  }
  const resource = iriOf(node, scene)
  const label =
    labelOf(node, scene) ??
    (resource === undefined ? undefined : scene.concepts.find(resource)?.label)
  return objectOf({ label, resource })
}

const keyOf = (json: JsonObject): string => {
  const key = json['resource'] ?? json['label']
  return typeof key === 'string' ? key : ''
}

const through =
  (read: (node: Term, scene: Scene) => JsonObject | undefined): Mapping =>
  (nodes, site, scene) => {
    const values: Ranked[] = []
    for (const node of nodes) {
      const json = read(node, scene)
      if (json) values.push({ key: keyOf(json), json })
      else scene.report(site.path, 'unknown-concept', node)
    }
    return settle(values, site, scene)
  }

/** AdmsSkos and LabeledResource: `{label?, resource?}`. */
export const labelledResource = through(described)

/** Document: the same, and a media type is its own label. */
export const documentFormat = through((node, scene) => {
  const json = described(node, scene)
  if (!json || 'label' in json) return json
  const type = mediaTypeOf(node.value)
  return type === undefined ? json : { label: type, ...json }
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
export const theme: Mapping = (nodes, site, scene) => {
  const values: Ranked[] = []
  for (const node of nodes) {
    const iri = iriLike(node, scene)
    const isCode = iri === undefined && node.termType === 'Literal'
    const concept =
      iri === undefined
        ? isCode && scene.concepts.byCode(schemes.dataTheme, node.value.trim())
        : scene.concepts.find(iri)
    if (concept) values.push({ key: concept.iri, json: multilingual(concept) })
    else scene.report(site.path, 'unknown-concept', node)
  }
  return settle(values, site, scene)
}

/** HvdCategory, EuroVoc, GenericSkosMultiLang: of an unknown concept the IRI is kept. */
export const skosConcept: Mapping = (nodes, site, scene) => {
  const values: Ranked[] = []
  for (const node of nodes) {
    const iri = iriLike(node, scene)
    const concept = iri === undefined ? undefined : scene.concepts.find(iri)
    if (concept) values.push({ key: concept.iri, json: multilingual(concept) })
    else scene.report(site.path, 'unknown-concept', node)
    if (!concept && iri !== undefined) values.push({ key: iri, json: { resource: iri } })
  }
  return settle(values, site, scene)
}

// Languages from the EU table, LOC, lexvo and bare codes (ISO 639).

const foreign =
  /^https?:\/\/(?:id\.loc\.gov\/vocabulary\/iso639-[12]|lexvo\.org\/id\/iso639-[123])\/([a-z]{2,3})\/?$/i
const own = /^https?:\/\/publications\.europa\.eu\/resource\/authority\/language\/([A-Z]{3})\/?$/

const english = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** The shortest code: two letters where ISO 639-1 has them. */
function shortest(code: string): string {
  try {
    return new Intl.Locale(code).language
  } catch (cause) {
    if (cause instanceof RangeError) return code
    throw cause
  }
}

function nameOf(code: string): string | undefined {
  try {
    return english.of(code)
  } catch (cause) {
    if (cause instanceof RangeError) return undefined
    throw cause
  }
}

type Known = { readonly id: string; readonly label: string; readonly iri?: string }

const fromConcept = remembered((concept: Concept): Known => ({
  id: concept.extensions.iso_6391_code ?? shortest(concept.id.toLowerCase()),
  label: concept.label,
  iri: concept.iri,
}))

function computed(code: string): Known | undefined {
  const label = nameOf(code)
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
export const language: Mapping = (nodes, site, scene) => {
  const values: Ranked[] = []
  for (const node of nodes) {
    const json = languageOf(node, scene)
    const resource = json?.['resource']
    if (json) values.push({ key: typeof resource === 'string' ? resource : node.value, json })
    else scene.report(site.path, 'unknown-concept', node)
    const iri = json ? undefined : iriLike(node, scene)
    if (iri !== undefined) values.push({ key: iri, json: { resource: iri } })
  }
  return settle(values, site, scene)
}

/** Codes of the languages that are known, in order. */
export const languageCodes = (nodes: readonly Term[], scene: Scene): readonly string[] => {
  const codes = nodes.flatMap((node) => languageOf(node, scene)?.['id'] ?? [])
  return [...new Set(codes.filter((code) => typeof code === 'string'))].sort()
}

// Concepts of small EU tables with their English label: access rights, frequencies, types.

function conceptOf(node: Term, iri: string | undefined, scheme: string, scene: Scene) {
  if (iri !== undefined) return scene.concepts.find(iri)
  return node.termType === 'Literal' ? scene.concepts.byCode(scheme, node.value.trim()) : undefined
}

/** What is left of a value that is in no vocabulary. */
type Unknown = (literal: string) => JsonObject | undefined

const fromTable =
  (scheme: string, unknown: Unknown): Mapping =>
  (nodes, site, scene) => {
    const values: Ranked[] = []
    for (const node of nodes) {
      const iri = iriLike(node, scene)
      const concept: Concept | undefined = conceptOf(node, iri, scheme, scene)
      if (concept) {
        values.push({ key: concept.iri, json: labelled(concept) })
        continue
      }
      const text = node.value.trim()
      const literal = node.termType === 'Literal' ? unknown(text) : undefined
      const json = iri === undefined ? literal : { resource: iri }
      if (json !== literal || json === undefined) scene.report(site.path, 'unknown-concept', text)
      if (json) values.push({ key: text, json })
    }
    return settle(values, site, scene)
  }

const asLabel: Unknown = (label) => ({ label })
const leftOut: Unknown = () => undefined

export const accessRight = fromTable(schemes.accessRight, asLabel)
export const frequency = fromTable(schemes.frequency, asLabel)
export const datasetType = fromTable(schemes.datasetType, leftOut)
export const distributionType = fromTable(schemes.distributionType, leftOut)
