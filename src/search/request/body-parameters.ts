/** The parameters of a search as a JSON object. */

import { type Fields, isJsonObject } from '../../text/json.ts'
import { Failure, shown, invalidParameter } from '../../errors.ts'
import {
  boostPrefix,
  listEntries,
  isList,
  type ParameterLimits,
  type Parameters,
  parametersFrom,
  type Raw,
  searchParameters,
} from './search-parameters.ts'

/** Where nested members belong; a member with the flat name wins. */
const nested = {
  minDate: ['minDate'],
  maxDate: ['maxDate'],
  minScoring: ['scoring', 'min'],
  maxScoring: ['scoring', 'max'],
  bboxMinLon: ['boundingBox', 'minLon'],
  bboxMaxLon: ['boundingBox', 'maxLon'],
  bboxMinLat: ['boundingBox', 'minLat'],
  bboxMaxLat: ['boundingBox', 'maxLat'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/**
 * Reads a body: the names of the query string, lists as arrays or separated by commas, `facets` as object or text, weights in
 * `boost`, dates, scores and the box in `searchParams` too. `null` and empty values are absent ones, other members of any type are ignored. Throws `malformed-json`
 * when the text is no JSON object, else as `parametersFrom`.
 */
export function parametersOfBody(text: string, limits?: ParameterLimits): Parameters {
  const body = objectOf(text)
  const searchParams = body['searchParams']
  const inner = Object.entries(nested).map(([name, path]) => [name, at(searchParams, path)])
  const own = Object.entries(body).filter(([, value]) => !isAbsent(value))
  const all: Fields = Object.fromEntries([...inner, ...own])
  return parametersFrom({ values: valuesOf(all), boosts: boostsOf(all) }, limits)
}

function valuesOf(all: Fields): Raw['values'] {
  const entries = Object.entries(all).flatMap(([name, value]) => {
    if (ignored(name) || isAbsent(value)) return []
    if (name === 'facets' && isJsonObject(value)) return [[name, JSON.stringify(value)]]
    if (!isList(name)) return [[name, textOf(name, value)]]
    const entries = listOf(name, value)
    return entries.length > 0 ? [[name, entries]] : []
  })
  return Object.fromEntries(entries)
}

/** Clients send members of other versions and of their own. */
const ignored = (name: string): boolean => !Object.hasOwn(searchParameters.shape, name)

function boostsOf(all: Fields): Raw['boosts'] {
  const boost = all['boost']
  if (!isAbsent(boost) && !isJsonObject(boost)) throw invalid('boost', 'an object', boost)
  const flat = Object.entries(all).flatMap(([name, value]) =>
    name.startsWith(boostPrefix) ? [[name.slice(boostPrefix.length), value] as const] : [],
  )
  const given = [...Object.entries(isJsonObject(boost) ? boost : {}), ...flat]
  const present = given.filter(([, value]) => !isAbsent(value))
  return Object.fromEntries(
    present.map(([field, value]) => [field, textOf(boostPrefix + field, value)]),
  )
}

const listOf = (name: string, value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one: unknown) =>
    isAbsent(one) ? [] : listEntries(textOf(name, one)),
  )

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw invalid(name, 'a text, a number or a boolean', value)
}

function invalid(parameter: string, right: string, value: unknown): Failure {
  const detail = `${parameter} must be ${right}, got ${shown(JSON.stringify(value))}`
  return invalidParameter(parameter, detail)
}

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

function at(value: unknown, path: readonly string[]): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  return isJsonObject(value) && Object.hasOwn(value, step) ? at(value[step], rest) : undefined
}

function objectOf(text: string): Fields {
  const right = 'the body must be a JSON object such as {"q":"water","filters":["dataset"]}'
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch (cause) {
    throw new Failure('malformed-json', right, { cause })
  }
  throw new Failure('malformed-json', right)
}
