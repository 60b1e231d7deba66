/** Parses dumps and bodies of any size in batches; memory is bounded by a batch and the longest statement, except for JSON-LD. */
import type { Quad } from '@rdfjs/types'
import { TextDecoding, UndecodableText } from '../../text/decoding.ts'
import type { Format } from '../media-types.ts'
import { parse, pieceReader } from '../parse.ts'
import { malformed, type ParseOptions, type PieceReader } from './options.ts'

/** Quads per batch, and UTF-16 units that are parsed at a time. */
const batchSize = 1_000
const pieceSize = 65_536

/**
 * Yields batches of at most 1000 quads in the order of the source, without reading ahead. JSON-LD is read into memory as a
 * whole; the caller must limit its size. Bytes are decoded by `TextDecoding`, strictly unless there is repair. Throws the
 * failures of `parse`; batches before an error are valid.
 */
export async function* parseStream(
  source: AsyncIterable<Uint8Array>,
  format: Format,
  options: ParseOptions,
): AsyncIterable<Quad[]> {
  if (format === 'jsonld') {
    const parts: string[] = []
    for await (const text of texts(source, options)) parts.push(text)
    yield* batches(await parse(parts.join(''), format, options))
  } else yield* pieces(texts(source, options), pieceReader(format, options))
}

/** Parses a text in memory in batches. */
export async function* parseText(
  text: string,
  format: Format,
  options: ParseOptions,
): AsyncIterable<Quad[]> {
  if (format === 'jsonld') yield* batches(await parse(text, format, options))
  else yield* pieces([text], pieceReader(format, options))
}

async function* pieces(
  source: AsyncIterable<string> | Iterable<string>,
  reader: PieceReader,
): AsyncIterable<Quad[]> {
  let pending: Quad[] = []
  for await (const text of source) {
    for (let at = 0; at < text.length; at += pieceSize) {
      const quads = reader.write(text.slice(at, at + pieceSize))
      pending = pending.length === 0 ? quads : pending.concat(quads)
      while (pending.length >= batchSize) {
        yield pending.slice(0, batchSize)
        pending = pending.slice(batchSize)
      }
    }
  }
  yield* batches(pending.concat(reader.end()))
}

function* batches(quads: readonly Quad[]): Iterable<Quad[]> {
  for (let at = 0; at < quads.length; at += batchSize) yield quads.slice(at, at + batchSize)
}

/** Decodes bytes. Without repair, an invalid byte throws with its position; with repair, assumptions are reported. */
async function* texts(
  source: AsyncIterable<Uint8Array>,
  { charset: declared, repair }: ParseOptions,
): AsyncIterable<string> {
  const decoding = new TextDecoding({ declared, isStrict: !repair })
  try {
    for await (const bytes of source) yield decoding.write(bytes)
    yield decoding.end()
  } catch (error) {
    throw error instanceof UndecodableText ? malformed(error.message, error.place, error) : error
  }
  const { assumption } = decoding
  if (assumption !== undefined) repair?.({ kind: 'text', from: assumption })
}
