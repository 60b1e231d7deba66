/** Records that a foreign segment has, and the pages that wait for them. */

import type { Message, RecordMessage } from '../message.ts'

type Page = Extract<Message, { readonly kind: 'page' }>
/** A record without its text, which the other process has, and its place here. */
export type HeldRecord = Omit<RecordMessage, 'text'> & { readonly place: number }

export type Held = {
  readonly size: number
  /** Keeps what is known of the record; its place here. */
  hold(record: RecordMessage): number
  /** The record of that place, or of that id; it is not held any more. */
  settle(place: number | string): HeldRecord | undefined
  oldest(): HeldRecord | undefined
  /** A page is handed on when everything before it has come back. */
  page(page: Page): void
  /** Hands on the pages whose time has come; to be called after what was settled is handed on. */
  release(): void
  /** All that is held, oldest first; nothing is held any more. */
  rest(): readonly HeldRecord[]
}

export const idOf = ({ originalId, sourceId }: Pick<RecordMessage, 'originalId' | 'sourceId'>) =>
  originalId ?? sourceId

export function held(handOn: (page: Page) => void): Held {
  const records = new Map<number, HeldRecord>()
  const places = new Map<string, number>()
  const pages: { readonly page: Page; readonly after: number }[] = []
  let last = 0
  return {
    get size() {
      return records.size
    },
    hold({ text: _text, ...record }) {
      last += 1
      records.set(last, { ...record, place: last })
      places.set(idOf(record), last)
      return last
    },
    settle(place) {
      const found = typeof place === 'number' ? place : places.get(place)
      const record = found === undefined ? undefined : records.get(found)
      if (found === undefined || !record) return undefined
      records.delete(found)
      // A later record may have the same id; then the id means that one.
      if (places.get(idOf(record)) === found) places.delete(idOf(record))
      return record
    },
    oldest() {
      const [first] = records.values()
      return first
    },
    page: (page) => void pages.push({ page, after: last }),
    release() {
      const [oldest = Infinity] = records.keys()
      while (pages[0] && pages[0].after < oldest) {
        handOn(pages[0].page)
        pages.shift()
      }
    },
    rest() {
      const all = [...records.values()]
      records.clear()
      places.clear()
      return all
    },
  }
}

// How many records a foreign transformer has: it gets another one when one comes back, or will plainly not come back.

type Out = { since: number; isTaken: boolean }

export type Slots = {
  /** The record of that place is on its way. */
  fill(place: number): void
  /** The segment has it. */
  taken(place: number): void
  /** It came back, or is not waited for. */
  free(place: number, isReturned: boolean): void
  /** When there is room for another one, ms of the clock: not after now when there is. */
  roomAt(): number
  /** Longest time from sending to coming back so far, ms; 0 while nothing has. */
  readonly slowestMs: number
}

type SlotOptions = {
  readonly most: number
  readonly now: () => number
  /** For the first one that comes back; absent where every single one is waited for. */
  readonly firstMs?: number
}

const patienceTimes = 5
/** Parts of `firstMs` that are waited at least for one that a later one has overtaken, and for one that none has. */
const [overtaken, late] = [1 / 200, 1 / 50]
/** How much of a slow return still counts at the next one. */
const memory = 0.8

/**
 * A filter drops records without a word. What has been out five times as long as slow ones that came back lately does not
 * count any more; it is still taken when it comes.
 */
export function slots({ most, now, firstMs }: SlotOptions): Slots {
  const out = new Map<number, Out>()
  /** Of those too that hold no slot any more. */
  const sentAt = new Map<number, number>()
  let [slowestMs, recentMs, newest, hasReturned] = [0, 0, 0, false]
  const endOf = ([place, { since, isTaken }]: readonly [number, Out]): number => {
    if (!isTaken || firstMs === undefined) return Infinity
    if (!hasReturned) return since + firstMs
    const least = firstMs * (place < newest ? overtaken : late)
    return since + Math.max(least, patienceTimes * recentMs)
  }
  return {
    fill(place) {
      out.set(place, { since: now(), isTaken: false })
      sentAt.set(place, now())
    },
    taken(place) {
      const one = out.get(place)
      if (one) Object.assign(one, { since: now(), isTaken: true })
    },
    free(place, isReturned) {
      const sent = sentAt.get(place)
      out.delete(place)
      sentAt.delete(place)
      if (!isReturned || sent === undefined) return
      hasReturned = true
      newest = Math.max(newest, place)
      const took = now() - sent
      slowestMs = Math.max(slowestMs, took)
      recentMs = Math.max(took, memory * recentMs)
    },
    roomAt() {
      if (out.size < most) return 0
      const ends = [...out].map((one) => [one[0], endOf(one)] as const)
      for (const [place, end] of ends) if (end <= now()) out.delete(place)
      return out.size < most ? 0 : Math.min(...ends.map(([, end]) => end))
    },
    get slowestMs() {
      return slowestMs
    },
  }
}
