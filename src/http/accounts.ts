/**
 * Accounts of people and programs (`accounts.sqlite`): their permissions, the digests of their keys, and invitations. Keys and
 * tokens themselves are not stored.
 */

import { hash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { Failure } from '../errors.ts'
import { openSqlite, type Row, type Sqlite } from '../sqlite.ts'
import { dayMs } from '../text/duration.ts'
import type { Key } from './context.ts'

/** Version of the schema. */
export const accountsFormat = 1

/** Kinds of accounts: `user` is a person of a provider, whose permissions the provider decides. */
export const accountKinds = ['person', 'program', 'user'] as const
/** States of accounts: `invited` has no key yet, `ended` is past its end. */
export const accountStates = ['active', 'invited', 'ended', 'revoked'] as const

/** Account without its keys. Instants are milliseconds since 1970. */
export type Account = {
  readonly id: string
  readonly kind: (typeof accountKinds)[number]
  readonly name: string
  readonly mail: string
  readonly permissions: readonly string[]
  /** Name or id of who made it, and when. */
  readonly madeBy: string
  readonly madeAt: number
  /** End of the account and its keys; absent for a `user`. */
  readonly ends?: number
  /** Last use of a key, at most an hour old; absent before the first one. */
  readonly lastUsed?: number
  readonly state: (typeof accountStates)[number]
  /** First characters of the newest key; absent without one. */
  readonly prefix?: string
  /** End of the invitation that waits; absent without one. */
  readonly invitedUntil?: number
}

/** Facts of an account that an administrator chooses. */
export type AccountFacts = Pick<Account, 'name' | 'mail' | 'permissions'> & {
  /** By default in a year, at most in two. */
  readonly ends?: number | undefined
}

/** New key, which is shown once, and its account. */
type NewKey = { readonly key: string; readonly account: Account }

type AccountOptions = {
  readonly path: string
  readonly now: () => number
  /** Whether there is an administrator beside the accounts: a configured key, or a group of the provider. */
  readonly hasAdministrator: boolean
}

const yearMs = 365 * dayMs
const hourMs = 3_600_000
/** Longest time of a key, of an invitation, and that the old key works after a renewal. */
const [longestMs, invitationMs, renewalMs] = [2 * yearMs, 7 * dayMs, 7 * dayMs]
/** Most accounts, so that nothing fills the file. */
const mostAccounts = 100_000

// The time of a key is the least one of its own and of its account.
const schema = `
  CREATE TABLE IF NOT EXISTS account (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, mail TEXT NOT NULL, permissions TEXT NOT NULL,
    made_by TEXT NOT NULL, made_at INTEGER NOT NULL, ends INTEGER, last_used INTEGER, revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS made ON account (made_at);
  CREATE TABLE IF NOT EXISTS key (
    digest BLOB PRIMARY KEY, account TEXT NOT NULL, prefix TEXT NOT NULL, made_at INTEGER NOT NULL, ends INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS key_account ON key (account, made_at);
  CREATE TABLE IF NOT EXISTS invitation (
    digest BLOB PRIMARY KEY, account TEXT NOT NULL UNIQUE, ends INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`
const accountColumns = `account.*,
  (SELECT prefix FROM key WHERE key.account = account.id ORDER BY made_at DESC LIMIT 1) AS prefix,
  (SELECT ends FROM invitation WHERE invitation.account = account.id) AS invited`

const number = z.number().nullable()
const rowSchema = z.object({
  id: z.string(),
  kind: z.enum(accountKinds),
  name: z.string(),
  mail: z.string(),
  permissions: z.string().transform((text) => z.array(z.string()).parse(JSON.parse(text))),
  made_by: z.string(),
  made_at: z.number(),
  ends: number,
  last_used: number,
  revoked_at: number,
  prefix: z.string().nullable(),
  invited: number,
})

const selectAccount = `SELECT ${accountColumns} FROM account WHERE id = ?`
const selectPage = `SELECT ${accountColumns} FROM account ORDER BY made_at DESC, id LIMIT ? OFFSET ?`
const otherAdministrators = `SELECT ${accountColumns} FROM account
  WHERE id <> ? AND kind <> 'user' AND permissions LIKE '%"*"%'`

/** File of accounts. Changes count from the next request on. */
export class Accounts {
  readonly #file: Sqlite
  readonly #now: () => number
  readonly #hasAdministrator: boolean

  constructor({ path, now, hasAdministrator }: AccountOptions) {
    this.#file = openSqlite({ path, schema, format: accountsFormat })
    this.#now = now
    this.#hasAdministrator = hasAdministrator
  }

  find(id: string): Account | undefined {
    const row = this.#file.first(selectAccount, id)
    return row && accountFrom(row, this.#now())
  }

  /** Throws `unknown-resource`. */
  get(id: string): Account {
    const account = this.find(id)
    if (!account) throw new Failure('unknown-resource', `there is no account "${id}"`)
    return account
  }

  /** Page of accounts, newest first. */
  list({ offset, limit }: { readonly offset: number; readonly limit: number }): readonly Account[] {
    return this.#file.rows(selectPage, limit, offset).map((row) => accountFrom(row, this.#now()))
  }

  /**
   * Key of a text: one lookup by its digest, however many there are. `undefined` unless its account is active. Notes the use, at
   * most once an hour.
   */
  keyOf(text: string): Key | undefined {
    const now = this.#now()
    const row = this.#file.first(
      'SELECT account FROM key WHERE digest = ? AND (ends IS NULL OR ends > ?)',
      digestOf(text),
      now,
    )
    const account = row && this.find(String(row['account']))
    if (account?.state !== 'active') return undefined
    const { id, lastUsed = 0 } = account
    if (now - lastUsed >= hourMs)
      this.#file.run('UPDATE account SET last_used = ? WHERE id = ?', now, id)
    return keyFrom(account)
  }

  /** Key of an active account; `undefined` for another one. */
  activeKey(id: string): Key | undefined {
    const account = this.find(id)
    return account?.state === 'active' ? keyFrom(account) : undefined
  }

  /** Makes the account of a person, and the token of its invitation, which works once, for 7 days. */
  invite(
    facts: AccountFacts,
    madeBy: string,
  ): { readonly account: Account; readonly token: string } {
    return this.#change(() => {
      const id = this.#add('person', facts, madeBy)
      const token = randomBytes(32).toString('base64url')
      const ends = this.#now() + invitationMs
      this.#file.run('INSERT INTO invitation VALUES (?, ?, ?)', digestOf(token), id, ends)
      return { account: this.get(id), token }
    })
  }

  /** Makes the account of a program, and its key. */
  addProgram(facts: AccountFacts, madeBy: string): NewKey {
    return this.#change(() => this.#addKey(this.#add('program', facts, madeBy)))
  }

  /** Ends an invitation, and makes the key of its account. Throws `unknown-resource` for a wrong, used or old token. */
  accept(token: string): NewKey {
    return this.#change(() => {
      const row = this.#file.first(
        'DELETE FROM invitation WHERE digest = ? AND ends > ? RETURNING account',
        digestOf(token),
        this.#now(),
      )
      const account = row && this.find(String(row['account']))
      if (account?.state !== 'invited') throw unknownInvitation()
      return this.#addKey(account.id)
    })
  }

  /** Makes a new key; the present ones work for 7 more days. Throws `conflict` for an account without keys. */
  renew(id: string): NewKey & { readonly oldUntil: number } {
    return this.#change(() => {
      const { state, kind, name } = this.get(id)
      if (state !== 'active' || kind === 'user')
        throw new Failure('conflict', `"${name}" has no key that could be renewed`)
      const oldUntil = this.#now() + renewalMs
      const limited = 'UPDATE key SET ends = min(coalesce(ends, ?), ?) WHERE account = ?'
      this.#file.run(limited, oldUntil, oldUntil, id)
      return { ...this.#addKey(id), oldUntil }
    })
  }

  /** Changes an account. Throws `conflict` for the last administrator, a `user` and a revoked account. */
  change(id: string, change: Partial<AccountFacts>): Account {
    return this.#change(() => {
      const account = this.get(id)
      if (account.kind === 'user' || account.state === 'revoked')
        throw new Failure('conflict', `"${account.name}" cannot be changed here`)
      const { name, mail, permissions } = { ...account, ...change }
      this.#demandOtherAdministrator(account, permissions)
      const ends = change.ends === undefined ? (account.ends ?? null) : this.#endOf(change.ends)
      const values = [name, mail, JSON.stringify(permissions), ends, id]
      this.#file.run(updateAccount, ...values)
      return this.get(id)
    })
  }

  /** Revokes an account with its keys and its invitation. Throws `conflict` for the last administrator. */
  revoke(id: string): void {
    this.#change(() => {
      this.#demandOtherAdministrator(this.get(id), [])
      const revoked = 'UPDATE account SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL'
      this.#file.run(revoked, this.#now(), id)
      this.#file.run('DELETE FROM key WHERE account = ?', id)
      this.#file.run('DELETE FROM invitation WHERE account = ?', id)
    })
  }

  /** Permits a blocked account of a provider again. Throws `conflict` for other accounts. */
  unblock(id: string): Account {
    const { kind, name } = this.get(id)
    if (kind !== 'user') throw new Failure('conflict', `"${name}" needs a new key instead`)
    this.#file.run('UPDATE account SET revoked_at = NULL WHERE id = ?', id)
    return this.get(id)
  }

  /** Notes the sign-in of a person of the provider, with its present permissions; `undefined` where it is blocked. */
  noteUser({ id, name = '', permissions }: Key, mail: string): Key | undefined {
    const now = this.#now()
    this.#file.run(upsertUser, id, name, mail, JSON.stringify(permissions), now, now)
    return this.activeKey(id)
  }

  close(): void {
    this.#file.close()
  }

  #change<T>(work: () => T): T {
    return this.#file.transaction(work, 'durable')
  }

  #add(kind: 'person' | 'program', facts: AccountFacts, madeBy: string): string {
    const [row] = this.#file.rows('SELECT count(*) AS count FROM account')
    if (Number(row?.['count']) >= mostAccounts)
      throw new Failure('conflict', `there are ${mostAccounts} accounts, and no more are possible`)
    const id = `${kind}-${randomBytes(8).toString('hex')}`
    const { name, mail, permissions, ends } = facts
    const values = [id, kind, name, mail, JSON.stringify(permissions), madeBy, this.#now()]
    this.#file.run(insertAccount, ...values, this.#endOf(ends))
    return id
  }

  #addKey(id: string): NewKey {
    const letter = this.get(id).kind === 'person' ? 'u' : 'p'
    const key = `${keyStart}${letter}_${randomBytes(32).toString('base64url')}`
    this.#file.run('DELETE FROM key WHERE account = ? AND ends <= ?', id, this.#now())
    const row = [digestOf(key), id, key.slice(0, prefixLength), this.#now()]
    this.#file.run('INSERT INTO key VALUES (?, ?, ?, ?, NULL)', ...row)
    return { key, account: this.get(id) }
  }

  #endOf(ends = this.#now() + yearMs): number {
    if (ends > this.#now() && ends <= this.#now() + longestMs) return ends
    const detail = 'the end of a key is in the future, and at most two years away'
    throw new Failure('invalid-parameter', detail)
  }

  /** Throws `conflict` where these permissions would leave no administrator. */
  #demandOtherAdministrator(account: Account, permissions: readonly string[]): void {
    const isLowered = account.state === 'active' && account.permissions.includes('*')
    if (!isLowered || permissions.includes('*') || this.#hasAdministrator) return
    const others = this.#file.rows(otherAdministrators, account.id)
    if (others.some((row) => accountFrom(row, this.#now()).state === 'active')) return
    const detail = `"${account.name}" is the last administrator: make another one first`
    throw new Failure('conflict', detail)
  }
}

const insertAccount = `INSERT INTO account (id, kind, name, mail, permissions, made_by, made_at, ends)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
const updateAccount =
  'UPDATE account SET name = ?, mail = ?, permissions = ?, ends = ? WHERE id = ?'
const upsertUser = `INSERT INTO account (id, kind, name, mail, permissions, made_by, made_at, last_used)
  VALUES (?, 'user', ?, ?, ?, '', ?, ?) ON CONFLICT (id) DO UPDATE SET
  name = excluded.name, mail = excluded.mail, permissions = excluded.permissions, last_used = excluded.last_used`

/** Beginning of every key, by which scanners for secrets find it. */
export const keyStart = 'ctl_'

/** Characters of a key that lists show: `ctl_u_` and eight more. */
const prefixLength = 14

const digestOf = (text: string): Uint8Array => hash('sha256', text, 'buffer')

const keyFrom = ({ id, name, permissions }: Account): Key => ({ id, name, permissions })

// One text for wrong, used and old tokens, so that the answer does not disclose which there were.
const unknownInvitation = () =>
  new Failure('unknown-resource', 'there is no such invitation: it was used, or is too old')

function accountFrom(row: Row, now: number): Account {
  const { made_by, made_at, ends, last_used, revoked_at, prefix, invited, ...facts } =
    rowSchema.parse(row)
  const hasKey = prefix !== null || facts.kind === 'user'
  const current = ends !== null && ends <= now ? 'ended' : hasKey ? 'active' : 'invited'
  return {
    ...facts,
    madeBy: made_by,
    madeAt: made_at,
    state: revoked_at === null ? current : 'revoked',
    ...(ends !== null && { ends }),
    ...(last_used !== null && { lastUsed: last_used }),
    ...(prefix !== null && { prefix }),
    ...(invited !== null && invited > now && { invitedUntil: invited }),
  }
}
