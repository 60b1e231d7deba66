/** Mapping of texts: plain strings, IRIs as strings, texts in several languages, keywords, and labels of nodes. */

import type { Term } from '@rdfjs/types'
import { compareCodePoints, cutCodePoints } from '../../text/code-points.ts'
import type { JsonObject } from '../../text/json.ts'
import { type Concept, schemes } from '../../vocabularies/concept.ts'
import { labelledTerms, labelTerms, meaningOf } from '../../vocabularies/described-values.ts'
import {
  keyedTexts,
  languageMap,
  languageObject,
  preferredText,
  tagOf,
} from '../../vocabularies/labels.ts'
import { eachValue, iriLike, isBlank, nodeIri } from './mapping.ts'
import type { Mapping, ValueProblem, MappingContext } from './mapping.ts'

/** Creates a mapping of values to texts; other values are left out with the problem, empty texts without a report. */
const strings = (
  problem: ValueProblem,
  read: (node: Term, context: MappingContext) => string | undefined,
) =>
  eachValue((node, context) => {
    const text = read(node, context)
    if (text === undefined) return problem
    return text === '' ? undefined : { key: text, json: text }
  })

const textOf = (node: Term, context: MappingContext) =>
  isBlank(node, context) ? undefined : node.value.trim()

/** StandardText and LabeledText: a literal, or the text of an IRI. */
export const standardText = strings('not-a-literal', textOf)

/** StandardKeyword: a text for filters. */
export const standardKeyword = strings('not-an-iri', textOf)

/** StandardDisabled: a text as it was sent, not trimmed and not searched. */
export const standardDisabled = strings('not-an-iri', (node, context) =>
  isBlank(node, context) ? undefined : node.value,
)

/** StandardResourceKeyword: IRIs; blank nodes are ignored. */
export const standardResourceKeyword = strings('not-an-iri', (node, context) =>
  isBlank(node, context) ? '' : iriLike(node, context),
)

/** Returns the media type in a text, in lower case and without parameters (RFC 6838, 4.2). */
export function mediaTypeOf(text: string): string | undefined {
  const iana = /^https?:\/\/(?:www\.)?iana\.org\/assignments\/media-types\//i
  const [type = ''] = text.trim().replace(iana, '').split(';')
  const lower = type.trim().toLowerCase()
  return /^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*$/.test(lower) ? lower : undefined
}

/** Returns the media type for a name: the name itself, or the usual one of a file type. */
const mediaTypeNamed = (name: string, { concepts }: MappingContext): string | undefined =>
  mediaTypeOf(name) ??
  (concepts.findInScheme(schemes.fileType, name) ?? concepts.formats.byText(name))?.mediaTypes[0]

/**
 * MediaType: `text/csv` from an IANA IRI, a text, a file type, or a node that names one; other texts unchanged, with a report.
 */
export const mediaType = eachValue((node, context, { path }) => {
  const type = meaningOf(node, context.graph, (name) => mediaTypeNamed(name, context))
  if (type !== undefined) return { key: type, json: type }
  const text = node.termType === 'Literal' ? node.value.trim() : nodeLabel(node, context)
  const label = text ?? nodeIri(node, context)
  if (label === undefined) return 'bad-media-type'
  context.report(path, 'bad-media-type', label)
  return { key: label, json: label }
})

/** SimpleMultiLang, MultiLang and their title kinds: `"Forêts"@fr, "Forests"@en` → `{en, fr}`. */
export const multiLang: Mapping = (nodes, { path }, context) =>
  languageObject(
    keyedTexts(labelledTerms(nodes, context.graph), context.language, {
      onNonLiteral: (node) => context.report(path, 'not-a-literal', node),
      onDuplicate: (text) => context.report(path, 'same-language-twice', text),
    }),
  )

/** Maximum number of code points of an id made from a text. */
const maxIdLength = 256

/** Returns letters, marks, digits and `_` of any script in lower case, each run of others as one `-`; '' when nothing is left. */
export function slugOf(text: string): string {
  const slug = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '-')
    .replace(/^-|-$/g, '')
  return slug.length <= maxIdLength ? slug : cutCodePoints(slug, maxIdLength).replace(/-$/, '')
}

/**
 * Returns the id of a keyword: its slug, with characters that distinguish keywords: `c`, `c++`, `c#`, `r&d`, `r/d`, `.net`,
 * `1.5°`, `ab-`. Points and commas count before a letter or digit; blanks around `&`, `/` and `+` do not.
 */
function keywordId(text: string): string {
  const slug = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/\s*([&/+])\s*/g, '$1')
    .replace(/\.(?![\p{L}\p{N}])|(?<!\d),|,(?!\d)/gu, '-')
    .replace(/[^\p{L}\p{M}\p{N}\p{S}_.,#&/%@*§]+/gu, '-')
    .replace(/^-|(?<!(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,2})-$/gu, '')
  return slug.length <= maxIdLength ? slug : cutCodePoints(slug, maxIdLength).replace(/-$/, '')
}

/** Returns a literal, or the label of a concept in the default language, else English, else the first, else its id. */
function keywordText(node: Term, context: MappingContext) {
  const { language, concepts } = context
  if (node.termType === 'Literal') {
    const { primary, rank } = tagOf(node.language)
    return { label: node.value.trim(), language: rank === 1 ? language : primary }
  }
  const concept = concepts.find(nodeIri(node, context) ?? '')
  if (!concept) return undefined
  const { prefLabel, label } = concept
  const chosen = [language, 'en', ...Object.keys(prefLabel)].find((key) => key in prefLabel) ?? 'en'
  return { label: prefLabel[chosen] ?? label, language: chosen }
}

/** `"Feinstaub (PM10)"@de` → `{"id":"feinstaub-pm10","label":"Feinstaub (PM10)","language":"de"}`; ids once per language. */
export const keywords: Mapping = (nodes, { path, profileField }, context) => {
  const isKnown = (node: Term) => context.concepts.find(nodeIri(node, context) ?? '') !== undefined
  const values = nodes.flatMap((node) =>
    isKnown(node) ? [node] : labelledTerms([node], context.graph),
  )
  const entries = values.flatMap((node) => {
    const text = keywordText(node, context)
    const id = text && keywordId(text.label)
    if (!text) context.report(path, 'unknown-concept', node)
    return text && id ? [{ id, ...text }] : []
  })
  entries.sort(
    (a, b) =>
      compareCodePoints(a.id, b.id) ||
      compareCodePoints(a.language, b.language) ||
      compareCodePoints(a.label, b.label),
  )
  const distinct = entries.filter(
    ({ id, language }, at) => id !== entries[at - 1]?.id || language !== entries[at - 1]?.language,
  )
  const [first, second] = distinct
  if (!first || !profileField.single) return first && distinct
  if (second) context.report(path, 'too-many-values', second.label)
  return first
}

// Labels of nodes in their own graph.

/** Returns one label of a node: English, else in the default language, else without a language, else the first by language. */
export const nodeLabel = (node: Term, { graph, language }: MappingContext): string | undefined =>
  preferredText(labelTerms(node, graph), language)

/** Returns the labels of a node as object language → text. */
export const labelMapOf = (
  node: Term,
  { graph, language }: MappingContext,
): JsonObject | undefined => languageMap(labelTerms(node, graph), language)

/** Returns the labels of a concept as object language → text. */
export const allLabels = ({ label, prefLabel }: Concept): JsonObject =>
  Object.keys(prefLabel).length > 0 ? prefLabel : { en: label }
