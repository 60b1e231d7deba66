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
type RefusedRecord = RecordOrigin & {
  readonly kind: 'refused'
  readonly sourceId?: string
  readonly problem: Failure
  /** Excerpt of the source text; cut to 65 536 characters later. */
  readonly excerpt?: string
}

/**
 * A record that is not imported: private, of another type, filtered. `isMentioned`: the source only references it, so that no
 * total includes it.
 */
type SkippedEntry = Extract<Message, { kind: 'skipped' }> & { readonly isMentioned?: true }

/** Output of an importer that does not end the import. */
export type ImportItem =
  | ImportedRecord
  | RefusedRecord
  | SkippedEntry
  /** Number of records that the source declares, possibly repeated. `before`: those that an interrupted run has read already. */
  | { readonly kind: 'total'; readonly total: number; readonly before?: number }
  /**
   * End of a page. `cursor`: key from which a later run can resume. `isJoined`: whether certainly no record was missed between
   * it and the previous page; by default a `cursor` says so. `hasNews`: it had new content, even without records.
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
  | { readonly kind: 'end'; readonly outcome: 'not-modified' | 'over' }
  | { readonly kind: 'end'; readonly outcome: 'incomplete'; readonly problem?: Failure }

type ImportRecorderOptions = {
  readonly limits: ImportLimits
  readonly sink: SegmentContext['sink']
  readonly now: () => number
  /** Digest of everything beside the source that affects a record; part of every source hash. */
  readonly shape: string
  /** Maximum number of records to pass on. */
  readonly limit: number | undefined
}

/** Source ids in `samples`, and skipped entries that findings name. */
const mostSamples = 20
const mostNamedSkips = 100

/** Maximum characters of an excerpt of unreadable text. */
const longestExcerpt = 65_536

