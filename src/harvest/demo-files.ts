/**
 * Files of the demonstration. The sample catalogues name addresses on hosts that do not exist. If the folder of a host has a
 * file for such an address, the demonstration serves it locally and imports the local address instead; likewise pages of datasets
 * and links that fail on purpose.
 */

import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Files that the sample catalogues link to, served locally. */
export type DemoFiles = {
  /** Answers a request for a local address: `/`, host, path. */
  readonly answer: (request: Request) => Promise<Response>
  /** Replaces addresses in the text of a catalogue by the local ones below `url`. */
  readonly relocate: (text: string, url: string) => string
}

/** Addresses (without scheme) that fail on purpose, to show dead links, with their status. */
export const demoFailures: ReadonlyMap<string, number> = new Map([
  ['daten.auenfeld.example/files/stromverbrauch/strom.parquet', 404],
  ['data.three-rivers.example/files/drought-bulletin/bulletin-2026-05.pdf', 410],
])

const typeBySuffix: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  geojson: 'application/geo+json',
  gpkg: 'application/geopackage+sqlite3',
  gz: 'application/gzip',
  html: 'text/html',
  ics: 'text/calendar',
  jpg: 'image/jpeg',
  json: 'application/json',
  jsonld: 'application/ld+json',
  kml: 'application/vnd.google-earth.kml+xml',
  nc: 'application/netcdf',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  pdf: 'application/pdf',
  rss: 'application/rss+xml',
  tif: 'image/tiff',
  tsv: 'text/tab-separated-values',
  ttl: 'text/turtle',
  txt: 'text/plain',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
}

/** Opens the files of a folder that has a folder for each host; reads their names only. */
export async function openDemoFiles(folder: string): Promise<DemoFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
  // An API description answers at the address of its folder.
  const files = new Map(
    names.flatMap((name) => [name, interfaceOf(name)].map((address) => [address, name])),
  )
  const pages = pagesOf([...names, ...demoFailures.keys()])
  const isServed = (address: string) =>
    files.has(address) || pages.has(address) || demoFailures.has(address)
  const relocate: DemoFiles['relocate'] = (text, url) =>
    text.replace(/https:\/\/([\w.-]+\.example\/[^\s<>"?]+)/g, (link, address: string) =>
      isServed(address) ? `${url}/${address}` : link,
    )
  return {
    answer: async (request) => {
      const { origin, pathname } = new URL(request.url)
      const address = pathname.slice(1)
      const file = files.get(address)
      if (file === undefined) return otherAnswer(address, pages.get(address), request)
      const [bytes, { mtime }] = await Promise.all([
        readFile(join(folder, file)),
        stat(join(folder, file)),
      ])
      // JSON and XML may be descriptions of APIs, which reference each other.
      const isDescription = /\.(?:json|xml)$/.test(file)
      const body = isDescription ? Buffer.from(relocate(bytes.toString(), origin)) : bytes
      return fileAnswer({ file, bytes: body, mtime }, request)
    },
    relocate,
  }
}

/** Address of an API whose description is a file `index` with any suffix; the name itself for other files. */
const interfaceOf = (name: string): string => name.replace(/\/index\.\w+$/, '')

/** Pages of datasets by their addresses, with the names of the files that each lists. */
function pagesOf(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const pages = new Map<string, string[]>()
  for (const name of names) {
    const [, host, dataset] = /^([^/]+)\/files\/([^/]+)\//.exec(name) ?? []
    if (host === undefined) continue
    const page = `${host}/dataset/${dataset}.html`
    pages.set(page, [...(pages.get(page) ?? []), name])
  }
  return pages
}

const commonHeaders = { 'Access-Control-Allow-Origin': '*' }

type ServedFile = {
  readonly file: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly mtime: Date
}

/** Answers with a file, its validators and its media type, or 304. */
function fileAnswer({ file, bytes, mtime }: ServedFile, request: Request): Response {
  const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`
  const headers = { ...commonHeaders, ETag: etag, 'Last-Modified': mtime.toUTCString() }
  if (request.headers.get('If-None-Match') === etag)
    return new Response(null, { status: 304, headers })
  const type = typeBySuffix[/\.(\w+)$/.exec(file)?.[1] ?? ''] ?? 'application/octet-stream'
  const charset = isUtf8(bytes) ? 'utf-8' : 'iso-8859-1'
  const contentType = type.startsWith('text/') ? `${type}; charset=${charset}` : type
  const bodyHeaders = { 'Content-Type': contentType, 'Content-Length': String(bytes.length) }
  const body = request.method === 'HEAD' ? null : bytes
  return new Response(body, { headers: { ...headers, ...bodyHeaders } })
}

/** Answers the page of a dataset, a link that fails on purpose, or 404. */
function otherAnswer(
  address: string,
  page: readonly string[] | undefined,
  { method }: Request,
): Response {
  const status = page ? 200 : (demoFailures.get(address) ?? 404)
  const text = page ? pageText(address, page) : failureText(address)
  const headers = {
    ...commonHeaders,
    'Content-Type': `text/${page ? 'html' : 'plain'}; charset=utf-8`,
  }
  return new Response(method === 'HEAD' ? null : text, { status, headers })
}

const failureText = (address: string): string =>
  demoFailures.has(address)
    ? 'This link fails on purpose: the demonstration shows what a portal says about a dead link.\n'
    : 'The demonstration has no file here.\n'

/** Page of a dataset; the names of bundled files need no HTML escaping. */
const pageText = (address: string, names: readonly string[]): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${address}</title>
<h1>${address}</h1><p>This page belongs to the demonstration of Cartulary. Everything here is made up.
<ul>${names.map((name) => `<li><a href="/${name}">${name}</a>`).join('')}</ul>`
