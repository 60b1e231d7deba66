/**
 * Sessions of stewards: a random id in a cookie, whose hash lies in the data directory with the fingerprint of the key, its
 * permissions and its end. The key itself is kept nowhere.
 */

import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { failures, type ApiKeys } from '../http/api-key.ts'
import type { Key } from '../http/context.ts'
import { Failure } from '../errors.ts'
import { openSqlite } from '../sqlite.ts'

export type Session = Key & {
  /** Of the forms of this session: what another site cannot know (OWASP, synchroniser token). */
  readonly token: string
}

export type Sessions = {
  /** The cookie's value for a right key; throws `unauthorized`, and `too-many-requests` after five wrong ones in a minute. */
  readonly signIn: (key: string, client: string) => string
  /** The cookie's value for somebody whom the provider vouches for. */
  readonly begin: (person: Key) => string
  readonly find: (cookie: string | undefined) => Session | undefined
  readonly signOut: (cookie: string | undefined) => void
  readonly close: () => void
}

const sessionsFormat = 1

/** Milliseconds: in all, and without a request. */
const [wholeMs, idleMs] = [8 * 3_600_000, 3_600_000]
const failuresPerMinute = 5

const schema = `CREATE TABLE IF NOT EXISTS session (
  id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, permissions TEXT NOT NULL, ends INTEGER NOT NULL, seen INTEGER NOT NULL
) STRICT, WITHOUT ROWID`

const row = z.object({ fingerprint: z.string(), permissions: z.string() })
const permissionList = z.array(z.string())

type SessionOptions = {
  readonly path: string
  readonly keys: ApiKeys
  /** With what ids of users of the provider begin; absent where there is none. */
  readonly people: string | undefined
  readonly now: () => number
}

export function openSessions({ path, keys, people, now }: SessionOptions): Sessions {
  const file = openSqlite({ path, schema, format: sessionsFormat })
  const wrong = failures({ perMinute: failuresPerMinute, now })
  const begin = ({ id, permissions }: Key): string => {
    file.run('DELETE FROM session WHERE ends < ? OR seen < ?', now(), now() - idleMs)
    const cookie = randomBytes(32).toString('base64url')
    const held = JSON.stringify(permissions)
    file.run(
      'INSERT INTO session VALUES (?, ?, ?, ?, ?)',
      digest(cookie),
      id,
      held,
      now() + wholeMs,
      now(),
    )
    return cookie
  }
  return {
    begin,
    signIn: (shown, client) => {
      const blocked = wrong.blocked(client)
      if (blocked !== undefined)
        throw new Failure('too-many-requests', 'too many wrong keys', { retryAfter: blocked })
      try {
        return begin(keys.check(shown, client))
      } catch (error) {
        if (error instanceof Failure && error.kind === 'unauthorized') wrong.count(client)
        throw error
      }
    },
    find: (cookie) => {
      const key = cookie === undefined ? undefined : keyOf(file, cookie, now())
      if (cookie === undefined || !key) return undefined
      // A key, and a provider, that left the configuration takes its sessions along.
      const isPerson = people !== undefined && key.id.startsWith(people)
      if (!isPerson && !keys.list().some(({ id }) => id === key.id)) return undefined
      file.run('UPDATE session SET seen = ? WHERE id = ?', now(), digest(cookie))
      return { ...key, token: tokenOf(cookie) }
    },
    signOut: (cookie) => {
      if (cookie !== undefined) file.run('DELETE FROM session WHERE id = ?', digest(cookie))
    },
    close: () => file.close(),
  }
}

const digest = (cookie: string): string => hash('sha256', cookie, 'hex')

/** Whose session a cookie is, while it lasts. */
function keyOf(file: ReturnType<typeof openSqlite>, cookie: string, now: number): Key | undefined {
  if (cookie.length > 100) return undefined
  const found = file.first(
    'SELECT fingerprint, permissions FROM session WHERE id = ? AND ends > ? AND seen > ?',
    digest(cookie),
    now,
    now - idleMs,
  )
  if (!found) return undefined
  const { fingerprint, permissions } = row.parse(found)
  return { id: fingerprint, permissions: permissionList.parse(JSON.parse(permissions)) }
}

const tokenOf = (cookie: string): string => hash('sha256', `form ${cookie}`, 'base64url')

/** Throws `forbidden` unless the form was made for this session, by a page of this origin. */
export function demandOwnForm(
  session: Session,
  {
    token,
    origin,
    root,
  }: { readonly token: unknown; readonly origin: string | undefined; readonly root: string },
): void {
  const [given, wanted] = [Buffer.from(String(token)), Buffer.from(session.token)]
  const isToken = given.length === wanted.length && timingSafeEqual(given, wanted)
  const isOrigin = origin === undefined || origin === new URL(root).origin
  if (!isToken || !isOrigin)
    throw new Failure('forbidden', 'this form was not made for your session: load the page again')
}
