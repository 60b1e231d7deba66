/** Archives of backups: tar (POSIX.1-1988 ustar, large sizes in base 256 as GNU tar writes them), compressed with Zstandard. */

import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { BackupFault } from './backup-fault.ts'

const blockSize = 512
/** Type of a file in a header, `0`; links and directories have others. */
const fileType = 0x30
/** Ending of the names of archives. */
export const archiveEnding = '.tar.zst'

/** Largest size that ustar can write in octal digits. */
const octalMax = 8 ** 11

/** Header of a file (512 bytes). Throws when the path is longer than 100 bytes. */
function headerOf(path: string, size: number, seconds: number): Buffer {
  const header = Buffer.alloc(blockSize)
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for an archive`)
  header.write(path, 0)
  header.write('0000600\0', 100)
  header.write('0000000\0'.repeat(2), 108)
  if (size < octalMax) header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  else {
    header[124] = 0x80
    header.writeBigUInt64BE(BigInt(size), 128)
  }
  header.write(`${seconds.toString(8).padStart(11, '0')}\0`, 136)
  header.write(' '.repeat(8), 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

const paddingOf = (size: number) => (blockSize - (size % blockSize)) % blockSize

/** Blocks of a tar file with files of a directory, in the order of their paths. */
async function* blocksOf(directory: string, paths: readonly string[]): AsyncGenerator<Buffer> {
  for (const path of paths) {
    const { size, mtimeMs } = await stat(join(directory, path))
    yield headerOf(path, size, Math.floor(mtimeMs / 1000))
    for await (const chunk of createReadStream(join(directory, path))) yield chunk
    yield Buffer.alloc(paddingOf(size))
  }
  yield Buffer.alloc(2 * blockSize)
}

const zstandard = () => createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })

/** Files of a directory, in the order of their paths. */
export type ArchivedFiles = { readonly directory: string; readonly paths: readonly string[] }

/** Yields the bytes of an archive with files of a directory. */
export async function* archiveBytes({
  directory,
  paths,
}: ArchivedFiles): AsyncGenerator<Uint8Array> {
  const packed = zstandard()
  const packing = pipeline(Readable.from(blocksOf(directory, paths)), packed)
  // Its failure is that of the reader.
  packing.catch(() => undefined)
  yield* packed
  await packing
}

/** Writes files of a directory into an archive (mode 600), in the order of their paths. */
export async function writeArchive(
  archive: string,
  { directory, paths }: ArchivedFiles,
  signal: AbortSignal | undefined,
): Promise<void> {
  await pipeline(
    Readable.from(blocksOf(directory, paths)),
    zstandard(),
    createWriteStream(archive, { mode: 0o600, flush: true }),
    { ...(signal && { signal }) },
  )
}

/** Path and size of a header; `undefined` at the end of the archive. Throws a `BackupFault` for what is no file. */
function entryOf(header: Buffer): { readonly path: string; readonly size: number } | undefined {
  if (header.every((byte) => byte === 0)) return undefined
  const sum = Number.parseInt(header.toString('latin1', 148, 156), 8)
  const counted = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (sum !== counted) throw new BackupFault('The archive is damaged: a header is not whole.')
  const path = header.toString('utf8', 0, 100).replace(/\0.*$/s, '')
  const size =
    header[124] === 0x80
      ? Number(header.readBigUInt64BE(128))
      : Number.parseInt(header.toString('latin1', 124, 136), 8)
  if (header[156] !== fileType || !(size >= 0))
    throw new BackupFault(`The archive has what no backup has: ${path} is no file.`)
  return { path, size }
}

/** Reads exact numbers of bytes from a stream of chunks. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** At most `most` bytes; throws at the end of the stream. */
  async some(most: number): Promise<Buffer> {
    if (this.#rest.length === 0) {
      const next = await this.#chunks.next()
      if (next.done === true) throw new BackupFault('The archive is damaged: its end is missing.')
      this.#rest = next.value
    }
    const part = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(part.length)
    return part
  }

  async exactly(size: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let left = size; left > 0;) {
      const part = await this.some(left)
      parts.push(part)
      left -= part.length
    }
    return Buffer.concat(parts)
  }

  /** Reads to the end. Throws for anything but zeros. */
  async end(): Promise<void> {
    if (this.#rest.some((byte) => byte !== 0)) throw moreThanFiles()
    for await (const chunk of { [Symbol.asyncIterator]: () => this.#chunks })
      if (chunk.some((byte) => byte !== 0)) throw moreThanFiles()
  }
}

const moreThanFiles = () => new BackupFault('The archive is damaged: it goes on after its end.')

/** Path of an archive, or its bytes with a name for messages. */
export type ArchiveSource =
  | string
  | { readonly name: string; readonly bytes: AsyncIterable<Uint8Array> }

/** Runs `work` with a reader of an archive. Rejects with a `BackupFault` that names the archive where it is damaged. */
async function withReader<T>(
  archive: ArchiveSource,
  signal: AbortSignal | undefined,
  work: (reader: ByteReader) => Promise<T>,
): Promise<T> {
  const unpacked = createZstdDecompress()
  const [name, bytes] =
    typeof archive === 'string'
      ? [archive, createReadStream(archive)]
      : [archive.name, Readable.from(archive.bytes)]
  const reading = pipeline(bytes, unpacked, { ...(signal && { signal }) })
  let cause: unknown
  const ended = reading.catch((error: unknown) => {
    cause = error
  })
  try {
    return await work(new ByteReader(unpacked))
  } catch (error) {
    unpacked.destroy()
    await ended
    // A source that broke off, and not what was read of it.
    if (cause instanceof BackupFault) throw cause
    const isPacking =
      error instanceof Error && 'code' in error && /^Z(?:STD)?_/.test(String(error.code))
    if (!isPacking && !(error instanceof BackupFault)) throw error
    const what = isPacking ? `The archive is damaged (${error.message}).` : error.message
    throw new BackupFault(`${name}: ${what}`, { cause: error })
  } finally {
    unpacked.destroy()
    await ended
  }
}

/** Path of a file of a backup: a name, or one in a folder, none of which begins with a dot. */
const pathOfFile = /^\w[\w.-]*(?:\/\w[\w.-]*)?$/

/**
 * Writes the files of an archive into a directory. Rejects with a `BackupFault` for a damaged archive, for a path that leads out of the
 * directory, and for a file for which there is no room.
 */
export const readArchive = (
  archive: ArchiveSource,
  directory: string,
  signal: AbortSignal | undefined,
): Promise<void> =>
  withReader(archive, signal, async (reader) => {
    const paths = new Set<string>()
    for (let entry = entryOf(await reader.exactly(blockSize)); entry;) {
      const { path, size } = entry
      if (!pathOfFile.test(path) || paths.has(path))
        throw new BackupFault(`The archive has a file that no backup has: ${path}.`)
      paths.add(path)
      const { bavail, bsize } = await statfs(directory)
      if (size > bavail * bsize)
        throw new BackupFault(`There is no space left at ${directory}: ${path} has ${size} bytes.`)
      await writeEntry(reader, join(directory, path), size)
      entry = entryOf(await reader.exactly(blockSize))
    }
    await reader.end()
  })

/** Most bytes of the first file of an archive that is read to tell whose backup it is. */
const mostFirstBytes = 2 ** 20

/** Text of the first file of an archive where it has that path; `undefined` for other archives, damaged ones, and other files. */
export const firstFileOf = (archive: string, path: string): Promise<string | undefined> =>
  withReader(archive, undefined, async (reader) => {
    const entry = entryOf(await reader.exactly(blockSize))
    const isIt = entry?.path === path && entry.size <= mostFirstBytes
    return isIt ? (await reader.exactly(entry.size)).toString('utf8') : undefined
  }).catch((error: unknown) => {
    if (error instanceof BackupFault) return undefined
    throw error
  })

async function writeEntry(reader: ByteReader, path: string, size: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'wx', 0o600)
  try {
    for (let left = size; left > 0;) {
      const part = await reader.some(left)
      await file.writeFile(part)
      left -= part.length
    }
    await file.sync()
  } finally {
    await file.close()
  }
  await reader.exactly(paddingOf(size))
}
