/** Translates the parameters of a search to the request for an engine, for one page or for all hits page by page. */

import type { Synonyms } from '../../config/synonyms.ts'
import { Failure, invalidParameter } from '../../errors.ts'
import { facetDefinitions } from '../../search-index/facet-answer.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'
import { type QueryTree, rankingLeaves } from '../../search-index/query-tree.ts'
import type { OrderKey, SearchRequest } from '../../search-index/search-index.ts'
import { cutCodePoints } from '../../text/code-points.ts'
import { tokens } from '../../text/tokens.ts'
import { parseQuery, type QueryLimits, queryLimits, withinLimit } from '../query/parser.ts'
import { scopesOf, withoutLanguage } from '../query/leaves.ts'
import { filterOf, pathsToRead, type PartFilter, partFilterOf } from './search-filters.ts'
import type { DateType, Parameters } from './search-parameters.ts'

/** Inputs besides the parameters: the current settings of the indices, and the configuration of operators. */
export type SearchOptions = {
  /** Settings that the index currently has. */
  readonly settings: readonly IndexSettings[]
  /** Hits reachable by page, default 10,000. */
  readonly window?: number
  /** Items per facet, default 50. */
  readonly facetSize?: number
  /** Limits of single indices, when only that one is searched. */
  readonly bounds?: ReadonlyMap<string, Bounds>
  /** Weights of fields that the request does not set. */
  readonly boosts?: Readonly<Record<string, number>>
  /** Synonyms of the operator. */
  readonly synonyms?: Synonyms | undefined
  /** Number field that `minScoring` and `maxScoring` apply to. */
  readonly scoreField?: string
  /** Date that `minDate` and `maxDate` apply to, by index; default `issued`. */
  readonly dateTypes?: Readonly<Partial<Record<string, DateType>>>
  /** Limits of `q`; default `queryLimits`. */
  readonly limits?: QueryLimits
  /** Time zone of dates without a time in requests; UTC when absent. */
  readonly timeZone?: string
}

type Bounds = { readonly window: number; readonly facetSize: number }

/** Request for the engine, and the parameters that decide how its answer is shown. */
export type SearchPlan = {
  readonly request: SearchRequest
  /** True when the client named indices; the answer then has facets. */
  readonly named: boolean
  readonly countOnly: boolean
  /** Fields of hits that the client asked for; absent = all. */
  readonly include?: readonly string[]
  readonly partFilter?: PartFilter
  /** Snapshot that the page is taken from; absent for a single page. */
  readonly pages?: PageRun
}

/** Makes the plan of a search. Throws `invalid-parameter`, `query-too-complex`, `filters-required`, `field-not-configured`. */
export function planSearch(parameters: Parameters, options: SearchOptions): SearchPlan {
  const { scoreField = 'quality_meas.scoring', dateTypes = {} } = options
  const { limit = 10, page = 0, countOnly = false, includes, showScore = false } = parameters
  const indices = namedIndices(parameters)
  const settings = options.settings.filter(({ index }) => isRequested(index, indices, parameters))
  const { window, facetSize: defaultSize } = boundsOf(settings, options)
  const facetSize = parameters.facetSize ?? defaultSize
  const pages = pageRunOf(parameters, indices !== undefined)
  const facets = indices && aggregationOf(parameters, settings, facetSize)
  const isReachable = !countOnly && (pages !== undefined || page * limit <= window)
  // Date field that the searched indices have in common.
  const dates = new Set(settings.map(({ index }) => dateTypes[index] ?? 'issued'))
  const [date = 'issued'] = dates.size === 1 ? dates : []
  const filter = filterOf(parameters, { score: scoreField, date, zone: options.timeZone })
  const partFilter = parameters.filterDistributions
    ? partFilterOf(filter.facets, settings, includes)
    : undefined
  const include = partFilter ? pathsToRead(partFilter) : includes
  const request: SearchRequest = {
    indices: settings.map(({ index }) => index),
    ...queryOf(parameters, settings, options),
    filter,
    facets,
    order: sortOrder(parameters.sort ?? [], settings),
    offset: isReachable && pages === undefined ? page * limit : 0,
    limit: isReachable ? limit : 0,
    include,
    score: showScore,
  }
  return {
    request,
    named: indices !== undefined,
    countOnly,
    include: includes,
    partFilter,
    pages,
  }
}

const namedIndices = ({ filters, filter }: Parameters): readonly string[] | undefined =>
  filters || filter ? [...(filters ?? []), ...(filter ?? [])] : undefined

/** `resource` means all declared types, or those that the parameter of this name lists. */
const isRequested = (
  index: string,
  names: readonly string[] | undefined,
  { resource }: Parameters,
): boolean =>
  !names ||
  names.includes(index) ||
  (names.includes('resource') &&
    index.startsWith('resource_') &&
    (resource?.some((type) => index === `resource_${type}`) ?? true))

