/** Where the words of a query stand in a hit: offsets, not markup, so that nothing has to be trusted. */

import { leavesOf, rankingLeaves, type Leaf, type QueryTree } from '../search-index/query-tree.ts'
import { wildMatcher } from '../search-index/wildcard.ts'
import type { Fields } from '../text/json.ts'
import { stems } from '../text/stems.ts'
import { tokenOf } from '../text/tokens.ts'
import { chosenAt } from './record-values.ts'

type Mark = readonly [from: number, to: number]

/** Characters of a description around its densest place. */
const window = 240
/** Characters of a text that are looked through, and marks of one text. */
const [longest, mostMarks] = [20_000, 100]

const runs = /[\p{L}\p{N}\p{M}]+/gu

type HighlightOptions = {
  readonly locale: string
  /** Which texts: `title`, `description`. */
  readonly highlight: readonly string[]
}

/** Whether a token is one that a leaf looks for, in the language of its text. */
function leafMatcher(leaf: Leaf, language: string): (token: string) => boolean {
  switch (leaf.kind) {
    case 'phrase':
      return (token) => leaf.tokens.includes(token)
    case 'wild':
      return wildMatcher(leaf.pattern)
    case 'prefix':
      return (token) => token.startsWith(leaf.token)
    case 'exact':
      return (token) => token === leaf.token
    case 'term': {
      const roots = stems(language, leaf.token)
      return (token) =>
        token === leaf.token || stems(language, token).some((stem) => roots.includes(stem))
    }
    default:
      return leaf satisfies never
  }
}

/** Whether a word of a text is one that any of the leaves looks for. */
function matcher(leaves: readonly Leaf[], language: string): (word: string) => boolean {
  const all = leaves.map((leaf) => leafMatcher(leaf, language))
  return (word) => {
    const token = tokenOf(word)
    return all.some((matches) => matches(token))
  }
}

function marksIn(text: string, matches: (word: string) => boolean): Mark[] {
  const marks: Mark[] = []
  for (const { 0: word, index } of text.slice(0, longest).matchAll(runs)) {
    if (marks.length >= mostMarks) break
    if (matches(word)) marks.push([index, index + word.length])
  }
  return marks
}

/** The part of a text with most marks, cut at spaces, with its marks counted from its beginning. */
function densest(
  text: string,
  marks: readonly Mark[],
): { readonly text: string; readonly marks: readonly Mark[] } {
  if (text.length <= window) return { text, marks }
  const counts = marks.map(
    ([from]) => marks.filter(([at]) => at >= from && at < from + window).length,
  )
  const best = marks[counts.indexOf(Math.max(0, ...counts))]?.[0] ?? 0
  const start = best < 40 ? 0 : text.indexOf(' ', best - 40) + 1
  const space = text.lastIndexOf(' ', start + window)
  const end = start + window >= text.length ? text.length : space > start ? space : start + window
  const inside = marks.filter(([from, to]) => from >= start && to <= end)
  return {
    text: text.slice(start, end),
    marks: inside.map(([from, to]) => [from - start, to - start] as const),
  }
}

/** `_highlight` of a record: marks of its title, and the part of its description with most of them. */
export function highlightOf(
  record: Fields,
  tree: QueryTree,
  { locale, highlight }: HighlightOptions,
): object | undefined {
  const ranking = rankingLeaves(tree)
  const leaves = ranking.length > 0 ? ranking : leavesOf(tree)
  const markedAt = (name: string) => {
    const chosen = highlight.includes(name) ? chosenAt(record, name, locale) : undefined
    if (!chosen) return undefined
    const { text, language = locale } = chosen
    const marks = marksIn(text, matcher(leaves, language))
    return marks.length > 0 ? { text, language, marks } : undefined
  }
  const [title, description] = [markedAt('title'), markedAt('description')]
  if (!title && !description) return undefined
  return {
    ...(title && { title: title.marks }),
    ...(description && {
      description: {
        ...densest(description.text, description.marks),
        language: description.language,
      },
    }),
  }
}
