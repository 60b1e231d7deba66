/**
 * Gauges of the process in `/metrics`. They are read from memory in a scrape; what must be asked for or counted on the disk is
 * looked at in a loop and kept.
 */

import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import type { Log } from '../log.ts'
import { backgroundLoop } from '../workers/background-loop.ts'
import { neighboursUp, showNeighbour } from '../workers/numbers.ts'
import { clock } from './clock.ts'
import { lastBackup, lastBackupSeconds } from './backups.ts'
import { damagedFiles } from './data-files.ts'
import type { StartContext } from './engines.ts'
import { roleOf, type Readiness } from './health.ts'
import { type PlatformContext, version } from './platform-context.ts'
import { engineHealth } from './search-engine.ts'

/** Products of a configuration, as `/metrics` and the first line of the log name them. */
const productsOf = ({ triplestore, searchEngine }: StartContext['config']) => ({
  store: triplestore?.dialect ?? 'embedded',
  engine: searchEngine?.engine ?? 'embedded',
})

/** Writes the first line of the log. */
export function logStart(log: Log, config: StartContext['config']): void {
  const { pid, version: node } = process
  const data = resolve(config.dataDir)
  log.info(
    { version, pid, node, role: roleOf(config), data, ...productsOf(config) },
    'process.started',
  )
}

/** Adds what is known before the engines are open; `readiness` gives that of the open services. */
export function showProcess(
  { config, numbers: { gauge } }: StartContext,
  readiness: () => Readiness | undefined,
): void {
  const { store, engine } = productsOf(config)
  const build = [version, process.version, store, engine, roleOf(config), 1] as const
  const buildLabels = ['version', 'node_version', 'store', 'engine', 'role']
  gauge('cartulary_build_info', 'What runs; always 1.', () => [build], ...buildLabels)
  const ready = 'Whether the process should get requests.'
  gauge('cartulary_ready', ready, () => Number(readiness()?.isReady() ?? false))
  const limit = 'Bytes of memory that the process may use: of its container, or of the machine.'
  gauge('cartulary_memory_limit_bytes', limit, () => memoryLimit)
}

const memoryLimit = Math.min(process.constrainedMemory() || Infinity, totalmem())

/** Milliseconds between two looks at small files; every fifth look also counts documents, pipes and bytes. */
const [lookMs, largeLook] = [2000, 5]

/** Numbers that a loop counts. */
type Kept = {
  damaged: number
  engine: Awaited<ReturnType<typeof engineHealth>>
  bytes: ReadonlyMap<string, number>
}

/** Adds the gauges of open engines; the first look has ended when it resolves. `recount` counts what the services keep. */
export async function showEngines(
  context: PlatformContext,
  { storeHealth }: Pick<Readiness, 'storeHealth'>,
  recount: () => void,
): Promise<{ readonly stop: () => Promise<void> }> {
  const { config, index, log } = context
  const kept: Kept = { damaged: 0, engine: { ready: true }, bytes: new Map() }
  showStore(context, storeHealth)
  showIndex(context, kept)
  showEngine(context)
  showFiles(context, kept)
  showNeighbour('store', () => storeHealth() !== undefined)
  showNeighbour('engine', () => kept.engine.ready)
  showNeighbours(context.numbers)
  let looks = 0
  const look = async () => {
    kept.damaged = damagedFiles(config.dataDir).length
    await lastBackup(config.dataDir)
    if (looks++ % largeLook !== 0) return
    kept.engine = await engineHealth(index)
    recount()
    kept.bytes = await bytesByPart(config.dataDir)
  }
  await look().catch((err: unknown) => log.error({ err }, 'numbers.look-failed'))
  return backgroundLoop('numbers.look-failed', lookMs, look, { ...clock, log })
}

/** Adds the gauge of the servers that the process needs. */
export function showNeighbours({ gauge }: StartContext['numbers']): void {
  const isUp = 'Whether a server that the process needs answered last.'
  gauge('cartulary_neighbour_up', isUp, neighboursUp, 'neighbour')
}

