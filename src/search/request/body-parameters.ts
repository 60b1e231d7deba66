/** Search parameters as a JSON object. */

import { Failure, invalidParameter, shown } from '../../errors.ts'
import { type Fields, isJsonObject, boundedJson, valueAt } from '../../text/json.ts'
import {
  boostPrefix,
  isList,
  type ParameterLimits,
  type Parameters,
  parametersOf,
  searchParameters,
} from './search-parameters.ts'

/** Members with nested parameters in `searchParams`; members with flat names take precedence. */
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
 * Reads a body as the equivalent query string: lists as arrays or separated by commas, `facets` as object or text, weights in
 * `boost`, and dates, scores and the box also in `searchParams`; flat names take precedence. `null` and empty values are absent;
 * unknown members are listed as ignored. Throws `malformed-json` when the text is not a JSON object, else as `parametersOf`.
 */
export function parametersOfBody(text: string, limits?: ParameterLimits): Parameters {
  const body = bodyObject(text)
  const query = new URLSearchParams()
  const append = (name: string, value: unknown): void => {
    const items: readonly unknown[] = isList(name) && Array.isArray(value) ? value : [value]
    for (const item of items) if (!isAbsent(item)) query.append(name, textOf(name, item))
  }
  for (const [name, path] of Object.entries(nested))
    if (isAbsent(body[name])) append(name, valueAt(body['searchParams'], path))
  const { boost } = body
  if (!isAbsent(boost) && !isJsonObject(boost)) throw invalid('boost', 'an object', boost)
  for (const [field, value] of Object.entries(Object(boost))) append(boostPrefix + field, value)
  for (const [name, value] of Object.entries(body)) {
    if (name === 'facets' && isJsonObject(value)) append(name, JSON.stringify(value))
    else if (isKnown(name)) append(name, value)
    // Unknown members may be of other versions or of the client; only their names are listed.
    else if (!containers.has(name) && !isAbsent(value)) query.append(name, 'given')
  }
  return parametersOf(query, limits)
}

/** Members that contain others. */
const containers = new Set(['boost', 'searchParams'])

const isKnown = (name: string): boolean =>
  name.startsWith(boostPrefix) || Object.hasOwn(searchParameters.shape, name)

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw invalid(name, 'a text, a number or a boolean', value)
}

const invalid = (parameter: string, expected: string, value: unknown): Failure =>
  invalidParameter(
    parameter,
    `${parameter} must be ${expected}, got ${shown(JSON.stringify(value))}`,
  )

function bodyObject(text: string): Fields {
  const detail = 'the body must be a JSON object such as {"q":"water","filters":["dataset"]}'
  let cause: unknown
  try {
    const value: unknown = boundedJson(text)
    if (isJsonObject(value)) return value
  } catch (error) {
    cause = error
  }
  throw new Failure('malformed-json', detail, { cause })
}
