/** The document of an import, wherever it is: a file, an address on the web, standard input. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { formatOfMediaType, formatOfSuffix, formats, type Format } from '../../rdf/media-types.ts'

export type Source = {
  /** How the document is called in messages. */
  readonly name: string
  readonly bytes: AsyncIterable<Uint8Array>
  readonly format: Format
  /** Relative references are resolved against it. */
  readonly baseIri: string
  /** Bytes to come, when that is known. */
  readonly size?: number
}

/** The document cannot be opened or its format is unknown; the message says which argument would help. */
export class NoSource extends Error {}

export type SourceOptions = {
  /** A path, an http(s) address, or `-`. */
  readonly place: string
  /** Name, suffix or media type of an RDF format; beats what the place says. */
  readonly format?: string
  readonly baseIri?: string
  readonly stdin: AsyncIterable<Uint8Array>
}

// Common names that belong to no RDF format by registration.
const lenient: Readonly<Record<string, Format>> = {
  json: 'jsonld',
  xml: 'rdfxml',
  owl: 'rdfxml',
  'application/json': 'jsonld',
  'application/xml': 'rdfxml',
  'text/xml': 'rdfxml',
}
const isFormat = (name: string): name is Format => Object.hasOwn(formats, name)

/** A format by name (`ntriples`), suffix (`nt`) or media type; `undefined` when it is none of ours. */
export function formatCalled(name: string): Format | undefined {
  if (isFormat(name)) return name
  const bare = name.split(';')[0]?.trim().toLowerCase() ?? ''
  return formatOfSuffix(name) ?? formatOfMediaType(name) ?? lenient[bare]
}

const isZipped = (path: string) => path.endsWith('.gz')
const suffixOf = (path: string) => /\.([A-Za-z0-9]+)$/.exec(path.replace(/\.gz$/, ''))?.[1] ?? ''

/** Opens the document. Throws `NoSource`. */
export async function openSource(options: SourceOptions, signal: AbortSignal): Promise<Source> {
  const wanted = options.format === undefined ? undefined : formatCalled(options.format)
  if (options.format !== undefined && !wanted)
    throw new NoSource(`--format ${options.format}: use one of ${Object.keys(formats).join(', ')}`)
  if (options.place === '-') return fromStdin(options, wanted)
  return /^https?:\/\//i.test(options.place)
    ? fromWeb(options, wanted, signal)
    : fromFile(options, wanted)
}

function fromStdin(options: SourceOptions, format: Format | undefined): Source {
  if (!format) throw new NoSource('standard input has no suffix: give --format')
  const baseIri = options.baseIri ?? 'file:///stdin'
  return { name: 'standard input', bytes: options.stdin, format, baseIri }
}

async function fromFile(options: SourceOptions, wanted: Format | undefined): Promise<Source> {
  const { place } = options
  const format = wanted ?? formatCalled(suffixOf(place))
  if (!format) throw new NoSource(`${place}: the suffix names no RDF format: give --format`)
  const about = await stat(place).catch((error: unknown) => {
    throw new NoSource(`${place}: no such file, or no permission to read it`, { cause: error })
  })
  if (!about.isFile()) throw new NoSource(`${place}: not a file`)
  // Only the name: where a file lies on this machine is nobody's business.
  const baseIri = options.baseIri ?? new URL(encodeURIComponent(basename(place)), 'file:///').href
  const bytes = createReadStream(place, { highWaterMark: 1 << 18 })
  return isZipped(place)
    ? { name: place, bytes: bytes.pipe(createGunzip()), format, baseIri }
    : { name: place, bytes, format, baseIri, size: about.size }
}

async function fromWeb(
  options: SourceOptions,
  wanted: Format | undefined,
  signal: AbortSignal,
): Promise<Source> {
  const { place } = options
  const accept = [...Object.values(formats).map((format) => format.mediaType), '*/*;q=0.1']
  const response = await fetch(place, { headers: { accept: accept.join(', ') }, signal }).catch(
    (error: unknown) => {
      throw new NoSource(`${place}: no answer`, { cause: error })
    },
  )
  if (!response.ok || !response.body) throw new NoSource(`${place}: answered ${response.status}`)
  const { pathname } = new URL(place)
  const told = formatCalled(response.headers.get('content-type') ?? '')
  const format = wanted ?? told ?? formatCalled(suffixOf(pathname))
  if (!format)
    throw new NoSource(`${place}: neither type nor suffix names an RDF format: give --format`)
  const plain = Readable.from(response.body)
  const bytes = isZipped(pathname) ? plain.pipe(createGunzip()) : plain
  return { name: place, bytes, format, baseIri: options.baseIri ?? place }
}
