/** Places of this process where runs of its own wait for what foreign segments give back. */

import { createHmac, timingSafeEqual } from 'node:crypto'
import { Failure } from '../../errors.ts'
import type { Payload, Pipe } from '../document.ts'
import { ownSegment } from './envelope.ts'

/** Where one run waits for what is to go to one of its segments. */
export type ReturnPlace = {
  /** Resolves when the message is safe. Throws `spool-full`, `invalid-parameter` for a list that is none. */
  readonly take: (payload: Payload) => Promise<void>
  /** A message came that cannot be taken. */
  readonly refused: (failure: Failure) => void
  /** A message came when nobody waited for it any more. */
  readonly late: () => void
}

export type Returns = {
  /** Waits for what comes for this segment of the run; the function ends that. */
  open(permitted: Permitted, place: ReturnPlace): () => void
  /** Who waits there; for a while after its end it takes what is late. Throws `not-found`. */
  at(permitted: Permitted): ReturnPlace
  /** Hands the message to the run that waits for it; `gone` when none does. */
  take(message: Pipe): Promise<void>
}

type Kept = { readonly place: ReturnPlace; until?: number }

export function returns(now: () => number, lateMs: number): Returns {
  const places = new Map<string, Kept>()
  const keyOf = ({ runId, segmentNumber }: Permitted) => `${segmentNumber} ${runId}`
  const forget = () => {
    for (const [key, { until = Infinity }] of places) if (until < now()) places.delete(key)
  }
  return {
    open(permitted, place) {
      const kept: Kept = { place }
      forget()
      places.set(keyOf(permitted), kept)
      return () => {
        kept.until = now() + lateMs
      }
    },
    at(permitted) {
      forget()
      const kept = places.get(keyOf(permitted))
      if (!kept) throw new Failure('not-found', 'no run waits for a message here')
      if (kept.until === undefined) return kept.place
      const { late } = kept.place
      return { ...kept.place, take: async () => late() }
    },
    async take(message) {
      const own = ownSegment(message)
      const { runId = '' } = message.header
      const kept = own && places.get(keyOf({ runId, segmentNumber: own.header.segmentNumber }))
      if (!kept || kept.until !== undefined) {
        throw new Failure('gone', 'no run waits for this message')
      }
      await kept.place.take(payloadOf(own))
    },
  }
}

/** What a message holds for a segment. Throws `invalid-parameter` when that is nothing. */
export function payloadOf({ body }: Pipe['body']['segments'][number]): Payload {
  if (body.payload) return body.payload
  throw new Failure('invalid-parameter', 'the message carries nothing for the segment')
}

// Permission to hand in the output for one segment of one run, and nothing else.

type Permitted = { readonly runId: string; readonly segmentNumber: number }

export type Capability = {
  /** A token of at most 200 characters, all of them `A-Za-z0-9_-`: it stands in a path. */
  readonly of: (permitted: Permitted) => string
  /** What the token permits; `undefined` for one that is not ours. */
  readonly read: (token: string) => Permitted | undefined
}

const form = /^[\w-]{20,200}$/
const macBytes = 32

/** Made from a secret of this process (RFC 2104): nothing is kept, and all of them end with the process. */
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
      if (!form.test(token)) return undefined
      const bytes = Buffer.from(token, 'base64url')
      const said = bytes.subarray(macBytes)
      if (said.length < 4 || !timingSafeEqual(bytes.subarray(0, macBytes), mac(said))) {
        return undefined
      }
      return { runId: said.subarray(4).toString('utf8'), segmentNumber: said.readUInt32BE() }
    },
  }
}
