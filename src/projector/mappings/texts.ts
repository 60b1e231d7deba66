/** Plain strings and IRIs as strings. */

import type { Literal, Term } from '@rdfjs/types'
import { dct, foaf, rdfs, schema, skos } from '../../rdf/namespaces.ts'
import { compareCodePoints, cutCodePoints } from '../../text/code-points.ts'
import type { Concept } from '../../vocabularies/concept.ts'
import {
  keyedTexts,
  languageMap,
  languageObject,
  oneText,
  tagOf,
} from '../../vocabularies/labels.ts'
import {
  eachValue,
  iriLike,
  isBlank,
  type Mapping,
  nodeIri,
  type Problem,
  type Scene,
} from './mapping.ts'
import type { JsonObject } from '../../text/json.ts'

/** A mapping of values to texts; what is no text is left out with the problem, empty texts without. */
const strings = (read: (node: Term, scene: Scene) => string | undefined, problem: Problem) =>
  eachValue((node, scene) => {
    const text = read(node, scene)
    if (text === undefined) return problem
    return text === '' ? undefined : { key: text, json: text }
  })

const textOf = (node: Term, scene: Scene) => (isBlank(node, scene) ? undefined : node.value.trim())

/** StandardText and LabeledText: a literal, or the text of an IRI. */
export const standardText = strings(textOf, 'not-a-literal')

/** StandardKeyword: like text, for filters. */
export const standardKeyword = strings(textOf, 'not-an-iri')

/** StandardDisabled: as sent, not searched. */
export const standardDisabled = strings(
  (node, scene) => (isBlank(node, scene) ? undefined : node.value),
  'not-an-iri',
)

/** StandardResourceKeyword: IRIs; blank nodes are passed over. */
export const standardResourceKeyword = strings(
  (node, scene) => (isBlank(node, scene) ? '' : iriLike(node, scene)),
  'not-an-iri',
)

const iana = /^https?:\/\/(?:www\.)?iana\.org\/assignments\/media-types\//i

/** The media type that a term names, lower case and without parameters (RFC 6838 4.2). */
export function mediaTypeOf(text: string): string | undefined {
  const [type = ''] = text.trim().replace(iana, '').split(';')
  const lower = type.trim().toLowerCase()
  return /^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*$/.test(lower) ? lower : undefined
}

/** MediaType: `text/csv` from an IANA IRI or a literal. */
export const mediaType = strings(
  (node, scene) => (isBlank(node, scene) ? undefined : mediaTypeOf(node.value)),
  'bad-media-type',
)

// Texts in several languages: an object from language to text.

/** SimpleMultiLang, MultiLang and their title kinds: `"Forêts"@fr, "Forests"@en` → `{en, fr}`. */
export const multiLang: Mapping = (nodes, site, scene) =>
  languageObject(
    keyedTexts(nodes, scene.language, {
      notLiteral: (node) => scene.report(site.path, 'not-a-literal', node),
      twice: (text) => scene.report(site.path, 'same-language-twice', text),
    }),
  )

// Keywords: labels with an id that is made of them.

const longest = 256

/** Letters, digits and `_` of any script in lower case, everything else one `-`; '' when nothing is left. */
export function normalised(text: string): string {
  const runs = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '-')
    .replace(/^-|-$/g, '')
  return runs.length <= longest ? runs : cutCodePoints(runs, longest).replace(/-$/, '')
}

type Keyword = { readonly id: string; readonly label: string; readonly language: string }

function languageOf(literal: Literal, scene: Scene): string {
  const { primary, rank } = tagOf(literal.language)
  return rank === 1 ? scene.language : primary
}

function labelled(node: Term, scene: Scene): { label: string; language: string } | undefined {
  if (node.termType === 'Literal')
    return { label: node.value.trim(), language: languageOf(node, scene) }
  const iri = nodeIri(node, scene)
  const concept = iri === undefined ? undefined : scene.concepts.find(iri)
  return concept && keywordText(concept, scene.language)
}

/** The label in the default language, else English, else the first; a concept without labels goes by its id. */
function keywordText({ prefLabel, label }: Concept, wanted: string) {
  const language = wanted in prefLabel ? wanted : 'en' in prefLabel ? 'en' : undefined
  const chosen = language ?? Object.keys(prefLabel)[0] ?? 'en'
  return { label: prefLabel[chosen] ?? label, language: chosen }
}

const inOrder = (a: Keyword, b: Keyword) =>
  compareCodePoints(a.id, b.id) ||
  compareCodePoints(a.language, b.language) ||
  compareCodePoints(a.label, b.label)

/** `"Feinstaub (PM10)"@de` → `{"id":"feinstaub-pm10","label":"Feinstaub (PM10)","language":"de"}` */
export const keywords: Mapping = (nodes, site, scene) => {
  const found: Keyword[] = []
  for (const node of nodes) {
    const text = labelled(node, scene)
    if (!text) scene.report(site.path, 'unknown-concept', node)
    const id = text && normalised(text.label)
    if (text && id) found.push({ id, ...text })
  }
  if (found.length === 0) return undefined
  found.sort(inOrder)
  const distinct = found.filter((keyword, at) => {
    const before = found[at - 1]
    return keyword.id !== before?.id || keyword.language !== before.language
  })
  if (!site.single) return distinct
  if (distinct[1]) scene.report(site.path, 'too-many-values', distinct[1].label)
  return distinct[0]
}

// The label that a node carries in its own graph.

const predicates = [
  skos('prefLabel').value,
  rdfs('label').value,
  dct('title').value,
  foaf('name').value,
  schema('name').value,
  'https://schema.org/name',
]

function labelsOf(node: Term, scene: Scene): readonly Term[] {
  for (const predicate of predicates) {
    const found = scene.graph.objects(node, predicate)
    if (found.some((term) => term.termType === 'Literal' && term.value.trim() !== '')) return found
  }
  return []
}

/** One label: English, else the default language, else what there is. */
export const nodeLabel = (node: Term, scene: Scene): string | undefined =>
  node.termType === 'Literal' ? undefined : oneText(labelsOf(node, scene), scene.language)

/** The labels of a node as object language → text. */
export const labelMapOf = (node: Term, scene: Scene): JsonObject | undefined =>
  node.termType === 'Literal' ? undefined : languageMap(labelsOf(node, scene), scene.language)
