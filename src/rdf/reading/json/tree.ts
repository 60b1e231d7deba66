/** JSON before it becomes JSON-LD: read with the place of errors, bounded, and without keys that reach prototypes. */
import { malformed } from '../options.ts'
import { faultAt } from './fault.ts'
import { placeAt } from '../place.ts'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

const deepest = 64
const dangerous = ['__proto__', 'constructor', 'prototype']

export const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses JSON of at most 64 levels. Throws `malformed-rdf` with line and column. */
export function readJson(text: string): Json {
  let tree: Json
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse answers, by its definition
    tree = JSON.parse(text) as Json
  } catch (cause) {
    const offset = faultAt(text)
    const detail = offset >= text.trimEnd().length ? 'the JSON ends too early' : 'this is not JSON'
    throw malformed(detail, placeAt(text, offset), cause)
  }
  // A bare string would be taken for the address of a document to fetch.
  if (typeof tree !== 'object' || tree === null) throw malformed('JSON-LD is an object or an array')
  let level: Json[] = [tree]
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > deepest) throw malformed(`JSON-LD is nested deeper than ${deepest} levels`)
    level = level.flatMap(children)
  }
  return tree
}

function children(value: Json): Json[] {
  if (isObject(value)) for (const key of dangerous) if (Object.hasOwn(value, key)) delete value[key]
  return typeof value === 'object' && value !== null
    ? Object.values(value).filter((child) => typeof child === 'object' && child !== null)
    : []
}

/** Calls `visit` for every object, outer ones first. */
export function eachObject(tree: Json, visit: (object: { [key: string]: Json }) => void): void {
  const waiting = [tree]
  for (const value of waiting) {
    if (isObject(value)) visit(value)
    if (typeof value !== 'object' || value === null) continue
    for (const child of Object.values(value)) {
      if (typeof child === 'object' && child !== null) waiting.push(child)
    }
  }
}
