/** Records that a foreign segment has, and the pages that wait for them. */

import type { Message, RecordMessage } from '../../message.ts'

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
