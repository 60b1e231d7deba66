/** What an importer finds, and who receives it: counts, hashes, tells doubles apart and checks the counts against the source's own. */

import { hash } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { defined } from '../../pipe/defined.ts'
import {
  type Finding,
  type Message,
  placeOfRecord,
  type RecordMessage,
} from '../../pipe/message.ts'
import type { SegmentContext } from '../../pipe/segment.ts'
import { withoutCredentials } from '../../secrets.ts'
import { keyHash } from '../importing/cutting/key-hash.ts'
import type { ImportLimits } from './import-config.ts'

/** By what somebody can find a record in its source. */
type RecordOrigin = {
  readonly sourceUrl?: string | undefined
  readonly title?: string | undefined
  /** In the document of the source, counted from 1. */
  readonly line?: number | undefined
  /** In a JSON document of the source (RFC 6901). */
  readonly pointer?: string | undefined
}

/** One record as the importer hands it on; without a `sourceId` it becomes `item-no-identifier`. */
export type ImportedRecord = Pick<RecordMessage, 'kind' | 'sourceId' | 'mediaType' | 'text'> &
  RecordOrigin & {
    /** Other ids under which it may be stored already, most likely one first. */
    readonly aliases?: readonly string[]
    /** Original id that a new record gets when no other record has it; the source id when absent. */
    readonly preferredId?: string | undefined
    /**
     * What the source hash is made of: the record as the source sent it in canonical form, without the fields that change
     * by themselves. `text` when absent.
     */
    readonly hashed?: string
    readonly findings?: readonly Finding[]
  }

/** A record that was offered and cannot be read. */
type Refused = RecordOrigin & {
  readonly kind: 'refused'
  readonly sourceId?: string | undefined
  readonly problem: Failure
  /** What the source sent; cut to 64 KB on the way. */
  readonly excerpt?: string
}

/**
 * A record that is not for us: private, of another type, filtered. `isMentioned`: the source only speaks of it, so that
 * no total counts it.
 */
type Skipped = Extract<Message, { kind: 'skipped' }> & { readonly isMentioned?: true }

/** A find that does not end the import. */
export type ImportItem =
  | ImportedRecord
  | Refused
  | Skipped
  /** A declared total, as often as the source tells it. `before`: records in front of the place where a run resumed. */
  | { readonly kind: 'total'; readonly total: number; readonly before?: number }
  /** Everything of a page was given. `cursor` only when it is a key from which a later run can go on. */
  | { readonly kind: 'page'; readonly cursor?: string }

/**
 * An importer that has met its own end condition just returns; it throws a `Failure` when it cannot go on, whose kind
 * decides between a failed and an incomplete run. `end` is for what else there is to say: nothing changed, or the source
 * was read to its end and still cannot be vouched for.
 */
export type ImportEvent =
  | ImportItem
  | { readonly kind: 'end'; readonly as: 'not-modified' }
  | { readonly kind: 'end'; readonly as: 'incomplete'; readonly problem?: Failure }

