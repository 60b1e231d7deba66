/**
 * What a search must answer, by the plainest means: every document is looked at, nothing is precomputed. Written for the tests
 * from the rules alone; of the product it takes the tokens and stems of a text, and nothing of how trees are evaluated.
 */

import type { Leaf, QueryTree, Term } from '../../../src/search-index/query-tree.ts'
import {
  wordForms,
  type Lookup,
  type Row,
  type Target,
} from '../../../src/search-index/word-forms.ts'
import type { Document, OrderKey, SearchRequest } from '../../../src/search-index/search-index.ts'
import type { IndexSettings } from '../../../src/search-index/index-settings.ts'
import { compareCodePoints } from '../../../src/text/code-points.ts'
import { stopWordsOf } from '../../../src/text/stop-words.ts'
import { stems } from '../../../src/text/stems.ts'
import { tokenOf, words } from '../../../src/text/tokens.ts'

export type World = {
  readonly settings: readonly IndexSettings[]
  readonly languages: readonly string[]
  readonly documents: readonly Document[]
  readonly dictionary: Dictionary
}

/** What was ever written: tokens with their buckets, and words by the stem of a language (`en:station`). */
type Dictionary = {
  readonly tokens: readonly Row[]
  readonly words: ReadonlyMap<string, ReadonlySet<string>>
}

export type Expected = {
  /** In order where the request asks for one that does not depend on scores; else sorted. */
  readonly ids: readonly string[]
  readonly count: number
  readonly facets: readonly string[]
  readonly isOrdered: boolean
}

/** A value of a record: no leaf ever looks at two of them together. */
type Value = { readonly field: string; readonly bucket: string; readonly tokens: readonly string[] }

export const nameOf = ({ index, id }: { readonly index: string; readonly id: string }) =>
  `${index} ${id}`

/** The words of all documents that were ever written. */
export function dictionaryOf(documents: readonly Document[], known: readonly string[]): Dictionary {
  const found = new Map<string, Set<string>>()
  const tokens = new Map<string, Row>()
  const add = (word: string, bucket: string) => {
    const token = tokenOf(word)
    if (token !== '') tokens.set(`${bucket} ${token}`, { token, bucket })
    for (const stem of stems(bucket, word))
      found.set(stem, (found.get(stem) ?? new Set()).add(token))
  }
  for (const { id, text } of documents) {
    for (const word of words(id)) add(word, 'x')
    for (const [key, all] of Object.values(text).flatMap((field) => Object.entries(field)))
      for (const word of all.flatMap((one) => words(one))) add(word, bucket(key, known))
  }
  return { tokens: [...tokens.values()], words: found }
}

/** Targets of the words of a request, which are looked up once. */
const found = new WeakMap<Term, readonly Target[]>()

/** What a word may be instead. */
function targetsOf(term: Term, world: World): readonly Target[] {
  const targets = found.get(term) ?? lookUp(term, world)
  found.set(term, targets)
  return targets
}

/** Answers each lookup by looking at every token. */
function lookUp(term: Term, { dictionary, languages }: World): readonly Target[] {
  const lookups = wordForms(term, languages)
  for (let step = lookups.next(); ; step = lookups.next(rowsOf(step.value, dictionary)))
    if (step.done) return step.value
}

function rowsOf(lookup: Lookup, { tokens, words: byStem }: Dictionary): Row[] {
  switch (lookup.kind) {
    case 'tokens':
      return tokens.filter(({ token }) => lookup.tokens.includes(token))
    case 'stems':
      return lookup.stems.flatMap((stem) =>
        [...(byStem.get(stem) ?? [])].map((token) => ({
          token,
          stem,
          bucket: stem.split(':')[0]!,
        })),
      )
    case 'longer': {
      const longer = new RegExp(`^${lookup.token}.{${lookup.more}}$`, 'u')
      return tokens.filter(({ token }) => longer.test(token))
    }
    default:
      return tokens.filter((row) =>
        [...lookup.affixes].some(
          ([affix, buckets]) =>
            buckets.has(row.bucket) &&
            (lookup.kind === 'beginning' ? row.token.startsWith(affix) : row.token.endsWith(affix)),
        ),
      )
  }
}

