/** API keys: finds the key of a request in its headers, in constant time and with stored hashes only; and checks permissions. */

import { hash, timingSafeEqual } from 'node:crypto'
import { Failure } from '../errors.ts'
import { type Accounts, keyStart } from './accounts.ts'
import type { AppContext, Key } from './context.ts'
import { inProcess, machineOf } from './peer.ts'
import { grantOf, hasRole, type Role } from './roles.ts'

/** The API keys of the platform. */
export type ApiKeys = {
  /**
   * Returns the key of the request and sets it as `c.var.key`; with `Acting-For` and the key of the process, that of the person.
   * Throws `unauthorized` without a valid key, `invalid-parameter` when two headers have different keys, `too-many-requests`
   * after too many wrong ones, and `forbidden` for `Acting-For` with another key or a person who has no valid one.
   */
  require(c: AppContext): Key
  /** Returns the key with a text that a client sent in another way, such as a form; throws as `require`. */
  check(text: string, address: string): Key
  /** Returns the key of the request, `undefined` where it sends none; throws as `require` for a wrong one. */
  find(c: AppContext): Key | undefined
  /** Returns the key with an id as it is valid now, configured or of an account; `undefined` where it is not. */
  active(id: string): Key | undefined
  /** Configured keys, without their secrets. */
  list(): readonly Key[]
  /** Replaces the configured keys. */
  replace(config: KeyConfig): void
}

/** Key → permissions, as in `PLATFORM_HUB_API_KEYS`. */
export type KeyConfig = Readonly<Record<string, readonly string[]>>

type Options = {
  /** Wrong keys per minute and address; by default 20. */
  readonly keyFailures?: number
  /** Milliseconds of any monotonic clock. */
  readonly now?: () => number
  /** Accounts of people and programs; by default none. */
  readonly accounts?: Pick<Accounts, 'keyOf' | 'activeKey'>
  /** Key of this process, which may do everything and act for people; by default none. */
  readonly ownKey?: string
}

type StoredKey = Key & { readonly digest: Buffer }

/**
 * Makes the keys. Only the SHA-256 digests of the configured ones are kept in memory, and a key that is sent is compared with all of
 * them; those of accounts are looked up.
 */
export function apiKeys(config: KeyConfig, options: Options = {}): ApiKeys {
  const { keyFailures = 20, now = () => performance.now(), accounts, ownKey } = options
  const wrongKeys = wrongKeyCounter({ perMinute: keyFailures, now })
  const own = digests(ownKey === undefined ? {} : { [ownKey]: ['*'] })
  let keys = digests(config)

  const check = (text: string, address: string): Key => {
    // Wrong keys of other clients with the same address do not block a valid key.
    const ofAccount = text.startsWith(keyStart) ? accounts?.keyOf(text) : undefined
    const key = ofAccount ?? findKey([...own, ...keys], text)
    if (key) return withoutDigest(key)
    const retryAfter = wrongKeys.secondsBlocked(address)
    if (retryAfter !== undefined) {
      const detail = `more than ${keyFailures} wrong keys in a minute (limit keyFailures)`
      throw new Failure('too-many-requests', detail, { retryAfter })
    }
    if (address !== inProcess) wrongKeys.count(address)
    throw new Failure('unauthorized', keyNeeded)
  }

  const find = (c: AppContext): Key | undefined => {
    const text = keyInHeaders(c.req.header('X-API-Key'), c.req.header('Authorization'))
    if (text === undefined) return undefined
    const sent = check(text, c.get('client') ?? inProcess)
    const person = c.req.header('Acting-For')
    const isOwn = own.some(({ id }) => id === sent.id)
    const key = person === undefined ? sent : personOf(isOwn, () => active(person))
    c.set('key', key)
    const by = c.req.header('Acting-By') === 'console' ? 'console' : 'portal'
    c.set('actingBy', person === undefined ? undefined : by)
    return key
  }

  const active = (id: string): Key | undefined => {
    const key = keys.find((one) => one.id === id)
    return key ? withoutDigest(key) : accounts?.activeKey(id)
  }

  return {
    check,
    find,
    require: (c) => {
      const key = find(c)
      if (!key) throw new Failure('unauthorized', keyNeeded)
      return key
    },
    active,
    list: () => keys.map(withoutDigest),
    replace: (next) => {
      keys = digests(next)
    },
  }
}

/** Key of the person for whom a request is. Throws `forbidden` unless the key is that of the process and the person has one. */
function personOf(isOwn: boolean, find: () => Key | undefined): Key {
  if (!isOwn) throw new Failure('forbidden', 'Acting-For is for the portal of this platform only')
  const key = find()
  if (!key) throw new Failure('forbidden', 'the person of Acting-For has no valid key')
  return key
}

// One text for a missing and a wrong key, so that the answer does not disclose which keys exist.
const keyNeeded = 'send a valid API key as X-API-Key: <key> or Authorization: Bearer <key>'

const withoutDigest = ({ id, name, permissions }: Key): Key =>
  name === undefined ? { id, permissions } : { id, name, permissions }

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

