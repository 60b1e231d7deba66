/** From the parameters of a search to the request that an engine answers, for one page or for all hits page by page. */

import { Failure, invalidParameter } from '../../errors.ts'
import { facetDefinitions } from '../../search-index/facet-answer.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'
import type { QueryTree } from '../../search-index/query-tree.ts'
import type { OrderKey, SearchRequest } from '../../search-index/search-index.ts'
import { cutCodePoints } from '../../text/code-points.ts'
import { tokens } from '../../text/tokens.ts'
import { parseQuery, type QueryLimits, queryLimits, withinLimit } from '../query/parser.ts'
import { scopesOf, withoutLanguage } from '../query/leaves.ts'
import { filterOf, narrowedInclude, type Narrowing, narrowingOf } from './search-filters.ts'
import type { DateType, Parameters } from './search-parameters.ts'

/** What decides, beside the parameters, how a request is made: the indices as they are, and what operators configure. */
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
  /** Zone of dates without a time in requests; UTC when absent. */
  readonly timeZone?: string
}

type Bounds = { readonly window: number; readonly facetSize: number }

/** The request for the engine, and what of the parameters decides how its answer is shown. */
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
  const { scoreField = 'quality_meas.scoring', dateTypes = {} } = options
  const { limit = 10, page = 0, countOnly = false, includes, showScore = false } = parameters
  const indices = namedIndices(parameters)
  const settings = options.settings.filter(({ index }) => isChosen(index, indices, parameters))
  const { window, facetSize: usual } = boundsOf(settings, options)
  const facetSize = parameters.facetSize ?? usual
  const run = runOf(parameters, indices !== undefined)
  const facets = indices && aggregationOf(parameters, settings, facetSize)
  const shows = !countOnly && (run !== undefined || page * limit <= window)
  // The date of the searched indices where they agree.
  const dates = new Set(settings.map(({ index }) => dateTypes[index] ?? 'issued'))
  const [date = 'issued'] = dates.size === 1 ? dates : []
  const filter = filterOf(parameters, { score: scoreField, date, zone: options.timeZone })
  const narrowing = parameters.filterDistributions
    ? narrowingOf(filter.facets, settings, includes)
    : undefined
  const include = narrowing ? narrowedInclude(narrowing) : includes
  const request: SearchRequest = {
    indices: settings.map(({ index }) => index),
    ...wordsOf(parameters, settings, options),
    filter,
    facets,
    order: sortOrder(parameters.sort ?? [], settings),
    offset: shows && run === undefined ? page * limit : 0,
    limit: shows ? limit : 0,
    include,
    score: showScore,
  }
  return {
    request,
    named: indices !== undefined,
    countOnly,
    include: includes,
    narrowing,
    run,
  }
}

const namedIndices = ({ filters, filter }: Parameters): readonly string[] | undefined =>
  filters || filter ? [...(filters ?? []), ...(filter ?? [])] : undefined

/** `resource` stands for all types that the profile adds, or for those that the parameter of this name lists. */
const isChosen = (
  index: string,
  named: readonly string[] | undefined,
  { resource }: Parameters,
): boolean =>
  !named ||
  named.includes(index) ||
  (named.includes('resource') &&
    index.startsWith('resource_') &&
    (resource?.some((type) => index === `resource_${type}`) ?? true))

function boundsOf(
  settings: readonly IndexSettings[],
  { window = 10_000, facetSize = 50, bounds }: SearchOptions,
): Bounds {
  const [only, ...others] = settings
  const own = only && others.length === 0 ? bounds?.get(only.index) : undefined
  return own ?? { window, facetSize }
}

/** The facets to count in the order of the settings; `undefined` when none are asked for. */
function aggregationOf(
  parameters: Parameters,
  settings: readonly IndexSettings[],
  size: number,
): SearchRequest['facets'] {
  const { aggregation = true, countOnly = false, globalAggregation: global = false } = parameters
  if (!aggregation || countOnly) return undefined
  const shown = settings.flatMap(({ facets }) => facets.filter(({ hidden }) => hidden !== true))
  const isAll = parameters.aggregationAllFields !== false
  const chosen = new Set(isAll ? shown.map(({ id }) => id) : parameters.aggregationFields)
  const all = facetDefinitions(settings)
  if (isAll && chosen.size === all.length) return { size, global }
  const ids = all.flatMap(({ id }) => (chosen.has(id) ? [id] : []))
  return ids.length === 0 ? undefined : { ids, size, global }
}

/** What is looked for, where, and how much each place counts. */
function wordsOf(
  parameters: Parameters,
  settings: readonly IndexSettings[],
  { limits = queryLimits, ...options }: SearchOptions,
): Pick<SearchRequest, 'tree' | 'fields' | 'boosts'> {
  const { q = '', autocomplete } = parameters
  const weights = weightsOf(parameters)
  const { tree, fields } = autocomplete
    ? beginningsOf(q, settings, limits)
    : {
        tree: parseQuery(q, scopesOf(settings, options.timeZone), { limits }),
        fields: weights.fields,
      }
  return {
    tree: inVocabularies(tree, parameters, settings),
    fields,
    boosts: { ...options.boosts, ...weights.boosts },
  }
}

/** The number that concepts alone have: the fingerprint of the IRI. */
const mark = 'resource'

