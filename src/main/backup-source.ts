/** Data directory as backups see it: its files, whose it is, and what its store has. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Bucket, type BucketAccess } from '../backup/bucket.ts'
import type { OpenBucket } from '../backup/bucket-backup.ts'
import type { Source } from '../backup/backup.ts'
import { outbound } from '../client/outbound.ts'
import { parseConfig } from '../config/config.ts'
import { StartRefused, WrongUsage } from '../errors.ts'
import { type Log, logger } from '../log.ts'
import { defaultFacets } from '../projector/building/facets.ts'
import { names as namesOf } from '../rdf/names.ts'
import { GraphFile } from '../store/embedded/graph-file.ts'
import { clock } from './clock.ts'
import { version } from './platform-context.ts'
import { keptFiles, processLeaseName } from './data-files.ts'
import { readIdentity } from './identity.ts'
import { openLease } from '../lease.ts'

const noBucket: OpenBucket = () => {
  throw new StartRefused(
    'No bucket is configured: PLATFORM_BACKUP_CONFIG has no endpoint, accessKeyId or secretAccessKey.',
  )
}

/** Makes the source of backups of a data directory; `version` is that of the program. */
export const backupSource = (
  directory: string,
  version: string,
  openBucket: OpenBucket = noBucket,
): Source => ({
  directory,
  version,
  openBucket,
  files: keptFiles,
  readOwner: readIdentity,
  count: countGraphs,
})

type BucketSettings = { readonly [Name in keyof BucketAccess]?: string | undefined }

/** Runs `work` with what opens the buckets of the store in the settings. */
export async function withBuckets<T>(
  { settings, log }: { readonly settings: BucketSettings | undefined; readonly log: Log },
  work: (openBucket: OpenBucket) => Promise<T>,
): Promise<T> {
  const { endpoint, region, accessKeyId, secretAccessKey } = settings ?? {}
  if (!endpoint || !region || !accessKeyId || !secretAccessKey) return work(noBucket)
  const limits = { hostDelayMs: 0 }
  const client = outbound({ ...clock, log, limits, userAgent: `Cartulary/${version}` })
  const access = { endpoint, region, accessKeyId, secretAccessKey }
  try {
    return await work((name) => new Bucket(name, access, client))
  } finally {
    await client.close()
  }
}

/** Runs `work` with what opens the buckets of the store in the environment. Rejects with `WrongUsage` for settings that are wrong. */
export async function withConfiguredBuckets<T>(
  env: NodeJS.ProcessEnv,
  work: (openBucket: OpenBucket) => Promise<T>,
): Promise<T> {
  const parsed = parseConfig(env, defaultFacets)
  if (!parsed.ok) throw new WrongUsage(parsed.message)
  return withBuckets({ settings: parsed.config.backup, log: logger('warn') }, work)
}

/** Numbers of graphs in the embedded store of a directory; none where it has no store. */
async function countGraphs(directory: string): Promise<Readonly<Record<string, number>>> {
  const identity = await readIdentity(directory)
  const store = join(directory, 'store')
  if (!identity || !existsSync(join(store, 'store.db'))) return {}
  const names = namesOf(identity.baseUri, identity.segments)
  const file = new GraphFile(store, true)
  try {
    return {
      graphs: file.count(),
      catalogues: file.countNamed(names.catalogue('')),
      datasets: file.countNamed(names.dataset('')),
    }
  } finally {
    file.close()
  }
}

/** Opens the file of the embedded store of a directory for reading. Throws a `StartRefused` where there is none. */
export function openGraphFile(directory: string): GraphFile {
  const store = join(directory, 'store')
  if (!existsSync(join(store, 'store.db')))
    throw new StartRefused(`${directory} has no embedded store: name another directory (--data).`)
  return new GraphFile(store, true)
}

/** Whether a process has the data directory open. */
export function isInUse(directory: string): boolean {
  const path = join(directory, processLeaseName)
  if (!existsSync(path)) return false
  const lease = openLease(path)
  try {
    return !lease.held()
  } finally {
    lease.release()
  }
}
