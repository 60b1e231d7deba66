/**
 * Sessions of people. The cookie has a random id; a file has its SHA-256 with the id of the key, for users of a provider after a
 * prefix, the permissions at sign-in, the end of the session and its last request. Keys are not stored, and permissions count as
 * they are at each request. A form of the desk that is sent after its session has ended is kept here for its person.
 */

import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { type Action, type ApiKeys, wrongKeyCounter, isPermitted } from '../http/api-key.ts'
import type { Accounts } from '../http/accounts.ts'
import type { Key } from '../http/context.ts'
import { type OidcUser, SignInProblem } from '../http/oidc.ts'
import { Failure } from '../errors.ts'
import { cataloguesOf } from '../http/roles.ts'
import { isDiskFull, openSqlite, type Sqlite } from '../sqlite.ts'
import { textAt } from '../text/json.ts'

/** Session of a steward, with its permissions. */
export type Session = ReturnType<typeof sessionFor>
/** The sessions of this platform, as `openSessions` returns them. */
export type Sessions = ReturnType<typeof openSessions>

const sessionsFormat = 1

/** Milliseconds after which a session ends: since its start or its last prolongation, since its last request, and in all. */
const [lifetimeMs, idleMs, longestMs] = [8 * 3_600_000, 3_600_000, 24 * 3_600_000]
/** Milliseconds for which a form is kept whose session has ended. */
const keptMs = 15 * 60_000
/** Most kept forms of a person, most bytes of one, and of all. */
const [mostKept, keptBytes, allKeptBytes] = [10, 3 * 2 ** 20, 64 * 2 ** 20]
/** Wrong keys of one address in a minute after which a further wrong one is refused with `too-many-requests`. */
const failuresPerMinute = 5

const schema = `CREATE TABLE IF NOT EXISTS session (
  id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, permissions TEXT NOT NULL, ends INTEGER NOT NULL, seen INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS secret (purpose TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS form (token TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rescue (
  fingerprint TEXT NOT NULL, path TEXT NOT NULL, fields TEXT NOT NULL, until INTEGER NOT NULL, UNIQUE (fingerprint, path)
) STRICT`

const activeSession = 'SELECT fingerprint, ends FROM session WHERE id = ? AND ends > ? AND seen > ?'

const secretRow = z.object({ value: z.string() })
const sessionRow = z.object({ fingerprint: z.string(), ends: z.number() })
const formRow = z.object({ fingerprint: z.string() })
const rescueRow = z.object({ fields: z.string() })
const fieldList = z.array(z.tuple([z.string(), z.string()]))

type SessionOptions = {
  readonly path: string
  readonly keys: ApiKeys
  /** Accounts in which users of the provider appear. */
  readonly accounts?: Pick<Accounts, 'noteUser'>
  /** Prefix of the sessions of users of the provider; absent without a provider. */
  readonly userPrefix: string | undefined
  readonly now: () => number
}

/** Opens the file of sessions, which other processes of the platform may have open too. */
export function openSessions({ path, keys, accounts, userPrefix, now }: SessionOptions) {
  const file = openSqlite({ path, schema, format: sessionsFormat })
  const wrongKeys = wrongKeyCounter({ perMinute: failuresPerMinute, now })
  const feedOf = feedTokens(file)
  const isUser = (id: string): boolean => userPrefix !== undefined && id.startsWith(userPrefix)
  // Sessions of a key, an account or a provider that is no longer valid have ended.
  const keyOf = (id: string): Key | undefined =>
    keys.active(isUser(id) ? id.slice(userPrefix?.length) : id)
  const { begin, read, touch, prolong } = sessionRows(file, now)
  const kept = keptForms(file, now)
  return {
    /**
     * Begins the session of a user whom the provider has authenticated; returns the value of the cookie. Throws `SignInProblem` for
     * one who is blocked here.
     */
    beginUser: (user: OidcUser): string => {
      if (!accounts?.noteUser(user, user.mail)) throw new SignInProblem('nobody')
      return begin({ ...user, id: `${userPrefix}${user.id}` })
    },
    /**
     * Begins the session of a valid API key; returns the value of the cookie. Throws `unauthorized` for a wrong key, and
     * `too-many-requests` after five wrong keys of one address in a minute, which do not block a valid one.
     */
    signIn: (apiKey: string, client: string): string => {
      try {
        return begin(keys.check(apiKey, client))
      } catch (error) {
        const retryAfter = wrongKeys.secondsBlocked(client)
        if (retryAfter !== undefined)
          throw new Failure('too-many-requests', 'too many wrong keys', { retryAfter })
        if (error instanceof Failure && error.kind === 'unauthorized') wrongKeys.count(client)
        throw error
      }
    },
    /** Session of a cookie; `undefined` where there is none or it has ended. */
    find: (cookie = ''): Session | undefined => {
      if (cookie.length > 100) return undefined
      const row = read(cookie)
      const key = row && keyOf(row.fingerprint)
      if (!key) return undefined
      touch(cookie)
      const { fingerprint, ends } = row
      return {
        ...sessionFor(key, formToken(cookie), isUser(fingerprint) ? undefined : feedOf(key.id)),
        seconds: { left: Math.floor((ends - now()) / 1000), idle: idleMs / 1000 },
        kept: kept.of(fingerprint),
      }
    },
    /**
     * Keeps a form for 15 minutes for the person of the session whose token it has, which may have ended; returns the fingerprint
     * of the person, and `undefined` where the token is of no session or the form is too large.
     */
    keep: kept.keep,
    /** Lets a session last for a whole time from now, at most 24 hours since the sign-in. */
    prolong,
    /** Session of the key to which a feed token belongs; `undefined` where no configured key has it. */
    findFeed: (feed: string): Session | undefined => {
      const key = keyOfFeed(keys, feed, feedOf)
      return key && sessionFor(key, '', feed)
    },
    /** Ends the session of a cookie. */
    signOut: (cookie = ''): void =>
      void file.run('DELETE FROM session WHERE id = ?', digest(cookie)),
    close: () => file.close(),
  }
}

