/** Content codings (RFC 9110 8.4.1) as streams. */

import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { Failure, shown } from '../errors.ts'

type Bytes = AsyncIterable<Uint8Array>

/** More than one coding on top of another is legal and a trick; two are plenty. */
const mostCodings = 2

/** The codings of a `Content-Encoding`, outermost last; throws `source-malformed` for one that we did not ask for. */
export function codingsOf(header: string | null): readonly string[] {
  const names = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim().replace(/^x-/, ''))
    .filter((name) => name !== '' && name !== 'identity')
  const unknown = names.find((name) => !Object.hasOwn(decoders, name))
  if (unknown !== undefined || names.length > mostCodings) {
    throw new Failure(
      'source-malformed',
      `the content encoding ${shown(header)} is not one we know`,
    )
  }
  return names
}

/** The bytes without their codings. Streams: what is read here is what is asked for there. */
export function decoded(bytes: Bytes, codings: readonly string[]): Bytes {
  return codings.reduceRight((inner, coding) => decoders[coding]?.(inner) ?? inner, bytes)
}

const decoders: Readonly<Record<string, (bytes: Bytes) => Bytes>> = {
  gzip: (bytes) => through(bytes, () => createGunzip()),
  br: (bytes) => through(bytes, () => createBrotliDecompress()),
  // Some servers leave the zlib head away (RFC 1950 says that its low nibble is 8).
  deflate: (bytes) =>
    through(bytes, (first) => ((first ?? 0) % 16 === 8 ? createInflate() : createInflateRaw())),
}

async function* through(
  bytes: Bytes,
  decoder: (firstByte: number | undefined) => Transform,
): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]()
  const first = await source.next()
  // An empty body is empty in every coding.
  if (first.done) return
  const stream = decoder(first.value[0])
  pipeline(Readable.from(joined(first.value, source)), stream, () => undefined)
  yield* stream
}

async function* joined(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield first
    for (;;) {
      const next = await rest.next()
      if (next.done) return
      yield next.value
    }
  } finally {
    await rest.return?.()
  }
}