/** `vocabulary` limits concepts; the records of other indices stay. */
function inVocabularies(
  tree: QueryTree,
  parameters: Parameters,
  settings: readonly IndexSettings[],
): QueryTree {
  const { vocabulary } = parameters
  if (!vocabulary || !namedIndices(parameters)?.includes('vocabulary')) return tree
  const of = vocabulary.map((value): QueryTree => ({ kind: 'value', facet: 'vocabulary', value }))
  const having = settings.filter(({ numbers }) => numbers.includes(mark))
  if (settings.length > 1 && having.length === 1 && having[0]?.index === 'vocabulary')
    of.push({ kind: 'not', of: { kind: 'range', name: mark } })
  const restriction: QueryTree = { kind: 'or', of }
  return tree.kind === 'all' ? restriction : { kind: 'and', of: [tree, restriction] }
}

const weight = /^\d+(?:\.\d+)?$|^\.\d+$/

/**
 * Where words are looked for and how much each field counts: `title^2.5` in `fields` limits and weighs at once; `boost.title` wins
 * over it. Absent fields = all. Throws `invalid-parameter`.
 */
function weightsOf({ fields, boosts }: Pick<Parameters, 'fields' | 'boosts'>) {
  const own: Record<string, number> = {}
  const names = fields?.map((entry) => {
    const [name = '', value] = entry.split('^', 2)
    if (value !== undefined && !weight.test(value))
      throw invalidParameter(
        'fields',
        `the weight of ${name} in fields must be a number of at least 0`,
      )
    if (value !== undefined) own[name.trim()] = Number(value)
    return name.trim()
  })
  return { fields: names, boosts: { ...own, ...boosts } }
}

/** Code points of a beginning: fewer than two say too little to be looked for, more than these are not looked at. */
const most = 20
const twoOrMore = /^..+$/su

/**
 * Searching while somebody types: each word begins a word of a title or label. Throws `field-not-configured` when none of the
 * indices has a field for it, `query-too-complex`.
 */
export function beginningsOf(
  q: string,
  settings: readonly IndexSettings[],
  limits: QueryLimits,
): { readonly tree: QueryTree; readonly fields: readonly string[] } {
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
  const of = [...words].map((word): QueryTree => {
    return { kind: 'prefix', token: cutCodePoints(word, most) }
  })
  return { tree: of.length > 1 ? { kind: 'and', of } : (of[0] ?? { kind: 'none' }), fields }
}

/**
 * The order of hits. `field asc`, `field+asc`, `field-asc`, `field:asc`; a missing or misspelt direction is descending. Fields that
 * not all of the indices can sort by are left out; nothing left means the engine's default order.
 */
export function sortOrder(
  entries: readonly string[],
  settings: readonly IndexSettings[],
): readonly OrderKey[] {
  const sortable = settings.map(({ dates, numbers, flags, orders }) => {
    const all = new Set([...dates, ...numbers, ...flags, ...orders])
    const texts = new Set(orders)
    return (name: string) => all.has(name) || texts.has(withoutLanguage(name))
  })
  const isKnown = (name: string) => name === 'relevance' || sortable.every((has) => has(name))
  return entries.flatMap((entry): readonly OrderKey[] => {
    const [name = '', direction = ''] = entry.split(/[\s+]+/).filter((part) => part !== '')
    const [suffix, joined = ''] = /[-:](asc|desc)$/i.exec(name) ?? ['']
    const field = name.slice(0, name.length - suffix.length)
    if (isKnown(name)) return [{ by: name, direction: directionOf(direction) }]
    return suffix !== '' && isKnown(field) ? [{ by: field, direction: directionOf(joined) }] : []
  })
}

const directionOf = (text: string): 'asc' | 'desc' =>
  text.toLowerCase() === 'asc' ? 'asc' : 'desc'

/** Where a run of search-after goes on. */
export type PageStart = {
  readonly pitId: string
  /** As it was answered: of the last hit its value and its place. */
  readonly sort: readonly [number, number]
}

type PageRun =
  | { readonly kind: 'scroll' }
  | { readonly kind: 'search-after'; readonly from?: PageStart }

/** `undefined` for single pages. Throws `invalid-parameter`, `filters-required`. */
function runOf(parameters: Parameters, named: boolean): PageRun | undefined {
  const { scroll = false, countOnly = false, limit } = parameters
  const from = placeOf(parameters)
  const after = from !== undefined || parameters.searchAfter === true
  if (scroll && after) throw invalidParameter('scroll', 'scroll and searchAfter exclude each other')
  if (after && !named) {
    const detail = 'searchAfter needs at least one index in filters'
    throw new Failure('filters-required', detail, { errors: [{ parameter: 'filters', detail }] })
  }
  if (!scroll && !after) return undefined
  if (limit === 0)
    throw invalidParameter('limit', 'limit must be 1..1000 where pages follow each other')
  if (countOnly) return undefined
  return scroll ? { kind: 'scroll' } : { kind: 'search-after', from }
}

const number = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/

/** Two numbers, `1.5,20` or `[1.5,20]`. */
function placeOf({ pitId, searchAfterSort }: Parameters): PageStart | undefined {
  if (pitId === undefined && searchAfterSort === undefined) return undefined
  if (pitId === undefined) throw invalidParameter('pitId', 'searchAfterSort needs pitId')
  if (searchAfterSort === undefined)
    throw invalidParameter('searchAfterSort', 'pitId needs searchAfterSort')
  const texts = searchAfterSort
    .join(',')
    .replace(/^\[|\]$/g, '')
    .split(',')
  const [value = NaN, place = NaN, ...more] = texts.map((text) =>
    number.test(text.trim()) ? Number(text) : NaN,
  )
  const isPlace = Number.isSafeInteger(place) && place >= 0
  if (Number.isFinite(value) && isPlace && more.length === 0) return { pitId, sort: [value, place] }
  throw invalidParameter(
    'searchAfterSort',
    'searchAfterSort must be the two numbers of result.sort',
  )
}