/** Rows of sessions. */
const sessionRows = (file: Sqlite, now: () => number) => ({
  begin: ({ id, permissions }: Key): string => {
    file.run('DELETE FROM session WHERE ends < ? OR seen < ?', now(), now() - idleMs)
    for (const table of ['form', 'rescue']) file.run(`DELETE FROM ${table} WHERE until < ?`, now())
    const cookie = randomBytes(32).toString('base64url')
    const row = [digest(cookie), id, JSON.stringify(permissions), now() + lifetimeMs, now()]
    file.run('INSERT INTO session VALUES (?, ?, ?, ?, ?)', ...row)
    const form = [digest(formToken(cookie)), id, now() + longestMs]
    file.run('INSERT INTO form VALUES (?, ?, ?)', ...form)
    return cookie
  },
  read: (cookie: string) => {
    const row = file.first(activeSession, digest(cookie), now(), now() - idleMs)
    return row && sessionRow.parse(row)
  },
  touch: (cookie: string): void => {
    const seen = 'UPDATE session SET seen = ? WHERE id = ?'
    unlessFull(() => file.run(seen, now(), digest(cookie)))
  },
  prolong: (cookie = ''): void => {
    const form = file.first('SELECT until FROM form WHERE token = ?', digest(formToken(cookie)))
    const { until } = z.object({ until: z.number() }).parse(form ?? { until: 0 })
    const ends = Math.min(now() + lifetimeMs, until)
    file.run('UPDATE session SET ends = max(ends, ?) WHERE id = ?', ends, digest(cookie))
  },
})

/** Key to which a feed token belongs; `undefined` where no valid key has it. */
function keyOfFeed(keys: ApiKeys, feed: string, feedOf: (id: string) => string): Key | undefined {
  // That of an account begins with its id, because there may be many.
  const account = /^([\w-]+)\./.exec(feed)?.[1]
  const ids = account === undefined ? keys.list().map(({ id }) => id) : [account]
  const id = ids.find((one) => equalInConstantTime(feed, feedOf(one)))
  return id === undefined ? undefined : keys.active(id)
}

/** Makes a session. Accounts of a provider have no feed, because the portal does not learn when an account ends. */
const sessionFor = (key: Key, token: string, feed: string | undefined) => ({
  /** Id of the configured key or of the account, which `Acting-For` takes. */
  id: key.id,
  /** Name of the person; of a configured key its id. */
  name: key.name ?? key.id,
  permissions: key.permissions,
  /** Whether the person publishes in some catalogue, and so has a desk. */
  hasDesk: cataloguesOf(key.permissions, 'publisher').length > 0,
  /** Whether the session permits an action. */
  may: (action: Action): boolean => isPermitted(key, action),
  /** Ids of the catalogues in which the key has a role. Empty for a key of all catalogues, and for one that has none. */
  catalogues: [cataloguesOf(key.permissions, 'reader')].flat().filter((id) => id !== '*'),
  /** Whether the session may read a pipe or run at a path; `fields` name its catalogue. */
  mayRead: (path: string, fields: unknown): boolean =>
    isPermitted(key, {
      method: 'GET',
      path,
      catalogue: textAt(fields, 'catalogue'),
      role: 'reader',
    }),
  /** Token in the forms of this session, which other sites do not know (OWASP, synchroniser token); empty for a feed. */
  token,
  /** Secret token in the address of the feed of failed runs; absent for users of a provider. */
  feed,
  /** Seconds until the session ends, and without a request. */
  seconds: { left: 0, idle: 0 },
  /** Forms that were kept for the person. */
  kept: noForms,
})

