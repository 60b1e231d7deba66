/** Language tags of JSON-LD in the spelling of the document, which expansion lower-cases. */
import { eachObject, isObject, type Json } from './tree.ts'

type JsonObject = { [key: string]: Json }

/** Names that the contexts of a document give to a keyword. */
function aliases(contexts: readonly JsonObject[], keyword: string): Set<string> {
  const found = new Set([keyword])
  for (const context of contexts) {
    for (const [term, definition] of Object.entries(context)) {
      const id = isObject(definition) ? definition['@id'] : definition
      if (id === keyword) found.add(term)
    }
  }
  return found
}

/** Terms whose values are language maps. */
function mapTerms(contexts: readonly JsonObject[]): Set<string> {
  const found = new Set<string>()
  for (const context of contexts) {
    for (const [term, definition] of Object.entries(context)) {
      if (isObject(definition) && [definition['@container']].flat().includes('@language')) {
        found.add(term)
      }
    }
  }
  return found
}

/** Begins the private subtags that say which letters of a tag were capitals. */
const sign = '-x-capitals'
const signed = /^(.*)-x-capitals((?:-[0-9a-f]{1,8})+)$/

/** A tag that survives lower-casing: `de-AT` becomes `de-at-x-capitals-18`, one bit a letter, the first one lowest. */
function shielded(tag: string): string {
  const lowered = tag.toLowerCase()
  if ((lowered === tag && !lowered.includes(sign)) || lowered.length !== tag.length) return tag
  let capitals = 0n
  for (let at = 0; at < tag.length; at += 1)
    if (tag[at] !== lowered[at]) capitals |= 1n << BigInt(at)
  return `${lowered}${sign}-${(capitals.toString(16).match(/.{1,8}/g) ?? []).join('-')}`
}

/** The tag of the document that expansion gave back as `expanded`. */
export function spelled(expanded: string): string {
  const [, lowered, digits] = signed.exec(expanded) ?? []
  if (lowered === undefined || digits === undefined) return expanded
  const capitals = BigInt(`0x${digits.replaceAll('-', '')}`)
  const letter = (text: string, at: number) =>
    (capitals >> BigInt(at)) & 1n ? text.toUpperCase() : text
  return Array.from(lowered, letter).join('')
}

/** Rewrites the tags of a tree so that `spelled` can give them back: beside texts, in language maps and contexts. */
export function shieldTags(tree: Json): void {
  const contexts: JsonObject[] = []
  eachObject(tree, (object) => {
    for (const context of [object['@context']].flat()) if (isObject(context)) contexts.push(context)
  })
  const tags = aliases(contexts, '@language')
  const maps = mapTerms(contexts)
  const none = aliases(contexts, '@none')
  eachObject(tree, (object) => {
    for (const [key, value] of Object.entries(object)) {
      if (tags.has(key) && typeof value === 'string') object[key] = shielded(value)
      if (!maps.has(key) || !isObject(value) || contexts.includes(object)) continue
      object[key] = Object.fromEntries(
        Object.entries(value).map(([tag, texts]) => [none.has(tag) ? tag : shielded(tag), texts]),
      )
    }
  })
}
