/** Languages from the EU table, LOC, lexvo and bare codes (ISO 639). */

import type { Term } from '@rdfjs/types'
import { schemes, type Concept } from '../../../vocabularies/concept.ts'
import type { JsonObject } from '../json.ts'
import { iriLike, settle, type Mapping, type Ranked, type Scene } from '../mapping.ts'
import { remembered } from './described.ts'
import { threeLetters } from '../../../vocabularies/languages.ts'

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
