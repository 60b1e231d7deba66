/** Reduction of a record to the fields that a client requests with `includes`. */

import { type Fields, isJsonObject, memberFields } from '../text/json.ts'
/** Dotted paths as a tree; `true` = the whole value. */
type PathTree = { [step: string]: PathTree | true }

const language = /^[a-z]{2,3}(-[A-Za-z0-9-]+)?$/

/**
 * Selects the members of a record that dotted paths name, descending into objects and arrays. Members that become empty are dropped.
 * `title.de` of a record without German returns the text in its main language under `de`.
 */
export function includeFields(record: Fields, paths: readonly string[]): Fields {
  const main = mainLanguages(record)
  return memberFields(pick(record, treeOfPaths(paths), main))
}

/** Applies `includeFields` to JSON text; without paths the text is returned unchanged. */
export const includeText = (text: string, paths: readonly string[] | undefined): string =>
  paths ? JSON.stringify(includeFields(Object(JSON.parse(text)), paths)) : text

function treeOfPaths(paths: readonly string[]): PathTree {
  const root: PathTree = Object.create(null)
  for (const path of paths) {
    const steps = path.split('.')
    let node = root
    for (const [i, step] of steps.entries()) {
      const child = node[step]
      if (child === true) break
      const next: PathTree | true = i === steps.length - 1 ? true : (child ?? Object.create(null))
      node[step] = next
      if (next !== true) node = next
    }
  }
  return root
}

function pick(value: unknown, tree: PathTree, main: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const selected = value
      .map((part) => pick(part, tree, main))
      .filter((part) => part !== undefined)
    return selected.length > 0 ? selected : undefined
  }
  if (!isJsonObject(value)) return undefined
  const selected: Record<string, unknown> = {}
  for (const [step, subtree] of Object.entries(tree)) {
    const member = Object.hasOwn(value, step) ? value[step] : fallback(value, step, main)
    const part = subtree === true ? member : pick(member, subtree, main)
    if (part !== undefined) selected[step] = part
  }
  return Object.keys(selected).length > 0 ? selected : undefined
}

/**
 * Text in a main language, in English or in any language, in place of a missing one: portals list records by `title.{language of the
 * page}` and need a title in any case.
 */
function fallback(texts: Fields, step: string, main: readonly string[]): unknown {
  if (!language.test(step)) return undefined
  const keys = Object.keys(texts)
  const isTexts = keys.every((key) => language.test(key) && isText(texts[key]))
  if (keys.length === 0 || !isTexts) return undefined
  const key = [...main, 'en'].find((key) => Object.hasOwn(texts, key)) ?? keys[0]
  return key === undefined ? undefined : texts[key]
}

/** Languages of the record's catalogue, or of the record if it is a catalogue. */
function mainLanguages(record: Fields): readonly string[] {
  const catalogue = record['catalog']
  const languages = isJsonObject(catalogue) ? catalogue['language'] : record['language']
  if (!Array.isArray(languages)) return []
  return languages.map((entry: unknown) => String(isJsonObject(entry) ? entry['id'] : entry))
}

const isText = (value: unknown) =>
  typeof value === 'string' ||
  (Array.isArray(value) && value.every((part) => typeof part === 'string'))