/** Recorder for one run, which may read its source twice. */
export class ImportRecorder {
  /** Number of complete pages in all passes. */
  pages = 0
  readonly #options: ImportRecorderOptions
  /** Hashes of ids in all passes; of ids with content in all passes, and in the current one. */
  readonly #ids = new Set<number>()
  readonly #records = new Set<number>()
  #pass = new Set<number>()
  readonly #mentioned = new Set<number>()
  /** Refused records without an id in this pass; entries left out, records passed on and records offered in all passes. */
  #nameless = 0
  #skippedEntries = 0
  #counter = 0
  #offered = 0
  /** Hashes of source ids that the source marks as not importable; they need no removal check. */
  readonly #notImportable = new Set<number>()
  /** `#pass` of the first pass, during the second. */
  #previousPass: ReadonlySet<number> | undefined
  /** Current page: start in ms since 1970, bytes read before it, records, whether one had content or an id not met before. */
  #page = { time: 0, bytes: 0, records: 0, hasNewRecord: false, hasNewId: false }
  /** Counters of the current pass: pages, pages that may hide a record, and trailing pages without a new id. */
  #pages = { count: 0, loose: 0, idle: 0 }
  /** Declared totals: the last one, the smallest and the largest; and the records read before an interruption. */
  #total:
    | { readonly last: number; readonly extremes: readonly number[]; readonly before: number }
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
    return !this.isLoose || this.#previousPass?.symmetricDifference(this.#pass).size === 0
  }

  /** Whether the source marked the record as not importable. */
  isNotImportable(sourceId: string): boolean {
    return this.#notImportable.has(keyHash(sourceId))
  }

  /** Number of distinct records of the current pass. */
  get #distinct(): number {
    return this.#pass.size + this.#nameless + (this.#total?.before ?? 0)
  }

  /** Starts another pass over the source with new counters of the pass; known records stay known. */
  startAgain(): void {
    this.#previousPass = this.#pass
    this.#pass = new Set()
    this.#nameless = 0
    this.#total = undefined
    this.#pages = { count: 0, loose: 0, idle: 0 }
    const time = this.#options.now()
    this.#page = { time, bytes: 0, records: 0, hasNewRecord: false, hasNewId: false }
  }

  /** Records an item and returns its message; `undefined` for a repeated record or entry. `bytes`: read so far from the source. */
  take(item: ImportItem, bytes: number): Message | undefined {
    switch (item.kind) {
      case 'record':
        return this.#record(item)
      case 'refused':
        return this.#refused(item)
      case 'skipped':
        if (!this.#isNewSkip(item)) return undefined
        if (item.isKept && !item.isMentioned) this.#skip(item)
        return item
      case 'total':
        this.#declare(item.total, item.before ?? 0)
        return { kind: 'total', total: item.total }
      case 'page':
        this.#endPage(item, bytes)
        return { kind: 'page', cursor: item.cursor }
      default:
        throw new Error(`unknown item ${JSON.stringify(item satisfies never)}`)
    }
  }

  /**
   * Reason why an import that reached the end is not complete. `ownsRecords`: whether the pipe has records that an empty
   * source would remove.
   */
  shortfall(ownsRecords: boolean): Failure | undefined {
    const total = this.#total
    const isTotalChanged = new Set(total?.extremes).size > 1
    // If nothing can be missed between pages, records that came and went explain the difference.
    const isExplained =
      isTotalChanged &&
      !this.isLoose &&
      Math.min(...(total?.extremes ?? [])) <= this.#distinct &&
      this.#distinct <= Math.max(...(total?.extremes ?? []))
    if (total && !this.hasAllDeclared && !isExplained) {
      const detail = `The source declared ${total.last} records and gave ${this.#distinct} different ones.`
      return new Failure(isTotalChanged ? 'total-changed' : 'total-mismatch', detail)
    }
    if (isTotalChanged && this.isLoose)
      return new Failure('total-changed', 'The number of records changed between two pages.')
    const isEmpty = ownsRecords && this.#offered === 0 && !total?.before
    return isEmpty ? new Failure('source-empty', 'The source offered no records.') : undefined
  }

  /** Records an id. `new`: first with it · `same`: repeated with the same content · `other`: other content with a known id. */
  #meet(id: string, content: string): 'new' | 'same' | 'other' {
    const [idKey, contentKey] = [keyHash(id), keyHash(`${id}\n${content}`)]
    const standing = this.#ids.has(idKey)
      ? this.#records.has(contentKey)
        ? 'same'
        : 'other'
      : 'new'
    this.#page.records += 1
    this.#page.hasNewRecord ||= !this.#pass.has(contentKey)
    // The ids of a second pass were met before; there, content that is new in the pass counts.
    this.#page.hasNewId ||= this.#previousPass ? !this.#pass.has(contentKey) : standing === 'new'
    this.#ids.add(idKey)
    this.#records.add(contentKey)
    this.#pass.add(contentKey)
    return standing
  }

  #isNewSkip({ sourceId, isMentioned, isKept }: SkippedEntry): boolean {
    if (isKept !== true) this.#notImportable.add(keyHash(sourceId))
    if (!isMentioned) return this.#meet(sourceId, '') !== 'same'
    return this.#mentioned.size < this.#mentioned.add(keyHash(sourceId)).size
  }

  /** Counts an entry that is left out although it exists, and names the first hundred in findings of the run. */
  #skip({ sourceId, reason }: SkippedEntry): void {
    this.#skippedEntries += 1
    if (this.#skippedEntries <= mostNamedSkips)
      this.#options.sink.finding({ slug: 'entry-left-out', detail: `${sourceId} ${reason}` })
  }

  #record(record: ImportedRecord): Message | undefined {
    const { text, mediaType, hashed = text, findings = [], ...origin } = record
    const { shape, limits } = this.#options
    const sourceId = record.sourceId.trim() || undefined
    const refused = (...problem: ConstructorParameters<typeof Failure>): RefusedRecord => {
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
    const aliases = [...new Set(record.aliases)].filter((id) => id !== '' && id !== sourceId)
    const counter = (this.#counter += 1)
    if (this.samples.length < mostSamples) this.samples.push(sourceId)
    const message = { kind: 'record', counter, sourceId, aliases, mediaType, text } as const
    return {
      ...message,
      sourceHash,
      findings,
      preferredId: record.preferredId,
      ...recordPlace(record),
      ...shownOrigin(record),
    }
  }

  #refused(item: RefusedRecord): Message | undefined {
    const { excerpt = '', sourceId, problem } = item
    if (sourceId !== undefined) {
      if (this.#meet(sourceId, excerpt) === 'same') return undefined
      this.#offer()
      return refusal(item)
    }
    this.#nameless += 1
    this.#page.records += 1
    this.#page.hasNewRecord = true
    this.#page.hasNewId = true
    this.#offer()
    return refusal({ ...item, problem: noIdentifier(item, this.#offered, problem.detail) })
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
    const earlier = this.#total
    // The smallest and the largest total suffice.
    const totals = [...(earlier?.extremes ?? []), total]
    this.#total = {
      last: total,
      extremes: [Math.min(...totals), Math.max(...totals)],
      before: Math.max(before, earlier?.before ?? 0),
    }
    this.#options.sink.total(total)
  }

  #endPage(
    { cursor, isJoined, hasNews }: Extract<ImportItem, { kind: 'page' }>,
    bytes: number,
  ): void {
    const { sink, now, limits } = this.#options
    const { time, bytes: bytesBefore, records, hasNewRecord, hasNewId } = this.#page
    const { count, loose, idle } = this.#pages
    const mayHide = count > 0 && cursor === undefined && isJoined !== true
    this.#pages = {
      count: count + 1,
      loose: loose + (mayHide || isJoined === false ? 1 : 0),
      idle: hasNewId || hasNews === true ? 0 : idle + 1,
    }
    const end = now()
    sink.page({ bytes: Math.max(0, bytes - bytesBefore), millis: end - time, cursor })
    this.#page = { time: end, bytes, records: 0, hasNewRecord: false, hasNewId: false }
    this.pages += 1
    if (records > 0 && !hasNewRecord)
      throw new Failure('page-repeated', 'A page held only records that earlier pages had.')
    if (this.pages > limits.maxPages)
      throw new Failure('page-limit', `A run may have at most ${limits.maxPages} pages (maxPages).`)
  }
}

