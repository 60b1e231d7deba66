/** Parses JSON for JSON-LD: errors with positions, bounded depth, no keys that change prototypes. */

import { jsonFault } from '../../text/json-fault.ts'
import { malformed } from './options.ts'

/** Object in the JSON of a JSON-LD document. */
export type JsonLdObject = { [key: string]: JsonLdValue }
/** Value in the JSON of a JSON-LD document. */
export type JsonLdValue = string | number | boolean | null | JsonLdValue[] | JsonLdObject

const maxDepth = 64
const prototypeKeys = ['__proto__', 'constructor', 'prototype']

/** Tells whether a value is an object, and not an array or null. */
export const isJsonLdObject = (value: JsonLdValue | undefined): value is JsonLdObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses JSON of at most 64 levels. Throws `malformed-rdf` with line and column. */
export function readJson(text: string): JsonLdValue {
  let tree: JsonLdValue
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse answers, by its definition
    tree = JSON.parse(text) as JsonLdValue
  } catch (cause) {
    const { detail, line = 1, column = 1 } = jsonFault(text) ?? { detail: 'this is not JSON' }
    throw malformed(detail, { line, column }, cause)
  }
  // A bare string would be interpreted as the address of a document to fetch.
  if (typeof tree !== 'object' || tree === null) throw malformed('JSON-LD is an object or an array')
  let level: JsonLdValue[] = [tree]
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw malformed(`JSON-LD is nested deeper than ${maxDepth} levels`)
    level = level.flatMap(children)
  }
  return tree
}

function children(value: JsonLdValue): JsonLdValue[] {
  if (isJsonLdObject(value))
    for (const key of prototypeKeys) if (Object.hasOwn(value, key)) delete value[key]
  return typeof value === 'object' && value !== null
    ? Object.values(value).filter((child) => typeof child === 'object' && child !== null)
    : []
}

/** Calls `visit` for every object, outer ones first. */
export function eachObject(tree: JsonLdValue, visit: (object: JsonLdObject) => void): void {
  const queue = [tree]
  for (const value of queue) {
    if (isJsonLdObject(value)) visit(value)
    if (typeof value !== 'object' || value === null) continue
    for (const child of Object.values(value)) {
      if (typeof child === 'object' && child !== null) queue.push(child)
    }
  }
}

/** All inline contexts in a document, at any depth. */
export function contextsIn(tree: JsonLdValue): readonly JsonLdObject[] {
  const contexts: JsonLdObject[] = []
  eachObject(tree, (object) => {
    for (const context of [object['@context']].flat())
      if (isJsonLdObject(context)) contexts.push(context)
  })
  return contexts
}

/** A keyword and the aliases that the contexts define for it. */
export function aliases(contexts: readonly JsonLdObject[], keyword: string): Set<string> {
  const names = new Set([keyword])
  for (const context of contexts) {
    for (const [term, definition] of Object.entries(context)) {
      const id = isJsonLdObject(definition) ? definition['@id'] : definition
      if (id === keyword) names.add(term)
    }
  }
  return names
}