const digests = (config: KeyConfig): readonly StoredKey[] =>
  Object.entries(config).map(([key, permissions]) => {
    const digest = sha256(key)
    return { id: digest.toString('hex').slice(0, 8), permissions, digest }
  })

function findKey(keys: readonly StoredKey[], text: string): StoredKey | undefined {
  const digest = sha256(text)
  let match: StoredKey | undefined
  for (const key of keys) if (timingSafeEqual(key.digest, digest)) match = key
  return match
}

/** Text of the key in `X-API-Key` or `Authorization`; `undefined` without both. Throws `invalid-parameter` where they differ. */
function keyInHeaders(
  apiKey: string | undefined,
  authorization: string | undefined,
): string | undefined {
  const first = apiKey?.trim() || undefined
  const second = authorization?.trim().replace(/^(bearer|apikey)(\s+|$)/i, '') || undefined
  if (first !== undefined && second !== undefined && first !== second) {
    const detail = 'X-API-Key and Authorization hold different keys; send one of them'
    throw new Failure('invalid-parameter', detail, {
      errors: [{ parameter: 'Authorization', detail }],
    })
  }
  return first ?? second
}

/** Counts wrong keys by client (IPv4 address, or /64 of an IPv6 address), which limits guessing. */
export type WrongKeyCounter = {
  /** Seconds until the address may try again; `undefined` when it may try now. */
  secondsBlocked(address: string): number | undefined
  /** Counts a wrong key. */
  count(address: string): void
}

type FailureOptions = {
  /** Wrong keys per minute and address. */
  readonly perMinute: number
  /** Milliseconds of any monotonic clock. */
  readonly now: () => number
  /** Most clients that are counted; the one that failed longest ago is forgotten first. */
  readonly addresses?: number
}

const minute = 60_000

/** Makes a counter. Its size is bounded, also under an attack from many addresses. */
export function wrongKeyCounter({
  perMinute,
  now,
  addresses = 10_000,
}: FailureOptions): WrongKeyCounter {
  const table = new Map<string, { readonly startedAt: number; readonly count: number }>()

  const currentRow = (machine: string) => {
    const row = table.get(machine)
    return row && now() - row.startedAt < minute ? row : undefined
  }

  return {
    secondsBlocked: (address) => {
      const row = currentRow(machineOf(address))
      if (!row || row.count < perMinute) return undefined
      return Math.max(1, Math.ceil((row.startedAt + minute - now()) / 1000))
    },
    count: (address) => {
      const machine = machineOf(address)
      const row = currentRow(machine) ?? { startedAt: now(), count: 0 }
      table.delete(machine)
      table.set(machine, { startedAt: row.startedAt, count: row.count + 1 })
      const oldest = table.keys().next().value
      if (table.size > addresses && oldest !== undefined) table.delete(oldest)
    },
  }
}

// Permissions: for everything, a role in one catalogue, or single endpoints.

/** Action of a request. `path` is decoded and below the service; `catalogue` is the id of the resource's catalogue, if any. */
export type Action = {
  readonly method: string
  readonly path: string
  readonly catalogue?: string | undefined
  /** Least role in the catalogue that permits the action; by default `steward`. */
  readonly role?: Role | undefined
}

/** Whether one of the key's permissions covers the action: `*`, a role in its catalogue, or `METHOD /path/pattern`. */
export function isPermitted(key: Key, action: Action): boolean {
  return key.permissions.some((permission) => covers(permission, action))
}

/** Whether a text is a permission that `isPermitted` understands. */
export const isPermission = (text: string): boolean =>
  grantOf(text) !== undefined || endpoint.test(text)

/** Forms of permissions, for messages. */
export const permissionForms = '*, a catalogue id, {role}:{catalogue} or METHOD /path'

const endpoint = /^(\*|[A-Za-z]+) +(\/\S*)$/

function covers(permission: string, action: Action): boolean {
  const [, method, pattern] = endpoint.exec(permission) ?? []
  if (method === undefined || pattern === undefined)
    return hasRole([permission], action.role ?? 'steward', action.catalogue)
  return (
    methodCovers(method.toUpperCase(), action.method.toUpperCase()) &&
    matchesPath(pattern, action.path)
  )
}

const methodCovers = (allowed: string, requested: string): boolean =>
  allowed === '*' || allowed === requested || (allowed === 'GET' && requested === 'HEAD')

/**
 * Whether a path matches a pattern segment by segment: `{name}` or `*` matches one segment that is not empty, a final `**` any
 * number of segments. A trailing slash on either side is ignored.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const patternSegments = segments(pattern)
  const pathSegments = segments(path)
  const wildcardAt = patternSegments.indexOf('**')
  const required = wildcardAt < 0 ? patternSegments : patternSegments.slice(0, wildcardAt)
  if (
    wildcardAt < 0 ? pathSegments.length !== required.length : pathSegments.length < required.length
  )
    return false
  return required.every((segment, i) =>
    isWild(segment) ? pathSegments[i] !== '' : segment === pathSegments[i],
  )
}

const isWild = (segment: string): boolean => segment === '*' || /^\{[^{}]+\}$/.test(segment)

const segments = (path: string): readonly string[] => {
  const parts = path.split('/').slice(1)
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts
}
