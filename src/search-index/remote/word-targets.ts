/**
 * Lookups of word forms in the index of terms of a server. Those of all words of a query are sent together, so that the number of
 * calls does not grow with the words.
 */

import { mirrored } from '../compounds.ts'
import type { Term } from '../query-tree.ts'
import { wildMatcher } from '../wildcard.ts'
import {
  type Lookup,
  type Lookups,
  maxAffixTokens,
  type Row,
  type Target,
  wordForms,
} from '../word-forms.ts'
import { StateCache } from './state-cache.ts'

/** Most words whose forms are cached. */
const maxCachedWords = 500

/** Finds the targets of words; they are cached until something is written. */
export class WordTargets {
  readonly #find: FindTerms
  readonly #cache: StateCache<readonly Target[]>

  /** `changes`: number of writes and changes of indices by this process. */
  constructor(find: FindTerms, changes: () => number) {
    this.#find = find
    this.#cache = new StateCache('search-forms', maxCachedWords, changes)
  }

  /** Targets of each term in the buckets of some languages and in that of other languages. */
  async targetsOf(
    terms: readonly Term[],
    languages: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (readonly Target[])[]> {
    const keyOf = (term: Term) => JSON.stringify([{ ...term, field: undefined }, languages])
    const state = this.#cache.state()
    const known = new Map(terms.map((term) => [keyOf(term), this.#cache.get(keyOf(term))]))
    const unknown = new Map(
      terms.flatMap((term) => (known.get(keyOf(term)) ? [] : [[keyOf(term), term]])),
    )
    const lookups = [...unknown.values()].map((term) => wordForms(term, languages))
    const found = await lookUpAll(lookups, (step) => rowsOf(step, this.#find, signal))
    for (const [i, key] of [...unknown.keys()].entries()) {
      const targets = found[i] ?? []
      known.set(key, targets)
      this.#cache.set(key, targets, state)
    }
    return terms.map((term) => known.get(keyOf(term)) ?? [])
  }
}

/** Runs several series of lookups side by side: the next lookups of all of them are answered in one step. */
async function lookUpAll<Result>(
  series: readonly Lookups<Result>[],
  answer: (lookups: readonly Lookup[]) => Promise<readonly (readonly Row[])[]>,
): Promise<readonly Result[]> {
  const steps = series.map((lookups) => ({ lookups, step: lookups.next() }))
  for (;;) {
    const open = steps.flatMap(({ step }) => (step.done === true ? [] : [step.value]))
    if (open.length === 0)
      return steps.flatMap(({ step }) => (step.done === true ? [step.value] : []))
    const answers = (await answer(open)).values()
    for (const each of steps)
      if (each.step.done !== true) each.step = each.lookups.next(answers.next().value ?? [])
  }
}

/** Row of the index of terms as a server returns it. */
type TermHit = {
  readonly term: string
  /** Absent in rows of an earlier layout. */
  readonly bucket?: string | undefined
  readonly stems: readonly string[]
}

/** Rows to find in the index of terms: with one of some values in an attribute, or with a value that begins with a text. */
export type TermQuery = {
  readonly attribute: 'term' | 'stems' | 'mirror'
  readonly values?: readonly string[]
  readonly beginning?: string
  /** Only rows of these buckets; absent = of all. */
  readonly buckets?: readonly string[]
  readonly limit: number
}

/** Finds the rows of each query. */
export type FindTerms = (
  queries: readonly TermQuery[],
  signal: AbortSignal | undefined,
) => Promise<readonly (readonly TermHit[])[]>

/** Query with the keys (`keysOf` of the lookups) of a row that it finds. */
type KeyedQuery = TermQuery & { readonly keysOf: (hit: TermHit) => readonly string[] }

/** Most rows for the tokens, and for the stems, of a step. */
const maxRows = 100_000

/** Keys of what a lookup asks for; several lookups may ask for the same. */
function keysOf(lookup: Lookup): readonly string[] {
  switch (lookup.kind) {
    case 'tokens':
      return lookup.tokens.map(tokenKey)
    case 'stems':
      return lookup.stems.map(stemKey)
    case 'longer':
      return [longerKey(lookup)]
    case 'beginning':
    case 'end':
      return [...lookup.affixes.keys()].map(affixKey(lookup.kind))
    default:
      return lookup satisfies never
  }
}

const tokenKey = (token: string) => `token ${token}`
const stemKey = (stem: string) => `stem ${stem}`
const longerKey = ({ token, more }: Extract<Lookup, { kind: 'longer' }>) =>
  `longer ${more} ${token}`
const affixKey = (kind: 'beginning' | 'end') => (text: string) => `${kind} ${text}`

/** Answers lookups by one call. */
async function rowsOf(
  lookups: readonly Lookup[],
  find: FindTerms,
  signal: AbortSignal | undefined,
): Promise<readonly (readonly Row[])[]> {
  const queries = queriesOf(lookups)
  if (queries.length === 0) return lookups.map(() => [])
  const results = await find(queries, signal)
  const hitsByKey = new Map<string, TermHit[]>()
  for (const [i, query] of queries.entries())
    for (const hit of results[i] ?? [])
      for (const key of query.keysOf(hit)) {
        const hits = hitsByKey.get(key)
        if (hits) hits.push(hit)
        else hitsByKey.set(key, [hit])
      }
  return lookups.map((lookup) => keysOf(lookup).flatMap((key) => rowsUnder(key, lookup, hitsByKey)))
}

/** Rows under one key of a lookup. */
function rowsUnder(
  key: string,
  lookup: Lookup,
  hitsByKey: ReadonlyMap<string, readonly TermHit[]>,
): readonly Row[] {
  return (hitsByKey.get(key) ?? []).flatMap(({ term: token, bucket }): readonly Row[] => {
    if (bucket === undefined) return []
    if (lookup.kind === 'tokens' || lookup.kind === 'longer') return [{ token, bucket }]
    if (lookup.kind === 'stems') return [{ token, bucket, stem: key.slice(stemKey('').length) }]
    const text = key.slice(affixKey(lookup.kind)('').length)
    return lookup.affixes.get(text)?.has(bucket) ? [{ token, bucket }] : []
  })
}

/** Queries that answer all lookups: one for the tokens, one for the stems, and one for each beginning and end. */
function queriesOf(lookups: readonly Lookup[]): readonly KeyedQuery[] {
  const tokens = lookups.flatMap((lookup) => (lookup.kind === 'tokens' ? lookup.tokens : []))
  const stems = lookups.flatMap((lookup) => (lookup.kind === 'stems' ? lookup.stems : []))
  const ofTokens: KeyedQuery = {
    attribute: 'term',
    values: [...new Set(tokens)],
    limit: maxRows,
    keysOf: ({ term }) => [tokenKey(term)],
  }
  const ofStems: KeyedQuery = {
    attribute: 'stems',
    values: [...new Set(stems)],
    limit: maxRows,
    keysOf: (hit) => hit.stems.map(stemKey),
  }
  return [
    ...(tokens.length > 0 ? [ofTokens] : []),
    ...(stems.length > 0 ? [ofStems] : []),
    ...lookups.flatMap((lookup) => (lookup.kind === 'longer' ? longerQuery(lookup) : [])),
    ...affixQueries('beginning', lookups),
    ...affixQueries('end', lookups),
  ]
}

function longerQuery(lookup: Extract<Lookup, { kind: 'longer' }>): KeyedQuery {
  const { token, more } = lookup
  const matches = wildMatcher(token + '?'.repeat(more))
  return {
    attribute: 'term',
    beginning: token,
    limit: maxRows,
    keysOf: ({ term }) => (matches(term) ? [longerKey(lookup)] : []),
  }
}

function affixQueries(
  kind: 'beginning' | 'end',
  lookups: readonly Lookup[],
): readonly KeyedQuery[] {
  const buckets = new Map<string, Set<string>>()
  for (const lookup of lookups)
    if (lookup.kind === kind)
      for (const [text, some] of lookup.affixes)
        buckets.set(text, new Set([...(buckets.get(text) ?? []), ...some]))
  return [...buckets].map(([text, some]): KeyedQuery => {
    const isBeginning = kind === 'beginning'
    return {
      attribute: isBeginning ? 'term' : 'mirror',
      beginning: isBeginning ? text : mirrored(text),
      buckets: [...some],
      limit: maxAffixTokens,
      // A server may compare decomposed text, of which a letter may be the beginning of another.
      keysOf: ({ term }) =>
        (isBeginning ? term.startsWith(text) : term.endsWith(text)) ? [affixKey(kind)(text)] : [],
    }
  })
}