/** The whole answer, before it is cut into pages. */
export function expected(request: SearchRequest, world: World): Expected {
  const searched = request.indices.flatMap(
    (name) => world.settings.find(({ index }) => index === name) ?? [],
  )
  const own = (one: Document) => searched.find(({ index }) => index === one.index)
  const all = world.documents.filter(own)
  const parts = searched.flatMap((settings) => {
    const inside = all.filter((one) => own(one) === settings)
    const scope = { settings, world, fields: request.fields }
    const matching = inside.filter(
      (one) => holds(request.tree, one, scope) && fits(one, request, settings),
    )
    return [{ matching, best: withWords(matching, { request, inside, scope }) }]
  })
  const best = parts.flatMap((part) => part.best)
  const isAny = best.length === 0 && request.words === 'most'
  const found = isAny ? parts.flatMap(({ matching }) => matching) : best
  const keys = keysOf(request, searched)
  const isOrdered = keys.every(({ name: by }) => by !== 'relevance')
  const sorted = found.toSorted((a, b) => (isOrdered ? byKeys(a, b, keys) : byName(a, b)))
  return {
    ids: sorted.map(nameOf),
    count: found.length,
    facets: facets(request, searched, request.facets?.global ? all : found),
    isOrdered,
  }
}

type Searched = {
  readonly request: SearchRequest
  /** Documents of the index. */
  readonly inside: readonly Document[]
  readonly scope: Scope
}

/**
 * Of the documents that match those with every word that is no stop word (`all`), or with words of a fifth of the rarity of all
 * (`most`); a word that is in the query twice counts once.
 */
function withWords(matching: Document[], { request, inside, scope }: Searched): Document[] {
  if (!request.words) return matching
  const units = unitsOf(request.tree)
  const has = (unit: Leaf) => (one: Document) => holds(unit, one, scope)
  if (request.words === 'all')
    return matching.filter((one) => units.every((unit) => has(unit)(one)))
  const distinct = [...new Map(units.map((unit) => [meaningOf(unit, scope.world), unit])).values()]
  const weighed = distinct.map((unit) => {
    const n = inside.filter(has(unit)).length
    return { unit, rarity: Math.log(1 + (inside.length - n + 0.5) / (n + 0.5)) }
  })
  const sum = (some: typeof weighed) => some.reduce((total, { rarity }) => total + rarity, 0)
  // A fifth is a fifth, whatever the order of the sum.
  const least = 0.2 * sum(weighed) - 1e-9
  return matching.filter((one) => sum(weighed.filter(({ unit }) => has(unit)(one))) >= least)
}

/** Leaves of an `or` without stop words, unless there are no others. */
function unitsOf(tree: QueryTree): readonly Leaf[] {
  const leaves = (tree.kind === 'or' ? tree.operands : [tree]) as readonly Leaf[]
  const tokens = leaves.flatMap((leaf) => (leaf.kind === 'term' ? [leaf.token] : []))
  const stopWords = stopWordsOf(tokens)
  const others = leaves.filter((leaf) => leaf.kind !== 'term' || !stopWords.has(leaf.token))
  return others.length > 0 ? others : leaves
}

/** Text that is equal for leaves that search the same. */
function meaningOf(leaf: Leaf, world: World): string {
  const targets = leaf.kind === 'term' ? targetsOf(leaf, world) : []
  return JSON.stringify(targets.length > 0 ? targets : leaf)
}

type Scope = {
  readonly settings: IndexSettings
  readonly world: World
  readonly fields: readonly string[] | undefined
}

function holds(tree: QueryTree, one: Document, scope: Scope): boolean {
  const { settings } = scope
  switch (tree.kind) {
    case 'all':
      return true
    case 'none':
      return false
    case 'and':
      return tree.operands.every((part) => holds(part, one, scope))
    case 'or':
      return tree.operands.some((part) => holds(part, one, scope))
    case 'not':
      return !holds(tree.operand, one, scope)
    case 'range': {
      if (settings.dates.includes(tree.name)) return overlaps(one.dates[tree.name], tree)
      return settings.numbers.includes(tree.name) && between(one.numbers[tree.name], tree)
    }
    case 'value':
      return carries(one, settings, tree.facet, tree.value)
    default:
      return valuesOf(one, scope)
        .filter((value) =>
          isReached(value, tree.field === undefined ? scope.fields : [tree.field], scope),
        )
        .some((value) => says(tree, value, scope.world))
  }
}

