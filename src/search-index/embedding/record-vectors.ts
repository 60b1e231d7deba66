/**
 * Makes the vectors of datasets and catalogues and hands them to the index. One loop compares: it reads the texts of records that
 * were written, or of all, and hands over the vectors that `vectors.db` has; another one asks the embedder for the others. Only
 * ids wait in memory; texts are read from the index when their turn comes, so that of several changes only the last is embedded.
 */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { memberFields } from '../../text/json.ts'
import { type BackgroundLoop, backgroundLoop } from '../../workers/background-loop.ts'
import { inParallel } from '../../workers/in-parallel.ts'
import type { Pause } from '../../workers/pause.ts'
import type { IndexName } from '../index-settings.ts'
import type { SearchIndex } from '../search-index.ts'
import { type Embedder, EmbedderFault, type EmbedderSettings } from './embedder.ts'
import { recordText } from './record-text.ts'
import { type Print, printOf, type VectorFile } from './vector-file.ts'
import { isZero } from '../vectors.ts'

type RecordVectorsOptions = {
  readonly index: Pick<SearchIndex, 'entries' | 'get' | 'vectors' | 'vectorsOf'>
  readonly embedder: Embedder
  readonly settings: Pick<
    EmbedderSettings,
    'model' | 'recordPrefix' | 'batch' | 'perMinute' | 'characters'
  >
  readonly file: VectorFile
  readonly log: Log
  readonly pause: Pause
  /** Milliseconds that never decrease. */
  readonly now: () => number
  /** Milliseconds since 1970. */
  readonly date: () => number
  /** Called after each call of the embedder. */
  readonly onCall: (isAnswered: boolean) => void
}

/** Id of a record with its index. */
export type RecordId = { readonly index: IndexName; readonly id: string }

/** Record whose text has no vector; one that `isAlone` is sent in a call of its own. */
type MissingRecord = RecordId & { readonly refusals: number; readonly isAlone: boolean }

type RecordState = RecordId & { readonly key: string; readonly text: string; readonly print: Print }

const embeddedIndices: readonly IndexName[] = ['dataset', 'catalogue']

/** Most records that wait; with more, all are compared again when these are done. */
const mostWaiting = 100_000
/** Records that are compared at a time, and entries of the index that are read at once. */
const [perStep, perPage] = [50, 500]
/** Milliseconds between two purges, and between two checks whether one is due. */
const [purgeMs, checkMs] = [86_400_000, 3_600_000]
/** Milliseconds after a failed call, doubled with each further one, and the longest. */
const [firstRetryMs, longestRetryMs] = [1000, 300_000]
/** Longest time that the embedder can ask for. */
const longestRetryAfterMs = 3_600_000
/** Refusals after which a text is left out until all are compared again, and texts that are remembered as left out. */
const [mostRefusals, mostLeftOut] = [3, 10_000]
/** Failed calls in a row after which the embedder counts as away. */
const mostFailures = 5
/** Milliseconds of a call, and those that a call under way gets when the platform stops. */
const [callMs, graceMs] = [120_000, 5000]

/** Queue of the records whose vectors are to be compared or made; works until `stop`. */
export class RecordVectors {
  readonly #options: RecordVectorsOptions
  /** Records to compare, by index and id. */
  readonly #offered = new Map<string, RecordId>()
  /** Records whose text has no vector, with the number of refusals. */
  readonly #missing = new Map<string, MissingRecord>()
  /** Prints, in base 64, of texts that were refused too often. */
  readonly #leftOut = new Set<string>()
  readonly #ending = new AbortController()
  readonly #compareLoop: BackgroundLoop
  readonly #makeLoop: BackgroundLoop
  /** Place of the comparison of all records; absent when it is complete. */
  #scan:
    | { indices: readonly IndexName[]; after: string; isPurge: boolean; lacking: number }
    | undefined
  /** Whether records were not noted because too many waited. */
  #isIncomplete = false
  #failures = 0
  #nextCallMs = -Infinity
  /** Numbers of records that are being compared and embedded. */
  #comparing = 0
  #embedding = 0

  constructor(options: RecordVectorsOptions) {
    this.#options = options
    const { log, pause } = options
    const retry = { log, pause, retryMs: firstRetryMs, longestRetryMs: 60_000 }
    const compare = (signal: AbortSignal) => this.#compareNext(signal)
    const make = (signal: AbortSignal) => this.#makeNext(signal)
    this.#compareLoop = backgroundLoop('vectors.compare-failed', checkMs, compare, retry)
    this.#makeLoop = backgroundLoop('vectors.make-failed', Infinity, make, retry)
  }

  /** Number of records that wait to be compared or embedded. */
  get waiting(): number {
    return this.#offered.size + this.#comparing + this.#missing.size + this.#embedding
  }

  /** Whether the last calls all failed. */
  get isAway(): boolean {
    return this.#failures >= mostFailures
  }

