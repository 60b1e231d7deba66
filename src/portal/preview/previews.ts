/** Previews of the files of distributions: fetched through the guarded client, read in a worker, stored for a day at most. */

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

/** Previews of this process, as `openPreviews` returns them. */
export type Previews = ReturnType<typeof openPreviews>

type PreviewOptions = {
  readonly outbound: Outbound
  /** Hosts inside the institution that previews may reach. */
  readonly allow: readonly string[]
  /** Path of the file that stores previews. */
  readonly path: string
  readonly now: () => number
}

/** Most bytes of a file by its headers, and milliseconds to fetch it and to read it. */
const [mostBytes, fetchMs, readMs] = [25 * 2 ** 20, 10_000, 5000]

/**
 * Milliseconds for which previews are stored, most bytes of all of them, and the format of the file. Its `address` is a hash,
 * because URLs may contain secrets.
 */
const [storedMs, mostStoredBytes, previewsFormat] = [dayMs, 200 * 2 ** 20, 1]
/** Version of `PreviewResult`; part of the hash, so that results in an older form are not found. */
const resultShape = 3
/** Milliseconds for which some failures are stored; the others as long as previews. */
const failureLifetimes: Readonly<Partial<Record<NoPreview['reason'], number>>> = {
  unreachable: 60_000,
  'too-heavy': 3_600_000,
}
/**
 * Most files at the same time, most of one client at the same time and in the queue, most that wait, and milliseconds of waiting.
 */
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

/** Opens the stored previews. */
export function openPreviews(options: PreviewOptions) {
  const { path, now } = options
  const file = openSqlite({ path, schema, format: previewsFormat })
  const pool = new WorkerPool<PreviewCalls>(readers)
  const inProgress = new SingleFlight<string, PreviewResult>()
  const limiter = fileLimiter()
  const make = async (address: string, key: string): Promise<PreviewResult> => {
    const result = await fetchFile(address, options)
      .then((file) => ('reason' in file ? file : pool.call('tables', file)))
      .catch(reasonOf)
    // A failure that may be temporary is stored with an earlier time, so that it is outdated soon.
    const failureMs = 'reason' in result ? failureLifetimes[result.reason] : undefined
    const time = now() - storedMs + (failureMs ?? storedMs)
    file.run('INSERT OR REPLACE INTO preview VALUES (?, ?, ?)', key, JSON.stringify(result), time)
    file.run(outdated, now() - storedMs, mostStoredBytes)
    return result
  }
  const makeInTurn = async (
    address: string,
    key: string,
    client: string,
  ): Promise<PreviewResult> => {
    // Not the signal of the request, because other requests may wait for the same file.
    const release = await limiter.take(machineOf(client), AbortSignal.timeout(waitMs)).catch(() => {
      throw busy()
    })
    return make(address, key).finally(release)
  }
  return {
    /**
     * Resolves with the stored preview of a file, or fetches and reads it; the reason why there is none is a result too. Rejects
     * with `queue-full` when too many files are being read. The work goes on when the client leaves.
     */
    read: async (address: string | undefined, client: string): Promise<PreviewResult> => {
      if (address === undefined) return { reason: 'address' }
      const key = hash('sha256', `${resultShape} ${address}`, 'hex')
      const query = 'SELECT result FROM preview WHERE address = ? AND made > ?'
      const stored = file.first(query, key, now() - storedMs)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `make` has written
      if (stored) return JSON.parse(z.string().parse(stored['result'])) as PreviewResult
      return inProgress.get(key, () => makeInTurn(address, key, client))
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

/** Result for an error. A file on which its worker was ended is `too-heavy`, because it would end the next one too. */
const reasonOf = (error: unknown): PreviewResult => {
  if (error instanceof WorkerLost && error.reason !== 'closed') return { reason: 'too-heavy' }
  return { reason: (error instanceof Failure ? reasons[error.kind] : undefined) ?? 'unreachable' }
}

/**
 * Fetches the beginning of a file; resolves with a reason for a status from 400 on or too large a file. Rejects with `Failure`.
 */
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