/** What a run brings to the reception of its records. */
type ReceptionOptions = {
  readonly limits: ImportLimits
  readonly sink: SegmentContext['sink']
  readonly now: () => number
  /** Digest of what shapes a record beside its source: part of every source hash. */
  readonly shape: string
  /** Most records that are handed on. */
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
  #page = { time: 0, bytes: 0, records: 0, isNews: false }
  #total: { readonly last: number; readonly changed: boolean; readonly before: number } | undefined

  constructor(options: ReceptionOptions) {
    this.#options = options
    this.#page.time = options.now()
  }

  /** As many records as may be handed on are. */
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

  /** The message that a find becomes: none for the same record met twice. `bytes`: read from the source so far. */
  take(found: ImportItem, bytes: number): Message | undefined {
    switch (found.kind) {
      case 'record':
        return this.#record(found)
      case 'refused':
        return this.#refused(found)
      case 'skipped':
        return this.#isNews(found) ? found : undefined
      case 'total':
        this.#declare(found.total, found.before ?? 0)
        return { kind: 'total', total: found.total }
      case 'page':
        this.#endPage(found.cursor, bytes)
        return found
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
    const isEmpty = owns && this.#offered === 0 && !total?.before
    return isEmpty ? new Failure('source-empty', 'The source offered no records.') : undefined
  }

  /** `new`: first of its id · `same`: met before with the same content · `other`: another record with a known id. */
  #meet(id: string, content: string): 'new' | 'same' | 'other' {
    const [key, record] = [keyHash(id), keyHash(`${id}\n${content}`)]
    const standing = this.#ids.has(key) ? (this.#records.has(record) ? 'same' : 'other') : 'new'
    this.#page.records += 1
    this.#page.isNews ||= !this.#pass.has(record)
    this.#ids.add(key)
    this.#records.add(record)
    this.#pass.add(record)
    return standing
  }

  #isNews({ sourceId, isMentioned }: Skipped): boolean {
    if (!isMentioned) return this.#meet(sourceId, '') !== 'same'
    return this.#mentioned.size < this.#mentioned.add(keyHash(sourceId)).size
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
    const record = { kind: 'record', counter, sourceId, aliases, mediaType, text } as const
    return {
      ...record,
      sourceHash,
      findings,
      ...defined({ preferredId: found.preferredId }),
      ...placeOfRecord(defined(found)),
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
    this.#offer()
    return refusal({ ...found, problem: nameless(found, this.#offered, problem.detail) })
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
    const changed = known !== undefined && (known.changed || known.last !== total)
    this.#total = { last: total, changed, before: Math.max(before, known?.before ?? 0) }
    this.#options.sink.total(total)
  }

  #endPage(cursor: string | undefined, bytes: number): void {
    const { sink, now, limits } = this.#options
    const { time, bytes: before, records, isNews } = this.#page
    const end = now()
    sink.page(defined({ bytes: Math.max(0, bytes - before), millis: end - time, cursor }))
    this.#page = { time: end, bytes, records: 0, isNews: false }
    this.pages += 1
    if (records > 0 && !isNews)
      throw new Failure('page-repeated', 'A page held only records that earlier pages had.')
    if (this.pages > limits.maxPages)
      throw new Failure('page-limit', `A run may have at most ${limits.maxPages} pages (maxPages).`)
  }
}

/** Reports show it, and transformers may write it into the record. */
const shownOrigin = ({ sourceUrl }: RecordOrigin) =>
  sourceUrl === undefined ? {} : { sourceUrl: withoutCredentials(sourceUrl).url }

/** A record that was offered and will not be written, as reports show it. */
function refusal(found: Refused): Message {
  const { problem, sourceId, title } = found
  const excerpt = found.excerpt?.slice(0, longestExcerpt)
  const about = { kind: 'refused', stage: 'import', problem, sourceId, title, excerpt } as const
  return { ...defined(about), ...placeOfRecord(defined(found)), ...shownOrigin(found) }
}

const longestTitle = 200

/** `item-no-identifier` with the title, the position among the records of the run and, where it is known, the place. */
function nameless({ title, line, pointer }: RecordOrigin, position: number, reason: string) {
  const short = title && title.length > longestTitle ? `${title.slice(0, longestTitle)}…` : title
  const called = short === undefined ? 'Without a title' : JSON.stringify(short)
  const places = [`record ${position} of the run`]
  if (line !== undefined) places.push(`line ${line}`)
  if (pointer !== undefined) places.push(pointer || 'the whole document')
  const detail = `${reason} ${called}, ${places.join(', ')}.`
  const place = defined(pointer === undefined ? { line } : { pointer })
  const errors = Object.keys(place).length > 0 ? [{ ...place, detail }] : []
  return new Failure('item-no-identifier', detail, { errors })
}
