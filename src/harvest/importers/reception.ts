/** Receives what an importer finds: counts, hashes, tells doubles apart and checks the counts against the source's own. */

import { hash } from 'node:crypto'
import { Failure } from '../../errors.ts'
import type { Message } from '../../pipe/message.ts'
import type { SegmentContext } from '../../pipe/segment.ts'
import { withoutCredentials } from '../../secrets.ts'
import { keyHash } from '../importing/cutting/key-hash.ts'
import { type Found, type FoundItem, type FoundRecord, nameless } from './found.ts'
import type { ImportLimits } from './import-config.ts'

type ReceptionOptions = {
  readonly limits: ImportLimits
  readonly sink: SegmentContext['sink']
  readonly now: () => number
  /** Digest of what shapes a record beside its source: part of every source hash. */
  readonly shape: string
  /** Records that are wanted at most. */
  readonly limit: number | undefined
}

/** Kept of what a source sent when it cannot be read. */
const longestExcerpt = 65_536

/** Of one run, which may pass over its source twice. */
export class Reception {
  /** Pages that were handed on whole, in all passes. */
  pages = 0
  readonly #options: ReceptionOptions
  /** Numbers for ids, and for ids with their content, in all passes and in the present one. */
  readonly #ids = new Set<number>()
  readonly #records = new Set<number>()
  #pass = new Set<number>()
  readonly #mentioned = new Set<number>()
  #nameless = 0
  #counter = 0
  #offered = 0
  #page: { time: number; bytes: number; records: number; isNews: boolean }
  #total: { readonly last: number; readonly changed: boolean; readonly before: number } | undefined

  constructor(options: ReceptionOptions) {
    this.#options = options
    this.#page = { time: options.now(), bytes: 0, records: 0, isNews: false }
  }

  /** The wanted number of records is there. */
  get isFull(): boolean {
    return this.#counter >= (this.#options.limit ?? Infinity)
  }

  /** As many records as the source declared are there; false when it declared nothing. */
  get isWhole(): boolean {
    return this.#total?.last === this.#distinct
  }

