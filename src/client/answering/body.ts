/** The body of an answer: read when it is asked for, decompressed, bounded in size, ratio and waiting. */

import type { IncomingMessage } from 'node:http'
import { Failure } from '../../errors.ts'
import { codingsOf, decoded } from './decoding.ts'
import { bodyFault } from '../faults.ts'
import type { Patience } from '../patience.ts'

type Bounds = {
  readonly maxBytes: number
  /** Most bytes out per byte in, after the first megabyte. */
  readonly ratio: number
  readonly patience: Patience
}

type Counted = { bytes: number }

/** The body once; `done` is called when it is over, however it ends. */
export async function* bodyOf(
  message: IncomingMessage,
  bounds: Bounds,
  done: () => void,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const raw: Counted = { bytes: 0 }
  try {
    signal.throwIfAborted()
    const encoding = message.headers['content-encoding']
    const codings = codingsOf(encoding ?? null)
    const declared = Number(message.headers['content-length'])
    if (codings.length === 0 && declared > bounds.maxBytes) throw tooLarge(bounds.maxBytes)
    const plain = decoded(received(message, bounds.patience, { raw, signal }), codings)
    yield* bounded(plain, raw, { ...bounds, compressed: codings.length > 0 })
  } catch (error) {
    signal.throwIfAborted()
    throw bodyFault(error)
  } finally {
    // A body that was not read to its end would block the connection for others.
    if (!message.readableEnded) message.destroy()
    done()
  }
}

/** What comes over the wire, chunk by chunk. */
async function* received(
  message: IncomingMessage,
  patience: Patience,
  { raw, signal }: { readonly raw: Counted; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<unknown> = message[Symbol.asyncIterator]()
  for (;;) {
    const next = await patience.within(chunks.next(), 'idleMs')
    signal.throwIfAborted()
    if (next.done) break
    if (!(next.value instanceof Uint8Array)) continue
    raw.bytes += next.value.length
    yield next.value
  }
  if (!message.complete) throw new Failure('source-truncated', 'the answer ended early')
}

async function* bounded(
  bytes: AsyncIterable<Uint8Array>,
  raw: Counted,
  { maxBytes, ratio, compressed }: Bounds & { readonly compressed: boolean },
): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const chunk of bytes) {
    total += chunk.length
    if (total > maxBytes) throw tooLarge(maxBytes)
    if (compressed && total > megabyte && total > ratio * raw.bytes) {
      const detail = `the answer grows more than ${ratio} : 1 when it is decompressed (limit bodyRatio)`
      throw new Failure('too-large', detail)
    }
    yield chunk
  }
}

const megabyte = 1_000_000

const tooLarge = (maxBytes: number) =>
  new Failure('too-large', `the answer has more than ${maxBytes} bytes`)
