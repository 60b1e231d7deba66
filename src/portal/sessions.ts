/**
 * Sessions of stewards: a random id in a cookie, whose hash lies in the data directory with the fingerprint of the key, its
 * permissions and its end. The key itself is kept nowhere.
 */

import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { type Action, type ApiKeys, wrongKeyCounter, isPermitted } from '../http/api-key.ts'
import type { Key } from '../http/context.ts'
import { Failure } from '../errors.ts'
import { openSqlite } from '../sqlite.ts'
import { textAt } from '../text/json.ts'

export type Session = ReturnType<typeof sessionFor>
export type Sessions = ReturnType<typeof openSessions>

const sessionsFormat = 1

/** Milliseconds: in all, and without a request. */
const [lifetimeMs, idleMs] = [8 * 3_600_000, 3_600_000]
const failuresPerMinute = 5

const schema = `CREATE TABLE IF NOT EXISTS session (
  id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, permissions TEXT NOT NULL, ends INTEGER NOT NULL, seen INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS secret (purpose TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID`

const activeSession =
  'SELECT fingerprint, permissions FROM session WHERE id = ? AND ends > ? AND seen > ?'

const secretRow = z.object({ value: z.string() })
const permissionList = z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text)))
const sessionRow = z.object({ fingerprint: z.string(), permissions: permissionList })

type SessionOptions = {
  readonly path: string
  readonly keys: ApiKeys
  /** With what ids of users of the provider begin; absent where there is none. */
  readonly people: string | undefined
  readonly now: () => number
}

/** Keeps sessions in a file, which others of this platform may have open, too. */
export function openSessions({ path, keys, people, now }: SessionOptions) {
  const file = openSqlite({ path, schema, format: sessionsFormat })
  const wrong = wrongKeyCounter({ perMinute: failuresPerMinute, now })
  const feedOf = feedTokens(file)
  const isPerson = (id: string): boolean => people !== undefined && id.startsWith(people)
  // A key, and a provider, that left the configuration takes its sessions along.
  const isKnown = (id: string): boolean => isPerson(id) || keys.list().some((key) => key.id === id)
  const begin = ({ id, permissions }: Key): string => {
    file.run('DELETE FROM session WHERE ends < ? OR seen < ?', now(), now() - idleMs)
    const cookie = randomBytes(32).toString('base64url')
    const row = [digest(cookie), id, JSON.stringify(permissions), now() + lifetimeMs, now()]
    file.run('INSERT INTO session VALUES (?, ?, ?, ?, ?)', ...row)
    return cookie
  }
  return {
    /** The cookie's value for somebody whom the provider vouches for. */
    begin,
    /**
     * The cookie's value for a right key, whatever others guessed behind the same address; throws `unauthorized`, and
     * `too-many-requests` after five wrong keys in a minute.
     */
    signIn: (shown: string, client: string): string => {
      try {
        return begin(keys.check(shown, client))
      } catch (error) {
        const retryAfter = wrong.blocked(client)
        if (retryAfter !== undefined)
          throw new Failure('too-many-requests', 'too many wrong keys', { retryAfter })
        if (error instanceof Failure && error.kind === 'unauthorized') wrong.count(client)
        throw error
      }
    },
    find: (cookie = ''): Session | undefined => {
      if (cookie.length > 100) return undefined
      const found = file.first(activeSession, digest(cookie), now(), now() - idleMs)
      if (!found) return undefined
      const { fingerprint: id, permissions } = sessionRow.parse(found)
      if (!isKnown(id)) return undefined
      file.run('UPDATE session SET seen = ? WHERE id = ?', now(), digest(cookie))
      const token = hash('sha256', `form ${cookie}`, 'base64url')
      return sessionFor({ id, permissions }, token, isPerson(id) ? undefined : feedOf(id))
    },
    /** Whose feed has a secret address; the key has to be in the configuration still. */
    findFeed: (feed: string): Session | undefined => {
      const key = keys.list().find(({ id }) => equalInConstantTime(feed, feedOf(id)))
      return key && sessionFor(key, '', feed)
    },
    signOut: (cookie = ''): void =>
      void file.run('DELETE FROM session WHERE id = ?', digest(cookie)),
    close: () => file.close(),
  }
}

/** What a session may do and know; accounts of a provider have no feed, because nobody says when one ends. */
const sessionFor = (key: Key, token: string, feed: string | undefined) => ({
  /** Fingerprint of the key, or who somebody is at the provider. */
  id: key.id,
  may: (action: Action): boolean => isPermitted(key, action),
  /** Catalogues that it is for alone; none where it is for all of them. */
  catalogues: key.permissions.includes('*')
    ? []
    : key.permissions.filter((one) => !one.includes(' ')),
  /** Whether it may see what is at a path and says which catalogue it belongs to. */
  mayRead: (path: string, of: unknown): boolean =>
    isPermitted(key, { method: 'GET', path, catalogue: textAt(of, 'catalogue') }),
  /** Of the forms of this session: what another site cannot know (OWASP, synchroniser token). */
  token,
  /** Of the secret address of a feed. */
  feed,
})

const digest = (cookie: string): string => hash('sha256', cookie, 'hex')

/** Tokens of feeds by ids of keys: only who has the secret of this data directory can make them. */
function feedTokens(file: ReturnType<typeof openSqlite>): (id: string) => string {
  const fresh = randomBytes(32).toString('base64url')
  file.run(`INSERT OR IGNORE INTO secret VALUES ('feeds', ?)`, fresh)
  const row = file.first(`SELECT value FROM secret WHERE purpose = 'feeds'`)
  const { value } = secretRow.parse(row)
  return (id) => createHmac('sha256', value).update(id).digest('base64url')
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Compares in constant time, whatever the lengths. */
export const equalInConstantTime = (given: string, wanted: string): boolean =>
  timingSafeEqual(sha256(given), sha256(wanted))
