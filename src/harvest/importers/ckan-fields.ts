/** The fields of a package or resource, wherever a portal keeps them: at the top, or as `extras`. */
import {
  fieldsOf,
  listOf,
  plainText,
  structured,
  type Fields,
} from '../../vocabularies/loose-values.ts'

export type Reader = {
  /** The first of the names that has a value; with `-` or `_`, with the prefix `dcat_` or without; the top level wins. */
  readonly get: (...names: readonly string[]) => unknown
  /** Text by language, from `{name}_translated`, an object, or keys such as `{name}_de`; else the value as it is. */
  readonly translated: (name: string) => unknown
}

const spelled = (key: string) => key.toLowerCase().replaceAll('-', '_')

const hasValue = (value: unknown) =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0)

export function readerOf(fields: Fields): Reader {
  const values = new Map<string, unknown>()
  const learn = (key: string, value: unknown) => {
    const name = spelled(key)
    if (hasValue(value) && !values.has(name)) values.set(name, value)
  }
  for (const [key, value] of Object.entries(fields)) if (key !== 'extras') learn(key, value)
  for (const extra of listOf(structured(fields['extras']))) {
    const { key, value } = fieldsOf(extra)
    const name = plainText(key)
    if (name !== undefined) learn(name, value)
  }
  const get = (...names: readonly string[]) => {
    for (const name of names) {
      const value = values.get(name) ?? values.get(`dcat_${name}`)
      if (value !== undefined) return value
    }
    return undefined
  }
  return { get, translated: (name) => translated(values, get, name) }
}

const isByLanguage = (value: unknown) =>
  Object.values(fieldsOf(value)).some((text) => plainText(text) !== undefined)

function translated(
  values: ReadonlyMap<string, unknown>,
  get: Reader['get'],
  name: string,
): unknown {
  const own = structured(get(name))
  for (const value of [structured(get(`${name}_translated`)), own])
    if (isByLanguage(value)) return value
  const byKey = [...values].flatMap(([key, value]) => {
    const language = key.startsWith(`${name}_`) ? key.slice(name.length + 1) : ''
    return /^[a-z]{2}$/.test(language) ? [[language, value] as const] : []
  })
  if (byKey.length > 0) return Object.fromEntries(byKey)
  // A text that happens to begin like JSON is a text.
  return typeof own === 'object' ? get(name) : own
}

/** The first value of a list, or the value itself: several portals keep lists where one is meant. */
export const firstOf = (value: unknown): unknown => listOf(structured(value))[0]
