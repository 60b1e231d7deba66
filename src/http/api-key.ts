/** API keys: who is asking, told from headers, in constant time and without keeping the keys; and what a key may do. */

import { hash, timingSafeEqual } from 'node:crypto'
import { Failure } from '../errors.ts'
import type { AppContext, Key } from './context.ts'
import { inProcess, machineOf } from './peer.ts'

export type ApiKeys = {
  /**
   * The key of the request, also set as `c.var.key`. Throws `unauthorized` without a known key, `invalid-parameter`
   * when two headers name different keys, `too-many-requests` after too many wrong ones.
   */
  require(c: AppContext): Key
  /** The key behind a text that came from an address on another way than a request; a wrong one is refused as in `require`. */
  check(shown: string, address: string): Key
  /** The key of the request if it shows one; a wrong one is refused as in `require`. */
  find(c: AppContext): Key | undefined
  /** All keys, without what opens anything. */
  list(): readonly Key[]
  /** Takes new keys in place of all old ones. */
  replace(config: KeyConfig): void
}

/** Key → permissions, as in `PLATFORM_HUB_API_KEYS`. */
export type KeyConfig = Readonly<Record<string, readonly string[]>>

type Options = {
  /** Wrong keys per minute and address. */
  readonly keyFailures?: number
  readonly now?: () => number
}

type KnownKey = Key & { readonly digest: Buffer }

/** Keeps SHA-256 digests only; every key shown is compared with all of them. */
export function apiKeys(config: KeyConfig, options: Options = {}): ApiKeys {
  const { keyFailures = 20, now = () => performance.now() } = options
  const wrong = wrongKeyCounter({ perMinute: keyFailures, now })
  let known = digests(config)

  const check = (shown: string, address: string): Key => {
    // Who has a right key is not locked out by those who guess behind the same address.
    const key = findKey(known, shown)
    if (key) return { id: key.id, permissions: key.permissions }
    const blocked = wrong.blocked(address)
    if (blocked !== undefined) {
      const detail = `more than ${keyFailures} wrong keys in a minute (limit keyFailures)`
      throw new Failure('too-many-requests', detail, { retryAfter: blocked })
    }
    if (address !== inProcess) wrong.count(address)
    throw new Failure('unauthorized', keyNeeded)
  }

  const find = (c: AppContext): Key | undefined => {
    const shown = keyInHeaders(c.req.header('X-API-Key'), c.req.header('Authorization'))
    if (shown === undefined) return undefined
    const key = check(shown, c.get('client') ?? inProcess)
    c.set('key', key)
    return key
  }

  return {
    check,
    find,
    require: (c) => {
      const key = find(c)
      if (!key) throw new Failure('unauthorized', keyNeeded)
      return key
    },
    list: () => known.map(({ id, permissions }) => ({ id, permissions })),
    replace: (next) => {
      known = digests(next)
    },
  }
}

// The same words for a missing and a wrong key: the answer tells nothing about which keys exist.
const keyNeeded = 'send a valid API key as X-API-Key: <key> or Authorization: Bearer <key>'

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

const digests = (config: KeyConfig): readonly KnownKey[] =>
  Object.entries(config).map(([key, permissions]) => {
    const digest = sha256(key)
    return { id: digest.toString('hex').slice(0, 8), permissions, digest }
  })

function findKey(known: readonly KnownKey[], shown: string): KnownKey | undefined {
  const digest = sha256(shown)
  let found: KnownKey | undefined
  for (const key of known) if (timingSafeEqual(key.digest, digest)) found = key
  return found
}

function keyInHeaders(own: string | undefined, standard: string | undefined): string | undefined {
  const first = own?.trim() || undefined
  const second = standard?.trim().replace(/^(bearer|apikey)(\s+|$)/i, '') || undefined
  if (first !== undefined && second !== undefined && first !== second) {
    const detail = 'X-API-Key and Authorization hold different keys; send one of them'
    throw new Failure('invalid-parameter', detail, {
      errors: [{ parameter: 'Authorization', detail }],
    })
  }
  return first ?? second
}

