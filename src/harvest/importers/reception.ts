/** Receives what an importer finds: counts, hashes, tells doubles apart and checks the counts against the source's own. */
import { hash } from 'node:crypto'
import { Failure } from '../../errors.ts'
import { withoutCredentials } from '../../secrets.ts'
import type { Message } from '../../pipe/message.ts'
import type { SegmentContext } from '../../pipe/segment.ts'
import { type Found, type FoundRecord, nameless } from './found.ts'
import type { ImportLimits } from './import-config.ts'
import { keyHash } from '../importing/cutting/key-hash.ts'
import { NumberSet, Seen } from './seen.ts'

type Options = {
  readonly deps: { readonly now: () => number; readonly limits: ImportLimits }
  readonly context: Pick<SegmentContext, 'sink'>
  readonly shape: string
  readonly limit: number | undefined
}

/** Kept of what a source sent when it cannot be read. */
const longestExcerpt = 65_536

export class Reception {
  readonly #options: Options
  readonly #seen = new Seen()
  readonly #mentioned = new NumberSet()
  #pages = 0
  #counter = 0
  #offered = 0
  #total: { readonly last: number; readonly changed: boolean; readonly before: number } | undefined
  #pageStart: { readonly time: number; readonly bytes: number }

  constructor(options: Options) {
    this.#options = options
    this.#pageStart = { time: options.deps.now(), bytes: 0 }
  }

  /** Pages that were handed on whole, in all passes. */
  get pages(): number {
    return this.#pages
  }

  /** The wanted number of records is there. */
  get isFull(): boolean {
    const { limit } = this.#options
    return limit !== undefined && this.#counter >= limit
  }

  /** As many records as the source declared are there; false when it declared nothing. */
  get isWhole(): boolean {
    return this.#total !== undefined && this.#total.last === this.#found
  }

  get #found(): number {
    return this.#seen.distinct + (this.#total?.before ?? 0)
  }

  startAgain(): void {
    this.#seen.startAgain()
    this.#total = undefined
    this.#pageStart = { time: this.#options.deps.now(), bytes: 0 }
  }

  /** The messages that a find becomes: none for the same record met twice. `bytes`: read from the source so far. */
  *take(found: Exclude<Found, { kind: 'end' }>, bytes: number): Iterable<Message> {
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
        this.#page(found.cursor, bytes)
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
      const numbers = `The source declared ${total.last} records and gave ${this.#found} different ones.`
      return new Failure(total.changed ? 'total-changed' : 'total-mismatch', numbers)
    }
    if (owns && this.#offered === 0 && !total?.before)
      return new Failure('source-empty', 'The source offered no records.')
    return undefined
  }

  #isNews({ sourceId, isMentioned }: Extract<Found, { kind: 'skipped' }>): boolean {
    if (isMentioned) return this.#mentioned.add(keyHash(sourceId))
    return this.#seen.meet(sourceId, '') !== 'same'
  }

  *#record(found: FoundRecord): Iterable<Message> {
    const { text } = found
    const sourceId = found.sourceId.trim()
    const where = placeOf(found)
    const flaw = this.#flaw(sourceId, found)
    if (flaw) {
      const named = sourceId === '' ? {} : { sourceId }
      yield* this.#refused({ kind: 'refused', problem: flaw, excerpt: text, ...named, ...where })
      return
    }
    const sourceHash = this.#hash(found)
    const acquaintance = this.#seen.meet(sourceId, sourceHash)
    if (acquaintance === 'same') return
    this.#offer()
    if (acquaintance === 'other') {
      const detail = `An earlier record of this run has the identifier ${sourceId} too.`
      const problem = new Failure('item-duplicate', detail)
      const excerpt = cut(text)
      yield { kind: 'refused', sourceId, stage: 'import', problem, excerpt, ...where }
      return
    }
    const aliases = [...new Set(found.aliases)].filter((id) => id !== '' && id !== sourceId)
    const { mediaType, findings = [] } = found
    this.#counter += 1
    const counter = this.#counter
    const record = { kind: 'record', counter, sourceId, aliases, mediaType, text } as const
    yield { ...record, sourceHash, findings, ...where }
  }

  #flaw(sourceId: string, found: FoundRecord): Failure | undefined {
    const { text } = found
    const { maxItemBytes } = this.#options.deps.limits
    if (sourceId === '') return nameless(found.whereabouts ?? {}, this.#offered + 1)
    if (!isLonger(text, maxItemBytes)) return undefined
    return new Failure('item-too-large', `A record may have ${maxItemBytes} bytes (maxItemBytes).`)
  }

  *#refused(found: Extract<Found, { kind: 'refused' }>): Iterable<Message> {
    const { excerpt } = found
    if (found.sourceId === undefined) this.#seen.nameless()
    else if (this.#seen.meet(found.sourceId, excerpt ?? '') === 'same') return
    this.#offer()
    const { sourceId, whereabouts } = found
    const problem =
      sourceId === undefined && whereabouts
        ? nameless(whereabouts, this.#offered, found.problem.detail)
        : found.problem
    yield {
      kind: 'refused',
      problem,
      stage: 'import',
      ...(sourceId !== undefined && { sourceId }),
      ...placeOf(found),
      ...(excerpt !== undefined && { excerpt: cut(excerpt) }),
    }
  }

  #offer(): void {
    const { context, deps } = this.#options
    this.#offered += 1
    context.sink.offered()
    if (this.#offered > deps.limits.maxItems)
      throw new Failure('page-limit', `A run takes ${deps.limits.maxItems} records (maxItems).`)
  }

  #hash({ hashed, text, mediaType }: FoundRecord): string {
    return hash('sha256', `${this.#options.shape}\n${mediaType}\n${hashed ?? text}`, 'hex')
  }

  #declare(total: number, before: number): void {
    const known = this.#total
    const changed = known !== undefined && (known.changed || known.last !== total)
    this.#total = { last: total, changed, before: Math.max(before, known?.before ?? 0) }
    this.#options.context.sink.total(total)
  }

  #page(cursor: string | undefined, bytes: number): void {
    const { context, deps } = this.#options
    const time = deps.now()
    context.sink.page({
      bytes: Math.max(0, bytes - this.#pageStart.bytes),
      millis: time - this.#pageStart.time,
      ...(cursor !== undefined && { cursor }),
    })
    this.#pageStart = { time, bytes }
    this.#pages += 1
    if (this.#seen.turnPage())
      throw new Failure('page-repeated', 'A page held only records that earlier pages had.')
    if (this.#pages > deps.limits.maxPages)
      throw new Failure('page-limit', `A run takes ${deps.limits.maxPages} pages (maxPages).`)
  }
}

/** Reports show it, and transformers may write it into the record. */
const placeOf = ({ sourceUrl }: Pick<FoundRecord, 'sourceUrl'>) =>
  sourceUrl === undefined ? {} : { sourceUrl: withoutCredentials(sourceUrl).url }

const cut = (text: string) => text.slice(0, longestExcerpt)
/** Characters are at most three bytes, so that most texts need no counting. */
const isLonger = (text: string, bytes: number) =>
  text.length * 3 > bytes && Buffer.byteLength(text) > bytes
