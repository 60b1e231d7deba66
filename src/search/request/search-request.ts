/** From the parameters of a search to the request that an engine answers. */

import type { QueryTree } from '../../search-index/query-tree.ts'
import type { SearchRequest } from '../../search-index/search-index.ts'
import type { IndexSettings } from '../../search-index/index-settings.ts'
import { parseQuery, queryLimits, type QueryLimits } from '../query/parser.ts'
import { scopesOf } from '../query/scopes.ts'
import { aggregationOf } from './aggregation.ts'
import { beginningsOf } from './autocomplete.ts'
import type { DateType } from '../date-types.ts'
import { filterOf } from './filters.ts'
import { narrowedInclude, narrowingOf, type Narrowing } from './narrowing.ts'
import type { Parameters } from './parameters.ts'
import { runOf, type Run } from './run.ts'
import { orderOf } from './sorting.ts'
import { weightsOf } from './weights.ts'

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

export type Search = {
  readonly request: SearchRequest
  /** Whether the client named indices; then the answer has facets. */
  readonly named: boolean
  readonly countOnly: boolean
  /** The fields of hits that the client asked for; absent = all. */
  readonly include?: readonly string[]
  readonly narrowing?: Narrowing
  /** Absent for a single page. */
  readonly run?: Run
}

/** Throws `invalid-parameter`, `query-too-complex`, `filters-required`, `field-not-configured`. */
export function searchOf(parameters: Parameters, options: SearchOptions): Search {
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
    order: orderOf(parameters.sort ?? [], settings),
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
