/**
 * Registry of the secrets that the process knows, which masks them in logs, problems and reports; and recognition of credentials
 * in configs and URLs.
 */

import { inspect } from 'node:util'
import { type Complaint, jsonPointer, shown } from './errors.ts'
import { secretNames } from './log.ts'

/** Registry of secrets. */
export type Secrets = {
  /** Secret that pipes reference by this name. */
  named(name: string): Secret | undefined
  /** Replaces the named secrets; earlier values stay masked. */
  replaceNamed(named: Readonly<Record<string, string>>): void
  /** Adds a secret without a name: a literal in a pipe, a token of a repository. */
  add(value: string): Secret
  /** Masks every known secret of six or more characters in a text, also where it is escaped or encoded. */
  clean(text: string): string
  /** Masks secrets in all texts and member names of a plain value, such as a problem or a report. */
  cleaned(value: unknown): unknown
}

/** Makes the registry; `named` is name → value, as configured. */
export function secretRegistry(named: Readonly<Record<string, string>> = {}): Secrets {
  let byName = new Map<string, Secret>()
  const registered = new Set<string>()
  let pattern: RegExp | undefined
  const register = (value: string) => {
    if (value.length < shortest || registered.has(value)) return
    registered.add(value)
    pattern = patternOf(registered)
  }
  const replaceNamed = (values: Readonly<Record<string, string>>) => {
    byName = new Map(Object.entries(values).map(([name, value]) => [name, new Secret(value)]))
    for (const value of Object.values(values)) register(value)
  }
  replaceNamed(named)
  const clean = (text: string) => (pattern ? text.replace(pattern, mask) : text)
  return {
    named: (name) => byName.get(name),
    replaceNamed,
    add: (value) => {
      register(value)
      return new Secret(value)
    },
    clean,
    cleaned: (value) => cleaned(value, clean, 0),
  }
}

/** Characters of the shortest secret that is masked; shorter ones occur in other words. */
const shortest = 6
/** Levels of a plain value below which everything is masked. */
const deepest = 64

/** Makes a pattern of all forms, longer ones first, so that no end of a secret stays when another one is its beginning. */
function patternOf(values: ReadonlySet<string>): RegExp {
  const forms = new Set([...values].flatMap(formsOf))
  const sorted = [...forms].toSorted((a, b) => b.length - a.length)
  return new RegExp(sorted.map((form) => form.replace(regExpCharacters, '\\$&')).join('|'), 'g')
}

const regExpCharacters = /[\\^$.*+?()[\]{}|/-]/g

/** Forms of a secret: plain, in JSON, in a URL or form, and in Base64. */
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

/** Masks secrets in a plain value; values below `deepest` levels are replaced by the mask. */
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

/** Whether values of this name are never shown. Case, `$` at the beginning and surrounding blanks do not matter. */
export const isSecretName = (name: string): boolean =>
  secretNames.has(name.trim().replace(/^\$+/, '').toLowerCase())

/** Words in names of URL parameters that carry keys and sessions. */
const secretWord =
  /(?:^|[^a-z])(?:(?:api|access|auth|app|client|user|private|shared|licen[cs]e)?keys?|auth|authorization|pass|passphrase|passwort|kennwort|mdp|motdepasse|pwd?|psw|pin|otp|code|sig|signature|hmac|jwt|sid|sess|sas|pat|cookie|csrf|xsrf|verifier|credentials?|assertion|saml(?:art|response|request)|ticket|bearer)(?:$|[^a-z])|sess(?:ion)?_?id|session|token|secret|passw(?:or)?d|passcode|otpcode/

/** Whether a parameter of a URL may carry a secret: its name is secret or contains such a word. */
const mayHoldSecret = (name: string): boolean =>
  isSecretName(name) || secretWord.test(name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase())

/**
 * Characters of the shortest value of such a parameter that is masked elsewhere; shorter ones are often plain words. A parameter
 * with a secret name (`isSecretName`) has no minimum but `shortest`.
 */
const shortestSecret = 16

