/** Hides secrets that stand in configs, and finds them again when what was shown comes back. */

import { isJsonObject, type Json } from '../text/json.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Configs } from '../pipe/document.ts'

/** What stands in place of a secret. */
const mask = '•••'

/** Names under which configs of all importers, exporters and their headers hold secrets. */
const secretKey =
  /^(?:authorization|x-api-key|api-?_?key|auth_?key|.*token|.*password|passwd|.*secret|set-cookie|cookie|credentials?)$/i
const userOfUrl = /(\b[a-z][a-z0-9+.-]*:\/\/)[^/?#\s@]+@/gi
const secretParameter =
  /([?&;](?:api-?_?key|auth_?key|token|access_token|password|secret|signature|sig)=)[^&;#\s]+/gi

/**
 * The value with `•••` in place of secrets, or of everything in it (`isSecret`); `{ "secret": "name" }` only names one and
 * stays.
 */
export function masked<T extends Json>(value: T, isSecret?: boolean): T
export function masked(value: Json, isSecret = false): Json {
  if (isList(value)) return value.map((one) => masked(one, isSecret))
  if (isJsonObject(value)) {
    const isReference = Object.keys(value).length === 1 && typeof value['secret'] === 'string'
    return isReference
      ? value
      : mapped(value, (inner, key) => masked(inner, isSecret || secretKey.test(key)))
  }
  if (isSecret && value !== null) return mask
  return typeof value === 'string'
    ? value.replace(userOfUrl, `$1${mask}@`).replace(secretParameter, `$1${mask}`)
    : value
}

/** Configs with the stored values where they hold what was shown of them. */
export const unmaskedConfigs = (given: Configs, stored: Configs = {}): Configs =>
  mapped(given, (config, segment) =>
    mapped(config, (value, key) => unmasked(value, stored[segment]?.[key], key)),
  )

/** Whether something in it is hidden. */
export const isMasked = (value: Json): boolean =>
  typeof value === 'string'
    ? value.includes(mask)
    : typeof value === 'object' && value !== null && Object.values(value).some(isMasked)

/** One value of a config as a client sent it, with what is stored wherever it is still what was shown. */
function unmasked(given: Json, old: Json | undefined, key: string): Json {
  // Under its key, because the key may be what hides it.
  if (old !== undefined && isDeepStrictEqual(masked({ [key]: old })[key], given)) return old
  if (isList(given)) {
    return given.map((one, at) => unmasked(one, isList(old) ? old[at] : undefined, 'member'))
  }
  if (!isJsonObject(given)) return given
  return mapped(given, (value, name) =>
    unmasked(value, isJsonObject(old) ? old[name] : undefined, name),
  )
}

const mapped = <From, To>(
  object: Readonly<Record<string, From>>,
  change: (value: From, key: string) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)
