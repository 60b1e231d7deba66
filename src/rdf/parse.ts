/** Parses RDF of any format to checked quads; failures have line numbers, or JSON Pointers. */
import type { Quad } from '@rdfjs/types'
import { nextTurn } from '../workers/event-loop.ts'
import { charsetOf, decodeText, UndecodableText } from '../text/decoding.ts'
import type { Format } from './media-types.ts'
import { CheckedTerms } from './reading/checked-terms.ts'
import { linePieces, scanChecked } from './reading/line-scanner.ts'
import { readJsonLd } from './reading/json-ld-reader.ts'
import { n3Pieces, readN3 } from './reading/n3-reader.ts'
import { malformed, type ParseOptions, type PieceReader } from './reading/options.ts'
import { readXml, xmlPieces } from './reading/xml-reader.ts'

export type { ParseOptions, Repair } from './reading/options.ts'

/**
 * Parses a whole document. Quads of TriG, N-Quads and JSON-LD keep their graph names. Blank node labels are unique to the call,
 * or to `document`. `placeRequest` has an effect in JSON-LD and RDF/XML only. Throws `malformed-rdf` with
 * `errors: [{ line, column, detail }]`, `remote-context` with the address, `invalid-content` for terms that are too long.
 */
export async function parse(text: string, format: Format, options: ParseOptions): Promise<Quad[]> {
  if (format === 'jsonld') return readJsonLd(text, options)
  const isLong = text.length > minChunkedLength && !options.repair && !options.placeRequest
  return isLong ? readLong(text, pieceReader(format, options)) : readWhole(text, format, options)
}

/** Incremental parser for text of any size. */
export function pieceReader(format: Exclude<Format, 'jsonld'>, options: ParseOptions): PieceReader {
  if (format === 'rdfxml') return xmlPieces(options)
  if (format === 'ntriples' || format === 'nquads') return linePieces(format, options)
  return n3Pieces(format, options)
}

function readWhole(
  text: string,
  format: Exclude<Format, 'jsonld'>,
  options: ParseOptions,
): Promise<Quad[]> | Quad[] {
  switch (format) {
    case 'rdfxml':
      return readXml(text, options)
    case 'ntriples':
    case 'nquads':
      return (
        (options.repair
          ? undefined
          : scanChecked(text, new CheckedTerms(options), format === 'nquads')) ??
        readN3(text, format, options)
      )
    case 'turtle':
    case 'trig':
    case 'n3':
      return readN3(text, format, options)
    default:
      throw new Error(`unknown format ${String(format satisfies never)}`)
  }
}

/** In UTF-16 units: minimum size of a text that is parsed in chunks, and the size of a chunk. */
const [minChunkedLength, chunkLength] = [500_000, 65_536]

/** Parses a long text in chunks and yields to the event loop in between. */
async function readLong(text: string, reader: PieceReader): Promise<Quad[]> {
  const quads: Quad[] = []
  for (let at = 0; at < text.length; at += chunkLength) {
    for (const quad of reader.write(text.slice(at, at + chunkLength))) quads.push(quad)
    await nextTurn()
  }
  return quads.concat(reader.end())
}

/**
 * Decodes bytes as UTF-8, as UTF-16 with a byte order mark, or by the charset of `contentType`. Throws `malformed-rdf` with
 * the position of the first invalid byte.
 */
export function decode(bytes: Uint8Array, contentType?: string): string {
  try {
    return decodeText(bytes, { declared: charsetOf(contentType), isStrict: true }).text
  } catch (error) {
    throw error instanceof UndecodableText ? malformed(error.message, error.place, error) : error
  }
}