/** URL without credentials, for reports; transformers may write it into the record. */
const shownOrigin = ({ sourceUrl }: RecordOrigin) =>
  sourceUrl === undefined ? {} : { sourceUrl: withoutCredentials(sourceUrl).url }

/** Message for an offered record that will not be written. */
function refusal(item: RefusedRecord): Message {
  const { problem, sourceId, title } = item
  const excerpt = item.excerpt?.slice(0, longestExcerpt)
  const message = { kind: 'refused', stage: 'import', problem, sourceId, title, excerpt } as const
  return { ...message, ...recordPlace(item), ...shownOrigin(item) }
}

/** Maximum characters of a title in a failure. */
const longestTitle = 200

/** Failure `item-no-identifier` with the title, the position in the run and, if known, in the document. */
function noIdentifier({ title, line, pointer }: RecordOrigin, position: number, reason: string) {
  const shortTitle =
    title && title.length > longestTitle ? `${title.slice(0, longestTitle)}…` : title
  const titleText = shortTitle === undefined ? 'Without a title' : JSON.stringify(shortTitle)
  const places = [`record ${position} of the run`]
  if (line !== undefined) places.push(`line ${line}`)
  if (pointer !== undefined) places.push(pointer || 'the whole document')
  const detail = `${reason} ${titleText}, ${places.join(', ')}.`
  const place = pointer === undefined ? { line } : { pointer }
  const errors = line === undefined && pointer === undefined ? [] : [{ ...place, detail }]
  return new Failure('item-no-identifier', detail, { errors })
}
