/**
 * Records the output of an importer: counts and hashes records, detects duplicates, and compares the counts with the totals
 * of the source.
 */

import { hash } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { type Finding, type Message, recordPlace, type RecordMessage } from '../../pipe/message.ts'
import type { SegmentContext } from '../../pipe/segment.ts'
import { withoutCredentials } from '../../secrets.ts'
import { keyHash } from '../importing/cutting/key-hash.ts'
import type { ImportLimits } from './import-config.ts'

/** Members that locate a record in its source. */
type RecordOrigin = {
  readonly sourceUrl?: string
  readonly title?: string
  /** Line in the document, from 1. */
  readonly line?: number
  /** JSON Pointer in the document (RFC 6901). */
  readonly pointer?: string
}

/** A record from an importer; without `sourceId` it becomes `item-no-identifier`. */
export type ImportedRecord = Pick<RecordMessage, 'kind' | 'sourceId' | 'mediaType' | 'text'> &
  RecordOrigin & {
    /** Other ids under which the record may be stored, most likely first. */
    readonly aliases?: readonly string[]
    /** Original id for a new record if it is free; defaults to the source id. */
    readonly preferredId?: string
    /** Text for the source hash: the record as sent, in canonical form, without volatile fields; defaults to `text`. */
    readonly hashed?: string
    readonly findings?: readonly Finding[]
  }

/** A record that the source offers but that cannot be read. */
type Refused = RecordOrigin & {
  readonly kind: 'refused'
  readonly sourceId?: string
  readonly problem: Failure
  /** Excerpt of the source text; cut to 64 KB later. */
  readonly excerpt?: string
}

/**
 * A record that is not imported: private, of another type, filtered. `isMentioned`: the source only references it, so that no
 * total includes it.
 */
type Skipped = Extract<Message, { kind: 'skipped' }> & { readonly isMentioned?: true }

/** Output of an importer that does not end the import. */
export type ImportItem =
  | ImportedRecord
  | Refused
  | Skipped
  /** A declared total, possibly repeated. `before`: records before the position where a run resumed. */
  | { readonly kind: 'total'; readonly total: number; readonly before?: number }
  /**
   * End of a page. `cursor`: key from which a later run can resume. `isJoined`: no record can have been missed between it and
   * the previous page. `hasNews`: it had new content, even without records.
   */
  | {
      readonly kind: 'page'
      readonly cursor?: string
      readonly isJoined?: boolean
      readonly hasNews?: boolean
    }

/**
 * Output of an importer. An importer returns at the end of its source; it throws a `Failure` if it cannot continue, whose
 * kind makes the run failed or incomplete. `end` covers other cases: not modified, read to the end but not provably complete,
 * or continuing without new records.
 */
export type ImportEvent =
  | ImportItem
  | { readonly kind: 'end'; readonly as: 'not-modified' | 'over' }
  | { readonly kind: 'end'; readonly as: 'incomplete'; readonly problem?: Failure }

type ImportRecorderOptions = {
  readonly limits: ImportLimits
  readonly sink: SegmentContext['sink']
  readonly now: () => number
  /** Digest of everything beside the source that affects a record; part of every source hash. */
  readonly shape: string
  /** Maximum number of records to pass on. */
  readonly limit: number | undefined
}

const mostSamples = 20
const mostNamedSkips = 100

/** Maximum characters of an excerpt of unreadable text. */
const longestExcerpt = 65_536

/** Recorder for one run, which may read its source twice. */
export class ImportRecorder {
  /** Number of complete pages in all passes. */
  pages = 0
  readonly #options: ImportRecorderOptions
  /** Hashes of ids, and of ids with content, in all passes and in the current one. */
  readonly #ids = new Set<number>()
  readonly #records = new Set<number>()
  #pass = new Set<number>()
  readonly #mentioned = new Set<number>()
  #nameless = 0
  #left = 0
  #counter = 0
  #offered = 0
  /** Hashes of source ids that the source marks as not importable; they need no removal check. */
  readonly #dropped = new Set<number>()
  #before: ReadonlySet<number> | undefined
  #page = { time: 0, bytes: 0, records: 0, isNews: false, hasNewId: false }
  /** Counters of the current pass: pages, pages that may hide a record, and trailing pages without a new id. */
  #pages = { count: 0, loose: 0, idle: 0 }
  #total:
    | { readonly last: number; readonly all: readonly number[]; readonly before: number }
    | undefined
  /** Source ids of the first records. */
  readonly samples: string[] = []

  constructor(options: ImportRecorderOptions) {
    this.#options = options
    this.#page.time = options.now()
  }

  /** Whether the maximum number of records is reached. */
  get isFull(): boolean {
    return this.#counter >= (this.#options.limit ?? Infinity)
  }

  /** Whether all declared records have arrived; `false` without a total. */
  get hasAllDeclared(): boolean {
    return this.#total?.last === this.#distinct
  }

