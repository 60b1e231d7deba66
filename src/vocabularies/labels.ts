/** Language tags (BCP 47, RFC 6497): chooses the language key of each literal, and one text of several. */

import { compareCodePoints } from '../text/code-points.ts'
import type { Literal, Term } from '@rdfjs/types'

/** A parsed language tag. */
type Tag = {
  /** Primary subtag, lower case; '' without a tag. */
  readonly primary: string
  /** Tag as written if it has a region or script, otherwise its primary subtag. */
  readonly full: string
  /** Original language of a machine translation. */
  readonly translatedFrom?: string
  /** Preference: 0 language alone, 1 no tag, or one that names no language, 2 with region or script, 3 machine translation. */
  readonly rank: 0 | 1 | 2 | 3
}

/** Tags that name no language: private ones such as `x-default`, and codes for unknown, several or no languages (ISO 639-2). */
const noLanguage = /^(?:x|und|mul|mis|zxx)(?:-|$)/

function parseTag(tag: string): Tag {
  const lower = tag.toLowerCase()
  const [primary = ''] = lower.split('-')
  if (tag === '' || noLanguage.test(lower)) return { primary: '', full: '', rank: 1 }
  const translated = /-t-([a-z]{2,8})(?:-|$)/.exec(lower)
  if (translated?.[1]) return { primary, full: primary, translatedFrom: translated[1], rank: 3 }
  if (!lower.includes('-')) return { primary, full: primary, rank: 0 }
  return { primary, full: tag, rank: 2 }
}

const tagCache = new Map<string, Tag>()

/** Parses a language tag; the 2,000 first tags are cached. */
export function tagOf(tag: string): Tag {
  const cached = tagCache.get(tag)
  if (cached) return cached
  const parsed = parseTag(tag)
  if (tagCache.size < 2000) tagCache.set(tag, parsed)
  return parsed
}

/** Language key → text. */
type LanguageMap = Readonly<Record<string, string>>

/** Text with its language key in JSON and its language tag. */
export type KeyedText = { readonly key: string; readonly text: string; readonly tag: Tag }

type Candidate = { readonly text: string; readonly tag: Tag }

/** Order of preference of candidates: by rank, text and tag. */
const byRank = (a: Candidate, b: Candidate) =>
  a.tag.rank - b.tag.rank ||
  compareCodePoints(a.text, b.text) ||
  compareCodePoints(a.tag.full, b.tag.full)

/**
 * Language key of a text: its primary subtag, `language` for one without a language, or its full tag with region or script if
 * this is taken; `undefined` when both are taken.
 */
function keyFor(tag: Tag, usedKeys: ReadonlySet<string>, language: string): string | undefined {
  const key = tag.rank === 1 ? language : tag.primary
  if (!usedKeys.has(key)) return key
  return tag.rank === 2 && !usedKeys.has(tag.full.toLowerCase()) ? tag.full : undefined
}

/** Trimmed literals that are not empty; other nodes are passed to `onNonLiteral`. */
function candidates(nodes: readonly Term[], onNonLiteral: (node: Term) => void): Candidate[] {
  const list: Candidate[] = []
  for (const node of nodes) {
    if (node.termType !== 'Literal') {
      onNonLiteral(node)
      continue
    }
    const text = node.value.trim()
    if (text !== '') list.push({ text, tag: tagOf(node.language) })
  }
  return list
}

/** Callbacks for values that get no key. */
type TextProblems = {
  readonly onNonLiteral: (node: Term) => void
  readonly onDuplicate: (text: string) => void
}

const noReports: TextProblems = { onNonLiteral: () => undefined, onDuplicate: () => undefined }

/**
 * Texts by language key, at most one per key, sorted by key. Tags are compared without regard to case (BCP 47, 2.1.1). `language`
 * is the key of texts without a tag.
 */
export function keyedTexts(
  nodes: readonly Term[],
  language: string,
  problems: TextProblems = noReports,
): readonly KeyedText[] {
  const sorted = candidates(nodes, problems.onNonLiteral)
  if (sorted.length > 1) sorted.sort(byRank)
  const usedKeys = new Set<string>()
  const result: KeyedText[] = []
  for (const { text, tag } of sorted) {
    const key = keyFor(tag, usedKeys, language)
    if (key === undefined) {
      problems.onDuplicate(text)
      continue
    }
    usedKeys.add(key.toLowerCase())
    result.push({ key, text, tag })
  }
  return result.length > 1 ? result.sort((a, b) => compareCodePoints(a.key, b.key)) : result
}

/** Object from language key to text; `undefined` without texts. */
export function languageObject(texts: readonly KeyedText[]): LanguageMap | undefined {
  if (texts.length === 0) return undefined
  const object: Record<string, string> = {}
  for (const { key, text } of texts) object[key] = text
  return object
}

/** Texts of literals as an object from language key to text; `undefined` without texts. */
export const languageMap = (nodes: readonly Term[], language: string): LanguageMap | undefined =>
  languageObject(keyedTexts(nodes, language))

function preferenceOf(literal: Literal, language: string): string {
  const { primary, full, rank } = tagOf(literal.language)
  const step = primary === 'en' ? 0 : primary === language ? 1 : rank === 1 ? 2 : 3
  return `${step}${rank === 3 ? 1 : 0}${full.toLowerCase()}`
}

/** One text of several: English, otherwise in `language`, otherwise untagged, otherwise the first by tag. */
export function preferredText(nodes: readonly Term[], language: string): string | undefined {
  let best: string | undefined
  let bestRank = ''
  for (const node of nodes) {
    if (node.termType !== 'Literal') continue
    const text = node.value.trim()
    if (text === '') continue
    const rank = preferenceOf(node, language)
    const isBetter =
      best === undefined ||
      rank < bestRank ||
      (rank === bestRank && compareCodePoints(text, best) < 0)
    if (!isBetter) continue
    best = text
    bestRank = rank
  }
  return best
}