/** Forms that were kept for a person, by the path of their page with its language and its query. */
type KeptForms = {
  readonly fingerprint: string
  /** Paths, the newest first. */
  readonly paths: () => readonly string[]
  /** Fields of a form, without its token; they are there until `drop`, at most 15 minutes. */
  readonly fields: (path: string) => URLSearchParams | undefined
  readonly drop: (path: string) => void
}

const noForms: KeptForms = {
  fingerprint: '',
  paths: () => [],
  fields: () => undefined,
  drop: () => undefined,
}

/** Keeps forms of persons, a bounded number and size of them; the oldest give way. */
function keptForms(file: Sqlite, now: () => number) {
  const own = 'FROM rescue WHERE fingerprint = ? AND until > ?'
  return {
    keep: (token: string, path: string, fields: URLSearchParams): string | undefined => {
      const owner = 'SELECT fingerprint FROM form WHERE token = ? AND until > ?'
      const row = token === '' ? undefined : file.first(owner, digest(token), now())
      const text = JSON.stringify([...fields])
      if (!row || Buffer.byteLength(text) > keptBytes || path.length > 2000) return undefined
      const { fingerprint } = formRow.parse(row)
      const values = [fingerprint, path, text, now() + keptMs]
      return unlessFull(() => {
        file.run('DELETE FROM rescue WHERE until < ?', now())
        file.run('INSERT OR REPLACE INTO rescue VALUES (?, ?, ?, ?)', ...values)
        const newest = `SELECT rowid FROM rescue WHERE fingerprint = ? ORDER BY rowid DESC LIMIT ${mostKept}`
        const sums =
          'SELECT rowid, sum(length(fields)) OVER (ORDER BY rowid DESC) AS size FROM rescue'
        file.run(
          `DELETE FROM rescue WHERE fingerprint = ? AND rowid NOT IN (${newest})`,
          fingerprint,
          fingerprint,
        )
        file.run(
          `DELETE FROM rescue WHERE rowid IN (SELECT rowid FROM (${sums}) WHERE size > ${allKeptBytes})`,
        )
        return fingerprint
      })
    },
    of: (fingerprint: string): KeptForms => ({
      fingerprint,
      paths: () =>
        file
          .rows(`SELECT path ${own} ORDER BY rowid DESC`, fingerprint, now())
          .flatMap(({ path }) => (typeof path === 'string' ? [path] : [])),
      fields: (path) => {
        const row = file.first(`SELECT fields ${own} AND path = ?`, fingerprint, now(), path)
        return row && new URLSearchParams(fieldList.parse(JSON.parse(rescueRow.parse(row).fields)))
      },
      drop: (path) =>
        void unlessFull(() =>
          file.run('DELETE FROM rescue WHERE fingerprint = ? AND path = ?', fingerprint, path),
        ),
    }),
  }
}

/** Runs a write that may be left out while the disk is full: pages can be read then, and say that nothing can be saved. */
function unlessFull<T>(write: () => T): T | undefined {
  try {
    return write()
  } catch (error) {
    if (isDiskFull(error)) return undefined
    throw error
  }
}

/** Token of the forms of a session. */
const formToken = (cookie: string): string => hash('sha256', `form ${cookie}`, 'base64url')

const digest = (cookie: string): string => hash('sha256', cookie, 'hex')

/** Makes the function from the id of a key to its feed token: an HMAC with a secret of the data directory. */
function feedTokens(file: ReturnType<typeof openSqlite>): (id: string) => string {
  const fresh = randomBytes(32).toString('base64url')
  file.run(`INSERT OR IGNORE INTO secret VALUES ('feeds', ?)`, fresh)
  const row = file.first(`SELECT value FROM secret WHERE purpose = 'feeds'`)
  const { value } = secretRow.parse(row)
  return (id) => {
    const token = createHmac('sha256', value).update(id).digest('base64url')
    return id.includes('-') ? `${id}.${token}` : token
  }
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Compares two texts of any length in constant time. */
export const equalInConstantTime = (given: string, wanted: string): boolean =>
  timingSafeEqual(sha256(given), sha256(wanted))
