/** Texts as compressed columns of tables: compressed for speed rather than for size, because there may be a million of them. */

import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Compresses a text; the empty one has no bytes. */
export const packText = (text: string): Uint8Array =>
  text === '' ? new Uint8Array() : deflateRawSync(text, { level: 1 })

/** Reads a text that `packText` has compressed; `''` for values of other types. */
export const unpackText = (blob: unknown): string =>
  blob instanceof Uint8Array && blob.length > 0 ? inflateRawSync(blob).toString('utf8') : ''
