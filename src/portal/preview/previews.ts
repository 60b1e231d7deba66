/** Previews of files that records name: fetched through the guarded client, read in a worker, kept for a day. */

import { hash } from 'node:crypto'
import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Outbound } from '../../client/outbound-request.ts'
import { openSqlite } from '../../sqlite.ts'
import { machineOf } from '../../http/peer.ts'
import { FairLimiter } from '../../workers/fair-limiter.ts'
import { SingleFlight } from '../../workers/single-flight.ts'
import { WorkerLost, WorkerPool } from '../../workers/pool.ts'
import type { PreviewCalls } from './preview-worker.ts'
import {
  type NoPreview,
  type PreviewFile,
  type PreviewResult,
  previewBytes,
} from './read-preview.ts'
import { dayMs } from '../../text/duration.ts'

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
const [keptMs, keptBytes, previewsFormat] = [dayMs, 200 * 2 ** 20, 1]
/** Counted up when `PreviewResult` changes: what was kept before is not found then. */
const resultShape = 3
/** How long these reasons are kept. */
const keptReasons: Readonly<Partial<Record<NoPreview['reason'], number>>> = {
  unreachable: 60_000,
  'too-heavy': 3_600_000,
}
/** Files that are fetched and read at the same time, those that wait, and for how long. */
const [mostFiles, filesPerClient, mostWaiting, waitMs] = [4, 2, 8, 15_000]

const busy = () => {
  const detail = 'other files are being read for previews: try again in a moment'
  return new Failure('queue-full', detail, { retryAfter: 10 })
}
const schema = `CREATE TABLE IF NOT EXISTS preview (
  address TEXT PRIMARY KEY, result TEXT NOT NULL, made INTEGER NOT NULL) STRICT, WITHOUT ROWID`
const outdated = `DELETE FROM preview WHERE made < ? OR address IN (SELECT address FROM (
  SELECT address, sum(octet_length(result)) OVER (ORDER BY made DESC, address) AS bytes FROM preview) WHERE bytes > ?)`

const fileLimiter = () =>
  new FairLimiter({
    atOnce: mostFiles,
    perClient: filesPerClient,
    waiting: mostWaiting,
    waitingPerClient: filesPerClient,
    refusal: busy,
  })

const readers = {
  entry: new URL('preview-worker.ts', import.meta.url),
  name: 'preview',
  workers: 1,
  waiting: 16,
  callMs: readMs,
  heapMb: 64,
  idleMs: 60_000,
  isIsolated: true,
}

export function openPreviews(options: PreviewOptions) {
  const { path, now } = options
  const file = openSqlite({ path, schema, format: previewsFormat })
  const pool = new WorkerPool<PreviewCalls>(readers)
  const current = new SingleFlight<string, PreviewResult>()
  const places = fileLimiter()
  const make = async (address: string, key: string): Promise<PreviewResult> => {
    const result = await fetchFile(address, options)
      .then((found) => ('reason' in found ? found : pool.call('tables', found)))
      .catch(reasonOf)
    // What may be otherwise soon is entered as nearly outdated: the host comes back, or the machine has more time.
    const kept = 'reason' in result ? keptReasons[result.reason] : undefined
    const made = now() - keptMs + (kept ?? keptMs)
    file.run('INSERT OR REPLACE INTO preview VALUES (?, ?, ?)', key, JSON.stringify(result), made)
    file.run(outdated, now() - keptMs, keptBytes)
    return result
  }
  const makeInTurn = async (
    address: string,
    key: string,
    client: string,
  ): Promise<PreviewResult> => {
    // Not the signal of the request: others may wait for the same file.
    const release = await places.take(machineOf(client), AbortSignal.timeout(waitMs)).catch(() => {
      throw busy()
    })
    return make(address, key).finally(release)
  }
  return {
    /**
     * What is known of a file, or what is read now; why there is no preview is an answer, too. Rejects with `queue-full` when too
     * many files are being read. Who waits may leave: the next one finds what was read.
     */
    read: async (address: string | undefined, client: string): Promise<PreviewResult> => {
      if (address === undefined) return { reason: 'address' }
      const key = hash('sha256', `${resultShape} ${address}`, 'hex')
      const query = 'SELECT result FROM preview WHERE address = ? AND made > ?'
      const known = file.first(query, key, now() - keptMs)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `make` has written
      if (known) return JSON.parse(z.string().parse(known['result'])) as PreviewResult
      return current.get(key, () => makeInTurn(address, key, client))
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

/** A worker that was ended in the file would be ended in it again. */
const reasonOf = (error: unknown): PreviewResult => {
  if (error instanceof WorkerLost && error.reason !== 'closed') return { reason: 'too-heavy' }
  return { reason: (error instanceof Failure ? reasons[error.kind] : undefined) ?? 'unreachable' }
}

/** The beginning of a file, or what its host answered instead. Rejects with `Failure`. */
async function fetchFile(
  address: string,
  options: PreviewOptions,
): Promise<PreviewFile | NoPreview> {
  const { outbound, allow } = options
  const answer = await outbound.request(
    {
      url: address,
      headers: { Range: `bytes=0-${previewBytes - 1}` },
      reach: { kind: 'listed', allow },
      maxBytes: mostBytes,
      attempts: 1,
      whenBackedOff: 'fail',
    },
    AbortSignal.timeout(fetchMs),
  )
  const { status, headers, body } = answer
  const range = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1]
  const size = Number(range ?? headers.get('content-length') ?? 0)
  if (status < 400 && size <= mostBytes) {
    const bytes = await firstBytes(body)
    const isCut = bytes.length >= previewBytes && size !== bytes.length
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
    if (size >= previewBytes) break
  }
  return Buffer.concat(pieces).subarray(0, previewBytes)
}
