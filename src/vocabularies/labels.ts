/** Language tags and texts: which language key a literal gets, and which text is taken when one is wanted (BCP 47, RFC 6497). */

import { compareCodePoints } from '../text/code-points.ts'
import type { Literal, Term } from '@rdfjs/types'

/** A parsed language tag. */
type Tag = {
  /** Primary subtag, lower case; '' without a tag. */
  readonly primary: string
  /** The whole tag as written; of a plain or translated text its primary subtag. */
  readonly full: string
  /** Original language when a machine translated the text. */
  readonly translatedFrom?: string
  /** 0 the tag is the key, 1 no tag, or one that names no language, 2 region or script, 3 machine translated. */
  readonly rank: 0 | 1 | 2 | 3
}

/** Tags that name no language: private ones such as `x-default`, and codes for unknown, several and none (ISO 639-2). */
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

/** Reads a tag; tags are few, so each is read once. */
export function tagOf(tag: string): Tag {
  const found = tagCache.get(tag)
  if (found) return found
  const read = parseTag(tag)
  if (tagCache.size < 2000) tagCache.set(tag, read)
  return read
}

/** Language key → text. */
type LanguageMap = Readonly<Record<string, string>>

export type KeyedText = { readonly key: string; readonly text: string; readonly tag: Tag }

type Candidate = { readonly text: string; readonly tag: Tag }

const byRank = (a: Candidate, b: Candidate) =>
  a.tag.rank - b.tag.rank ||
  compareCodePoints(a.text, b.text) ||
  compareCodePoints(a.tag.full, b.tag.full)

/** The language key of a text; one with a region gets its whole tag when the language is taken; `undefined` when nothing is free. */
function keyFor(tag: Tag, taken: ReadonlySet<string>, language: string): string | undefined {
  const key = tag.rank === 1 ? language : tag.primary
  if (!taken.has(key)) return key
  return tag.rank === 2 && !taken.has(tag.full.toLowerCase()) ? tag.full : undefined
}

/** Literals as candidates, trimmed; what is then empty is gone. Everything else goes to `other`. */
function candidates(nodes: readonly Term[], other: (node: Term) => void): Candidate[] {
  const found: Candidate[] = []
  for (const node of nodes) {
    if (node.termType !== 'Literal') {
      other(node)
      continue
    }
    const text = node.value.trim()
    if (text !== '') found.push({ text, tag: tagOf(node.language) })
  }
  return found
}

type TextProblems = {
  readonly onNonLiteral: (node: Term) => void
  readonly onDuplicate: (text: string) => void
}

const noReports: TextProblems = { onNonLiteral: () => undefined, onDuplicate: () => undefined }

/** At most one text per language key, ordered by key; tags are the same in any case (BCP 47, 2.1.1). `language` is the key of texts without a tag. */
export function keyedTexts(
  nodes: readonly Term[],
  language: string,
  problems: TextProblems = noReports,
): readonly KeyedText[] {
  const found = candidates(nodes, problems.onNonLiteral)
  if (found.length > 1) found.sort(byRank)
  const taken = new Set<string>()
  const keyed: KeyedText[] = []
  for (const { text, tag } of found) {
    const key = keyFor(tag, taken, language)
    if (key === undefined) {
      problems.onDuplicate(text)
      continue
    }
    taken.add(key.toLowerCase())
    keyed.push({ key, text, tag })
  }
  return keyed.length > 1 ? keyed.sort((a, b) => compareCodePoints(a.key, b.key)) : keyed
}

/** The object language → text; `undefined` when there is no text. */
export function languageObject(texts: readonly KeyedText[]): LanguageMap | undefined {
  if (texts.length === 0) return undefined
  const object: Record<string, string> = {}
  for (const { key, text } of texts) object[key] = text
  return object
}

/** The texts of literals by language, as an object; nothing is reported. */
export const languageMap = (nodes: readonly Term[], language: string): LanguageMap | undefined =>
  languageObject(keyedTexts(nodes, language))

function preferenceOf(literal: Literal, language: string): string {
  const { primary, full, rank } = tagOf(literal.language)
  const step = primary === 'en' ? 0 : primary === language ? 1 : rank === 1 ? 2 : 3
  return `${step}${rank === 3 ? 1 : 0}${full.toLowerCase()}`
}

/** One text of several: English, else the default language, else untagged, else first by tag. */
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
