/** Previews of files that records name: fetched through the guarded client, read in a worker, kept for a day. */

import { hash } from 'node:crypto'
import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Outbound } from '../../client/outbound-request.ts'
import { openSqlite } from '../../sqlite.ts'
import { WorkerPool } from '../../workers/pool.ts'
import type { PreviewCalls } from './preview-worker.ts'
import { type PreviewReason, type PreviewResult, readBytes } from './tables.ts'

export type Previews = {
  /** Never rejects: why there is no preview is its answer. */
  readonly of: (address: string, signal: AbortSignal) => Promise<PreviewResult>
  readonly close: () => Promise<void>
}

type PreviewOptions = {
  readonly outbound: Outbound
  /** Hosts inside the institution that previews may reach. */
  readonly allow: readonly string[]
  /** File that keeps them. */
  readonly path: string
  readonly now: () => number
}

const previewsFormat = 1

/** Size by header; time for one file and for reading it; how long and how many previews are kept. */
const [mostBytes, fetchMs, readMs, keptMs, mostKept] = [
  25 * 2 ** 20,
  10_000,
  5000,
  86_400_000,
  5000,
]

const schema = `CREATE TABLE IF NOT EXISTS preview (address TEXT PRIMARY KEY, result TEXT NOT NULL, made INTEGER NOT NULL) STRICT, WITHOUT ROWID`
const row = z.object({ result: z.string() })

const reasons: Readonly<Partial<Record<Failure['kind'], PreviewReason>>> = {
  'address-refused': 'address',
  'too-large': 'too-large',
  'source-malformed': 'damaged',
}

export function openPreviews({ outbound, allow, path, now }: PreviewOptions): Previews {
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
  const make = async (address: string): Promise<PreviewResult> => {
    const result = await fetched(address, { outbound, allow, pool })
    // The next one who looks asks again: the host may be back.
    if ('reason' in result && result.reason === 'unreachable') return result
    const key = hash('sha256', address, 'hex')
    file.run('INSERT OR REPLACE INTO preview VALUES (?, ?, ?)', key, JSON.stringify(result), now())
    file.run(
      'DELETE FROM preview WHERE made < ? OR address IN (SELECT address FROM preview ORDER BY made DESC LIMIT -1 OFFSET ?)',
      now() - keptMs,
      mostKept,
    )
    return result
  }
  return {
    of: (address) => {
      const known = file.first(
        'SELECT result FROM preview WHERE address = ? AND made > ?',
        hash('sha256', address, 'hex'),
        now() - keptMs,
      )
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `make` has written
      if (known) return Promise.resolve(JSON.parse(row.parse(known).result) as PreviewResult)
      const running = current.get(address) ?? make(address).finally(() => current.delete(address))
      current.set(address, running)
      return running
    },
    close: async () => {
      await pool.close()
      file.close()
    },
  }
}

type Fetching = Pick<PreviewOptions, 'outbound' | 'allow'> & {
  readonly pool: WorkerPool<PreviewCalls>
}

/** Who waits may leave: the next one finds what was read. */
async function fetched(
  address: string,
  { outbound, allow, pool }: Fetching,
): Promise<PreviewResult> {
  const signal = AbortSignal.timeout(fetchMs)
  try {
    const answer = await outbound.request(
      {
        url: address,
        headers: { Range: `bytes=0-${readBytes - 1}` },
        reach: { kind: 'listed', allow },
        maxBytes: mostBytes,
        attempts: 1,
        whenLeftAlone: 'fail',
      },
      signal,
    )
    if (answer.status >= 400) {
      answer.discard()
      return answer.status === 401 || answer.status === 403
        ? { reason: 'login' }
        : { reason: 'status', status: answer.status }
    }
    const size = Number(
      /\/(\d+)$/.exec(answer.headers.get('content-range') ?? '')?.[1] ??
        answer.headers.get('content-length') ??
        0,
    )
    if (size > mostBytes) {
      answer.discard()
      return { reason: 'too-large' }
    }
    const bytes = await firstBytes(answer.body)
    const isCut = bytes.length >= readBytes && size !== bytes.length
    return await pool.call('tables', {
      bytes,
      isCut,
      type: answer.headers.get('content-type') ?? '',
    })
  } catch (error) {
    const reason = error instanceof Failure ? reasons[error.kind] : undefined
    return { reason: reason ?? 'unreachable' }
  }
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