  /** Notes records that were written. Those of other indices have no vectors. */
  offer(records: readonly RecordId[]): void {
    for (const { index, id } of records) {
      if (!embeddedIndices.includes(index)) continue
      if (this.waiting < mostWaiting) this.#offered.set(keyOf({ index, id }), { index, id })
      else this.#isIncomplete = true
    }
    this.#compareLoop.wake()
  }

  /** Compares all records, after a start or when an index was filled. */
  compareAll(): void {
    this.#startScan(false)
    this.#compareLoop.wake()
  }

  /** Stops both loops; a call under way has five seconds to end, so that its texts are not embedded again. */
  async stop(): Promise<void> {
    const done = new AbortController()
    const grace = this.#options.pause(graceMs, done.signal).then(
      () => this.#ending.abort(new Failure('time-limit', 'The platform stops.')),
      () => undefined,
    )
    await Promise.all([this.#compareLoop.stop(), this.#makeLoop.stop()])
    done.abort()
    await grace
  }

  #startScan(isPurge: boolean): void {
    this.#leftOut.clear()
    this.#isIncomplete = false
    this.#scan = { indices: embeddedIndices, after: '', isPurge, lacking: 0 }
    if (isPurge) this.#options.file.startPurge()
  }

  /** Compares some records; returns the milliseconds until the next round. */
  async #compareNext(signal: AbortSignal): Promise<number | void> {
    if (this.#offered.size === 0) await this.#readPage(signal)
    if (this.#offered.size === 0)
      return this.#scan?.indices.length === 0 ? this.#endScan() : undefined
    const records = [...this.#offered.values()].slice(0, perStep)
    for (const record of records) this.#offered.delete(keyOf(record))
    this.#comparing = records.length
    try {
      await this.#compare(records, signal)
    } catch (error) {
      this.offer(records)
      throw error
    } finally {
      this.#comparing = 0
    }
    return 0
  }

  /** Notes the next records of a comparison of all, and begins one when it is due. */
  async #readPage(signal: AbortSignal): Promise<void> {
    const { index: engine, file, date } = this.#options
    const isDue = () => date() - file.purgedAt(date()) >= purgeMs
    if (!this.#scan && this.#missing.size === 0 && (this.#isIncomplete || isDue()))
      this.#startScan(isDue())
    const scan = this.#scan
    const index = scan?.indices[0]
    if (!scan || index === undefined || this.waiting > mostWaiting - perPage) return
    const entries = await engine.entries(index, scan.after, perPage, signal)
    if (scan !== this.#scan) return
    for (const { id } of entries) this.#offered.set(keyOf({ index, id }), { index, id })
    const last = entries.at(-1)
    if (entries.length === perPage && last) scan.after = last.id
    else Object.assign(scan, { indices: scan.indices.slice(1), after: '' })
    // An empty index leaves nothing to compare, but the next one may have records.
    if (entries.length === 0) await this.#readPage(signal)
  }

  #endScan(): void {
    const { file, date, log } = this.#options
    const { isPurge = false, lacking = 0 } = this.#scan ?? {}
    this.#scan = undefined
    // A record that cannot be read may be in an index that is being filled: its vector is still needed.
    if (!isPurge || lacking > 0) return
    const removed = file.purge(date())
    log.info({ removed }, 'vectors.purged')
  }

  /** Hands the stored vectors of some records to the index where they differ, and notes records without one. */
  async #compare(records: readonly RecordId[], signal: AbortSignal): Promise<void> {
    const { file, embedder } = this.#options
    const states = await this.#statesOf(records, signal)
    if (this.#scan) this.#scan.lacking += records.length - states.length
    const prints = states.map(({ print }) => print)
    const vectors = file.read(prints, embedder.dimensions())
    const known = states.flatMap((state, place) => {
      const vector = state.text === '' ? new Int8Array() : vectors[place]
      return vector ? [{ ...state, vector }] : []
    })
    for (const [place, { index, id, key, print, text }] of states.entries())
      if (text === '' || vectors[place] || this.#leftOut.has(textOf(print)))
        this.#missing.delete(key)
      else if (!this.#missing.has(key))
        this.#missing.set(key, { index, id, refusals: 0, isAlone: false })
    await this.#handOver(known, signal)
    if (this.#missing.size > 0) this.#makeLoop.wake()
  }

  /** Hands vectors to the index, as far as they differ from those that it has. Empty and zero vectors remove. */
  async #handOver(
    records: readonly (RecordId & { readonly vector: Int8Array })[],
    signal: AbortSignal,
  ): Promise<void> {
    const { index: engine } = this.#options
    for (const [index, own] of Map.groupBy(records, (record) => record.index)) {
      const stored = await engine.vectorsOf(
        index,
        own.map(({ id }) => id),
        signal,
      )
      const changes = own.flatMap(({ id, vector: made }, place) => {
        const vector = isZero(made) ? undefined : made
        return isSame(vector, stored[place]) ? [] : [{ index, id, vector }]
      })
      if (changes.length > 0) await engine.vectors(changes, signal)
    }
  }

  /** Reads the texts of records; those that are no longer in the index are left out. */
  async #statesOf(records: readonly RecordId[], signal: AbortSignal): Promise<RecordState[]> {
    const { index: engine, settings } = this.#options
    const { model, recordPrefix, characters } = settings
    const states: RecordState[] = []
    const read = async ({ index, id }: RecordId) => {
      const json = await engine.get(index, id, signal, 1)
      if (json === undefined) return
      const own = recordText(memberFields(JSON.parse(json)), characters)
      const text = own === '' ? '' : recordPrefix + own
      states.push({ index, id, key: keyOf({ index, id }), text, print: printOf(model, text) })
    }
    await inParallel(records, read, { atOnce: 4, signal })
    return states
  }

  /** Embeds the next texts when that is due; returns the milliseconds until the next round. */
  async #makeNext(signal: AbortSignal): Promise<number> {
    const waitMs = this.#nextCallMs - this.#options.now()
    if (waitMs > 0) return waitMs
    const taken = this.#take()
    if (taken.length === 0) {
      this.#compareLoop.wake()
      return Infinity
    }
    this.#embedding = taken.length
    try {
      await this.#make(taken, signal)
    } catch (error) {
      for (const record of taken) this.#missing.set(keyOf(record), record)
      throw error
    } finally {
      this.#embedding = 0
    }
    return 0
  }

  /** Takes the records of the next call: one whose text may be at fault goes alone. */
  #take(): MissingRecord[] {
    const [first, ...others] = this.#missing.values().take(this.#options.settings.batch)
    if (!first) return []
    const taken = first.isAlone ? [first] : [first, ...others.filter(({ isAlone }) => !isAlone)]
    for (const record of taken) this.#missing.delete(keyOf(record))
    return taken
  }

  /** Embeds the texts of some records that still have no vector, and has all of them compared again. */
  async #make(taken: readonly MissingRecord[], signal: AbortSignal): Promise<void> {
    const { embedder, settings, file, now, onCall } = this.#options
    const states = await this.#statesOf(taken, signal)
    const prints = states.map(({ print }) => print)
    const vectors = file.read(prints, embedder.dimensions())
    const needed = states.filter(({ text }, place) => text !== '' && !vectors[place])
    const distinct = [...new Map(needed.map((state) => [textOf(state.print), state])).values()]
    if (distinct.length > 0) {
      this.#nextCallMs = now() + 60_000 / settings.perMinute
      const texts = distinct.map(({ text }) => text)
      // Not the signal of the loop: the call has some time to end when the platform stops.
      const { signal: ending } = this.#ending
      const outcome = await embedder.embed(texts, { limitMs: callMs, signal: ending }).then(
        (made) => ({ made }),
        (error: unknown) => ({ error }),
      )
      ending.throwIfAborted()
      onCall('made' in outcome)
      if ('error' in outcome) this.#fail(taken, needed, outcome.error)
      else {
        this.#failures = 0
        const vectorAt = (place: number) => outcome.made[place] ?? new Int8Array()
        const rows = distinct.map(({ print }, place) => ({ print, vector: vectorAt(place) }))
        file.add(rows, settings.model)
      }
    }
    this.offer(states)
  }

