/** Language tags of JSON-LD in the spelling of the document, which expansion lower-cases. */
import { eachObject, isObject, type Json } from './tree.ts'

/** Answers how the tag (lower case, as expanded) of a text was written. */
export type Spelling = (lowered: string, text: string) => string

/** Names that the contexts of a document give to a keyword. */
function aliases(contexts: readonly { [key: string]: Json }[], keyword: string): Set<string> {
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
function mapTerms(contexts: readonly { [key: string]: Json }[]): Set<string> {
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

/** Collects how tags are spelled: beside their text, as keys of language maps, as defaults of contexts. */
export function spellings(tree: Json): Spelling {
  const contexts: { [key: string]: Json }[] = []
  eachObject(tree, (object) => {
    for (const context of [object['@context']].flat()) if (isObject(context)) contexts.push(context)
  })
  const tags = aliases(contexts, '@language')
  const values = aliases(contexts, '@value')
  const maps = mapTerms(contexts)
  const usual = new Map<string, string>()
  const exact = new Map<string, string[]>()
  const note = (tag: string, texts: readonly (Json | undefined)[]) => {
    const lowered = tag.toLowerCase()
    if (!usual.has(lowered)) usual.set(lowered, tag)
    for (const text of texts) {
      if (typeof text !== 'string') continue
      const key = `${lowered} ${text}`
      const known = exact.get(key)
      if (known) known.push(tag)
      else exact.set(key, [tag])
    }
  }
  eachObject(tree, (object) => {
    for (const [key, value] of Object.entries(object)) {
      if (tags.has(key) && typeof value === 'string') {
        note(
          value,
          Object.keys(object).flatMap((name) => (values.has(name) ? [object[name]] : [])),
        )
      }
      if (!maps.has(key) || !isObject(value)) continue
      for (const [tag, texts] of Object.entries(value)) note(tag, [texts].flat())
    }
  })
  // One text may stand there twice, with one tag in two spellings: expansion keeps their order.
  return (lowered, text) => {
    const tagged = exact.get(`${lowered} ${text}`)
    const [spelled] = tagged ?? []
    if (tagged && tagged.length > 1) tagged.shift()
    return spelled ?? usual.get(lowered) ?? lowered
  }
}
