/** Where nodes stand in JSON-LD: a mark goes through expansion with each of them, which tells of no places itself. */

import type { Placing } from '../options.ts'
import { aliases, contextsIn, isObject, type Json } from './tree.ts'

type JsonObject = { [key: string]: Json }

/** An absolute IRI, which expansion leaves as it is, of a scheme that no context has for a prefix. */
export const placeKey = 'x-cartulary-place:pointer'

/** The JSON Pointer that an expanded node was marked with. */
export function markIn(node: JsonObject): string | undefined {
  const [mark] = [node[placeKey] ?? []].flat()
  const pointer = isObject(mark) ? mark['@value'] : undefined
  return typeof pointer === 'string' ? pointer : undefined
}

/** Marks every node whose class may be one of those by the end of its name; which it is, expansion tells. */
export function markPlaces(tree: Json, { classes }: Placing): void {
  const contexts = contextsIn(tree)
  const [types, values] = ['@type', '@value'].map((keyword) => aliases(contexts, keyword))
  const names = [...classes].map((iri) => /[^/#:]*$/.exec(iri)?.[0] ?? iri)
  const isWanted = (object: JsonObject) =>
    [...(types ?? [])]
      .flatMap((key) => [object[key] ?? []].flat())
      .some((type) => typeof type === 'string' && names.some((name) => type.endsWith(name)))
  mark(tree, '', (object) => {
    // A value may have no members beside its own.
    const isValue = [...(values ?? [])].some((key) => Object.hasOwn(object, key))
    return !isValue && isWanted(object)
  })
}

function mark(value: Json, pointer: string, isWanted: (object: JsonObject) => boolean): void {
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries())
      if (typeof one === 'object') mark(one, `${pointer}/${at}`, isWanted)
  } else if (isObject(value)) {
    for (const [key, one] of Object.entries(value))
      if (typeof one === 'object' && key !== '@context')
        mark(one, `${pointer}/${escaped(key)}`, isWanted)
    if (isWanted(value)) value[placeKey] = pointer
  }
}

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
