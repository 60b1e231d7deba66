/** From the parameters of a search to the request that an engine answers. */

import { Failure } from '../../errors.ts'
import type { QueryTree } from '../../indices/query-tree.ts'
import type { SearchRequest } from '../../indices/search-index.ts'
import type { IndexSettings } from '../../indices/settings.ts'
import { parseQuery, queryLimits, type QueryLimits } from '../query/parser.ts'
import { scopesOf } from '../query/scopes.ts'
import { aggregationOf } from './aggregation.ts'
import { filterOf } from './filters.ts'
import type { Parameters } from './parameters.ts'
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
  readonly queryLimits?: QueryLimits
}

type Bounds = { readonly window: number; readonly facetSize: number }

export type Search = {
  readonly request: SearchRequest
  /** Whether the client named indices; then the answer has facets. */
  readonly named: boolean
  readonly countOnly: boolean
}

/** Throws `invalid-parameter`, `query-too-complex`. */
export function searchOf(parameters: Parameters, options: SearchOptions): Search {
  refuseUnavailable(parameters)
  const { scoreField = 'quality_meas.scoring' } = options
  const wanted = wantedIndices(parameters)
  const isWanted = chosenBy(parameters, wanted)
  const settings = options.settings.filter(({ index }) => isWanted(index))
  const { window, facetSize } = boundsOf(settings, options)
  const { limit = 10, page = 0, countOnly = false, includes } = parameters
  const facets = wanted && aggregationOf(parameters, settings, facetSize)
  const shows = !countOnly && page * limit <= window
  const { fields, boosts } = weightsOf(parameters)
  const request: SearchRequest = {
    indices: settings.map(({ index }) => index),
    tree: treeOf(parameters, settings, options.queryLimits ?? queryLimits),
    ...(fields && { fields }),
    filter: filterOf(parameters, scoreField),
    ...(facets && { facets }),
    order: orderOf(parameters.sort ?? [], settings),
    boosts: { ...options.boosts, ...boosts },
    offset: shows ? page * limit : 0,
    limit: shows ? limit : 0,
    ...(includes && { include: includes }),
    score: parameters.showScore === true,
  }
  return { request, named: wanted !== undefined, countOnly }
}

const unavailable = ['autocomplete', 'scroll', 'searchAfter', 'filterDistributions'] as const
const cursors = ['searchAfterSort', 'pitId'] as const

/** A parameter that changed the answer and is not known yet must not be passed over in silence. */
function refuseUnavailable(parameters: Parameters): void {
  const errors = [
    ...unavailable.filter((name) => parameters[name] === true),
    ...cursors.filter((name) => parameters[name] !== undefined),
  ].map((name) => ({ parameter: name, detail: `${name} is not available in this version` }))
  const [first] = errors
  if (first) throw new Failure('invalid-parameter', first.detail, { errors })
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

function treeOf(
  parameters: Parameters,
  settings: readonly IndexSettings[],
  limits: QueryLimits,
): QueryTree {
  const tree = parseQuery(parameters.q ?? '', scopesOf(settings), { limits })
  const { vocabulary } = parameters
  if (!vocabulary || !wantedIndices(parameters)?.includes('vocabulary')) return tree
  const values = vocabulary.map((value): QueryTree => ({
    kind: 'value',
    facet: 'vocabulary',
    value,
  }))
  const restriction: QueryTree = { kind: 'or', of: values }
  return tree.kind === 'all' ? restriction : { kind: 'and', of: [tree, restriction] }
}
