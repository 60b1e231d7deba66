/** RDF text of any format in, checked quads out; every fault is a `Failure` that names its line. */
import type { Quad } from '@rdfjs/types'
import type { Format } from './media-types.ts'
import { CheckedTerms } from './reading/checked-terms.ts'
import { scanChecked } from './reading/line-scanner.ts'
import { readJsonLd } from './reading/json-ld-reader.ts'
import { readN3 } from './reading/n3-reader.ts'
import { malformed, type ParseOptions } from './reading/options.ts'
import { readXml } from './reading/xml-reader.ts'

export type { ParseOptions, Repair } from './reading/options.ts'

/**
 * Parses a whole document. Graph names of TriG, N-Quads and JSON-LD stay on the quads. Blank node labels are unique to
 * the call. Throws `Failure('malformed-rdf')` with `errors: [{ line, column, detail }]`, `Failure('remote-context')`
 * with the address, `Failure('invalid-content')` for over-long terms.
 */
export async function parse(text: string, format: Format, options: ParseOptions): Promise<Quad[]> {
  switch (format) {
    case 'rdfxml':
      return readXml(text, options)
    case 'jsonld':
      return readJsonLd(text, options)
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

/** Bytes as text: UTF-8 without exception, a byte order mark dropped. Throws `malformed-rdf` with the line. */
export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw malformed('the text is not UTF-8', firstBadByte(bytes), cause)
  }
}

const replacement = '\uFFFD'

/** A replacement character that does not stand in the bytes themselves marks the first fault. */
function firstBadByte(bytes: Uint8Array): { line: number; column: number } {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  let offset = text.indexOf(replacement)
  let size = Buffer.byteLength(text.slice(0, offset))
  while (bytes[size] === 0xef && bytes[size + 1] === 0xbf && bytes[size + 2] === 0xbd) {
    const next = text.indexOf(replacement, offset + 1)
    size += Buffer.byteLength(text.slice(offset, next))
    offset = next
  }
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}