/** Counts wrong keys per machine (an IPv4 address, the /64 of an IPv6 address), so that guessing gets slow. */
export type WrongKeyCounter = {
  /** Seconds until the address may try again, or undefined when it may try now. */
  blocked(address: string): number | undefined
  count(address: string): void
}

type FailureOptions = {
  /** Wrong keys per minute and address. */
  readonly perMinute: number
  /** Milliseconds of any monotonic clock. */
  readonly now: () => number
  /** Addresses remembered at once; the oldest is forgotten first. */
  readonly addresses?: number
}

const minute = 60_000

/** A table of bounded size: an attacker with many addresses costs memory for `addresses` rows and not more. */
export function wrongKeyCounter({
  perMinute,
  now,
  addresses = 10_000,
}: FailureOptions): WrongKeyCounter {
  const table = new Map<string, { readonly since: number; readonly count: number }>()

  const current = (machine: string) => {
    const row = table.get(machine)
    return row && now() - row.since < minute ? row : undefined
  }

  return {
    blocked: (address) => {
      const row = current(machineOf(address))
      if (!row || row.count < perMinute) return undefined
      return Math.max(1, Math.ceil((row.since + minute - now()) / 1000))
    },
    count: (address) => {
      const machine = machineOf(address)
      const row = current(machine) ?? { since: now(), count: 0 }
      table.delete(machine)
      table.set(machine, { since: row.since, count: row.count + 1 })
      const oldest = table.keys().next().value
      if (table.size > addresses && oldest !== undefined) table.delete(oldest)
    },
  }
}

// What an API key may do: everything, one catalogue, or single endpoints.

/**
 * Action that a request asks for. `path` is relative to the service and decoded; `catalogue` is the id of the catalogue that the
 * resource belongs to, if any.
 */
export type Action = {
  readonly method: string
  readonly path: string
  readonly catalogue?: string
}

/** Whether one of the key's permissions covers the action: `*`, a catalogue id, or `METHOD /path/pattern`. */
export function isPermitted(key: Key, action: Action): boolean {
  return key.permissions.some((permission) => covers(permission, action))
}

/** Whether a text is a permission that `isPermitted` understands. */
export const isPermission = (text: string): boolean =>
  text === '*' || catalogueId.test(text) || endpoint.test(text)

const catalogueId = /^[A-Za-z0-9_~-]{1,255}$/
const endpoint = /^(\*|[A-Za-z]+) +(\/\S*)$/

function covers(permission: string, action: Action): boolean {
  if (permission === '*') return true
  const [, method, pattern] = endpoint.exec(permission) ?? []
  if (method === undefined || pattern === undefined) return permission === action.catalogue
  return (
    methodCovers(method.toUpperCase(), action.method.toUpperCase()) &&
    matchesPath(pattern, action.path)
  )
}

const methodCovers = (allowed: string, asked: string): boolean =>
  allowed === '*' || allowed === asked || (allowed === 'GET' && asked === 'HEAD')

/**
 * Whether a path fits a pattern segment by segment: `{name}` or `*` stands for exactly one segment that is not empty, a
 * final `**` for any rest, none included. A trailing slash on either side means nothing.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const wanted = segments(pattern)
  const given = segments(path)
  const rest = wanted.indexOf('**')
  const fixed = rest < 0 ? wanted : wanted.slice(0, rest)
  if (rest < 0 ? given.length !== fixed.length : given.length < fixed.length) return false
  return fixed.every((want, at) => (isWild(want) ? given[at] !== '' : want === given[at]))
}

const isWild = (segment: string): boolean => segment === '*' || /^\{[^{}]+\}$/.test(segment)

const segments = (path: string): readonly string[] => {
  const parts = path.split('/').slice(1)
  return parts.at(-1) === '' ? parts.slice(0, -1) : parts
}
