/**
 * Drafts of records, rules of catalogues and reasons of withdrawals, in `records.sqlite`. Nothing of a draft is in the store, where
 * public queries, dumps and replicas would show it.
 */

import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Row, Sqlite } from '../../sqlite.ts'
import { dayMs } from '../../text/duration.ts'
import { fold } from '../../text/fold.ts'
import { type Rules, storedRuleSchema } from './catalogue-rules.ts'

/** Tables of this file in `records.sqlite`. */
export const draftTables = `
  CREATE TABLE IF NOT EXISTS draft (
    serial INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, id TEXT NOT NULL, original_id TEXT NOT NULL,
    catalogue TEXT NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL, revision INTEGER NOT NULL,
    author TEXT NOT NULL, author_name TEXT NOT NULL, note TEXT, noted_by TEXT, publish_at INTEGER,
    base_tag TEXT, base TEXT NOT NULL, graph TEXT NOT NULL, typed TEXT NOT NULL, score INTEGER,
    made_at INTEGER NOT NULL, changed_at INTEGER NOT NULL, changed_by TEXT NOT NULL, links BLOB NOT NULL,
    UNIQUE (type, id)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS draft_list ON draft (type, catalogue, changed_at DESC);
  CREATE INDEX IF NOT EXISTS draft_states ON draft (type, state, changed_at DESC, catalogue);
  CREATE INDEX IF NOT EXISTS draft_titles ON draft (type, catalogue, state, title, changed_at, score);
  CREATE TABLE IF NOT EXISTS rule (
    catalogue TEXT PRIMARY KEY, rules TEXT NOT NULL, changed_at INTEGER NOT NULL, changed_by TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS withdrawal (
    type TEXT NOT NULL, id TEXT NOT NULL, reason TEXT NOT NULL, replacement TEXT, at INTEGER NOT NULL, by TEXT NOT NULL,
    PRIMARY KEY (type, id)
  ) STRICT, WITHOUT ROWID;
`

/**
 * States of drafts. `returned` = sent back by a reviewer, `scheduled` = published at a time, `away` = thrown away, for 30 days.
 */
export const draftStates = ['draft', 'returned', 'review', 'scheduled', 'away'] as const
type DraftState = (typeof draftStates)[number]

/** Input of a form that is no RDF, such as "soon" as a date: where it was typed, and what is wrong with it. */
export const typedInput = z.object({
  node: z.string().max(2000),
  path: z.string().max(2000),
  language: z.string().max(60).optional(),
  text: z.string().max(10_000),
  message: z.string().max(1000).optional(),
})

/** Draft of a record. Times are milliseconds since 1970. */
export type Draft = {
  /** Number that no other draft has, and that says nothing about it. */
  readonly serial: number
  /** `datasets`, `catalogues` or the id of a declared type. */
  readonly type: string
  readonly id: string
  readonly originalId: string
  /** Id of its catalogue, `''` for types that are in none; of a catalogue its own id. */
  readonly catalogue: string
  /** Titles by language, `''` for one without. */
  readonly title: Readonly<Record<string, string>>
  readonly state: DraftState
  readonly revision: number
  /** Id and name of the key with which it was made. */
  readonly author: string
  readonly authorName: string
  /** Word of the author to the reviewer, or of the reviewer to the author, and the name of who wrote it. */
  readonly note?: string | undefined
  readonly notedBy?: string | undefined
  readonly publishAt?: number | undefined
  /** Hash of the published record that it was made from; absent for a new one. */
  readonly baseTag?: string | undefined
  /** N-Triples with blank nodes: the published record, `''` for a new one. */
  readonly base: string
  /** N-Triples with blank nodes: the record as it shall be. */
  readonly graph: string
  readonly typed: readonly z.infer<typeof typedInput>[]
  /** Points of the last check. */
  readonly score?: number | undefined
  readonly madeAt: number
  readonly changedAt: number
  readonly changedBy: string
  /** Secret of the links to its preview; a new one revokes them. */
  readonly links: Uint8Array
}

/** Draft to insert. */
export type NewDraft = Pick<Draft, 'type' | 'id' | 'originalId' | 'catalogue' | 'title' | 'graph'> &
  Pick<Draft, 'author' | 'authorName'> & { readonly baseTag?: string; readonly base?: string }

