/** The action API of CKAN: where it stands, and the envelope of its answers. */
import { Failure } from '../../errors.ts'
import { shownUrl } from './answers.ts'
import { fieldsOf, plainText } from '../../vocabularies/loose-values.ts'
import type { Source, SourceRequest } from './source.ts'

/** The root of a portal without a slash at its end; a sub-path such as `/ckan` stays. */
export function portalRoot(address: string): string {
  const { origin, pathname } = new URL(address)
  return (
    origin +
    pathname.replace(/\/(?:(?:api\/[13]|dataset)(?:\/.*)?|data\.json)$/, '').replace(/\/+$/, '')
  )
}

type Action = {
  readonly root: string
  readonly name: string
  readonly query?: Readonly<Record<string, string>>
}

const actionUrl = ({ root, name, query = {} }: Action): string => {
  const pairs = Object.entries(query).map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
  )
  return `${root}/api/3/action/${name}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`
}

export type ActionAnswer =
  | { readonly ok: true; readonly result: unknown; readonly url: string }
  /** A status that the caller was ready for. */
  | { readonly ok: false; readonly status: number; readonly message: string }

const longestMessage = 500

/**
 * One call. Throws what `Source.json` throws, `source-error-envelope` when the portal answers that it failed, and
 * `source-malformed` when the answer is no envelope.
 */
export async function action(
  source: Source,
  call: Action,
  request: SourceRequest = {},
): Promise<ActionAnswer> {
  const { value, status, url } = await source.json(actionUrl(call), request)
  const envelope = fieldsOf(value)
  const message = messageOf(envelope['error'])
  if (status >= 400) return { ok: false, status, message }
  const place = shownUrl(url)
  if (envelope['success'] === false || message !== '')
    throw new Failure('source-error-envelope', `${place} answered that it failed.`, {
      cause: message,
    })
  if (envelope['result'] === undefined)
    throw new Failure('source-malformed', `${place} did not answer as the action API does.`)
  return { ok: true, result: envelope['result'], url }
}

/** An object with `message` and `__type`, or a plain text. */
function messageOf(error: unknown): string {
  const { __type: type, message } = fieldsOf(error)
  const told = [plainText(type), plainText(message)].filter((part) => part !== undefined).join(': ')
  const text = told === '' && error !== undefined && error !== null ? JSON.stringify(error) : told
  return (plainText(error) ?? text).slice(0, longestMessage)
}