  /** Notes records of a failed call again, behind the others, but those that were refused too often. */
  #fail(taken: readonly MissingRecord[], sent: readonly RecordState[], err: unknown): void {
    const { log, now } = this.#options
    const fault = err instanceof EmbedderFault ? err : undefined
    const ownMs = Math.min(firstRetryMs * 2 ** this.#failures, longestRetryMs)
    const retryInMs = Math.min(fault?.retryMs ?? ownMs, longestRetryAfterMs)
    this.#failures += 1
    this.#nextCallMs = Math.max(this.#nextCallMs, now() + retryInMs)
    log.warn({ err, records: sent.length, retryInMs }, 'embedder.failed')
    for (const { index, id, key, print } of sent) {
      const before = taken.find((record) => keyOf(record) === key)
      const refusals = (before?.refusals ?? 0) + Number(fault?.isRefusal ?? false)
      const isAlone = before?.isAlone === true || fault?.isByText === true
      if (refusals < mostRefusals) {
        this.#missing.set(key, { index, id, refusals, isAlone })
        continue
      }
      if (this.#leftOut.size >= mostLeftOut) this.#leftOut.clear()
      this.#leftOut.add(textOf(print))
      log.warn({ index, id, status: fault?.status }, 'embedder.text-refused')
    }
  }
}

const keyOf = ({ index, id }: RecordId): string => `${index} ${id}`

/** Text of a print, as a key. */
const textOf = (print: Print): string => Buffer.from(print).toString('base64')

const isSame = (one: Int8Array | undefined, other: Int8Array | undefined): boolean =>
  one === other ||
  (one?.length === other?.length &&
    one?.every((component, place) => component === other?.[place]) === true)