function boundsOf(
  settings: readonly IndexSettings[],
  { window = 10_000, facetSize = 50, bounds }: SearchOptions,
): Bounds {
  const [first, ...others] = settings
  const singleBounds = first && others.length === 0 ? bounds?.get(first.index) : undefined
  return singleBounds ?? { window, facetSize }
}

/** Returns the facets to count in the order of the settings; `undefined` when none are requested. */
function aggregationOf(
  parameters: Parameters,
  settings: readonly IndexSettings[],
  size: number,
): SearchRequest['facets'] {
  const { aggregation = true, countOnly = false, globalAggregation: global = false } = parameters
  if (!aggregation || countOnly) return undefined
  const visibleFacets = settings.flatMap(({ facets }) =>
    facets.filter(({ hidden }) => hidden !== true),
  )
  const isAll = parameters.aggregationAllFields !== false
  const requested = new Set(
    isAll ? visibleFacets.map(({ id }) => id) : parameters.aggregationFields,
  )
  const definitions = facetDefinitions(settings)
  if (isAll && requested.size === definitions.length) return { size, global }
  const ids = definitions.flatMap(({ id }) => (requested.has(id) ? [id] : []))
  return ids.length === 0 ? undefined : { ids, size, global }
}

/** Makes the query of a search: words, fields and weights. */
function queryOf(
  parameters: Parameters,
  settings: readonly IndexSettings[],
  { limits = queryLimits, ...options }: SearchOptions,
): Pick<SearchRequest, 'tree' | 'typed' | 'words' | 'fields' | 'boosts'> {
  const { q = '', autocomplete, words, related = false } = parameters
  const weights = weightedFields(parameters)
  const { tree, fields } = autocomplete
    ? autocompleteQuery(q, settings, limits)
    : {
        tree: parseQuery(q, scopesOf(settings, options.timeZone), {
          limits,
          synonyms: options.synonyms,
          isAsked: related || (words !== undefined && words !== 'any'),
        }),
        fields: weights.fields,
      }
  return {
    tree: restrictToVocabularies(tree, parameters, settings),
    typed: q === '' || autocomplete ? undefined : tokens(q),
    words: words === 'any' || autocomplete || hasOperators(q, tree) ? undefined : words,
    fields,
    boosts: { ...options.boosts, ...weights.boosts },
  }
}

/** Operators outside of quotation marks, which a tree does not show where they are superfluous. */
const operators = /\b(?:AND|OR|NOT)\b/

