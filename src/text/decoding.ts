/**
 * Decodes bytes to text: by their byte order mark, else as UTF-8 where that is valid, else in the charset of the XML declaration
 * or the `Content-Type`, else in Windows-1252. UTF-8 with some invalid bytes stays UTF-8, and these are read as Windows-1252. It
 * takes one pass and bounded memory: ASCII is the same in all of these, so the first bytes beyond ASCII decide.
 */

import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'

/** Charset and strictness for decoding bytes. */
export type DecodingOptions = {
  /** Charset of the `Content-Type`. */
  readonly declared?: string
  /** Whether bytes that are neither UTF-8 nor valid in a declared charset throw `UndecodableText`. */
  readonly isStrict?: boolean
}

/** Place in a text; both count from 1, columns in UTF-16 units. */
type TextPlace = { readonly line: number; readonly column: number }

/** Error of bytes that cannot be decoded, with the place up to which the text was decoded: at or before the first of them. */
export class UndecodableText extends Error {
  readonly place: TextPlace
  constructor(detail: string, place: TextPlace) {
    super(detail)
    this.name = 'UndecodableText'
    this.place = place
  }
}

/** Returns the charset of a `Content-Type`, as it is written there. */
export const charsetOf = (contentType: string | null | undefined): string | undefined =>
  /;\s*charset\s*=\s*["']?([^\s"';,]{1,40})/i.exec(contentType ?? '')?.[1]

/** Tells whether there is a decoder for the name of a charset (WHATWG Encoding). */
export const isCharset = (name: string): boolean => decoderOf(name) !== undefined

function decoderOf(name: string, fatal = false): TextDecoder | undefined {
  try {
    return new TextDecoder(name, { fatal })
  } catch {
    return undefined
  }
}

const usualFallback = 'windows-1252'
/** Encodings by the first bytes of a text, as Latin-1. */
const marks: readonly (readonly [RegExp, string])[] = [
  [/^(?:\xff\xfe\0\0|\0\0\xfe\xff)/, 'utf-32'],
  // Without a mark (XML 1.0, appendix F, and RFC 4627, 3): a document begins with two ASCII characters.
  [/^(?:\xff\xfe|[^\0]\0[^\0]\0)/, 'utf-16le'],
  [/^(?:\xfe\xff|\0[^\0]\0[^\0])/, 'utf-16be'],
]
const xmlEncoding = /^(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/

/** Number of bytes that may hold an XML declaration, and of bytes from the first beyond ASCII that decide on the charset. */
const [headSize, windowSize] = [256, 65_536]

// Matches bytes as Latin-1: a valid UTF-8 sequence beyond ASCII (Unicode, table 3-7; group 1), or one invalid byte.
const beyondAscii =
  /([\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})|[\x80-\xff]/g
const unfinished = /(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})$/

const latin = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/** Decodes UTF-8 with invalid bytes; each of these is read as Windows-1252. */
const decodeMixed = (bytes: Uint8Array): string =>
  Buffer.from(
    latin(bytes).replace(beyondAscii, (match, valid) =>
      valid === undefined
        ? Buffer.from(new TextDecoder(usualFallback).decode(Buffer.from(match, 'latin1'))).toString(
            'latin1',
          )
        : match,
    ),
    'latin1',
  ).toString()

/** Decoder of a text whose bytes arrive in pieces. */
export class TextDecoding {
  /**
   * Assumption that was made about the charset, in sentences; `undefined` for ASCII, UTF-8, text with a byte order mark, and XML
   * in the encoding that it declares, unless bytes were invalid.
   */
  assumption: string | undefined
  readonly #options: DecodingOptions
  readonly #window: number
  #pending: Uint8Array = new Uint8Array()
  #state: 'start' | 'ascii' | 'utf-8' = 'start'
  #decoder: TextDecoder | undefined
  #xmlEncoding: string | undefined
  #line = 1
  #column = 1

  constructor(options: DecodingOptions = {}, window = windowSize) {
    this.#options = options
    this.#window = window
  }

  /** Adds bytes and returns the text that can be decoded by now. Throws `UndecodableText`. */
  write(bytes: Uint8Array): string {
    return this.#decode(bytes, false)
  }

  /** Returns the remaining text. Throws `UndecodableText`. */
  end(): string {
    return this.#decode(new Uint8Array(), true)
  }

  #decode(bytes: Uint8Array, isEnd: boolean): string {
    if (this.#decoder) return this.#counted(this.#decoded(this.#decoder, bytes, isEnd))
    const available = this.#pending.length > 0 ? Buffer.concat([this.#pending, bytes]) : bytes
    if (this.#state === 'start') {
      if (available.length < headSize && !isEnd) return this.#hold(available)
      return this.#begin(available, isEnd)
    }
    if (this.#state === 'ascii' && !isAscii(available)) {
      const firstIndex = available.findIndex((byte) => byte > 0x7f)
      if (!isEnd && available.length - firstIndex < this.#window) {
        this.#hold(available.subarray(firstIndex))
        return this.#counted(latin(available.subarray(0, firstIndex)))
      }
      const text = this.#counted(latin(available.subarray(0, firstIndex)))
      this.#decide(available.subarray(firstIndex, firstIndex + this.#window), isEnd)
      this.#pending = new Uint8Array()
      return text + this.#decode(available.subarray(firstIndex), isEnd)
    }
    return this.#utf8(available, isEnd)
  }

  #hold(bytes: Uint8Array): '' {
    this.#pending = bytes
    return ''
  }

  #begin(available: Uint8Array, isEnd: boolean): string {
    const head = latin(available.subarray(0, headSize))
    const [, marker] = marks.find(([mark]) => mark.test(head)) ?? []
    this.#pending = new Uint8Array()
    this.#state = 'ascii'
    this.#xmlEncoding = xmlEncoding.exec(head)?.[1]
    if (marker !== undefined) {
      this.#decoder = decoderOf(marker, this.#options.isStrict)
      if (!this.#decoder)
        throw new UndecodableText(
          `the text is ${marker.toUpperCase()}, which is not read: send UTF-8`,
          this.#place,
        )
      return this.#decode(available, isEnd)
    }
    return this.#decode(head.startsWith('\xef\xbb\xbf') ? available.subarray(3) : available, isEnd)
  }

  /** Chooses the charset by bytes that begin with the first one beyond ASCII. */
  #decide(window: Uint8Array, isEnd: boolean): void {
    const bytes = isEnd ? window : completeSequences(window)
    this.#state = 'utf-8'
    if (isUtf8(bytes)) return
    const { isStrict = false, declared } = this.#options
    const xmlCharset = this.#xmlEncoding
    const charset = [xmlCharset, declared].find(
      (name) => name !== undefined && isOtherCharset(name),
    )
    const sequences = [...latin(bytes.subarray(0, windowSize)).matchAll(beyondAscii)]
    const validCount = sequences.filter(([, valid]) => valid !== undefined).length
    // A text in another charset hardly contains valid UTF-8 sequences: with one valid in four, the text is faulty UTF-8.
    if (isStrict ? charset === undefined : validCount * 4 >= sequences.length) return
    this.#decoder = decoderOf(charset ?? usualFallback, isStrict)
    if (this.#decoder && (charset === undefined || charset !== xmlCharset)) {
      const why = charset === undefined ? 'which nothing declares' : 'as its Content-Type says'
      this.assumption = `The text is not UTF-8 from line ${this.#line} on; it was read as ${this.#decoder.encoding}, ${why}.`
    }
  }

  #utf8(available: Uint8Array, isEnd: boolean): string {
    const bytes = isEnd ? available : completeSequences(available)
    this.#pending = available.subarray(bytes.length)
    if (isUtf8(bytes)) return this.#counted(Buffer.from(bytes).toString())
    const bad = latin(bytes)
      .matchAll(beyondAscii)
      .find(([, valid]) => valid === undefined)
    const validText = Buffer.from(bytes.subarray(0, bad?.index)).toString()
    const text = decodeMixed(bytes)
    this.#counted(validText)
    if (this.#options.isStrict) throw new UndecodableText('the text is not UTF-8', this.#place)
    this.assumption ??= `Some bytes are not UTF-8, the first in line ${this.#line}; they were read as ${usualFallback}.`
    this.#counted(text.slice(validText.length))
    return text
  }

  /** Decodes with a decoder; bytes that the charset does not define are left out, or refused when `isStrict`. */
  #decoded(decoder: TextDecoder, bytes: Uint8Array, isEnd: boolean): string {
    try {
      const text = decoder.decode(bytes, { stream: !isEnd })
      if (!text.includes('\uFFFD')) return text
      const note = `Bytes that are not ${decoder.encoding} were left out.`
      if (!this.assumption?.endsWith(note))
        this.assumption = `${this.assumption ?? ''} ${note}`.trim()
      return text.replaceAll('\uFFFD', '')
    } catch {
      throw new UndecodableText(`the text is not ${decoder.encoding}`, this.#place)
    }
  }

  get #place(): TextPlace {
    return { line: this.#line, column: this.#column }
  }

  #counted(text: string): string {
    const last = text.lastIndexOf('\n')
    this.#column = last < 0 ? this.#column + text.length : text.length - last
    for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1))
      this.#line += 1
    return text
  }
}

/** Returns the bytes without an incomplete UTF-8 sequence at the end, which the next piece completes. */
function completeSequences(bytes: Uint8Array): Uint8Array {
  const incompleteBytes = unfinished.exec(latin(bytes.subarray(-3)))?.[0].length ?? 0
  return bytes.subarray(0, bytes.length - incompleteBytes)
}

/** Tells whether a name is that of a charset other than UTF-8; UTF-16 was recognised at the start of the text. */
function isOtherCharset(name: string): boolean {
  const encoding = decoderOf(name)?.encoding ?? 'utf-8'
  return !encoding.startsWith('utf-')
}

/** Decodes complete bytes; `assumption` as in `TextDecoding`. Throws `UndecodableText`. */
export function decodeText(
  bytes: Uint8Array,
  options: DecodingOptions = {},
): { readonly text: string; readonly assumption: string | undefined } {
  const decoding = new TextDecoding(options, Infinity)
  const text = decoding.write(bytes) + decoding.end()
  return { text, assumption: decoding.assumption }
}