  /** Different records of the present pass. */
  get #distinct(): number {
    return this.#pass.size + this.#nameless + (this.#total?.before ?? 0)
  }

  /** Another pass over the same source: what was handed on stays known, the counting begins anew. */
  startAgain(): void {
    this.#pass = new Set()
    this.#nameless = 0
    this.#total = undefined
    this.#page = { time: this.#options.now(), bytes: 0, records: 0, isNews: false }
  }

  /** The messages that a find becomes: none for the same record met twice. `bytes`: read from the source so far. */
  *take(found: FoundItem, bytes: number): Iterable<Message> {
    switch (found.kind) {
      case 'record':
        yield* this.#record(found)
        return
      case 'refused':
        yield* this.#refused(found)
        return
      case 'skipped':
        if (this.#isNews(found)) yield found
        return
      case 'deleted':
        yield found
        return
      case 'total':
        this.#declare(found.total, found.before ?? 0)
        yield { kind: 'total', total: found.total }
        return
      case 'page':
        this.#endPage(found.cursor, bytes)
        yield found
        return
      default:
        throw new Error(`unknown find ${JSON.stringify(found satisfies never)}`)
    }
  }

  /**
   * Why an import that came to its end is not complete all the same. `owns`: the pipe has records that an empty source
   * would take away.
   */
  shortfall(owns: boolean): Failure | undefined {
    const total = this.#total
    if (total && !this.isWhole) {
      const numbers = `The source declared ${total.last} records and gave ${this.#distinct} different ones.`
      return new Failure(total.changed ? 'total-changed' : 'total-mismatch', numbers)
    }
    if (owns && this.#offered === 0 && !total?.before)
      return new Failure('source-empty', 'The source offered no records.')
    return undefined
  }

  /** `new`: first of its id · `same`: met before with the same content · `other`: another record with a known id. */
  #meet(id: string, content: string): 'new' | 'same' | 'other' {
    const [key, record] = [keyHash(id), keyHash(`${id}\n${content}`)]
    const isNewId = !this.#ids.has(key)
    const isNewRecord = !this.#records.has(record)
    this.#page.records += 1
    this.#page.isNews ||= !this.#pass.has(record)
    this.#ids.add(key)
    this.#records.add(record)
    this.#pass.add(record)
    if (isNewId) return 'new'
    return isNewRecord ? 'other' : 'same'
  }

  #isNews({ sourceId, isMentioned }: Extract<Found, { kind: 'skipped' }>): boolean {
    if (!isMentioned) return this.#meet(sourceId, '') !== 'same'
    return this.#mentioned.size < this.#mentioned.add(keyHash(sourceId)).size
  }

  *#record(found: FoundRecord): Iterable<Message> {
    const { text, mediaType, findings = [] } = found
    const sourceId = found.sourceId.trim()
    const where = whereOf(found)
    const flaw = this.#flaw(sourceId, found)
    if (flaw) {
      const named = sourceId === '' ? {} : { sourceId }
      yield* this.#refused({ kind: 'refused', problem: flaw, excerpt: text, ...named, ...where })
      return
    }
    const hashed = `${this.#options.shape}\n${mediaType}\n${found.hashed ?? text}`
    const sourceHash = hash('sha256', hashed, 'hex')
    const acquaintance = this.#meet(sourceId, sourceHash)
    if (acquaintance === 'same') return
    this.#offer()
    if (acquaintance === 'other') {
      const detail = `An earlier record of this run has the identifier ${sourceId} too.`
      const problem = new Failure('item-duplicate', detail)
      const excerpt = text.slice(0, longestExcerpt)
      yield { kind: 'refused', sourceId, stage: 'import', problem, excerpt, ...where }
      return
    }
    const aliases = [...new Set(found.aliases)].filter((id) => id !== '' && id !== sourceId)
    const counter = (this.#counter += 1)
    const record = { kind: 'record', counter, sourceId, aliases, mediaType, text } as const
    yield { ...record, sourceHash, findings, ...where }
  }

  #flaw(sourceId: string, { text, whereabouts = {} }: FoundRecord): Failure | undefined {
    const { maxItemBytes } = this.#options.limits
    if (sourceId === '') return nameless(whereabouts, this.#offered + 1)
    // Characters are at most three bytes, so that most texts need no counting.
    if (text.length * 3 <= maxItemBytes || Buffer.byteLength(text) <= maxItemBytes) return undefined
    return new Failure('item-too-large', `A record may have ${maxItemBytes} bytes (maxItemBytes).`)
  }

  *#refused(found: Extract<Found, { kind: 'refused' }>): Iterable<Message> {
    const { excerpt, sourceId, whereabouts } = found
    if (sourceId === undefined) {
      this.#nameless += 1
      this.#page.records += 1
      this.#page.isNews = true
    } else if (this.#meet(sourceId, excerpt ?? '') === 'same') return
    this.#offer()
    const problem =
      sourceId === undefined && whereabouts
        ? nameless(whereabouts, this.#offered, found.problem.detail)
        : found.problem
    yield {
      kind: 'refused',
      problem,
      stage: 'import',
      ...(sourceId !== undefined && { sourceId }),
      ...whereOf(found),
      ...(excerpt !== undefined && { excerpt: excerpt.slice(0, longestExcerpt) }),
    }
  }

  #offer(): void {
    const { sink, limits } = this.#options
    this.#offered += 1
    sink.offered()
    if (this.#offered > limits.maxItems)
      throw new Failure('page-limit', `A run takes ${limits.maxItems} records (maxItems).`)
  }

  #declare(total: number, before: number): void {
    const known = this.#total
    const changed = known !== undefined && (known.changed || known.last !== total)
    this.#total = { last: total, changed, before: Math.max(before, known?.before ?? 0) }
    this.#options.sink.total(total)
  }

  #endPage(cursor: string | undefined, bytes: number): void {
    const { sink, now, limits } = this.#options
    const { time, bytes: before, records, isNews } = this.#page
    const end = now()
    const named = cursor === undefined ? {} : { cursor }
    sink.page({ bytes: Math.max(0, bytes - before), millis: end - time, ...named })
    this.#page = { time: end, bytes, records: 0, isNews: false }
    this.pages += 1
    if (records > 0 && !isNews)
      throw new Failure('page-repeated', 'A page held only records that earlier pages had.')
    if (this.pages > limits.maxPages)
      throw new Failure('page-limit', `A run takes ${limits.maxPages} pages (maxPages).`)
  }
}

/** Reports show it, and transformers may write it into the record. */
const whereOf = ({ sourceUrl }: Pick<FoundRecord, 'sourceUrl'>) =>
  sourceUrl === undefined ? {} : { sourceUrl: withoutCredentials(sourceUrl).url }
