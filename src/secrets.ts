/** All secrets that the process knows, by name where they have one, and how they are kept out of every text. */

import { inspect } from 'node:util'
import { type Complaint, jsonPointer, shown } from './errors.ts'
import { secretNames } from './log.ts'

export type Secrets = {
  /** The secret that pipes call by this name. */
  named(name: string): Secret | undefined
  /** A secret without a name: a literal in a pipe, a token of a repository. */
  add(value: string): Secret
  /** The text with every known secret of six or more characters masked, also escaped or encoded. */
  clean(text: string): string
  /** A plain value, such as a problem or a report, with all its texts cleaned, names of members too. */
  cleaned(value: unknown): unknown
}

/** `named`: name → value, as the operator configured them. */
export function secretRegistry(named: Readonly<Record<string, string>> = {}): Secrets {
  const byName = new Map(Object.entries(named).map(([name, value]) => [name, new Secret(value)]))
  const known = new Set<string>()
  let pattern: RegExp | undefined
  const learn = (value: string) => {
    if (value.length < shortest || known.has(value)) return
    known.add(value)
    pattern = patternOf(known)
  }
  for (const value of Object.values(named)) learn(value)
  const clean = (text: string) => (pattern ? text.replace(pattern, mask) : text)
  return {
    named: (name) => byName.get(name),
    add: (value) => {
      learn(value)
      return new Secret(value)
    },
    clean,
    cleaned: (value) => cleaned(value, clean, 0),
  }
}

/** Shorter ones would mask half of every text. */
const shortest = 6
const deepest = 64

/** Longer forms first, so that no tail of a secret is left because another one is its beginning. */
function patternOf(values: ReadonlySet<string>): RegExp {
  const forms = new Set([...values].flatMap(formsOf))
  const sorted = [...forms].toSorted((a, b) => b.length - a.length)
  return new RegExp(sorted.map((form) => form.replace(special, '\\$&')).join('|'), 'g')
}

const special = /[\\^$.*+?()[\]{}|/-]/g

/** As it is, inside JSON, inside a URL or a form, and as part of a Basic credential. */
function formsOf(value: string): readonly string[] {
  const encoded = encodeURIComponent(value.toWellFormed())
  const bytes = Buffer.from(value)
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encoded,
    encoded.replaceAll('%20', '+'),
    new URLSearchParams({ '': value }).toString().slice(1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
}

function cleaned(value: unknown, clean: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (value instanceof Secret) return mask
  if (depth >= deepest) return mask
  if (Array.isArray(value)) return value.map((part: unknown) => cleaned(part, clean, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [clean(name), cleaned(part, clean, depth + 1)]),
  )
}

/** Whether what stands under this name is never shown. Case, `$` and surrounding blanks do not matter. */
export const isSecretName = (name: string): boolean =>
  secretNames.has(name.trim().replace(/^\$+/, '').toLowerCase())

/** Words in names of parameters, in which clients send keys and sessions although this platform has no such parameter. */
const secretWord =
  /(?:^|[^a-z])(?:(?:api|access|auth|app|client|user|private|shared|licen[cs]e)?keys?|auth|authorization|pass|passphrase|passwort|kennwort|mdp|motdepasse|pwd?|psw|pin|otp|code|sig|signature|hmac|jwt|sid|sess|sas|pat|cookie|csrf|xsrf|verifier|credentials?|assertion|saml(?:art|response|request)|ticket|bearer)(?:$|[^a-z])|sess(?:ion)?_?id|session|token|secret|passw(?:or)?d|passcode|otpcode/

/** Whether a parameter of an address may carry a secret: a secret name, or a name with a word that says so. */
const mayHoldSecret = (name: string): boolean =>
  isSecretName(name) || secretWord.test(name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase())

/** Shorter values of such a parameter are words as often as secrets, and masking them would spoil other texts. */
const shortestSecret = 16

/**
 * The secret that a value stands for: a reference by its name, a text as itself (foreign files have it so). Nothing when
 * the name is unknown or the value is neither.
 */
export function secretOf(value: unknown, secrets: Secrets): Secret | undefined {
  if (typeof value === 'string') return secrets.add(value)
  const name = referenceOf(value)
  return name === undefined ? undefined : secrets.named(name)
}

/**
 * Complaints about references to secrets that nobody configured, each with its JSON Pointer (RFC 6901). Literals under
 * secret names and the credentials of addresses are made known to the registry on the way, so that no log shows them.
 */
export function unknownSecrets(config: unknown, secrets: Secrets): readonly Complaint[] {
  return [...complaints(config, secrets, '')]
}

const deepestReference = 64

function* complaints(value: unknown, secrets: Secrets, pointer: string): Generator<Complaint> {
  if (typeof value === 'string') for (const secret of credentialsIn(value)) secrets.add(secret)
  if (typeof value !== 'object' || value === null) return
  if (pointer.split('/').length > deepestReference) return
  const name = referenceOf(value)
  if (name !== undefined && !secrets.named(name)) {
    yield { pointer, detail: `no secret is called ${shown(name)}` }
  }
  for (const [key, part] of Object.entries(value)) {
    // The text beside `secret` is a name, not a value.
    const literal = typeof part === 'string' && isSecretName(key) && key !== 'secret'
    if (literal) secrets.add(part)
    else yield* complaints(part, secrets, `${pointer}${jsonPointer(key)}`)
  }
}

const referenceOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && 'secret' in value
    ? typeof value.secret === 'string'
      ? value.secret
      : undefined
    : undefined

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
function credentialsIn(url: string): readonly string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(url)) return []
  const { head, query = '' } = partsOf(url)
  const [, password = ''] = /^[^/]*\/\/[^/\\?#:]*:([^/\\?#]*)@/.exec(head) ?? []
  const values = query
    .split('&')
    .filter((pair) => mayHoldSecret(nameOf(pair)))
    .map((pair) => ({ name: nameOf(pair), value: pair.split('=').slice(1).join('=') }))
    .filter(({ name, value }) => isSecretName(name) || value.length >= shortestSecret)
    .map(({ value }) => value)
  const told = [password, ...values].filter((value) => value !== '')
  return [...new Set(told.flatMap((value) => [value, decoded(value)]))]
}

/** A URL for a log, a report or a problem: at most 2,000 characters, without user info and the values of credentials. */
export function shownUrl(url: string): string {
  const { head, query } = partsOf(url)
  const path = head.replace(userInfo, '$1').replace(/(?<=;)[^;/]+/g, shownPair)
  const text = query === undefined ? path : `${path}?${query.replace(/[^&;?]+/g, shownPair)}`
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** A parameter without its value where that may be a secret; an address in it is shown as one. */
function shownPair(pair: string): string {
  const [name = ''] = pair.split(/=|%3D/i, 1)
  if (mayHoldSecret(nameOf(pair))) return `${name}=${mask}`
  const inner = decoded(pair.slice(name.length + 1))
  return pair.includes('%') && inner.includes('://') ? `${name}=${shownUrl(inner)}` : pair
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

/** Text that replaces a secret. */
const mask = '•••'

/** Printed, joined, serialised or inspected it is the mask; only who asks for it gets the value. */
class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The value, for the one place that sends it. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return mask
  }

  toJSON(): string {
    return mask
  }

  [inspect.custom](): string {
    return mask
  }
}
