/** From the parameters of a search to the request that an engine answers. */

import { Failure, invalidParameter } from '../../errors.ts'
import type { QueryTree } from '../../search-index/query-tree.ts'
import type { OrderKey, SearchRequest } from '../../search-index/search-index.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'
import { cutCodePoints } from '../../text/code-points.ts'
import { tokens } from '../../text/tokens.ts'
import { parseQuery, queryLimits, type QueryLimits, withinLimit } from '../query/parser.ts'
import { scopesOf, withoutLanguage } from '../query/scopes.ts'
import { aggregationOf } from './aggregation.ts'
import { filterOf, narrowedInclude, type Narrowing, narrowingOf } from './search-filters.ts'
import type { DateType, Parameters } from './search-parameters.ts'
import { type PageRun, runOf } from './page-run.ts'

export type SearchOptions = {
  /** What the index answers with at present. */
  readonly settings: readonly IndexSettings[]
  /** Hits reachable by page, default 10,000. */
  readonly window?: number
  /** Items per facet, default 50. */
  readonly facetSize?: number
  /** Bounds of single indices, where only that one is searched. */
  readonly bounds?: ReadonlyMap<string, Bounds>
  /** Weights of fields that the request does not weigh. */
  readonly boosts?: Readonly<Record<string, number>>
  /** Number that `minScoring` and `maxScoring` limit. */
  readonly scoreField?: string
  /** By index, the date that `minDate` and `maxDate` limit; default `issued`. */
  readonly dateTypes?: Readonly<Partial<Record<string, DateType>>>
  readonly limits?: QueryLimits
}

type Bounds = { readonly window: number; readonly facetSize: number }

export type SearchPlan = {
  readonly request: SearchRequest
  /** Whether the client named indices; then the answer has facets. */
  readonly named: boolean
  readonly countOnly: boolean
  /** The fields of hits that the client asked for; absent = all. */
  readonly include?: readonly string[]
  readonly narrowing?: Narrowing
  /** Absent for a single page. */
  readonly run?: PageRun
}

/** Throws `invalid-parameter`, `query-too-complex`, `filters-required`, `field-not-configured`. */
export function searchOf(parameters: Parameters, options: SearchOptions): SearchPlan {
  const { scoreField = 'quality_meas.scoring' } = options
  const wanted = wantedIndices(parameters)
  const isWanted = chosenBy(parameters, wanted)
  const settings = options.settings.filter(({ index }) => isWanted(index))
  const { window, facetSize } = boundsOf(settings, options)
  const { limit = 10, page = 0, countOnly = false, includes } = parameters
  const run = runOf(parameters, wanted !== undefined)
  const facets = wanted && aggregationOf(parameters, settings, facetSize)
  const shows = !countOnly && (run !== undefined || page * limit <= window)
  const filter = filterOf(parameters, { score: scoreField, date: dateOf(settings, options) })
  const narrowing = parameters.filterDistributions
    ? narrowingOf(filter.facets, settings, includes)
    : undefined
  const include = narrowing ? narrowedInclude(narrowing) : includes
  const request: SearchRequest = {
    indices: settings.map(({ index }) => index),
    ...wordsOf(parameters, settings, options),
    filter,
    ...(facets && { facets }),
    order: sortOrder(parameters.sort ?? [], settings),
    offset: shows && run === undefined ? page * limit : 0,
    limit: shows ? limit : 0,
    ...(include && { include }),
    score: parameters.showScore === true,
  }
  return {
    request,
    named: wanted !== undefined,
    countOnly,
    ...(includes && { include: includes }),
    ...(narrowing && { narrowing }),
    ...(run && { run }),
  }
}

function wantedIndices({ filters, filter }: Parameters): readonly string[] | undefined {
  return filters || filter ? [...(filters ?? []), ...(filter ?? [])] : undefined
}

/** `resource` stands for all types that the profile adds, or for those that the parameter of this name lists. */
function chosenBy(
  { resource }: Parameters,
  wanted: readonly string[] | undefined,
): (index: string) => boolean {
  if (!wanted) return () => true
  const types = resource?.map((type) => `resource_${type}`)
  const isAny = (index: string) => index.startsWith('resource_') && (types?.includes(index) ?? true)
  return (index) => wanted.includes(index) || (wanted.includes('resource') && isAny(index))
}

function boundsOf(
  settings: readonly IndexSettings[],
  { window = 10_000, facetSize = 50, bounds }: SearchOptions,
): Bounds {
  const [only, ...others] = settings
  const own = only && others.length === 0 ? bounds?.get(only.index) : undefined
  return own ?? { window, facetSize }
}

/** The date of the searched indices where they agree. */
function dateOf(settings: readonly IndexSettings[], { dateTypes = {} }: SearchOptions): DateType {
  const [date = 'issued', ...others] = new Set(
    settings.map(({ index }) => dateTypes[index] ?? 'issued'),
  )
  return others.length === 0 ? date : 'issued'
}

/** What is looked for, where, and how much each place counts. */
function wordsOf(
  parameters: Parameters,
  settings: readonly IndexSettings[],
  { limits = queryLimits, ...options }: SearchOptions,
): Pick<SearchRequest, 'tree' | 'fields' | 'boosts'> {
  const { q = '' } = parameters
  const weights = weightsOf(parameters)
  const { tree, fields } = parameters.autocomplete
    ? beginningsOf(q, settings, limits)
    : { tree: parseQuery(q, scopesOf(settings), { limits }), fields: weights.fields }
  return {
    tree: restricted(tree, parameters, settings),
    ...(fields && { fields }),
    boosts: { ...options.boosts, ...weights.boosts },
  }
}

