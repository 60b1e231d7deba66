/** Backups by the platform itself: the job that writes one, its schedule, and when the last one ended. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { archiveEnding } from '../backup/archive.ts'
import { backUp, lastBackupName } from '../backup/backup.ts'
import { isBucketAddress, parseAddress } from '../backup/bucket-backup.ts'
import { bytesOf } from '../backup/manifest.ts'
import { StartRefused } from '../errors.ts'
import { type CronTiming, nextOfCron, parseCron } from '../scheduler/cron.ts'
import { textAt } from '../text/json.ts'
import { backgroundLoop } from '../workers/background-loop.ts'
import { backupSource, withBuckets } from './backup-source.ts'
import { clock } from './clock.ts'
import { type PlatformContext, version } from './platform-context.ts'

const [kind, key] = ['backup', 'data']

/** Milliseconds between two looks at the schedule, and until a failed backup is tried again. */
const [lookMs, retryMs] = [10_000, 600_000]

/** Seconds since 1970 of the backup that `lastBackup` found last; `undefined` without one. */
let lastSeconds: number | undefined

/** Reads `lastSeconds`, for `/metrics`. */
export const lastBackupSeconds = (): number | undefined => lastSeconds

/** When the last backup of a directory ended, and where it is; `undefined` before the first one. */
export async function lastBackup(
  directory: string,
): Promise<{ readonly time: string; readonly target: string } | undefined> {
  // A file that was cut short by a crash says nothing, as one that is missing.
  const last: unknown = await readFile(join(directory, lastBackupName), 'utf8')
    .then((text): unknown => JSON.parse(text))
    .catch(() => undefined)
  const [time, target] = [textAt(last, 'time'), textAt(last, 'target')]
  if (time !== undefined) lastSeconds = Date.parse(time) / 1000
  return time === undefined || target === undefined ? undefined : { time, target }
}

/** Runs the job and its schedule until `stop`. Throws `StartRefused` for a schedule that is none. */
export function openBackups({ config, jobs, log }: PlatformContext) {
  const { backup, dataDir } = config
  if (backup) checkBucket(backup)
  const registration = jobs.register({
    kind,
    atOnce: 1,
    retry: { firstMs: retryMs, longestMs: 6 * retryMs },
    run: async (_, { progress, signal }) => {
      if (!backup) return undefined
      const target = targetIn(backup, new Date(clock.now()).toISOString())
      const manifest = await withBuckets({ settings: backup, log }, (openBucket) =>
        backUp(backupSource(dataDir, version, openBucket), {
          target,
          withKey: backup.withKey,
          withoutHistory: !backup.history,
          keep: backup.keep,
          progress: (share, file) =>
            progress({ done: Math.round(share * 100), of: 100, note: file }),
          signal,
        }),
      )
      const bytes = bytesOf(manifest)
      log.info({ target, bytes }, 'backup.written')
      return { target, created: manifest.created, bytes }
    },
  })
  const schedule = backup?.schedule === undefined ? undefined : readSchedule(backup.schedule)
  let since: number | undefined
  const submitDue = async () => {
    // A backup that was due while no process ran is made up for.
    since ??= Date.parse((await lastBackup(dataDir))?.time ?? '') || clock.now()
    const due = schedule && nextOfCron(schedule, since)
    if (due === undefined || due > clock.now()) return
    since = clock.now()
    if (!jobs.active(kind, key)) jobs.submit({ kind, key, payload: null, createdBy: 'schedule' })
  }
  const loop = backgroundLoop('backup.look-failed', lookMs, submitDue, {
    ...clock,
    log,
    firstMs: 1000,
  })
  return {
    stop: async () => {
      await loop.stop()
      await registration.stop()
    },
  }
}

type BackupSettings = NonNullable<PlatformContext['config']['backup']>

/** Address of a new backup, in a bucket always an archive; `time` is ISO 8601. */
function targetIn({ directory, archive }: BackupSettings, time: string): string {
  const name = time.replace(/\.\d+Z$/, 'Z').replaceAll(':', '')
  if (isBucketAddress(directory)) return `${directory.replace(/\/+$/, '')}/${name}${archiveEnding}`
  return join(directory, archive ? name + archiveEnding : name)
}

/** Throws `StartRefused` for an address in a bucket that is none, and without the store of the bucket. */
function checkBucket(settings: BackupSettings): void {
  if (!isBucketAddress(settings.directory)) return
  parseAddress(targetIn(settings, 'name'))
  for (const name of ['endpoint', 'accessKeyId', 'secretAccessKey'] as const)
    if (settings[name] === undefined)
      throw new StartRefused(`PLATFORM_BACKUP_CONFIG: ${name} is missing for ${settings.directory}`)
}

function readSchedule(cron: string): CronTiming {
  try {
    parseCron(cron)
    return { kind: 'cron', expression: cron }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new StartRefused(`PLATFORM_BACKUP_CONFIG: schedule: ${why}`)
  }
}