/**
 * Secret that a value of a pipe means: a reference by name, or a text itself (as in foreign files); `undefined` when the name is
 * unknown or the value is neither.
 */
export function secretOf(value: unknown, secrets: Secrets): Secret | undefined {
  if (typeof value === 'string') return secrets.add(value)
  const name = referenceOf(value)
  return name === undefined ? undefined : secrets.named(name)
}

/**
 * Finds references to secrets that are not configured, each with its JSON Pointer (RFC 6901). Adds literals under secret names
 * and the credentials of URLs to the registry, so that no log shows them.
 */
export function unknownSecrets(config: unknown, secrets: Secrets): readonly Complaint[] {
  return [...complaints(config, secrets, '')]
}

/** Levels of a config that are searched for references and secrets. */
const deepestReference = 64

function* complaints(
  value: unknown,
  secrets: Secrets,
  pointer: string,
  isSecret = false,
): Generator<Complaint> {
  if (typeof value === 'string')
    for (const secret of isSecret ? [value] : credentialsIn(value)) secrets.add(secret)
  if (typeof value !== 'object' || value === null) return
  if (pointer.split('/').length > deepestReference) return
  const name = referenceOf(value)
  if (name !== undefined && !secrets.named(name)) {
    yield { pointer, detail: `no secret is called ${shown(name)}` }
  }
  for (const [key, part] of Object.entries(value)) {
    // The text under the key `secret` is a name, not a value, and other texts beside it are none either.
    const isName = key === 'secret' && typeof part === 'string'
    const holdsSecret = (isSecretName(key) && !isName) || (isSecret && name === undefined)
    yield* complaints(part, secrets, `${pointer}${jsonPointer(key)}`, holdsSecret)
  }
}

const referenceOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && 'secret' in value
    ? typeof value.secret === 'string'
      ? value.secret
      : undefined
    : undefined

/**
 * Removes user info and parameters with secret names (`isSecretName`) from a URL; without any the URL stays byte for byte the
 * same. `removed` says whether there were any.
 */
export function withoutCredentials(url: string): {
  readonly url: string
  readonly removed: boolean
} {
  const { head, query, fragment } = partsOf(url)
  const withoutUser = head.replace(userInfo, '$1')
  const pairs = query?.split('&').filter((pair) => !isSecretName(nameOf(pair)))
  const clean = `${withoutUser}${pairs && pairs.length > 0 ? `?${pairs.join('&')}` : ''}${fragment}`
  const removed = withoutUser !== head || pairs?.length !== query?.split('&').length
  return { url: removed ? clean : url, removed }
}

/** Password and secret parameters of a URL, encoded and decoded; none for a text that is more than a URL. */
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
  const credentials = [password, ...values].filter((value) => value !== '')
  return [...new Set(credentials.flatMap((value) => [value, decoded(value)]))]
}

/** Shows a URL in a log, report or problem: cut to 2,000 characters, without user info, values of credentials and fragment. */
export function shownUrl(url: string): string {
  const { head, query } = partsOf(url)
  const path = head.replace(userInfo, '$1').replace(/(?<=;)[^;/]+/g, shownPair)
  const text = query === undefined ? path : `${path}?${query.replace(/[^&;?]+/g, shownPair)}`
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** Shows a parameter without its value where that may be a secret; a URL in it is shown like one. */
function shownPair(pair: string): string {
  const [name = ''] = pair.split(/=|%3D/i, 1)
  if (mayHoldSecret(nameOf(pair))) return `${name}=${mask}`
  const inner = decoded(pair.slice(name.length + 1))
  return pair.includes('%') && inner.includes('://') ? `${name}=${shownUrl(inner)}` : pair
}

/** Maximum characters of a shown URL. */
const longest = 2000

/** User info of a URL: all up to the last `@` of the authority, as in the URL standard; `$1` is what comes before. */
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

/** Decoded name of a parameter. */
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

/** Secret that is a mask when printed, joined, serialised or inspected; `reveal` returns its value. */
class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** Returns the value, for the place that sends it. */
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
