/** Masks secrets in configs that the API and the console show; restores them when a client sends a masked config back. */

import { isJsonObject, type Json } from '../text/json.ts'
import { isSecretName } from '../secrets.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Configs } from '../pipe/document.ts'
import { mapValues } from '../text/records.ts'

/** Replacement of a secret. */
const mask = '•••'

/** Further names of config keys and headers that contain secrets. */
const secretKey =
  /^(?:authorization|x-api-key|api-?_?key|auth_?key|.*token|.*password|passwd|.*secret|set-cookie|cookie|credentials?)$/i
const userOfUrl = /(\b[a-z][a-z0-9+.-]*:\/\/)[^/?#\s@]+@/gi
const secretParameter =
  /([?&;](?:api-?_?key|auth_?key|token|access_token|password|secret|signature|sig)=)[^&;#\s]+/gi

/** Replaces secrets by `•••`, or every leaf value if `isSecret`. References such as `{ "secret": "name" }` are kept. */
export function maskSecrets<T extends Json>(value: T, isSecret?: boolean): T
export function maskSecrets(value: Json, isSecret = false): Json {
  if (isList(value)) return value.map((item) => maskSecrets(item, isSecret))
  if (isJsonObject(value)) {
    const isReference = Object.keys(value).length === 1 && typeof value['secret'] === 'string'
    return isReference
      ? value
      : mapValues(value, (inner, key) =>
          maskSecrets(inner, isSecret || isSecretName(key) || secretKey.test(key)),
        )
  }
  if (isSecret && value !== null) return mask
  return typeof value === 'string'
    ? value.replace(userOfUrl, `$1${mask}@`).replace(secretParameter, `$1${mask}`)
    : value
}

/** Restores the stored values of masked secrets. */
export const restoreSecrets = (sent: Configs, stored: Configs = {}): Configs =>
  mapValues(sent, (config, segment) =>
    mapValues(config, (value, key) => restoreValue(value, stored[segment]?.[key], key)),
  )

/** Whether a value contains a mask. */
export const containsMask = (value: Json): boolean =>
  typeof value === 'string'
    ? value.includes(mask)
    : typeof value === 'object' && value !== null && Object.values(value).some(containsMask)

/** Restores one value: the stored one, if the client sent its masked form. */
function restoreValue(sent: Json, stored: Json | undefined, key: string): Json {
  // Masking depends on the key.
  if (stored !== undefined && isDeepStrictEqual(maskSecrets({ [key]: stored })[key], sent))
    return stored
  if (isList(sent)) {
    return sent.map((item, index) =>
      restoreValue(item, isList(stored) ? stored[index] : undefined, 'member'),
    )
  }
  if (!isJsonObject(sent)) return sent
  return mapValues(sent, (value, name) =>
    restoreValue(value, isJsonObject(stored) ? stored[name] : undefined, name),
  )
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)