/** Members that a change may set. */
export type DraftChange = Partial<
  Pick<
    Draft,
    'state' | 'title' | 'graph' | 'typed' | 'note' | 'notedBy' | 'publishAt' | 'changedBy'
  > &
    Pick<Draft, 'base' | 'baseTag'>
>

const optional = <T extends z.ZodType>(schema: T) =>
  schema.nullable().transform((value) => value ?? undefined)
const titles = z.record(z.string(), z.string())
const rowSchema = z
  .object({
    serial: z.number(),
    type: z.string(),
    id: z.string(),
    original_id: z.string(),
    catalogue: z.string(),
    title: z.string().transform((text) => titles.parse(JSON.parse(text))),
    state: z.enum(draftStates),
    revision: z.number(),
    author: z.string(),
    author_name: z.string(),
    note: optional(z.string()),
    noted_by: optional(z.string()),
    publish_at: optional(z.number()),
    base_tag: optional(z.string()),
    base: z.string(),
    graph: z.string(),
    typed: z.string().transform((text) => z.array(typedInput).parse(JSON.parse(text))),
    score: optional(z.number()),
    made_at: z.number(),
    changed_at: z.number(),
    changed_by: z.string(),
    links: z.instanceof(Uint8Array),
  })
  .transform((row): Draft => ({
    ...row,
    originalId: row.original_id,
    authorName: row.author_name,
    notedBy: row.noted_by,
    publishAt: row.publish_at,
    baseTag: row.base_tag,
    madeAt: row.made_at,
    changedAt: row.changed_at,
    changedBy: row.changed_by,
  }))

/** Orders of lists: last changed first, by title, or most points first. */
export const draftOrders = ['changed', 'title', 'points'] as const

/** Choice of drafts for a list. */
export type DraftFilter = {
  readonly type: string
  /** Ids of catalogues, `*` for all. */
  readonly catalogues: readonly string[] | '*'
  readonly state?: DraftState | undefined
  /** Part of a title in any language. */
  readonly q?: string | undefined
  readonly sort?: (typeof draftOrders)[number] | undefined
  /** Language of the titles by which is sorted; of a draft without it the first. */
  readonly language?: string | undefined
  readonly offset: number
  readonly limit: number
}

/** Reason of a withdrawal. */
export type Withdrawal = { readonly reason: string; readonly replacement?: string | undefined }

/** Most drafts of a catalogue, so that nothing fills the file. */
const mostDrafts = 10_000
/** Times without a change after which a draft is thrown away, and after which one that is away is deleted. */
const [idleMs, awayMs] = [360 * dayMs, 30 * dayMs]

/**
 * Time at which a draft is thrown away unless it is changed, or deleted unless it is restored; `undefined` for one that waits for a
 * reviewer or for its time.
 */
export const endOfDraft = ({ state, changedAt }: Draft): number | undefined =>
  state === 'review' || state === 'scheduled'
    ? undefined
    : changedAt + (state === 'away' ? awayMs : idleMs)

/** The drafts and rules of a file. */
export class DraftFile {
  readonly #file: Sqlite
  readonly #now: () => number

  constructor(file: Sqlite, now: () => number) {
    this.#file = file
    this.#now = now
  }

  find(type: string, id: string): Draft | undefined {
    const row = this.#file.first('SELECT * FROM draft WHERE type = ? AND id = ?', type, id)
    return row && rowSchema.parse(row)
  }

  bySerial(serial: number): Draft | undefined {
    const row = this.#file.first('SELECT * FROM draft WHERE serial = ?', serial)
    return row && rowSchema.parse(row)
  }

  /** Adds a draft, whose id must be free. Throws `conflict` where a catalogue has 10,000 drafts. */
  add(draft: NewDraft): Draft {
    const { type, id, originalId, catalogue, title, graph, author, authorName } = draft
    const now = this.#now()
    return this.#file.transaction(() => {
      this.sweep()
      const counted = 'SELECT count(*) AS count FROM draft WHERE catalogue = ?'
      if (Number(this.#file.first(counted, catalogue)?.['count']) >= mostDrafts)
        throw new Failure(
          'conflict',
          `the catalogue has ${mostDrafts} drafts, and no more are possible`,
        )
      const about = [type, id, originalId, catalogue, JSON.stringify(title), author, authorName]
      const graphs = [draft.baseTag ?? null, draft.base ?? '', graph]
      const written = [now, now, authorName, randomBytes(32)]
      const { serial } = this.#file.run(insertDraft, ...about, ...graphs, ...written)
      return this.get(serial)
    }, 'durable')
  }

