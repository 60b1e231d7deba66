/** Temporary files for documents that do not fit into memory. */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Bytes on disk that can be read as often as wanted. */
export type Spilled = {
  readonly bytes: () => AsyncIterable<Uint8Array>
  readonly remove: () => Promise<void>
}

/** Writes the bytes below `scratch`; what was written is gone when that fails. */
export async function spillFile(
  scratch: string,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Spilled> {
  await mkdir(scratch, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(scratch, 'import-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const path = join(folder, 'document')
  try {
    await pipeline(Readable.from(bytes), createWriteStream(path, { mode: 0o600 }), { signal })
  } catch (error) {
    await remove()
    throw error
  }
  return { bytes: () => createReadStream(path, { highWaterMark: 1 << 18 }), remove }
}
