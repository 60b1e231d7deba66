/** Where the words of a query stand in a hit: offsets, not markup, so that nothing has to be trusted. */

import { leavesOf, rankingLeaves, type Leaf, type QueryTree } from '../search-index/query-tree.ts'
import { fold } from '../text/fold.ts'
import { isJsonObject, type Fields } from '../text/json.ts'
import { stems } from '../text/stems.ts'
import { tokenOf } from '../text/tokens.ts'
import { listAt, textAt } from './record-values.ts'

type Mark = readonly [from: number, to: number]

/** Characters of a description around its densest place. */
const window = 240
/** Characters of a text that are looked through, and marks of one text. */
const [longest, mostMarks] = [20_000, 100]

const runs = /[\p{L}\p{N}\p{M}]+/gu

type Wished = {
  readonly locale: string
  /** Which texts: `title`, `description`. */
  readonly highlight: readonly string[]
}

/**
 * A text of a language map: the wanted language, else one of the catalogue's or the record's own, else English, else the first; the
 * pages show texts in the same order.
 */
function chosen(
  record: Fields,
  name: string,
  { locale, highlight }: Wished,
): readonly [language: string, text: string] | undefined {
  const value = highlight.includes(name) ? record[name] : undefined
  if (typeof value === 'string') return [locale, value]
  const texts = isJsonObject(value)
    ? Object.entries(value).flatMap(([key, text]) =>
        typeof text === 'string' && text.trim() !== '' ? [[key, text] as const] : [],
      )
    : []
  const inCatalogue = listAt(record, 'catalog.language')
  const own = inCatalogue.length > 0 ? inCatalogue : listAt(record, 'language')
  const order = [locale, ...own.flatMap((one) => textAt(one, 'id') ?? []), 'en']
  for (const language of order) {
    const found =
      texts.find(([key]) => key === language) ??
      texts.find(([key]) => key.startsWith(`${language}-`))
    if (found) return found
  }
  return texts[0]
}

/** Whether a word of a text is one that the leaves look for, in the language of the text. */
function matcher(leaves: readonly Leaf[], language: string): (word: string) => boolean {
  const exact = new Set<string>()
  const roots = new Set<string>()
  const patterns: RegExp[] = []
  for (const leaf of leaves) {
    if (leaf.kind === 'phrase') for (const token of leaf.tokens) exact.add(token)
    else if (leaf.kind === 'wild')
      patterns.push(
        new RegExp(
          `^${leaf.pattern
            .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
            .replaceAll('*', '.*')
            .replaceAll('?', '.')}$`,
          'u',
        ),
      )
    else if (leaf.kind === 'prefix')
      patterns.push(
        new RegExp(`^${leaf.token.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}`, 'u'),
      )
    else {
      exact.add(leaf.token)
      if (leaf.kind === 'term') for (const stem of stems(language, leaf.token)) roots.add(stem)
    }
  }
  return (word) => {
    const token = tokenOf(word)
    return (
      exact.has(token) ||
      stems(language, token).some((stem) => roots.has(stem)) ||
      patterns.some((pattern) => pattern.test(fold(word)))
    )
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
export function highlightOf(record: Fields, tree: QueryTree, wished: Wished): object | undefined {
  const ranking = rankingLeaves(tree)
  const leaves = ranking.length > 0 ? ranking : leavesOf(tree)
  if (leaves.length === 0) return undefined
  const title = chosen(record, 'title', wished)
  const description = chosen(record, 'description', wished)
  const titleMarks = title ? marksIn(title[1], matcher(leaves, title[0])) : []
  const all = description ? marksIn(description[1], matcher(leaves, description[0])) : []
  if (titleMarks.length === 0 && all.length === 0) return undefined
  return {
    ...(titleMarks.length > 0 && { title: titleMarks }),
    ...(description &&
      all.length > 0 && {
        description: { ...densest(description[1], all), language: description[0] },
      }),
  }
}