  /** Throws `unknown-resource`. */
  get(serial: number): Draft {
    const draft = this.bySerial(serial)
    if (!draft) throw new Failure('unknown-resource', 'there is no such draft')
    return draft
  }

  /** Changes a draft of this revision, whose number goes up. Throws `precondition-failed` where another change came first. */
  change({ serial, revision }: Draft, change: DraftChange): Draft {
    return this.#file.transaction(() => {
      const draft = this.get(serial)
      if (draft.revision !== revision) throw changedMeanwhile(draft)
      const next = { ...draft, ...change }
      const content = [JSON.stringify(next.title), next.state, next.graph]
      const said = [JSON.stringify(next.typed), next.note ?? null, next.notedBy ?? null]
      const written = [next.publishAt ?? null, next.changedBy, this.#now()]
      const base = [next.base, next.baseTag ?? null]
      this.#file.run(updateDraft, ...content, ...said, ...written, ...base, serial)
      return this.get(serial)
    }, 'durable')
  }

  /** Notes the points of a revision; nothing when the draft has changed. */
  noteScore({ serial, revision }: Draft, score: number): void {
    const update = 'UPDATE draft SET score = ? WHERE serial = ? AND revision = ?'
    this.#file.run(update, score, serial, revision)
  }

  /** Makes all links to its preview invalid. */
  revokeLinks({ serial }: Draft): void {
    this.#file.run('UPDATE draft SET links = ? WHERE serial = ?', randomBytes(32), serial)
  }

  delete({ serial }: Draft): void {
    this.#file.run('DELETE FROM draft WHERE serial = ?', serial)
  }

  /** Page of drafts, with the number of all by state. */
  list(filter: DraftFilter) {
    const { type, catalogues, state, q, sort = 'changed', offset, limit } = filter
    const ids = catalogues === '*' ? null : JSON.stringify(catalogues)
    const choice = [type, ids, ids]
    if (q !== undefined || sort === 'title') return this.#listByTitle(filter, choice)
    const groups = this.#file.rows(
      `SELECT state, count(*) AS count FROM draft ${where} GROUP BY state`,
      ...choice,
    )
    const counts = new Map(groups.map((row) => [String(row['state']), Number(row['count'])]))
    const isShown = state === undefined ? "AND state <> 'away'" : 'AND state = ?'
    const [index, order] = orders[sort]
    const page = `SELECT serial FROM draft INDEXED BY ${index} ${where} ${isShown} ORDER BY ${order} LIMIT ? OFFSET ?`
    const rows = this.#file.rows(
      `SELECT * FROM draft WHERE serial IN (${page}) ORDER BY ${order}`,
      ...choice,
      ...(state === undefined ? [] : [state]),
      limit,
      offset,
    )
    return { drafts: rows.map((row) => rowSchema.parse(row)), counts: Object.fromEntries(counts) }
  }

  /** Page of a list for which the titles of all its drafts are read: SQLite compares neither capitals nor accents. */
  #listByTitle(filter: DraftFilter, choice: readonly (string | null)[]) {
    const { state, q = '', sort = 'changed', language = '', offset, limit } = filter
    const [wanted, counts] = [fold(q), new Map<string, number>()]
    const select = `SELECT serial, state, title FROM draft INDEXED BY draft_titles ${where} ORDER BY ${orders[sort][1]}`
    const found: { serial: number; title: string }[] = []
    for (const row of this.#file.each(select, ...choice)) {
      const [own, all] = [String(row['state']), titles.parse(JSON.parse(String(row['title'])))]
      const texts = Object.values(all)
      if (wanted !== '' && !texts.some((text) => fold(text).includes(wanted))) continue
      counts.set(own, (counts.get(own) ?? 0) + 1)
      const title = sort === 'title' ? fold(all[language] ?? texts[0] ?? '') : ''
      if (state === undefined ? own !== 'away' : own === state)
        found.push({ serial: Number(row['serial']), title })
    }
    if (sort === 'title') found.sort((a, b) => (a.title < b.title ? -1 : Number(a.title > b.title)))
    const drafts = found.slice(offset, offset + limit).map(({ serial }) => this.get(serial))
    return { drafts, counts: Object.fromEntries(counts) }
  }

  /** Scheduled drafts with their times. */
  scheduled(): readonly Draft[] {
    const select = "SELECT * FROM draft WHERE state = 'scheduled' ORDER BY publish_at LIMIT 10000"
    return this.#file.rows(select).map((row: Row) => rowSchema.parse(row))
  }

  /** Rules of a catalogue, by default those of `storedRuleSchema`, with who changed them last. */
  rules(catalogue: string): {
    readonly rules: Rules
    readonly changedBy?: string
    readonly changedAt?: number
  } {
    const row = this.#file.first('SELECT * FROM rule WHERE catalogue = ?', catalogue)
    if (!row) return { rules: storedRuleSchema.parse({}) }
    const rules = storedRuleSchema.parse(JSON.parse(String(row['rules'])))
    return { rules, changedBy: String(row['changed_by']), changedAt: Number(row['changed_at']) }
  }

  setRules(catalogue: string, rules: Rules, changedBy: string): void {
    const upsert = 'INSERT OR REPLACE INTO rule VALUES (?, ?, ?, ?)'
    this.#file.run(upsert, catalogue, JSON.stringify(rules), this.#now(), changedBy)
  }

  forgetRules(catalogue: string): void {
    this.#file.run('DELETE FROM rule WHERE catalogue = ?', catalogue)
  }

  withdrawal(type: string, id: string): Withdrawal | undefined {
    const row = this.#file.first('SELECT * FROM withdrawal WHERE type = ? AND id = ?', type, id)
    if (!row) return undefined
    const [reason, { replacement }] = [String(row['reason']), row]
    return typeof replacement === 'string' ? { reason, replacement } : { reason }
  }

  noteWithdrawal(
    { type, id }: Pick<Draft, 'type' | 'id'>,
    { reason, replacement }: Withdrawal,
    by: string,
  ): void {
    const upsert = 'INSERT OR REPLACE INTO withdrawal VALUES (?, ?, ?, ?, ?, ?)'
    this.#file.run(upsert, type, id, reason, replacement ?? null, this.#now(), by)
  }

  forgetWithdrawal({ type, id }: Pick<Draft, 'type' | 'id'>): void {
    this.#file.run('DELETE FROM withdrawal WHERE type = ? AND id = ?', type, id)
  }

  /** Throws away what its author has not changed for 360 days, and deletes what has been away for 30. */
  sweep(): void {
    const now = this.#now()
    const since = (states: string) =>
      `serial IN (SELECT serial FROM draft INDEXED BY draft_states WHERE state IN (${states}) AND changed_at < ?)`
    this.#file.run(`DELETE FROM draft WHERE ${since("'away'")}`, now - awayMs)
    const away = `UPDATE draft SET state = 'away', changed_at = ? WHERE ${since("'draft', 'returned'")}`
    this.#file.run(away, now, now - idleMs)
  }
}

