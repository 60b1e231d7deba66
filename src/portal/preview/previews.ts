/** Previews of files that records name: fetched through the guarded client, read in a worker, kept for a day. */

import { hash } from 'node:crypto'
import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Outbound } from '../../client/outbound-request.ts'
import { openSqlite } from '../../sqlite.ts'
import { WorkerPool } from '../../workers/pool.ts'
import type { PreviewCalls } from './preview-worker.ts'
import { type NoPreview, type PreviewFile, type PreviewResult, readBytes } from './tables.ts'

export type Previews = ReturnType<typeof openPreviews>

type PreviewOptions = {
  readonly outbound: Outbound
  /** Hosts inside the institution that previews may reach. */
  readonly allow: readonly string[]
  /** File that keeps them. */
  readonly path: string
  readonly now: () => number
}

/** Size of a file by its header; time to fetch it and to read it. */
const [mostBytes, fetchMs, readMs] = [25 * 2 ** 20, 10_000, 5000]

/** How long previews are kept, and how many bytes of them; `address` is a hash: addresses may hold secrets. */
const [keptMs, keptBytes, previewsFormat] = [86_400_000, 200 * 2 ** 20, 1]
const schema = `CREATE TABLE IF NOT EXISTS preview (
  address TEXT PRIMARY KEY, result TEXT NOT NULL, made INTEGER NOT NULL) STRICT, WITHOUT ROWID`
const outdated = `DELETE FROM preview WHERE made < ? OR address IN (SELECT address FROM (
  SELECT address, sum(octet_length(result)) OVER (ORDER BY made DESC, address) AS bytes FROM preview) WHERE bytes > ?)`

export function openPreviews(options: PreviewOptions) {
  const { path, now } = options
  const file = openSqlite({ path, schema, format: previewsFormat })
  const pool = new WorkerPool<PreviewCalls>({
    entry: new URL('preview-worker.ts', import.meta.url),
    name: 'preview',
    workers: 1,
    waiting: 16,
    callMs: readMs,
    heapMb: 64,
    idleMs: 60_000,
    isIsolated: true,
  })
  const current = new Map<string, Promise<PreviewResult>>()
  const make = async (address: string, key: string): Promise<PreviewResult> => {
    const result = await fetched(address, options)
      .then((found) => ('reason' in found ? found : pool.call('tables', found)))
      .catch(reasonOf)
    // The next one who looks asks again: the host may be back.
    if ('reason' in result && result.reason === 'unreachable') return result
    file.run('INSERT OR REPLACE INTO preview VALUES (?, ?, ?)', key, JSON.stringify(result), now())
    file.run(outdated, now() - keptMs, keptBytes)
    return result
  }
  return {
    /** Never rejects: why there is no preview is its answer. Who waits may leave: the next one finds what was read. */
    of: async (address: string | undefined): Promise<PreviewResult> => {
      if (address === undefined) return { reason: 'address' }
      const key = hash('sha256', address, 'hex')
      const query = 'SELECT result FROM preview WHERE address = ? AND made > ?'
      const known = file.first(query, key, now() - keptMs)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `make` has written
      if (known) return JSON.parse(z.string().parse(known['result'])) as PreviewResult
      const running = current.get(key) ?? make(address, key).finally(() => current.delete(key))
      current.set(key, running)
      return running
    },
    close: async () => {
      await pool.close()
      file.close()
    },
  }
}

const reasons: Readonly<Partial<Record<Failure['kind'], NoPreview['reason']>>> = {
  'address-refused': 'address',
  'too-large': 'too-large',
  'source-malformed': 'damaged',
}

const reasonOf = (error: unknown): PreviewResult => ({
  reason: (error instanceof Failure ? reasons[error.kind] : undefined) ?? 'unreachable',
})

/** The beginning of a file, or what its host answered instead. Rejects with `Failure`. */
async function fetched(address: string, options: PreviewOptions): Promise<PreviewFile | NoPreview> {
  const { outbound, allow } = options
  const answer = await outbound.request(
    {
      url: address,
      headers: { Range: `bytes=0-${readBytes - 1}` },
      reach: { kind: 'listed', allow },
      maxBytes: mostBytes,
      attempts: 1,
      whenLeftAlone: 'fail',
    },
    AbortSignal.timeout(fetchMs),
  )
  const { status, headers, body } = answer
  const range = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1]
  const size = Number(range ?? headers.get('content-length') ?? 0)
  if (status < 400 && size <= mostBytes) {
    const bytes = await firstBytes(body)
    const isCut = bytes.length >= readBytes && size !== bytes.length
    return { bytes, isCut, type: headers.get('content-type') ?? '' }
  }
  answer.discard()
  if (status < 400) return { reason: 'too-large' }
  return status === 401 || status === 403 ? { reason: 'login' } : { reason: 'status', status }
}

async function firstBytes(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    pieces.push(piece)
    size += piece.length
    if (size >= readBytes) break
  }
  return Buffer.concat(pieces).subarray(0, readBytes)
}