function showStore(
  { config, store, numbers: { gauge } }: PlatformContext,
  health: Readiness['storeHealth'],
): void {
  const writable = 'Whether the store takes writes, as far as is known.'
  gauge('cartulary_store_writable', writable, () => Number(store.writing().writes))
  if (config.triplestore) return
  gauge('cartulary_store_quads', 'Statements in the embedded store.', () => health()?.quads)
  gauge('cartulary_store_graphs', 'Graphs in the embedded store.', () => health()?.graphs)
  const dead =
    'Deleted statements that still take memory of the embedded store, until a copy without them takes over.'
  gauge('cartulary_store_dead_quads', dead, () => health()?.dead)
}

function showIndex({ projection, numbers: { gauge } }: PlatformContext, kept: Kept): void {
  const pending = 'Records that were written and are not in the search index yet.'
  gauge('cartulary_index_pending', pending, projection.pending)
  const oldest = 'Seconds since the oldest write that is not in the search index yet.'
  gauge('cartulary_index_oldest_pending_seconds', oldest, projection.oldestPendingSeconds)
  const documents = () => Object.entries(kept.engine.documents ?? {}).map(countOf)
  gauge('cartulary_index_documents', 'Records in each search index.', documents, 'index')
  const filling = () =>
    projection.rebuilding().map(({ index, done, of }) => [index, of > 0 ? done / of : 0] as const)
  const filled = 'Part of an index that is filled, while it is being filled.'
  gauge('cartulary_index_rebuild_done_ratio', filled, filling, 'index')
}

/** Adds what is known of the server of a search engine; of one in this process there is no cluster, and it takes writes. */
function showEngine({ index: { facts }, numbers: { gauge } }: PlatformContext): void {
  const writable = 'Whether the search engine takes writes, as far as is known.'
  gauge('cartulary_engine_writable', writable, () => Number(!facts?.().writeBlock))
  const status = '1 for the health of the cluster of the search engine when it was asked last.'
  const statuses = () => {
    const cluster = facts?.().cluster
    return cluster
      ? clusterStatuses.map((one) => [one, Number(one === cluster.status)] as const)
      : []
  }
  gauge('cartulary_engine_cluster_status', status, statuses, 'status')
  const unassigned = 'Shards and copies of shards that no node of the search engine has.'
  gauge('cartulary_engine_unassigned_shards', unassigned, () => {
    const cluster = facts?.().cluster
    return cluster ? [[cluster.unassigned]] : []
  })
}

const clusterStatuses = ['green', 'yellow', 'red'] as const

function showFiles({ disk, numbers: { gauge } }: PlatformContext, kept: Kept): void {
  const damaged = 'Files that were set aside because they were damaged.'
  gauge('cartulary_damaged_files', damaged, () => kept.damaged)
  const free = 'Bytes that can still be written where the data directory lies.'
  gauge('cartulary_data_disk_free_bytes', free, disk.free)
  gauge('cartulary_data_bytes', 'Bytes of the data directory by part.', () => kept.bytes, 'part')
  const backedUp = 'When the last backup of the data directory ended, in seconds since 1970.'
  gauge('cartulary_backup_last_success_timestamp_seconds', backedUp, lastBackupSeconds)
}

const countOf = ([name, count = 0]: readonly [string, number?]) => [name, count] as const

/** Folders and files of the data directory by part; the rest is scratch. */
const partOf: Readonly<Record<string, string>> = {
  store: 'store',
  search: 'index',
  deleted: 'deleted',
  'records.sqlite': 'history',
  'runs.sqlite': 'history',
  'activity.sqlite': 'history',
  'versions.sqlite': 'history',
}

async function bytesByPart(directory: string): Promise<Map<string, number>> {
  const bytes = new Map(
    ['store', 'index', 'history', 'deleted', 'scratch'].map((part) => [part, 0]),
  )
  const entries: readonly Dirent[] = await readdir(directory, {
    recursive: true,
    withFileTypes: true,
  })
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const first = path
      .slice(directory.length)
      .split('/')
      .find(Boolean)
      ?.replace(/-(?:wal|shm)$/, '')
    const part = partOf[first ?? ''] ?? 'scratch'
    // A file may be removed meanwhile.
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    )
    bytes.set(part, (bytes.get(part) ?? 0) + size)
  }
  return bytes
}