function valuesOf(one: Document, { settings, world }: Scope): Value[] {
  const texts = settings.texts.flatMap(({ name }) =>
    Object.entries(one.text[name] ?? {}).flatMap(([key, all]) =>
      all.map((text) => ({
        field: name,
        bucket: bucket(key, world.languages),
        tokens: tokensOf(text),
      })),
    ),
  )
  return [{ field: 'id', bucket: 'x', tokens: tokensOf(one.id) }, ...texts]
}

const tokensOf = (text: string) =>
  words(text)
    .map(tokenOf)
    .filter((token) => token !== '')

function bucket(key: string, known: readonly string[]): string {
  const lower = key.toLowerCase()
  return known.find((language) => language === lower || lower.startsWith(`${language}-`)) ?? 'x'
}

function isReached(value: Value, names: readonly string[] | undefined, scope: Scope): boolean {
  if (!names) return true
  const fields = ['id', ...scope.settings.texts.map(({ name }) => name)]
  return names.some((name) => {
    if (fields.includes(name)) return name === value.field
    if (fields.some((field) => field.startsWith(`${name}.`)))
      return value.field.startsWith(`${name}.`)
    const [, field, last = ''] = /^(.+)\.([^.]+)$/.exec(name) ?? []
    if (field !== value.field) return false
    return scope.world.languages.includes(last.toLowerCase())
      ? value.bucket === last.toLowerCase()
      : last === 'name' || last === 'label'
  })
}

const hasPhrase = (tokens: readonly string[], phrase: readonly string[]) =>
  ` ${tokens.join(' ')} `.includes(` ${phrase.join(' ')} `)

function says(leaf: Leaf, { tokens, bucket: own }: Value, world: World): boolean {
  switch (leaf.kind) {
    case 'exact':
      return tokens.includes(leaf.token)
    case 'prefix':
      return tokens.some((token) => token.startsWith(leaf.token))
    case 'phrase':
      return hasPhrase(tokens, leaf.tokens)
    case 'wild': {
      const parts = Array.from(leaf.pattern, (letter) =>
        letter === '*' ? '.*' : letter === '?' ? '.' : letter,
      )
      const pattern = new RegExp(`^${parts.join('')}$`, 'su')
      return tokens.some((token) => pattern.test(token))
    }
    case 'term':
      return targetsOf(leaf, world).some(
        (target) => target.bucket === own && hasPhrase(tokens, target.tokens),
      )
    default:
      return leaf satisfies never
  }
}

type Bounds = { readonly from?: number; readonly to?: number }

const between = (value: number | undefined, { from = -Infinity, to = Infinity }: Bounds) =>
  value !== undefined && from <= value && value <= to

const overlaps = (
  periods: Document['dates'][string] | undefined,
  { from = -Infinity, to = Infinity }: Bounds,
) => (periods ?? []).some(([begin, end]) => begin <= to && end >= from)

const carries = (one: Document, settings: IndexSettings, facet: string, value: string) =>
  settings.facets.some(({ id }) => id === facet) &&
  (one.facets[facet] ?? []).some(({ id }) => id === value)

function fits(one: Document, { filter }: SearchRequest, settings: IndexSettings): boolean {
  const { facets: wanted, date, numbers = [], flags = [], box } = filter
  const groups = (wanted?.groups ?? [])
    .filter(({ values }) => values.length > 0)
    .map(({ facet, values }) => {
      const each = values.map((value) => carries(one, settings, facet, value))
      return wanted?.operator === 'AND' ? !each.includes(false) : each.includes(true)
    })
  const isGrouped =
    wanted?.groupOperator === 'AND' ? !groups.includes(false) : groups.includes(true)
  return (
    (groups.length === 0 || isGrouped) &&
    (!date || (settings.dates.includes(date.name) && overlaps(one.dates[date.name], date))) &&
    numbers.every(
      (range) => settings.numbers.includes(range.name) && between(one.numbers[range.name], range),
    ) &&
    flags.every((flag) => settings.flags.includes(flag) && one.flags[flag] === true) &&
    (!box ||
      (settings.boxes &&
        one.boxes.some(
          ([west, south, east, north]) =>
            west <= box[2] && east >= box[0] && south <= box[3] && north >= box[1],
        )))
  )
}

