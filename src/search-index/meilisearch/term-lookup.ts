/** What the words of one query stand for, looked up in the index of terms. */

import { z } from 'zod'
import { hasStems, stems } from '../../text/stems.ts'
import type { Leaf } from '../query-tree.ts'
import { isPrefix, literalPrefix, shortestTerms, wildMatcher } from '../wildcard.ts'
import type { Uids } from './attributes.ts'
import { is, or, quoted, textOf } from './condition.ts'
import { fetched } from './documents.ts'
import type { Wire } from './engine-client.ts'

/** A document of it; `buckets` = where the term was ever seen. */
const termRow = z.object({
  term: z.string(),
  stems: z.array(z.string()),
  buckets: z.array(z.string()),
})
export type Term = z.infer<typeof termRow>

/** Prefix → buckets of the terms that begin so, where these are few. */
type Begun = ReadonlyMap<string, ReadonlySet<string>>

const bucketsRow = termRow.pick({ buckets: true })

export type Dictionary = {
  /** Other terms that share a stem with a word in a language; at most 1,024. */
  readonly related: (bucket: string, token: string) => readonly string[]
  /** Terms that a pattern or the beginning of a word stands for. */
  readonly expanded: (pattern: string) => readonly string[]
  /** False when a term was certainly never seen in a bucket. */
  readonly isIn: (bucket: string, term: string) => boolean
  /** False when certainly no term of a bucket begins so. */
  readonly begins: (bucket: string, prefix: string) => boolean
  /** Patterns that stand for more terms than were taken. */
  readonly shortened: readonly string[]
}

/** Tokens that share a stem with a word, per word and bucket. */
const mostVariants = 1_024
/** Rows of the index of terms that are read for one query, and with one call. */
const [mostRows, rowsPerCall] = [100_000, 20_000]

/**
 * Where a composed letter begins with another letter, the engine, which compares decomposed text, takes the one for the
 * beginning of the other: such beginnings are looked up. Latin and Greek letters come without marks.
 */
const isPlainEnd = (prefix: string) =>
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Han}\p{N}]$/u.test(prefix)

/** Whether the engine can look for the beginning itself. */
export const isDirect = (pattern: string): boolean =>
  isPrefix(pattern) && isPlainEnd(literalPrefix(pattern))

/** The pattern of a leaf that asks for beginnings or wildcards. */
export function patternOf(leaf: Leaf): string | undefined {
  if (leaf.kind === 'prefix') return `${leaf.token}*`
  return leaf.kind === 'wild' ? leaf.pattern : undefined
}

/** What a query has to ask the index of terms; `undefined` when nothing. */
export function questionOf(
  leaves: readonly Leaf[],
  languages: readonly string[],
): string | undefined {
  const wanted = leaves.flatMap((leaf) => {
    if (leaf.kind === 'exact') return [leaf.token]
    if (leaf.kind === 'phrase') return leaf.tokens
    return leaf.kind === 'term' ? [leaf.token] : []
  })
  const words = leaves.flatMap((leaf) => (leaf.kind === 'term' ? [leaf.token] : []))
  const shared = languages
    .filter(hasStems)
    .flatMap((language) => words.flatMap((word) => stems(language, word)))
  const patterns = leaves.flatMap((leaf) => patternOf(leaf) ?? []).filter((one) => !isDirect(one))
  const list = (values: readonly string[]) => [...new Set(values)].map(quoted).join(', ')
  const parts = [
    ...(wanted.length > 0 ? [is(`term IN [${list(wanted)}]`)] : []),
    ...(shared.length > 0 ? [is(`stems IN [${list(shared)}]`)] : []),
    ...[...new Set(patterns.map(literalPrefix))].map((prefix) =>
      is(`term STARTS WITH ${quoted(prefix)}`),
    ),
  ]
  return parts.length === 0 ? undefined : textOf(or(parts))
}

type At = {
  readonly wire: Wire
  readonly uids: Uids
  readonly wildcardTerms: number
}

/** Reads what the leaves stand for. */
export async function lookUp(
  leaves: readonly Leaf[],
  languages: readonly string[],
  at: At,
  signal?: AbortSignal,
): Promise<Dictionary> {
  const terms = await termsBy(questionOf(leaves, languages), at, signal)
  const begun = await bucketsBegun(prefixesOf(leaves), at, signal)
  return dictionaryOf(leaves, terms, { wildcardTerms: at.wildcardTerms, begun })
}

async function termsBy(filter: string | undefined, at: At, signal?: AbortSignal): Promise<Term[]> {
  const terms: Term[] = []
  for (let total = filter === undefined ? 0 : mostRows; terms.length < total;) {
    const page = { row: termRow, filter, limit: rowsPerCall, offset: terms.length }
    const found = await fetched(at, at.uids.terms, page, signal)
    terms.push(...found.results)
    total = found.results.length === 0 ? 0 : Math.min(found.total, mostRows)
  }
  return terms
}

/** Beginnings that are looked up, and terms that are read of each: it is only about smaller filters. */
const [mostPrefixes, mostBegun] = [8, 1_000]

/** Those that the engine looks for itself. */
function prefixesOf(leaves: readonly Leaf[]): readonly string[] {
  const patterns = leaves.flatMap((leaf) => patternOf(leaf) ?? []).filter(isDirect)
  return [...new Set(patterns.map(literalPrefix))].slice(0, mostPrefixes)
}

/** Prefix → buckets of the terms that begin so, where these are few. */
async function bucketsBegun(
  prefixes: readonly string[],
  at: At,
  signal?: AbortSignal,
): Promise<Begun> {
  const begun = new Map<string, ReadonlySet<string>>()
  for (const prefix of prefixes) {
    const what = { row: bucketsRow, filter: `term STARTS WITH ${quoted(prefix)}`, limit: mostBegun }
    const { results, total } = await fetched(at, at.uids.terms, what, signal)
    if (total <= mostBegun) begun.set(prefix, new Set(results.flatMap(({ buckets }) => buckets)))
  }
  return begun
}

/** What the leaves stand for, given all terms that may have to do with them. */
export function dictionaryOf(
  leaves: readonly Leaf[],
  terms: readonly Term[],
  { wildcardTerms, begun = new Map() }: { wildcardTerms: number; begun?: Begun },
): Dictionary {
  const byStem = Map.groupBy(
    terms.flatMap(({ term, stems }) => stems.map((stem) => ({ term, stem }))),
    ({ stem }) => stem,
  )
  const buckets = new Map(terms.map((term) => [term.term, term.buckets]))
  const patterns = leaves.flatMap((leaf) => patternOf(leaf) ?? [])
  const expanded = new Map(
    patterns.map((pattern) => {
      const matches = wildMatcher(pattern)
      const all = [...buckets.keys()].filter(matches)
      const isLimited = !isPrefix(pattern) && all.length > wildcardTerms
      return [pattern, { terms: isLimited ? shortestTerms(all, wildcardTerms) : all, isLimited }]
    }),
  )
  return {
    related: (bucket, token) => {
      const all = stems(bucket, token).flatMap((stem) => byStem.get(stem) ?? [])
      const others = new Set(all.map(({ term }) => term).filter((term) => term !== token))
      return [...others].slice(0, mostVariants)
    },
    expanded: (pattern) => expanded.get(pattern)?.terms ?? [],
    isIn: (bucket, term) => buckets.get(term)?.includes(bucket) ?? false,
    begins: (bucket, prefix) => begun.get(prefix)?.has(bucket) ?? true,
    shortened: [...expanded].filter(([, { isLimited }]) => isLimited).map(([pattern]) => pattern),
  }
}
