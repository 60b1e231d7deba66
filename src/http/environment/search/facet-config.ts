/** The facets of `PLATFORM_SEARCH_CONFIG`: which are served, in which order, and from which fields. */

import {
  checked,
  isIndexName,
  isObject,
  isText,
  isWhole,
  join,
  must,
  unknownKeys,
  type Given,
  type Tell,
} from './faults.ts'

const kinds = ['values', 'scope', 'exists', 'bands', 'catalogue', 'parent', 'vocabulary'] as const

type Index = 'dataset' | 'catalogue' | 'vocabulary' | `resource_${string}`

type Band = {
  readonly id: string
  readonly title: string
  readonly from: number
  readonly to: number
}

/** One facet as it is configured; what is absent is that of the default facet with its name. */
export type OwnFacet = {
  readonly id: string
  readonly title?: string
  readonly indices?: readonly Index[]
  readonly path?: string
  readonly term?: string
  readonly display?: string
  readonly kind?: (typeof kinds)[number]
  readonly bands?: readonly Band[]
}

/** In the order of answers; a text is the name of a facet of the platform. */
export type FacetList = readonly (string | OwnFacet)[]

const keys = [
  'name',
  'title',
  'path',
  'indices',
  'aggregation_term',
  'display_title',
  'kind',
  'bands',
] as const

const form = 'an array of names of default facets and of {"name","title","path"}'

/** Absent = the default facets. */
export function facetsOf(value: unknown, tell: Tell): FacetList | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) {
    tell('facets', must(form, value))
    return undefined
  }
  const facets = value.flatMap((one: unknown, at) => facetOf(one, join('facets', at), tell) ?? [])
  const names = facets.map((facet) => (typeof facet === 'string' ? facet : facet.id))
  for (const name of new Set(names.filter((one, at) => names.indexOf(one) !== at)))
    tell('facets', `must name each facet once, ${name} is there twice`)
  return facets
}

/** The facets in the text of the variable as they were written; none when it is no such JSON. */
export function facetsIn(text: string): readonly unknown[] {
  const facets = jsonOf(text)?.['facets']
  return Array.isArray(facets) ? facets : []
}

function jsonOf(text: string): Given | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isFacetName = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z][\w-]{0,63}$/.test(value)

const isPath = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z][\w-]*(\.[A-Za-z][\w-]*)*$/.test(value)

/** What the path of a facet must be. */
export const pathForm = 'a field of the profile such as "distributions.format"'

const indicesForm = 'an array of dataset, catalogue, vocabulary, resource_<type>'

function facetOf(one: unknown, at: string, tell: Tell): string | OwnFacet | undefined {
  if (isText(one)) return one
  if (!isObject(one)) {
    tell(at, must('the name of a default facet or an object such as {"name","title","path"}', one))
    return undefined
  }
  unknownKeys(one, keys, tell, at)
  const { name: id, title, path, indices, kind } = one
  const say = (key: string, right: string) => tell(join(at, key), must(right, one[key]))
  const isKind = kinds.find((known) => known === kind)
  const isList = (value: unknown): value is readonly Index[] =>
    Array.isArray(value) && value.length > 0 && value.every(isIndexName)
  if (!isFacetName(id)) say('name', 'letters, digits, _ and -, a letter first')
  const ownTitle = checked(title, isText, () => say('title', 'text'))
  const ownPath = checked(path, isPath, () => say('path', pathForm))
  const ownIndices = checked(indices, isList, () => say('indices', indicesForm))
  if (kind !== undefined && !isKind) say('kind', `one of ${kinds.join(', ')}`)
  const term = textOf(one, 'aggregation_term', say)
  const display = textOf(one, 'display_title', say)
  const bands = bandsOf(one, at, tell)
  if (!isFacetName(id)) return undefined
  return {
    id,
    ...(ownTitle !== undefined && { title: ownTitle }),
    ...(ownPath !== undefined && { path: ownPath }),
    ...(ownIndices && { indices: ownIndices }),
    ...(term !== undefined && { term }),
    ...(display !== undefined && { display }),
    ...(isKind && { kind: isKind }),
    ...(bands && { bands }),
  }
}

/** '' is allowed: the value itself is the term. `name.raw` is what Elasticsearch calls the exact form of `name`. */
function textOf(
  one: Given,
  key: 'aggregation_term' | 'display_title',
  say: (key: string, right: string) => void,
): string | undefined {
  const value = one[key]
  if (value === undefined) return undefined
  if (typeof value === 'string') return value.replace(/(^|\.)raw$/, '')
  say(key, 'the key of a value, or "" for the value itself')
  return undefined
}

const isNumber = isWhole(-1_000_000_000, 1_000_000_000)

function bandsOf(one: Given, at: string, tell: Tell): readonly Band[] | undefined {
  const { bands, kind } = one
  if (bands === undefined && kind !== 'bands') return undefined
  const place = join(at, 'bands')
  if (kind !== undefined && kind !== 'bands')
    tell(place, 'belongs to facets of "kind":"bands" alone')
  else if (Array.isArray(bands) && bands.length > 0 && bands.every(isBand)) return bands
  else
    tell(place, must('an array such as [{"id":"good","title":"Good","from":221,"to":350}]', bands))
  return undefined
}

const isBand = (value: unknown): value is Band =>
  isObject(value) &&
  isFacetName(value['id']) &&
  isText(value['title']) &&
  isNumber(value['from']) &&
  isNumber(value['to']) &&
  value['from'] <= value['to']
