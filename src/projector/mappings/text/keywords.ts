/** Keywords: labels with an id that is made of them. */

import { compareCodePoints, cutCodePoints } from '../../../text/code-points.ts'
import type { Literal, Term } from '@rdfjs/types'
import type { Concept } from '../../../vocabularies/concept.ts'
import { iriOf, type Mapping, type Scene } from '../mapping.ts'
import { tagOf } from '../../../vocabularies/labels.ts'

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
  const iri = iriOf(node, scene)
  const concept = iri === undefined ? undefined : scene.concepts.find(iri)
  return concept && labelOf(concept, scene.language)
}

/** The label in the default language, else English, else the first; a concept without labels goes by its id. */
function labelOf({ prefLabel, label }: Concept, wanted: string) {
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
