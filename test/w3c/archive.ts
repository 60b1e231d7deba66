/** Reads the packed test suites: a tar file in gzip (POSIX ustar) as path → bytes. */

import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const folder = new URL('../../../shared/data/w3c/', import.meta.url)

const archives = ['rdf11-syntax', 'jsonld11-toRdf', 'sparql11-protocol'] as const
export type Archive = (typeof archives)[number]

const fileOf = (archive: Archive) => new URL(`${archive}.tar.gz`, folder)

export const isThere: boolean = archives.every((name) => existsSync(fileOf(name)))

/** Behind the name of what cannot be run. */
export const note: string = isThere
  ? ''
  : ': the W3C test suites are not in ../shared/data/w3c, so conformance is not tested'

const blockSize = 512

export function unpacked(archive: Archive): ReadonlyMap<string, Uint8Array> {
  const bytes = gunzipSync(readFileSync(fileOf(archive)))
  const files = new Map<string, Uint8Array>()
  const field = (at: number, length: number) =>
    bytes.toString('latin1', at, at + length).replace(/\0[^]*$/, '')
  for (let at = 0; at < bytes.length && bytes[at] !== 0;) {
    const size = Number.parseInt(field(at + 124, 12), 8)
    const start = at + blockSize
    const directory = field(at + 345, 155)
    const name = directory === '' ? field(at, 100) : `${directory}/${field(at, 100)}`
    if (field(at + 156, 1) !== '5') files.set(name, bytes.subarray(start, start + size))
    at = start + Math.ceil(size / blockSize) * blockSize
  }
  return files
}
