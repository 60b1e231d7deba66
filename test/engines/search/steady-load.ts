/** Searches and writes at a steady rate, and what each of them has to find whatever happens to the engine. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../../src/errors.ts'
import type { Entry, IndexChange, SearchIndex } from '../../../src/search-index/search-index.ts'
import { documentOf, request } from '../../contracts/search-index-corpus.ts'
import { type Random, between } from '../../journeys/kill/seeded-random.ts'

const [searchesPerSecond, writesPerSecond, mostAtOnce] = [50, 20, 64]
const atFirst = 300

/** A record as it was acknowledged last; `isBusy`: a change of it is on its way. */
type Stored = { version: number; isRemoved: boolean; isBusy: boolean }

/** Load on an index that nothing else writes to. */
export class SteadyLoad {
  /** What was found and must not be. */
  readonly wrong: string[] = []
  readonly counts = { searches: 0, refusedSearches: 0, writes: 0, repeatedWrites: 0, longestMs: 0 }
  readonly #index: SearchIndex
  readonly #random: Random
  readonly #records = new Map<string, Stored>()
  /** Sums of all changes: a search finds at least what was acknowledged when it began, and at most what was sent when it ended. */
  readonly #puts = { sent: 0, done: 0 }
  readonly #removals = { sent: 0, done: 0 }
  #version = 1
  #over = new AbortController()
  #loops: Promise<void>[] = []

  constructor(index: SearchIndex, random: Random) {
    this.#index = index
    this.#random = random
  }

  async begin(): Promise<void> {
    await Promise.all(Array.from({ length: atFirst }, () => this.#put()))
  }

  run(): void {
    this.#over = new AbortController()
    this.#loops = [
      this.#steadily(searchesPerSecond, () => this.#search()),
      this.#steadily(writesPerSecond, () => this.#write()),
    ]
  }

  /** Ends the load; resolves when each write was acknowledged. */
  async rest(): Promise<void> {
    this.#over.abort()
    await Promise.all(this.#loops)
  }

  /** Compares all records with what was acknowledged, while nothing is written. */
  async check(): Promise<void> {
    const present = [...this.#records].filter(([, { isRemoved }]) => !isRemoved)
    const expected = new Map(present.map(([id, { version }]) => [id, version]))
    const { count } = await this.#index.search(request({ limit: 0 }))
    if (count !== expected.size) this.wrong.push(`${count} records in place of ${expected.size}`)
    const entries: Entry[] = []
    for (let page: readonly Entry[]; ;) {
      page = await this.#index.entries('dataset', entries.at(-1)?.id ?? '', 1000)
      if (page.length === 0) break
      entries.push(...page)
    }
    const stored = new Map(entries.map(({ id, version }) => [id, version]))
    for (const [id, version] of expected)
      if (stored.get(id) !== version)
        this.wrong.push(`${id} has version ${stored.get(id)} in place of ${version}`)
    for (const id of stored.keys()) if (!expected.has(id)) this.wrong.push(`${id} was removed`)
  }

  async #steadily(rate: number, work: () => Promise<void>): Promise<void> {
    const running = new Set<Promise<void>>()
    for (let next = performance.now(); !this.#over.signal.aborted; next += 1000 / rate) {
      await sleep(Math.max(0, next - performance.now()))
      if (running.size >= mostAtOnce) await Promise.race(running)
      const one = work().finally(() => running.delete(one))
      running.add(one)
    }
    await Promise.all(running)
  }

  async #search(): Promise<void> {
    const started = performance.now()
    this.counts.searches++
    try {
      await (this.counts.searches % 5 === 0 ? this.#get() : this.#count())
    } catch (error) {
      const kind = error instanceof Failure ? error.kind : String(error)
      this.counts.refusedSearches++
      if (kind !== 'engine-unavailable' && kind !== 'time-limit')
        this.wrong.push(`a search failed: ${kind} ${String(error)}`)
    }
    this.counts.longestMs = Math.max(this.counts.longestMs, performance.now() - started)
  }

  async #count(): Promise<void> {
    const [acknowledged, removed] = [this.#puts.done, this.#removals.done]
    const facets = { size: 10, global: false, ids: ['country'] }
    const { count, hits, facets: found } = await this.#index.search(request({ limit: 10, facets }))
    const [least, most] = [acknowledged - this.#removals.sent, this.#puts.sent - removed]
    if (count < least || count > most) this.wrong.push(`${count} hits, not ${least} to ${most}`)
    if (hits.length !== Math.min(10, count)) this.wrong.push(`${hits.length} of ${count} hits`)
    const counted = found?.[0]?.items[0]?.count ?? 0
    if (counted !== count) this.wrong.push(`a facet counts ${counted} of ${count} hits`)
  }

  async #get(): Promise<void> {
    const [id, record] = this.#settled() ?? []
    if (id === undefined || !record) return
    const { version } = record
    const text = await this.#index.get('dataset', id)
    const isGone = record.isRemoved || record.isBusy
    const stored: unknown = text === undefined ? undefined : JSON.parse(text).version
    if (typeof stored === 'number' ? stored < version : !isGone)
      this.wrong.push(`${id} was read with version ${String(stored)} in place of ${version}`)
  }

  /** A record that nothing changes at the moment. */
  #settled(): readonly [string, Stored] | undefined {
    const ids = [...this.#records.keys()]
    for (let i = 0; i < 20; i++) {
      const id = ids[between(this.#random, 0, ids.length - 1)] ?? ''
      const record = this.#records.get(id)
      if (record && !record.isBusy && !record.isRemoved) return [id, record]
    }
    return undefined
  }

  async #write(): Promise<void> {
    const chance = this.#random()
    const [id, record] = this.#settled() ?? []
    if (chance < 0.4 || id === undefined || !record) return this.#put()
    const version = ++this.#version
    record.isBusy = true
    if (chance < 0.8) {
      await this.#untilAcknowledged({ put: recordOf(id, version) })
      record.version = version
    } else {
      this.#removals.sent++
      await this.#untilAcknowledged({ remove: { index: 'dataset', id, version } })
      record.isRemoved = true
      this.#removals.done++
    }
    record.isBusy = false
  }

  async #put(): Promise<void> {
    const version = ++this.#version
    const id = `r${version}`
    this.#puts.sent++
    await this.#untilAcknowledged({ put: recordOf(id, version) })
    this.#records.set(id, { version, isRemoved: false, isBusy: false })
    this.#puts.done++
  }

  /** Sends a change until it is acknowledged, as the projector does. */
  async #untilAcknowledged(change: IndexChange): Promise<void> {
    this.counts.writes++
    for (const deadline = performance.now() + 180_000; ;) {
      try {
        return await this.#index.write([change])
      } catch (error) {
        this.counts.repeatedWrites++
        const isAway = error instanceof Failure && error.kind === 'engine-unavailable'
        if (!isAway || performance.now() > deadline)
          this.wrong.push(`a write failed: ${String(error)}`)
        if (performance.now() > deadline) throw error
        await sleep(200)
      }
    }
  }
}

const recordOf = (id: string, version: number) =>
  documentOf({
    index: 'dataset',
    id,
    version,
    text: { title: { en: [`Gauge ${id} in state ${version}`] } },
    facets: { country: ['DE'] },
  })