/** Index from which a page is chosen, because rows are long, and its order. */
const orders = {
  changed: ['draft_states', 'changed_at DESC, serial DESC'],
  title: ['draft_titles', 'serial'],
  points: ['draft_titles', 'score DESC, changed_at DESC, serial DESC'],
} as const
const where = `WHERE type = ? AND (? IS NULL OR catalogue IN (SELECT value FROM json_each(?)))`
const insertDraft = `INSERT INTO draft (type, id, original_id, catalogue, title, author, author_name, base_tag, base, graph,
  made_at, changed_at, changed_by, links, state, revision, typed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'draft', 1, '[]')`
// The points are those of the graph: another one has none until it is checked.
const updateDraft = `UPDATE draft SET title = ?, state = ?, graph = ?3, score = iif(graph = ?3, score, NULL), typed = ?, note = ?, noted_by = ?, publish_at = ?,
  changed_by = ?, changed_at = ?, base = ?, base_tag = ?, revision = revision + 1 WHERE serial = ?`

/** Makes the failure of a change that expects another revision, with the present one as entity tag. */
export const changedMeanwhile = ({ revision }: Draft) =>
  new Failure('precondition-failed', 'the draft has changed meanwhile (If-Match)', {
    headers: { ETag: `"${revision}"` },
  })
