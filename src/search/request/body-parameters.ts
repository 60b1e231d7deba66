/** The parameters of a search as a JSON object. */

import { Failure, invalidParameter, shown } from '../../errors.ts'
import { type Fields, isJsonObject } from '../../text/json.ts'
import { at } from '../record-values.ts'
import {
  boostPrefix,
  isList,
  listEntries,
  type ParameterLimits,
  type Parameters,
  parametersFrom,
  searchParameters,
} from './search-parameters.ts'

/** Where nested members stand in `searchParams`; a member with the flat name wins. */
const nested = {
  minDate: 'minDate',
  maxDate: 'maxDate',
  minScoring: 'scoring.min',
  maxScoring: 'scoring.max',
  bboxMinLon: 'boundingBox.minLon',
  bboxMaxLon: 'boundingBox.maxLon',
  bboxMinLat: 'boundingBox.minLat',
  bboxMaxLat: 'boundingBox.maxLat',
} as const

/**
 * Reads a body: the names of the query string, lists as arrays or separated by commas, `facets` as object or text, weights in
 * `boost`, dates, scores and the box in `searchParams` too. `null` and empty values are absent ones, other members of any type are
 * ignored. Throws `malformed-json` when the text is no JSON object, else as `parametersFrom`.
 */
export function parametersOfBody(text: string, limits?: ParameterLimits): Parameters {
  const body = bodyObject(text)
  const inner = Object.entries(nested).map(
    ([name, path]) => [name, at(body['searchParams'], path)] as const,
  )
  const members = present([...inner, ...present(Object.entries(body))])
  const all = Object.entries(Object.fromEntries(members))
  const values: Record<string, string | readonly string[]> = {}
  for (const [name, value] of all) {
    // Clients send members of other versions and of their own.
    if (!Object.hasOwn(searchParameters.shape, name)) continue
    if (name === 'facets' && isJsonObject(value)) values[name] = JSON.stringify(value)
    else if (isList(name)) {
      const parts = (Array.isArray(value) ? value : [value]).filter((one) => !isAbsent(one))
      const entries = parts.flatMap((one: unknown) => listEntries(textOf(name, one)))
      if (entries.length > 0) values[name] = entries
    } else values[name] = textOf(name, value)
  }
  return parametersFrom({ values, boosts: boostsOf(body, all) }, limits)
}

type Members = readonly (readonly [string, unknown])[]

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

const present = (members: Members): Members => members.filter(([, value]) => !isAbsent(value))

/** Weights of `boost`, and those with flat names, which win. */
function boostsOf({ boost }: Fields, members: Members): Readonly<Record<string, string>> {
  if (!isAbsent(boost) && !isJsonObject(boost)) throw invalid('boost', 'an object', boost)
  const flat = members.flatMap(([name, value]) =>
    name.startsWith(boostPrefix) ? [[name.slice(boostPrefix.length), value] as const] : [],
  )
  const weights = present([...Object.entries(isJsonObject(boost) ? boost : {}), ...flat])
  return Object.fromEntries(
    weights.map(([field, value]) => [field, textOf(boostPrefix + field, value)]),
  )
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw invalid(name, 'a text, a number or a boolean', value)
}

const invalid = (parameter: string, right: string, value: unknown): Failure =>
  invalidParameter(parameter, `${parameter} must be ${right}, got ${shown(JSON.stringify(value))}`)

function bodyObject(text: string): Fields {
  const right = 'the body must be a JSON object such as {"q":"water","filters":["dataset"]}'
  let cause: unknown
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch (error) {
    cause = error
  }
  throw new Failure('malformed-json', right, { cause })
}