/** Whether a query is more than a list of words, phrases and wildcards. */
const hasOperators = (q: string, tree: QueryTree): boolean =>
  operators.test(q.replaceAll(/"[^"]*"/g, ' ')) ||
  (tree.kind === 'or' ? tree.operands : [tree]).some((part) => rankingLeaves(part)[0] !== part)

/** Number field that only concepts have: the fingerprint of the IRI. */
const fingerprintField = 'resource'

/**
 * Restricts concepts to the vocabularies in `vocabulary`. Records of other indices are not affected if only concepts have
 * fingerprints, else they are excluded.
 */
function restrictToVocabularies(
  tree: QueryTree,
  parameters: Parameters,
  settings: readonly IndexSettings[],
): QueryTree {
  const { vocabulary } = parameters
  if (!vocabulary || !namedIndices(parameters)?.includes('vocabulary')) return tree
  const operands = vocabulary.map((value): QueryTree => ({
    kind: 'value',
    facet: 'vocabulary',
    value,
  }))
  const withFingerprints = settings.filter(({ numbers }) => numbers.includes(fingerprintField))
  if (
    settings.length > 1 &&
    withFingerprints.length === 1 &&
    withFingerprints[0]?.index === 'vocabulary'
  )
    operands.push({ kind: 'not', operand: { kind: 'range', name: fingerprintField } })
  const restriction: QueryTree = { kind: 'or', operands }
  return tree.kind === 'all' ? restriction : { kind: 'and', operands: [tree, restriction] }
}

const weight = /^\d+(?:\.\d+)?$|^\.\d+$/

/**
 * Returns the searched fields with their weights: `title^2.5` in `fields` restricts and weighs; `boost.title` takes precedence.
 * Absent fields = all. Throws `invalid-parameter`.
 */
function weightedFields({ fields, boosts }: Pick<Parameters, 'fields' | 'boosts'>) {
  const weightByField: Record<string, number> = {}
  const names = fields?.map((entry) => {
    const [name = '', value] = entry.split('^', 2)
    if (value !== undefined && !weight.test(value))
      throw invalidParameter(
        'fields',
        `the weight of ${name} in fields must be a number of at least 0`,
      )
    if (value !== undefined) weightByField[name.trim()] = Number(value)
    return name.trim()
  })
  return { fields: names, boosts: { ...weightByField, ...boosts } }
}

/** Maximum code points of a prefix; the rest is ignored. Prefixes of fewer than two are too short. */
const maxPrefix = 20
const twoCharacters = /^..+$/su

/**
 * Makes the request for autocompletion: each word has to begin a word of a title or label. Throws `field-not-configured` when no
 * index has a field for it, `query-too-complex`.
 */
export function autocompleteQuery(
  q: string,
  settings: readonly IndexSettings[],
  limits: QueryLimits,
): { readonly tree: QueryTree; readonly fields: readonly string[] } {
  const texts = settings.flatMap((indexSettings) =>
    indexSettings.texts.filter(({ autocomplete }) => autocomplete),
  )
  const fields = [...new Set(texts.map(({ name }) => name))]
  if (settings.length > 0 && fields.length === 0) {
    const detail = `no field of ${settings.map(({ index }) => index).join(', ')} has autocomplete`
    throw new Failure('field-not-configured', detail, {
      errors: [{ parameter: 'autocomplete', detail }],
    })
  }
  withinLimit('queryCharacters', q.length, limits)
  const words = new Set(tokens(q).filter((token) => twoCharacters.test(token)))
  withinLimit('queryTerms', words.size, limits)
  const operands = [...words].map((word): QueryTree => {
    return { kind: 'prefix', token: cutCodePoints(word, maxPrefix) }
  })
  return {
    tree: operands.length > 1 ? { kind: 'and', operands } : (operands[0] ?? { kind: 'none' }),
    fields,
  }
}

/**
 * Parses the order of hits: `field asc`, `field+asc`, `field-asc`, `field:asc`; a missing or invalid direction is descending.
 * Fields that some of the indices cannot sort by are ignored; without any the engine's default order applies.
 */
export function sortOrder(
  entries: readonly string[],
  settings: readonly IndexSettings[],
): readonly OrderKey[] {
  const sortable = settings.map(({ dates, numbers, flags, orders }) => {
    const names = new Set([...dates, ...numbers, ...flags, ...orders])
    const texts = new Set(orders)
    return (name: string) => names.has(name) || texts.has(withoutLanguage(name))
  })
  const isKnown = (name: string) =>
    name === 'relevance' || sortable.every((canSort) => canSort(name))
  return entries.flatMap((entry): readonly OrderKey[] => {
    const [name = '', direction = ''] = entry.split(/[\s+]+/).filter((part) => part !== '')
    const [suffix, joinedDirection = ''] = /[-:](asc|desc)$/i.exec(name) ?? ['']
    const field = name.slice(0, name.length - suffix.length)
    if (isKnown(name)) return [{ name, direction: directionOf(direction) }]
    return suffix !== '' && isKnown(field)
      ? [{ name: field, direction: directionOf(joinedDirection) }]
      : []
  })
}

const directionOf = (text: string): 'asc' | 'desc' =>
  text.toLowerCase() === 'asc' ? 'asc' : 'desc'

/** Position at which the pages of `searchAfter` continue. */
export type PageStart = {
  readonly pitId: string
  /** Sort value and position of the last hit, from the previous answer. */
  readonly sort: readonly [number, number]
}

type PageRun =
  | { readonly kind: 'scroll' }
  | { readonly kind: 'search-after'; readonly from?: PageStart }

/** Tells whether pages of a snapshot are requested; `undefined` for a single page. Throws `invalid-parameter`, `filters-required`. */
function pageRunOf(parameters: Parameters, named: boolean): PageRun | undefined {
  const { scroll = false, countOnly = false, limit } = parameters
  const from = pageStartOf(parameters)
  const isSearchAfter = from !== undefined || parameters.searchAfter === true
  if (scroll && isSearchAfter)
    throw invalidParameter('scroll', 'scroll and searchAfter exclude each other')
  if (isSearchAfter && !named) {
    const detail = 'searchAfter needs at least one index in filters'
    throw new Failure('filters-required', detail, { errors: [{ parameter: 'filters', detail }] })
  }
  if (!scroll && !isSearchAfter) return undefined
  if (limit === 0)
    throw invalidParameter('limit', 'limit must be 1..1000 where pages follow each other')
  if (countOnly) return undefined
  return scroll ? { kind: 'scroll' } : { kind: 'search-after', from }
}

const number = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/

/** Parses two numbers, `1.5,20` or `[1.5,20]`. */
function pageStartOf({ pitId, searchAfterSort }: Parameters): PageStart | undefined {
  if (pitId === undefined && searchAfterSort === undefined) return undefined
  if (pitId === undefined) throw invalidParameter('pitId', 'searchAfterSort needs pitId')
  if (searchAfterSort === undefined)
    throw invalidParameter('searchAfterSort', 'pitId needs searchAfterSort')
  const texts = searchAfterSort
    .join(',')
    .replace(/^\[|\]$/g, '')
    .split(',')
  const [value = NaN, position = NaN, ...others] = texts.map((text) =>
    number.test(text.trim()) ? Number(text) : NaN,
  )
  const isPosition = Number.isSafeInteger(position) && position >= 0
  if (Number.isFinite(value) && isPosition && others.length === 0)
    return { pitId, sort: [value, position] }
  throw invalidParameter(
    'searchAfterSort',
    'searchAfterSort must be the two numbers of result.sort',
  )
}
