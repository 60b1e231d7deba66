/** Where the document of a vocabulary comes from: the platform's own files, the Publications Office, a file, an address. */

import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { formatOfMediaType, formatOfSuffix, formats, type Format } from '../../rdf/media-types.ts'

export type VocabularyDocument = {
  /** How it is called in messages. */
  readonly name: string
  readonly mediaType: string
  readonly bytes: AsyncIterable<Uint8Array>
}

/** The document cannot be had; the message says why. */
export class NoDocument extends Error {}

/** Ids of the vocabularies that come with the platform, ascending. */
export async function bundledIds(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder)
  return files.flatMap((file) => (file.endsWith('.ttl') ? [file.slice(0, -4)] : [])).sort()
}

export const bundledPlace = (folder: string, id: string): string => join(folder, `${id}.ttl`)

const authority = 'http://publications.europa.eu/resource'

/** Names of the SKOS files of tables that are not called like their table. */
const files: Readonly<Record<string, string>> = {
  'corporate-body': 'corporatebodies',
  country: 'countries',
  'file-type': 'filetypes',
  frequency: 'frequencies',
  language: 'languages',
  licence: 'licences',
  place: 'places',
  continent: 'continents',
}

/** Tables whose IRI answers with RDF when RDF is asked for. */
const byIri: ReadonlySet<string> = new Set([
  'access-right',
  'dataset-type',
  'distribution-status',
  'distribution-type',
  'planned-availability',
])

/** Ids of the tables that `officialPlace` knows. */
export const officialIds: readonly string[] = [...Object.keys(files), ...byIri, 'data-theme'].sort()

/** The address of the newest version of an EU authority table. */
export function officialPlace(id: string): string | undefined {
  if (byIri.has(id)) return `${authority}/authority/${id}`
  if (!officialIds.includes(id)) return undefined
  return `${authority}/distribution/${id}/rdf/skos_core/${files[id] ?? id}-skos.rdf`
}

/** Opens a file or an http(s) address. Throws `NoDocument`. */
export const openDocument = (place: string, signal: AbortSignal): Promise<VocabularyDocument> =>
  /^https?:\/\//i.test(place) ? fromWeb(place, signal) : fromFile(place)

async function fromFile(place: string): Promise<VocabularyDocument> {
  const format = formatAt(place)
  if (!format) throw new NoDocument(`${place}: the suffix names no RDF format`)
  const about = await stat(place).catch((cause: unknown) => {
    throw new NoDocument(`${place}: no such file, or no permission to read it`, { cause })
  })
  if (!about.isFile()) throw new NoDocument(`${place}: not a file`)
  const bytes = createReadStream(place, { highWaterMark: 1 << 18 })
  return {
    name: place,
    mediaType: formats[format].mediaType,
    bytes: isZipped(place) ? bytes.pipe(createGunzip()) : bytes,
  }
}

async function fromWeb(place: string, signal: AbortSignal): Promise<VocabularyDocument> {
  // Only formats that the Publications Office and most others make well.
  const headers = { Accept: 'text/turtle, application/rdf+xml;q=0.9, application/n-triples;q=0.8' }
  const answer = await fetch(place, { headers, signal }).catch((cause: unknown) => {
    const late = signal.aborted ? 'no answer in time' : 'no answer'
    throw new NoDocument(`${place}: ${late}`, { cause })
  })
  if (!answer.ok || !answer.body) throw new NoDocument(`${place}: answered ${answer.status}`)
  const { pathname } = new URL(place)
  const told = formatOfMediaType(answer.headers.get('content-type') ?? undefined)
  const format = told ?? formatAt(pathname)
  if (!format) throw new NoDocument(`${place}: neither type nor suffix names an RDF format`)
  const plain = Readable.from(answer.body)
  return {
    name: place,
    mediaType: formats[format].mediaType,
    bytes: isZipped(pathname) ? plain.pipe(createGunzip()) : plain,
  }
}

const isZipped = (path: string) => path.endsWith('.gz')

function formatAt(path: string): Format | undefined {
  const suffix = /\.([A-Za-z0-9]+)$/.exec(path.replace(/\.gz$/, ''))?.[1] ?? ''
  return formatOfSuffix(suffix)
}