  /** Whether the source continues without new records: two consecutive pages had none, or one after the total was reached. */
  get isOver(): boolean {
    return this.#pages.idle >= 2 || (this.#pages.idle === 1 && this.hasAllDeclared)
  }

  /** Whether records may have been missed between the pages of this pass. */
  get isLoose(): boolean {
    return this.#pages.loose > 0
  }

  /** Whether the source was provably read completely: no page hides anything, or two passes gave the same records. */
  get isProven(): boolean {
    return !this.isLoose || this.#before?.symmetricDifference(this.#pass).size === 0
  }

  /** Whether the source marked the record as not importable. */
  hasDropped(sourceId: string): boolean {
    return this.#dropped.has(keyHash(sourceId))
  }

  /** Number of distinct records of the current pass. */
  get #distinct(): number {
    return this.#pass.size + this.#nameless + (this.#total?.before ?? 0)
  }

  /** Starts another pass over the source with new counters; known records stay known. */
  startAgain(): void {
    this.#before = this.#pass
    this.#pass = new Set()
    this.#nameless = 0
    this.#total = undefined
    this.#pages = { count: 0, loose: 0, idle: 0 }
    this.#page = { ...this.#page, time: this.#options.now(), bytes: 0, records: 0, isNews: false }
  }

  /** Message for an item; `undefined` for a repeated record. `bytes`: read from the source so far. */
  take(found: ImportItem, bytes: number): Message | undefined {
    switch (found.kind) {
      case 'record':
        return this.#record(found)
      case 'refused':
        return this.#refused(found)
      case 'skipped':
        if (!this.#isNews(found)) return undefined
        if (found.isKept && !found.isMentioned) this.#skip(found)
        return found
      case 'total':
        this.#declare(found.total, found.before ?? 0)
        return { kind: 'total', total: found.total }
      case 'page':
        this.#endPage(found, bytes)
        return { kind: 'page', cursor: found.cursor }
      default:
        throw new Error(`unknown find ${JSON.stringify(found satisfies never)}`)
    }
  }

  /**
   * Reason why an import that reached the end is not complete. `owns`: whether the pipe has records that an empty source
   * would remove.
   */
  shortfall(owns: boolean): Failure | undefined {
    const total = this.#total
    const changed = new Set(total?.all).size > 1
    // If nothing can be missed between pages, records that came and went explain the difference.
    const isExplained =
      changed &&
      !this.isLoose &&
      Math.min(...(total?.all ?? [])) <= this.#distinct &&
      this.#distinct <= Math.max(...(total?.all ?? []))
    if (total && !this.hasAllDeclared && !isExplained) {
      const numbers = `The source declared ${total.last} records and gave ${this.#distinct} different ones.`
      return new Failure(changed ? 'total-changed' : 'total-mismatch', numbers)
    }
    if (changed && this.isLoose)
      return new Failure('total-changed', 'The number of records changed between two pages.')
    const isEmpty = owns && this.#offered === 0 && !total?.before
    return isEmpty ? new Failure('source-empty', 'The source offered no records.') : undefined
  }

  /** `new`: first with its id · `same`: repeated with the same content · `other`: another record with a known id. */
  #meet(id: string, content: string): 'new' | 'same' | 'other' {
    const [key, record] = [keyHash(id), keyHash(`${id}\n${content}`)]
    const standing = this.#ids.has(key) ? (this.#records.has(record) ? 'same' : 'other') : 'new'
    this.#page.records += 1
    this.#page.isNews ||= !this.#pass.has(record)
    // In a second pass every id was met before.
    this.#page.hasNewId ||= this.#before ? !this.#pass.has(record) : standing === 'new'
    this.#ids.add(key)
    this.#records.add(record)
    this.#pass.add(record)
    return standing
  }

  #isNews({ sourceId, isMentioned, isKept }: Skipped): boolean {
    if (isKept !== true) this.#dropped.add(keyHash(sourceId))
    if (!isMentioned) return this.#meet(sourceId, '') !== 'same'
    return this.#mentioned.size < this.#mentioned.add(keyHash(sourceId)).size
  }

  /** Skips an entry; the first ones are named in a finding of the run. */
  #skip({ sourceId, reason }: Skipped): void {
    this.#left += 1
    if (this.#left <= mostNamedSkips)
      this.#options.sink.finding({ slug: 'entry-left-out', detail: `${sourceId} ${reason}` })
  }

  #record(found: ImportedRecord): Message | undefined {
    const { text, mediaType, hashed = text, findings = [], ...origin } = found
    const { shape, limits } = this.#options
    const sourceId = found.sourceId.trim() || undefined
    const refused = (...problem: ConstructorParameters<typeof Failure>): Refused => {
      return {
        ...origin,
        kind: 'refused',
        sourceId,
        excerpt: text,
        problem: new Failure(...problem),
      }
    }
    if (sourceId === undefined)
      return this.#refused(refused('item-no-identifier', 'The record has no identifier.'))
    if (Buffer.byteLength(text) > limits.maxItemBytes) {
      const detail = `A record may have at most ${limits.maxItemBytes} bytes (maxItemBytes).`
      return this.#refused(refused('item-too-large', detail))
    }
    const sourceHash = hash('sha256', `${shape}\n${mediaType}\n${hashed}`, 'hex')
    const standing = this.#meet(sourceId, sourceHash)
    if (standing === 'same') return undefined
    this.#offer()
    if (standing === 'other') {
      const detail = `An earlier record of this run has the identifier ${sourceId} too.`
      return refusal(refused('item-duplicate', detail))
    }
    const aliases = [...new Set(found.aliases)].filter((id) => id !== '' && id !== sourceId)
    const counter = (this.#counter += 1)
    if (this.samples.length < mostSamples) this.samples.push(sourceId)
    const record = { kind: 'record', counter, sourceId, aliases, mediaType, text } as const
    return {
      ...record,
      sourceHash,
      findings,
      preferredId: found.preferredId,
      ...recordPlace(found),
      ...shownOrigin(found),
    }
  }

  #refused(found: Refused): Message | undefined {
    const { excerpt = '', sourceId, problem } = found
    if (sourceId !== undefined) {
      if (this.#meet(sourceId, excerpt) === 'same') return undefined
      this.#offer()
      return refusal(found)
    }
    this.#nameless += 1
    this.#page.records += 1
    this.#page.isNews = true
    this.#page.hasNewId = true
    this.#offer()
    return refusal({ ...found, problem: noIdentifier(found, this.#offered, problem.detail) })
  }

  #offer(): void {
    const { sink, limits } = this.#options
    this.#offered += 1
    sink.offered()
    if (this.#offered > limits.maxItems)
      throw new Failure(
        'page-limit',
        `A run may have at most ${limits.maxItems} records (maxItems).`,
      )
  }

  #declare(total: number, before: number): void {
    const known = this.#total
    // The smallest and the largest total suffice.
    const all = [...(known?.all ?? []), total]
    this.#total = {
      last: total,
      all: [Math.min(...all), Math.max(...all)],
      before: Math.max(before, known?.before ?? 0),
    }
    this.#options.sink.total(total)
  }

  #endPage(
    { cursor, isJoined, hasNews }: Extract<ImportItem, { kind: 'page' }>,
    bytes: number,
  ): void {
    const { sink, now, limits } = this.#options
    const { time, bytes: before, records, isNews, hasNewId } = this.#page
    const { count, loose, idle } = this.#pages
    const mayHide = count > 0 && cursor === undefined && isJoined !== true
    this.#pages = {
      count: count + 1,
      loose: loose + (mayHide || isJoined === false ? 1 : 0),
      idle: hasNewId || hasNews === true ? 0 : idle + 1,
    }
    const end = now()
    sink.page({ bytes: Math.max(0, bytes - before), millis: end - time, cursor })
    this.#page = { time: end, bytes, records: 0, isNews: false, hasNewId: false }
    this.pages += 1
    if (records > 0 && !isNews)
      throw new Failure('page-repeated', 'A page held only records that earlier pages had.')
    if (this.pages > limits.maxPages)
      throw new Failure('page-limit', `A run may have at most ${limits.maxPages} pages (maxPages).`)
  }
}

