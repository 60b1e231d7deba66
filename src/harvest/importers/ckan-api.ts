/** The action API of CKAN: where it stands, the envelope of its answers, and how fields of packages are read. */

import { Failure } from '../../errors.ts'
import {
  fieldsOf,
  listOf,
  plainText,
  saidText,
  structured,
  structuredList,
} from '../../vocabularies/loose-values.ts'
import type { Fields } from '../../text/json.ts'
import { addressWith, rootOf } from './portal.ts'
import { shownUrl, type Source, type SourceRequest } from './source.ts'

/** The root of a portal without a slash at its end; a sub-path such as `/ckan` stays. */
export const portalRoot = (address: string): string =>
  rootOf(address, /\/(?:(?:api\/[13]|dataset)(?:\/.*)?|data\.json)$/)

type Action = {
  readonly root: string
  readonly name: string
  readonly query?: Readonly<Record<string, string | undefined>>
}

export type ActionAnswer =
  | { readonly ok: true; readonly result: unknown }
  /** A status that the caller was ready for. */
  | { readonly ok: false; readonly status: number; readonly message: string }

/**
 * One call. Throws what `Source.json` throws, `source-error-envelope` when the portal answers that it failed, and
 * `source-malformed` when the answer is no envelope.
 */
export async function action(
  source: Source,
  { root, name, query = {} }: Action,
  request: SourceRequest = {},
): Promise<ActionAnswer> {
  const asked = addressWith(`${root}/api/3/action/${name}`, query)
  const { value, status, url } = await source.json(asked, request)
  const { success, result, error } = fieldsOf(value)
  const message = messageOf(error)
  if (status >= 400) return { ok: false, status, message }
  const place = shownUrl(url)
  if (success === false || message !== '')
    throw new Failure('source-error-envelope', `${place} answered that it failed.`, {
      cause: message,
    })
  if (result === undefined)
    throw new Failure('source-malformed', `${place} did not answer as the action API does.`)
  return { ok: true, result }
}

/** An object with `message` and `__type`, or a plain text. */
function messageOf(error: unknown): string {
  const { __type: type, message } = fieldsOf(error)
  const told = [plainText(type), plainText(message)].filter((part) => part !== undefined).join(': ')
  const text = told === '' && error !== undefined && error !== null ? JSON.stringify(error) : told
  return (plainText(error) ?? text).slice(0, 500)
}

/** The fields of a package or resource, wherever a portal keeps them: at the top, or as `extras`. */
export type Reader = {
  /** The first of the names that has a value; with `-` or `_`, with the prefix `dcat_` or without; the top level wins. */
  readonly get: (...names: readonly string[]) => unknown
  /** Text by language, from `{name}_translated`, an object, or keys such as `{name}_de`; else the value as it is. */
  readonly translated: (name: string) => unknown
}

export function readerOf(fields: Fields): Reader {
  const values = new Map<string, unknown>()
  const learn = (key: string, value: unknown) => {
    const name = key.toLowerCase().replaceAll('-', '_')
    if (listOf(value).length > 0 && !values.has(name)) values.set(name, value)
  }
  for (const [key, value] of Object.entries(fields)) if (key !== 'extras') learn(key, value)
  for (const extra of listOf(structured(fields['extras']))) {
    const { key, value } = fieldsOf(extra)
    const name = plainText(key)
    if (name !== undefined) learn(name, value)
  }
  const get = (...names: readonly string[]) =>
    names
      .map((name) => values.get(name) ?? values.get(`dcat_${name}`))
      .find((value) => value !== undefined)
  const translated = (name: string) => {
    const own = structured(get(name))
    const byLanguage = [structured(get(`${name}_translated`)), own].find((value) =>
      Object.values(fieldsOf(value)).some((text) => plainText(text) !== undefined),
    )
    if (byLanguage !== undefined) return byLanguage
    const keyed = [...values].filter(
      ([key]) => key.startsWith(`${name}_`) && /^[a-z]{2}$/.test(key.slice(name.length + 1)),
    )
    if (keyed.length > 0)
      return Object.fromEntries(keyed.map(([key, text]) => [key.slice(-2), text]))
    // A text that happens to begin like JSON is a text.
    return typeof own === 'object' ? get(name) : own
  }
  return { get, translated }
}

/** The first value of a list, or the value itself: several portals keep lists where one is meant. */
export const firstOf = (value: unknown): unknown => structuredList(value)[0]

/** The objects of a list. */
export const nodesIn = (value: unknown) =>
  structuredList(value).filter((one) => typeof one === 'object')

/** The first value that is a text or texts by language. */
export const firstSaid = (values: readonly unknown[]) =>
  values.find((value) =>
    (typeof value === 'object' && value !== null ? Object.values(value) : [value]).some((one) =>
      listOf(one).some((text) => saidText(text) !== undefined),
    ),
  )
