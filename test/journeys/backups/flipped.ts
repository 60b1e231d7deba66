/** Copies of a backup with one byte that is another one. */

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Paths of the files of a directory, relative to it. */
export const filesOf = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))

/** Changes the lowest bit of a byte. */
const flip = (bytes: Buffer, at: number) => bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)

/** Path, place and size of each file of an unpacked archive. */
export function* membersOf(tar: Buffer): Generator<{ path: string; at: number; size: number }> {
  for (let at = 0; tar.readUInt8(at) !== 0;) {
    const path = tar.toString('latin1', at, at + 100).replace(/\0.*$/s, '')
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8)
    yield { path, at: at + 512, size }
    at += 512 + Math.ceil(size / 512) * 512
  }
}

/** Yields what `verify` has to name, and a copy in which it is damaged: each file, also those in an archive, and the archive itself. */
export function* flipped(backup: string, folder: string): Generator<readonly [string, string]> {
  const copyOf = (n: number) => join(folder, String(n), basename(backup))
  let n = 0
  if (!backup.endsWith('.tar.zst')) {
    for (const file of filesOf(backup)) {
      const copy = copyOf((n += 1))
      cpSync(backup, copy, { recursive: true })
      const bytes = readFileSync(join(copy, file))
      flip(bytes, bytes.length >> 1)
      writeFileSync(join(copy, file), bytes)
      yield [file, copy]
    }
    return
  }
  const write = (bytes: Buffer) => {
    const copy = copyOf((n += 1))
    mkdirSync(join(copy, '..'))
    writeFileSync(copy, bytes)
    return copy
  }
  const packed = readFileSync(backup)
  const tar = zstdDecompressSync(packed)
  for (const { path, at, size } of membersOf(tar)) {
    const bytes = Buffer.from(tar)
    flip(bytes, at + (size >> 1))
    yield [path, write(zstdCompressSync(bytes))]
  }
  // Data of a block, and the head of the frame.
  for (const at of [packed.length >> 1, 6]) {
    const bytes = Buffer.from(packed)
    flip(bytes, at)
    yield [basename(backup), write(bytes)]
  }
}
