/** CKAN action API, which DKAN 1 supports too: addresses and response envelopes. */

import { Failure } from '../../errors.ts'
import { fieldsOf, plainText } from '../../vocabularies/loose-values.ts'
import { shownUrl } from '../../secrets.ts'
import { addressWith, siteRoot } from './portal.ts'
import { type ImportSource, type SourceRequest } from './source.ts'

/** Root of a portal without trailing slash; a sub-path such as `/ckan` is kept. */
export const portalRoot = (address: string): string =>
  siteRoot(address, /\/(?:(?:api\/[13]|dataset)(?:\/.*)?|data\.json)$/)

/** A call: `GET {root}/api/3/action/{name}?{query}`. */
type Action = {
  readonly root: string
  readonly name: string
  readonly query?: Readonly<Record<string, string | undefined>>
}

/** Result of an action, or its failure. */
export type ActionAnswer =
  | { readonly ok: true; readonly result: unknown }
  /** A status that the caller accepts. */
  | { readonly ok: false; readonly status: number; readonly message: string }

/**
 * Calls an action. Throws the failures of `ImportSource.json`, `source-error-envelope` if the portal reports an error, and
 * `source-malformed` if the response is no envelope.
 */
export async function callAction(
  source: ImportSource,
  { root, name, query = {} }: Action,
  request: SourceRequest = {},
): Promise<ActionAnswer> {
  const address = addressWith(`${root}/api/3/action/${name}`, query)
  const { value, status, url } = await source.json(address, request)
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

/** Address of one package. */
export const packageAddress = (address: string, id: string): string =>
  addressWith(`${portalRoot(address)}/api/3/action/package_show`, { id })

/** Distinct names of all packages; `undefined` if the portal does not list them. Throws the failures of `callAction`. */
export async function packageNames(
  source: ImportSource,
  root: string,
): Promise<Set<string> | undefined> {
  const accepts = [400, 403, 404, 405, 409]
  const answer = await callAction(source, { root, name: 'package_list' }, { accepts, paged: false })
  if (!answer.ok || !Array.isArray(answer.result)) return undefined
  return new Set(answer.result.filter((name) => typeof name === 'string'))
}

/** Text of an error, which is an object with `message` and `__type` or a plain text; `''` without one. */
function messageOf(error: unknown): string {
  if (error === undefined || error === null) return ''
  const { __type: type, message } = fieldsOf(error)
  const parts = [type, message].flatMap((part) => plainText(part) ?? [])
  const text = plainText(error) ?? (parts.join(': ') || JSON.stringify(error))
  return text.slice(0, 500)
}