/** The keys that every searched index has; without any given, relevance where something is looked for, else the newest first. */
function keysOf(
  { order, tree }: SearchRequest,
  searched: readonly IndexSettings[],
): readonly OrderKey[] {
  const standard = { name: hasWords(tree) ? 'relevance' : 'modified', direction: 'desc' } as const
  return (order.length > 0 ? order : [standard]).filter(
    ({ name: by }) =>
      by === 'relevance' ||
      searched.every(({ dates, numbers, flags, orders }) =>
        [...dates, ...numbers, ...flags, ...orders].includes(by.replace(/\.(de|fr)$/, '')),
      ),
  )
}

function hasWords(tree: QueryTree): boolean {
  if (tree.kind === 'and' || tree.kind === 'or') return tree.operands.some(hasWords)
  return ['term', 'exact', 'phrase', 'wild', 'prefix'].includes(tree.kind)
}

const byName = (a: Document, b: Document) =>
  compareCodePoints(a.index, b.index) || compareCodePoints(a.id, b.id)

function byKeys(a: Document, b: Document, keys: readonly OrderKey[]): number {
  for (const { name: by, direction } of keys) {
    const isUp = direction === 'asc'
    const [left, right] = [sortValue(a, by, isUp), sortValue(b, by, isUp)]
    if (left === undefined && right === undefined) continue
    if (left === undefined || right === undefined) return left === undefined ? 1 : -1
    const step =
      typeof left === 'string' ? compareCodePoints(left, String(right)) : left - Number(right)
    if (step !== 0) return isUp ? step : -step
  }
  return byName(a, b)
}

/** Of several periods the earliest beginning or the latest end; a text without that language is its own. */
function sortValue(one: Document, by: string, isUp: boolean): number | string | undefined {
  const periods = one.dates[by]
  if (periods) {
    return isUp
      ? Math.min(...periods.map(([from]) => from))
      : Math.max(...periods.map(([, to]) => to))
  }
  const flag = one.flags[by]
  if (flag !== undefined) return Number(flag)
  return one.numbers[by] ?? one.order[by] ?? one.order[by.replace(/\.(de|fr)$/, '')]
}

/** `facet: value count, …` per facet. */
function facets(
  { facets: wanted }: SearchRequest,
  searched: readonly IndexSettings[],
  counted: readonly Document[],
): string[] {
  if (!wanted) return []
  const defined = new Map(
    searched
      .flatMap((one) => one.facets)
      .toReversed()
      .map((facet) => [facet.id, facet]),
  )
  const inOrder = [...new Set(searched.flatMap((one) => one.facets.map(({ id }) => id)))]
  const shown = wanted.ids ? wanted.ids.filter((id) => defined.has(id)) : inOrder
  return shown.map((id) => {
    const { bands } = defined.get(id)!
    const holders = counted.filter((one) =>
      searched.some(
        ({ index, facets: own }) => index === one.index && own.some((f) => f.id === id),
      ),
    )
    const values = holders.flatMap((one) => (one.facets[id] ?? []).map((value) => value.id))
    const items = (bands ? bands.map((band) => band.id) : [...new Set(values)])
      .map((value) => ({ value, count: values.filter((other) => other === value).length }))
      .sort((a, b) => b.count - a.count || compareCodePoints(a.value, b.value))
      .slice(0, bands ? undefined : wanted.size)
    return facetLine(
      id,
      items.map(({ value, count }) => `${value} ${count}`),
    )
  })
}

export const facetLine = (id: string, items: readonly string[]) => `${id}: ${items.join(', ')}`
