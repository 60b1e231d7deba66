/** Opens an RDF document given to a command: standard input, or a file or web address, which gzip may have compressed (`.gz`). */

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { WrongUsage } from '../errors.ts'
import { charsetOf } from '../text/decoding.ts'
import { formatByName, formats, type Format } from './media-types.ts'

/** Document that is being read. */
export type OpenDocument = {
  /** Name in messages. */
  readonly name: string
  readonly bytes: AsyncIterable<Uint8Array>
  readonly format: Format
  /** Charset of the `Content-Type`. */
  readonly charset?: string
  /** Base of relative references. */
  readonly baseIri: string
  /** Size in bytes, if known. */
  readonly size?: number
}

type DocumentOptions = {
  /** A path, an http(s) address, or `-`. */
  readonly location: string
  /** Name, suffix or media type of an RDF format; takes precedence over the location. */
  readonly format?: string
  /** Base of relative references; by default the web address, or a `file:` IRI without folders. */
  readonly baseIri?: string
  /** Needed for `-` only. */
  readonly stdin?: AsyncIterable<Uint8Array>
}

/** Opens the document. Throws `WrongUsage` if it cannot be opened or its format is unknown. */
export async function openDocument(
  { location, format, baseIri, stdin }: DocumentOptions,
  signal: AbortSignal,
): Promise<OpenDocument> {
  const formatOption = format === undefined ? undefined : formatByName(format)
  if (format !== undefined && !formatOption)
    throw new WrongUsage(`--format ${format}: use one of ${Object.keys(formats).join(', ')}`)
  const isWeb = /^https?:\/\//i.test(location)
  const document = isWeb
    ? fromWeb(location, formatOption, signal)
    : fromFile(location, formatOption, stdin)
  return { ...(await document), ...(baseIri !== undefined && { baseIri }) }
}

async function fromFile(
  path: string,
  formatOption: Format | undefined,
  stdin: AsyncIterable<Uint8Array> | undefined,
): Promise<OpenDocument> {
  if (path === '-' && stdin) {
    const format = requireFormat(formatOption, 'standard input')
    return { name: 'standard input', bytes: stdin, format, baseIri: 'file:///stdin' }
  }
  const format = requireFormat(formatOption ?? formatAt(path), path)
  const facts = await stat(path).catch((cause: unknown) => {
    throw new WrongUsage(`${path}: no such file, or no permission to read it`, { cause })
  })
  if (!facts.isFile()) throw new WrongUsage(`${path}: not a file`)
  // Only the file name, because paths of this machine must not be published.
  const baseIri = new URL(encodeURIComponent(basename(path)), 'file:///').href
  const bytes = decompressed(createReadStream(path, { highWaterMark: 1 << 18 }), path)
  return { name: path, bytes, format, baseIri, ...(!isGzip(path) && { size: facts.size }) }
}

async function fromWeb(
  address: string,
  formatOption: Format | undefined,
  signal: AbortSignal,
): Promise<OpenDocument> {
  const accept = [...Object.values(formats).map(({ mediaType }) => mediaType), '*/*;q=0.1']
  const headers = { accept: accept.join(', ') }
  const answer = await fetch(address, { headers, signal }).catch((cause: unknown) => {
    throw new WrongUsage(`${address}: no answer`, { cause })
  })
  if (!answer.ok || !answer.body) throw new WrongUsage(`${address}: answered ${answer.status}`)
  const { pathname } = new URL(address)
  const contentType = answer.headers.get('content-type')
  const typeFormat = formatByName(contentType ?? '')
  const format = requireFormat(formatOption ?? typeFormat ?? formatAt(pathname), address)
  const bytes = decompressed(Readable.from(answer.body), pathname)
  return { name: address, bytes, format, charset: charsetOf(contentType), baseIri: address }
}

const isGzip = (path: string): boolean => path.endsWith('.gz')
const decompressed = (bytes: Readable, path: string): Readable =>
  isGzip(path) ? bytes.pipe(createGunzip()) : bytes

function requireFormat(format: Format | undefined, name: string): Format {
  if (format) return format
  throw new WrongUsage(`${name}: neither its type nor its suffix names an RDF format`)
}

const formatAt = (path: string): Format | undefined =>
  formatByName(/\.([A-Za-z0-9]+)$/.exec(path.replace(/\.gz$/, ''))?.[1] ?? '')
