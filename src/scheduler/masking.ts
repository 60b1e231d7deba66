/** Masks secrets in configs that are shown, and restores them when a client sends the masked config back. */

import { isJsonObject, type Json } from '../text/json.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Configs } from '../pipe/document.ts'

/** Replacement of a secret. */
const mask = '•••'

/** Names of config keys and headers that contain secrets. */
const secretKey =
  /^(?:authorization|x-api-key|api-?_?key|auth_?key|.*token|.*password|passwd|.*secret|set-cookie|cookie|credentials?)$/i
const userOfUrl = /(\b[a-z][a-z0-9+.-]*:\/\/)[^/?#\s@]+@/gi
const secretParameter =
  /([?&;](?:api-?_?key|auth_?key|token|access_token|password|secret|signature|sig)=)[^&;#\s]+/gi

/** Replaces secrets by `•••`, or every leaf value if `isSecret`. References such as `{ "secret": "name" }` are kept. */
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

/** Restores the stored values of masked secrets. */
export const unmaskedConfigs = (given: Configs, stored: Configs = {}): Configs =>
  mapped(given, (config, segment) =>
    mapped(config, (value, key) => unmasked(value, stored[segment]?.[key], key)),
  )

/** Whether a value contains a mask. */
export const isMasked = (value: Json): boolean =>
  typeof value === 'string'
    ? value.includes(mask)
    : typeof value === 'object' && value !== null && Object.values(value).some(isMasked)

/** Restores one value: the stored one, if the client sent its masked form. */
function unmasked(given: Json, old: Json | undefined, key: string): Json {
  // Masking depends on the key.
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