/** The number that concepts alone have: the fingerprint of the IRI. */
const mark = 'resource'

/** `vocabulary` limits concepts; the records of other indices stay. */
function restricted(
  tree: QueryTree,
  parameters: Parameters,
  settings: readonly IndexSettings[],
): QueryTree {
  const { vocabulary } = parameters
  if (!vocabulary || !wantedIndices(parameters)?.includes('vocabulary')) return tree
  const values = vocabulary.map((value): QueryTree => ({
    kind: 'value',
    facet: 'vocabulary',
    value,
  }))
  const having = settings.filter(({ numbers }) => numbers.includes(mark))
  const marked = settings.length > 1 && having.length === 1 && having[0]?.index === 'vocabulary'
  const others: QueryTree = { kind: 'not', of: { kind: 'range', name: mark } }
  const restriction: QueryTree = { kind: 'or', of: marked ? [...values, others] : values }
  return tree.kind === 'all' ? restriction : { kind: 'and', of: [tree, restriction] }
}

// Where words are looked for and how much each field counts: `fields` and `boost.<field>`.

type Weights = {
  /** Field names as the client wrote them, without weights; absent = all. */
  readonly fields?: readonly string[]
  readonly boosts: Readonly<Record<string, number>>
}

const weight = /^\d+(?:\.\d+)?$|^\.\d+$/

/** `title^2.5` limits and weighs at once; `boost.title` wins over it. Throws `invalid-parameter`. */
function weightsOf({ fields, boosts }: Pick<Parameters, 'fields' | 'boosts'>): Weights {
  const parts = (fields ?? []).map((entry) => {
    const [name = '', value] = entry.split('^', 2)
    if (value !== undefined && !weight.test(value)) {
      const detail = `the weight of ${name} in fields must be a number of at least 0`
      throw invalidParameter('fields', detail)
    }
    return { name: name.trim(), value }
  })
  const own = parts.flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, Number(value)]],
  )
  return {
    ...(fields && { fields: parts.map(({ name }) => name) }),
    boosts: { ...Object.fromEntries(own), ...boosts },
  }
}

// Searching while somebody types: each word begins a word of a title or label.

type Beginnings = { readonly tree: QueryTree; readonly fields: readonly string[] }

/** Code points of a beginning: fewer say too little to be looked for, more are not looked at. */
const most = 20
const twoOrMore = /^..+$/su

/** Throws `field-not-configured` when none of the indices has a field for it, `query-too-complex`. */
export function beginningsOf(
  q: string,
  settings: readonly IndexSettings[],
  limits: QueryLimits,
): Beginnings {
  const texts = settings.flatMap((one) => one.texts.filter(({ autocomplete }) => autocomplete))
  const fields = [...new Set(texts.map(({ name }) => name))]
  if (settings.length > 0 && fields.length === 0) {
    const detail = `no field of ${settings.map(({ index }) => index).join(', ')} has autocomplete`
    throw new Failure('field-not-configured', detail, {
      errors: [{ parameter: 'autocomplete', detail }],
    })
  }
  withinLimit('queryCharacters', q.length, limits)
  const words = new Set(tokens(q).filter((token) => twoOrMore.test(token)))
  withinLimit('queryTerms', words.size, limits)
  const of = [...words].map((word): QueryTree => ({
    kind: 'prefix',
    token: cutCodePoints(word, most),
  }))
  const [first, second] = of
  const tree: QueryTree = second ? { kind: 'and', of } : (first ?? { kind: 'none' })
  return { tree, fields }
}

// The order of hits: what clients write into `sort`, as keys of fields that can be sorted by.

/**
 * `field asc`, `field+asc`, `field-asc`, `field:asc`; a missing or misspelt direction is descending. Fields that not all of
 * the indices can sort by are left out; nothing left means the engine's default order.
 */
export function sortOrder(
  entries: readonly string[],
  settings: readonly IndexSettings[],
): readonly OrderKey[] {
  const known = settings.map(sortable)
  const isKnown = (name: string) => name === 'relevance' || known.every((has) => has(name))
  return entries.flatMap((entry) => keyOf(entry, isKnown) ?? [])
}

const blanks = /[\s+]+/
const joined = /[-:](asc|desc)$/i

function keyOf(entry: string, isKnown: (name: string) => boolean): OrderKey | undefined {
  const [name = '', direction = ''] = entry.split(blanks).filter((part) => part !== '')
  if (isKnown(name)) return { by: name, direction: directionOf(direction) }
  const suffix = joined.exec(name)
  const field = suffix ? name.slice(0, suffix.index) : ''
  return isKnown(field) ? { by: field, direction: directionOf(suffix?.[1] ?? '') } : undefined
}

const directionOf = (text: string): 'asc' | 'desc' =>
  text.toLowerCase() === 'asc' ? 'asc' : 'desc'

function sortable({ dates, numbers, flags, orders }: IndexSettings): (name: string) => boolean {
  const exact = new Set([...dates, ...numbers, ...flags, ...orders])
  const texts = new Set(orders)
  return (name) => exact.has(name) || texts.has(withoutLanguage(name))
}
