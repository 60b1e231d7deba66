/** Places of this process where runs of its own wait for what foreign segments give back, and the tokens that open them. */

import { createHmac, timingSafeEqual } from 'node:crypto'
import { Failure } from '../../errors.ts'
import type { Payload, Pipe } from '../document.ts'
import { ownSegment, payloadIn } from './envelope.ts'

/** Where one run waits for what is to go to one of its segments. */
export type ReturnPlace = {
  /** Resolves when the message is safe. Throws `spool-full`, `invalid-parameter` for a list that is none. */
  readonly take: (payload: Payload) => Promise<void>
  /** A message came that cannot be taken. */
  readonly refused: (failure: Failure) => void
  /** A message came when nobody waited for it any more. */
  readonly late: () => void
}

type Permitted = { readonly runId: string; readonly segmentNumber: number }

const keyOf = ({ runId, segmentNumber }: Permitted) => `${segmentNumber} ${runId}`

/** For a while after its end (`lateMs`) a place still takes what is late, to report it. */
export class ReturnPlaces {
  readonly #places = new Map<string, { readonly place: ReturnPlace; until?: number }>()
  readonly #now: () => number
  readonly #lateMs: number

  constructor(now: () => number, lateMs: number) {
    this.#now = now
    this.#lateMs = lateMs
  }

  /** Waits for what comes for this segment of the run; the function ends that. */
  open(permitted: Permitted, place: ReturnPlace): () => void {
    const entry: { readonly place: ReturnPlace; until?: number } = { place }
    this.#forget()
    this.#places.set(keyOf(permitted), entry)
    return () => {
      entry.until = this.#now() + this.#lateMs
    }
  }

  /** Who waits there. Throws `not-found`. */
  at(permitted: Permitted): ReturnPlace {
    this.#forget()
    const entry = this.#places.get(keyOf(permitted))
    if (!entry) throw new Failure('not-found', 'no run waits for a message here')
    const { place, until } = entry
    return until === undefined ? place : { ...place, take: async () => place.late() }
  }

  /** Hands the message to the run that waits for it; throws `gone` when none does. */
  async take(message: Pipe): Promise<void> {
    const own = ownSegment(message)
    const { runId = '' } = message.header
    const entry = own && this.#places.get(keyOf({ runId, segmentNumber: own.header.segmentNumber }))
    if (!entry || entry.until !== undefined) {
      throw new Failure('gone', 'no run waits for this message')
    }
    await entry.place.take(payloadIn(own))
  }

  #forget(): void {
    for (const [key, { until = Infinity }] of this.#places) {
      if (until < this.#now()) this.#places.delete(key)
    }
  }
}

/** Permission to hand in the output for one segment of one run, and nothing else. */
export type Capability = {
  /** A token of at most 200 characters, all of them `A-Za-z0-9_-`: it stands in a path. */
  readonly of: (permitted: Permitted) => string
  /** What the token permits; `undefined` for one that is not ours. */
  readonly read: (token: string) => Permitted | undefined
}

const macBytes = 32

/** Made from a secret of this process (RFC 2104): nothing is stored, and all of them end with the process. */
export function capabilities(secret: Uint8Array): Capability {
  const mac = (said: Buffer): Buffer => createHmac('sha256', secret).update(said).digest()
  return {
    of({ runId, segmentNumber }) {
      const number = Buffer.alloc(4)
      number.writeUInt32BE(segmentNumber)
      const said = Buffer.concat([number, Buffer.from(runId)])
      return Buffer.concat([mac(said), said]).toString('base64url')
    },
    read(token) {
      if (!/^[\w-]{20,200}$/.test(token)) return undefined
      const bytes = Buffer.from(token, 'base64url')
      const said = bytes.subarray(macBytes)
      if (said.length < 4 || !timingSafeEqual(bytes.subarray(0, macBytes), mac(said))) {
        return undefined
      }
      return { runId: said.subarray(4).toString('utf8'), segmentNumber: said.readUInt32BE() }
    },
  }
}
