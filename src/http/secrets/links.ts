/** URLs that carry credentials: as they may be kept, and as they may be shown. */

import { isSecretName } from './names.ts'
import { mask } from './secret.ts'

/**
 * A URL from a record without user info and without the parameters that carry credentials; byte for byte the same when
 * there are none. `removed` is a finding of the record.
 */
export function withoutCredentials(url: string): {
  readonly url: string
  readonly removed: boolean
} {
  const { head, query, fragment } = partsOf(url)
  const bare = head.replace(userInfo, '$1')
  const kept = query?.split('&').filter((pair) => !isSecretName(nameOf(pair)))
  const clean = `${bare}${kept && kept.length > 0 ? `?${kept.join('&')}` : ''}${fragment}`
  const removed = bare !== head || kept?.length !== query?.split('&').length
  return { url: removed ? clean : url, removed }
}

/** The credentials of a URL, as they stand there and as they are meant; none of a text that is more than a URL. */
export function credentialsIn(url: string): readonly string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(url)) return []
  const { head, query = '' } = partsOf(url)
  const [, password = ''] = /^[^/]*\/\/[^/\\?#:]*:([^/\\?#]*)@/.exec(head) ?? []
  const values = query
    .split('&')
    .map((pair) => (isSecretName(nameOf(pair)) ? pair.split('=').slice(1).join('=') : ''))
  const told = [password, ...values].filter((value) => value !== '')
  return [...new Set(told.flatMap((value) => [value, decoded(value)]))]
}

/** A URL for a log, a report or a problem: at most 2,000 characters, without user info and the values of credentials. */
export function shownUrl(url: string): string {
  const { head, query } = partsOf(url)
  const told = query
    ?.split('&')
    .map((pair) => (isSecretName(nameOf(pair)) ? `${pair.split('=', 1)[0]}=${mask}` : pair))
  const text = `${head.replace(userInfo, '$1')}${told ? `?${told.join('&')}` : ''}`
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

const longest = 2000

/** Everything up to the last `@` of the authority, as the URL standard reads it. */
const userInfo = /^([a-z][a-z0-9+.-]*:[/\\]{2})[^/\\?#]*@/i

type Parts = {
  readonly head: string
  readonly query: string | undefined
  readonly fragment: string
}

function partsOf(url: string): Parts {
  const hash = url.indexOf('#')
  const [plain, fragment] = hash < 0 ? [url, ''] : [url.slice(0, hash), url.slice(hash)]
  const mark = plain.indexOf('?')
  return mark < 0
    ? { head: plain, query: undefined, fragment }
    : { head: plain.slice(0, mark), query: plain.slice(mark + 1), fragment }
}

/** A name may hide behind percent-encoding. */
function nameOf(pair: string): string {
  const [name = ''] = pair.split('=', 1)
  return decoded(name)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
