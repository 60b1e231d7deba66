/**
 * Bytes as text: by their byte order mark, as UTF-8 where that fits, else in the charset that is declared, else in Windows-1252. One
 * pass in bounded memory: ASCII means the same in all of these, so that the first bytes beyond it decide, and no text is read twice.
 */

import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'

/** Charset and strictness for decoding bytes. */
export type DecodingOptions = {
  /** The charset that a `Content-Type` names. */
  readonly declared?: string
  /** Whether bytes that are neither UTF-8 nor in a declared charset are refused. */
  readonly isStrict?: boolean
}

/** Both count from 1, columns in UTF-16 units. */
type TextPlace = { readonly line: number; readonly column: number }

/** Bytes that are no text. */
export class UndecodableText extends Error {
  readonly place: TextPlace
  constructor(detail: string, place: TextPlace) {
    super(detail)
    this.name = 'UndecodableText'
    this.place = place
  }
}

/** The charset of a `Content-Type`, as it is written there. */
export const charsetOf = (contentType: string | null | undefined): string | undefined =>
  /;\s*charset\s*=\s*["']?([^\s"';,]{1,40})/i.exec(contentType ?? '')?.[1]

/** Whether there is a decoder for the name of a charset (WHATWG Encoding). */
export const isCharset = (name: string): boolean => decoderOf(name) !== undefined

function decoderOf(name: string, fatal = false): TextDecoder | undefined {
  try {
    return new TextDecoder(name, { fatal })
  } catch {
    return undefined
  }
}

const usualFallback = 'windows-1252'
const marks: readonly (readonly [RegExp, string])[] = [
  [/^(?:\xff\xfe\0\0|\0\0\xfe\xff)/, 'utf-32'],
  // Without a mark (XML 1.0, appendix F, and RFC 4627, 3): a document begins with two ASCII characters.
  [/^(?:\xff\xfe|[^\0]\0[^\0]\0)/, 'utf-16le'],
  [/^(?:\xfe\xff|\0[^\0]\0[^\0])/, 'utf-16be'],
]
const xmlEncoding = /^(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/

/** Bytes of an XML declaration, and bytes beyond ASCII that are looked at before it is decided what they are. */
const [headSize, windowSize] = [256, 65_536]

// UTF-8 beyond ASCII (Unicode, table 3-7) over bytes as Latin-1, or a byte that is none.
const beyondAscii =
  /([\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})|[\x80-\xff]/g
const unfinished = /(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})$/

const latin = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/** UTF-8 with bytes between that are none: each of them is read as Windows-1252. */
const mended = (bytes: Uint8Array): string =>
  Buffer.from(
    latin(bytes).replace(beyondAscii, (found, valid) =>
      valid === undefined
        ? Buffer.from(new TextDecoder(usualFallback).decode(Buffer.from(found, 'latin1'))).toString(
            'latin1',
          )
        : found,
    ),
    'latin1',
  ).toString()

/** A text whose bytes come piece by piece. */
export class TextDecoding {
  /** Assumption that was made about the charset, as a sentence; `undefined` for UTF-8, for text with a byte order mark, and for XML in the encoding that it declares. */
  assumption: string | undefined
  readonly #options: DecodingOptions
  readonly #window: number
  #held: Uint8Array = new Uint8Array()
  #state: 'start' | 'ascii' | 'utf-8' = 'start'
  #other: TextDecoder | undefined
  #xmlEncoding: string | undefined
  #line = 1
  #column = 1

  constructor(options: DecodingOptions = {}, window = windowSize) {
    this.#options = options
    this.#window = window
  }

  /** The text that is certain now. Throws `UndecodableText`. */
  write(bytes: Uint8Array): string {
    return this.#take(bytes, false)
  }

  /** The rest of the text. Throws `UndecodableText`. */
  end(): string {
    return this.#take(new Uint8Array(), true)
  }

  #take(bytes: Uint8Array, isEnd: boolean): string {
    if (this.#other) return this.#counted(this.#decoded(this.#other, bytes, isEnd))
    const all = this.#held.length > 0 ? Buffer.concat([this.#held, bytes]) : bytes
    if (this.#state === 'start') {
      if (all.length < headSize && !isEnd) return this.#hold(all)
      return this.#begin(all, isEnd)
    }
    if (this.#state === 'ascii' && !isAscii(all)) {
      const at = all.findIndex((byte) => byte > 0x7f)
      if (!isEnd && all.length - at < this.#window) {
        this.#hold(all.subarray(at))
        return this.#counted(latin(all.subarray(0, at)))
      }
      const text = this.#counted(latin(all.subarray(0, at)))
      this.#decide(all.subarray(at, at + this.#window), isEnd)
      this.#held = new Uint8Array()
      return text + this.#take(all.subarray(at), isEnd)
    }
    return this.#utf8(all, isEnd)
  }

  #hold(bytes: Uint8Array): '' {
    this.#held = bytes
    return ''
  }

  #begin(all: Uint8Array, isEnd: boolean): string {
    const head = latin(all.subarray(0, headSize))
    const [, marked] = marks.find(([mark]) => mark.test(head)) ?? []
    this.#held = new Uint8Array()
    this.#state = 'ascii'
    this.#xmlEncoding = xmlEncoding.exec(head)?.[1]
    if (marked !== undefined) {
      this.#other = decoderOf(marked, this.#options.isStrict)
      if (!this.#other)
        throw new UndecodableText(
          `the text is ${marked.toUpperCase()}, which is not read: send UTF-8`,
          this.#place,
        )
      return this.#take(all, isEnd)
    }
    return this.#take(head.startsWith('\xef\xbb\xbf') ? all.subarray(3) : all, isEnd)
  }

  /** By bytes that begin with the first beyond ASCII. */
  #decide(window: Uint8Array, isEnd: boolean): void {
    const bytes = isEnd ? window : whole(window)
    this.#state = 'utf-8'
    if (isUtf8(bytes)) return
    const { isStrict = false, declared } = this.#options
    const own = this.#xmlEncoding
    const charset = [own, declared].find((name) => name !== undefined && isOther(name))
    const found = [...latin(bytes.subarray(0, windowSize)).matchAll(beyondAscii)]
    const validCount = found.filter(([, valid]) => valid !== undefined).length
    // By chance a text in another charset has hardly any sequence that is UTF-8: one in four is none of chance.
    if (isStrict ? charset === undefined : validCount * 4 >= found.length) return
    this.#other = decoderOf(charset ?? usualFallback, isStrict)
    if (this.#other && (charset === undefined || charset !== own)) {
      const why = charset === undefined ? 'which nothing declares' : 'as its Content-Type says'
      this.assumption = `The text is not UTF-8 from line ${this.#line} on; it was read as ${this.#other.encoding}, ${why}.`
    }
  }

  #utf8(all: Uint8Array, isEnd: boolean): string {
    const bytes = isEnd ? all : whole(all)
    this.#held = all.subarray(bytes.length)
    if (isUtf8(bytes)) return this.#counted(Buffer.from(bytes).toString())
    const bad = latin(bytes)
      .matchAll(beyondAscii)
      .find(([, valid]) => valid === undefined)
    const before = Buffer.from(bytes.subarray(0, bad?.index)).toString()
    const text = mended(bytes)
    this.#counted(before)
    if (this.#options.isStrict) throw new UndecodableText('the text is not UTF-8', this.#place)
    this.assumption ??= `Some bytes are not UTF-8, the first in line ${this.#line}; they were read as ${usualFallback}.`
    this.#counted(text.slice(before.length))
    return text
  }

  /** A charset may have bytes without a meaning: a strict reader refuses them, others leave them out. */
  #decoded(decoder: TextDecoder, bytes: Uint8Array, isEnd: boolean): string {
    try {
      const text = decoder.decode(bytes, { stream: !isEnd })
      if (!text.includes('\uFFFD')) return text
      const lost = `Bytes that are not ${decoder.encoding} were left out.`
      if (!this.assumption?.endsWith(lost))
        this.assumption = `${this.assumption ?? ''} ${lost}`.trim()
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
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#line += 1
    return text
  }
}

/** Without the beginning of a sequence that goes on in the next piece. */
function whole(bytes: Uint8Array): Uint8Array {
  const rest = unfinished.exec(latin(bytes.subarray(-3)))?.[0].length ?? 0
  return bytes.subarray(0, bytes.length - rest)
}

/** Whether a name is that of a charset beside UTF-8. UTF-16 would have shown itself at the start. */
function isOther(name: string): boolean {
  const encoding = decoderOf(name)?.encoding ?? 'utf-8'
  return !encoding.startsWith('utf-')
}

/** Bytes that are all there, and what had to be assumed of them. Throws `UndecodableText`. */
export function decodeText(
  bytes: Uint8Array,
  options: DecodingOptions = {},
): { readonly text: string; readonly assumption: string | undefined } {
  const decoding = new TextDecoding(options, Infinity)
  const text = decoding.write(bytes) + decoding.end()
  return { text, assumption: decoding.assumption }
}