/** URL for reports; transformers may write it into the record. */
const shownOrigin = ({ sourceUrl }: RecordOrigin) =>
  sourceUrl === undefined ? {} : { sourceUrl: withoutCredentials(sourceUrl).url }

/** Message for an offered record that will not be written. */
function refusal(item: Refused): Message {
  const { problem, sourceId, title } = item
  const excerpt = item.excerpt?.slice(0, longestExcerpt)
  const about = { kind: 'refused', stage: 'import', problem, sourceId, title, excerpt } as const
  return { ...about, ...recordPlace(item), ...shownOrigin(item) }
}

const longestTitle = 200

/** Failure `item-no-identifier` with the title, the position in the run and, if known, in the document. */
function noIdentifier({ title, line, pointer }: RecordOrigin, position: number, reason: string) {
  const short = title && title.length > longestTitle ? `${title.slice(0, longestTitle)}…` : title
  const called = short === undefined ? 'Without a title' : JSON.stringify(short)
  const places = [`record ${position} of the run`]
  if (line !== undefined) places.push(`line ${line}`)
  if (pointer !== undefined) places.push(pointer || 'the whole document')
  const detail = `${reason} ${called}, ${places.join(', ')}.`
  const place = pointer === undefined ? { line } : { pointer }
  const errors = line === undefined && pointer === undefined ? [] : [{ ...place, detail }]
  return new Failure('item-no-identifier', detail, { errors })
}
