/**
 * Positions of the words of a query in a hit, for the parameter `highlight`: offsets instead of markup, so that clients need not
 * sanitise it.
 */

import { rankingLeaves, type Leaf, type QueryTree, type Term } from '../search-index/query-tree.ts'
import { wildMatcher } from '../search-index/wildcard.ts'
import type { Target } from '../search-index/word-forms.ts'
import type { Fields } from '../text/json.ts'
import { bucketOf, indexedLanguages } from '../text/language.ts'
import { stems } from '../text/stems.ts'
import { tokenOf, wordPattern } from '../text/tokens.ts'
import { type TextWithLanguage, textInLanguage } from './record-values.ts'
import type { Parameters } from './request/search-parameters.ts'

type Mark = readonly [from: number, to: number]
type MarkedText = { readonly text: string; readonly marks: readonly Mark[] }

/** Characters of the excerpt of a description, and of the text in it before the first marked word. */
const [excerptLength, leadLength] = [240, 40]
/** Maximum characters of a text that are searched, and marks of one text. */
const [maxSearched, mostMarks] = [20_000, 100]

/** Targets of the words of a query, from the dictionary of the index. */
type WordForms = ReadonlyMap<Term, readonly Target[]>

/** Makes `_highlight` of a record: marks of its title, and the excerpt of its description with most marks. */
export function highlightOf(
  record: Fields,
  tree: QueryTree,
  {
    locale = 'en',
    highlight = [],
    forms,
  }: Pick<Parameters, 'locale' | 'highlight'> & { readonly forms: WordForms },
): object | undefined {
  const leaves = rankingLeaves(tree)
  const marksAt = (name: string) => {
    const found = highlight.includes(name) ? textInLanguage(record, name, locale) : undefined
    const { text = '', language = locale }: Partial<TextWithLanguage> = found ?? {}
    const marks = marksIn(
      text,
      leaves.map((leaf) => leafMatcher(leaf, language, forms)),
    )
    return marks.length > 0 ? { text, marks, language } : undefined
  }
  const [title, description] = [marksAt('title'), marksAt('description')]
  if (!title && !description) return undefined
  return {
    ...(title && { title: title.marks }),
    ...(description && { description: { ...description, ...bestExcerpt(description) } }),
  }
}

/** Finds the words of a text whose token one of the tests accepts. */
function marksIn(text: string, matchers: readonly ((token: string) => boolean)[]): readonly Mark[] {
  const marks: Mark[] = []
  for (const { 0: word, index } of text.slice(0, maxSearched).matchAll(wordPattern)) {
    const token = tokenOf(word)
    if (matchers.some((matches) => matches(token))) marks.push([index, index + word.length])
    if (marks.length >= mostMarks) break
  }
  return marks
}

/** Makes a test whether a leaf looks for a token, in the language of its text. */
function leafMatcher(leaf: Leaf, language: string, forms: WordForms): (token: string) => boolean {
  if (leaf.kind === 'phrase') return (token) => leaf.tokens.includes(token)
  if (leaf.kind === 'wild') return wildMatcher(leaf.pattern)
  if (leaf.kind === 'prefix') return (token) => token.startsWith(leaf.token)
  if (leaf.kind === 'exact') return (token) => token === leaf.token
  const bucket = bucketOf(language, indexedLanguages)
  const targets = forms.get(leaf)?.filter((target) => target.bucket === bucket) ?? []
  const known = new Set([
    leaf.token,
    ...(leaf.pieces ?? []),
    ...targets.flatMap(({ tokens }) => tokens),
  ])
  const roots = stems(bucket, leaf.token)
  const hasCommonStem = (token: string) =>
    roots.length > 0 && stems(bucket, token).some((stem) => roots.includes(stem))
  return (token) => known.has(token) || hasCommonStem(token)
}

/** Returns the part of a text with most marks, cut at spaces; offsets are relative to it. */
function bestExcerpt({ text, marks }: MarkedText): MarkedText {
  if (text.length <= excerptLength) return { text, marks }
  const counts = marks.map(
    ([from]) =>
      marks.filter(([position]) => position >= from && position < from + excerptLength).length,
  )
  const bestStart = marks[counts.indexOf(Math.max(...counts))]?.[0] ?? 0
  const start = bestStart < leadLength ? 0 : text.indexOf(' ', bestStart - leadLength) + 1
  const space = text.lastIndexOf(' ', start + excerptLength)
  const end =
    start + excerptLength >= text.length
      ? text.length
      : space > start
        ? space
        : start + excerptLength
  const inside = marks.filter(([from, to]) => from >= start && to <= end)
  return {
    text: text.slice(start, end),
    marks: inside.map(([from, to]) => [from - start, to - start] as const),
  }
}
