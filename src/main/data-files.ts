/** Checks the files of a data directory at the start: their modes, loss and damage. Names those that are watched afterwards. */

import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { KeptFile } from '../backup/verify.ts'
import { StartRefused } from '../errors.ts'
import { type Lease, openLease } from '../lease.ts'
import { accountsFormat } from '../http/accounts.ts'
import { activityFormat } from '../http/activity.ts'
import { ledgerFormat } from '../harvest/ledger/ledger-schema.ts'
import { jobsFormat } from '../jobs/job-table.ts'
import type { Log } from '../log.ts'
import { figuresFormat } from '../metrics/figures/figures-file.ts'
import { urlStatusFormat } from '../metrics/reach/url-status-file.ts'
import { runsFormat } from '../pipe/runs/run-tables.ts'
import { recordsFormat } from '../repository/records-file.ts'
import { tombstonesFormat } from '../repository/deleting/tombstones.ts'
import { triggersFormat } from '../scheduler/trigger-file.ts'
import { vectorsFormat } from '../search-index/embedding/vector-file.ts'
import {
  asideMark,
  conditionOf,
  type MigratedFile,
  migrateFile,
  type Migration,
  setAside,
} from '../sqlite.ts'
import { graphFileFormat } from '../store/embedded/graph-file.ts'

/** File of a data directory that is migrated. */
export type FormattedFile = {
  readonly name: string
  /** Newest format that this program knows; absent for a file that is made again when its format differs. */
  readonly format?: number
  /** Steps from older formats; where there are none, opening the file is enough. */
  readonly migrations?: readonly Migration[]
}

type DataFile = FormattedFile & {
  /**
   * Reaction to a damaged file, and to one of a newer version: a file without which the platform can go on is set aside; the
   * others end the start.
   */
  readonly damaged: 'set-aside' | 'refuse'
  readonly newer: 'set-aside' | 'refuse'
  /** Consequence of the loss, for the log. */
  readonly loss: string
  /** Level of the log entry about the loss. */
  readonly level: 'warn' | 'error'
  /** Advice to the operator about a damaged file. */
  readonly cure?: string
  /** Whether its owner finds and repairs damage inside, and may replace the file while the process runs. */
  readonly isMended?: boolean
}

const usualLoss = { damaged: 'set-aside', newer: 'refuse', level: 'warn' } as const
const restoreAdvice = 'restore it from a backup'

/** Files of a data directory. */
export const dataFiles: readonly DataFile[] = [
  {
    ...usualLoss,
    name: 'store/store.db',
    format: graphFileFormat,
    damaged: 'refuse',
    loss: 'The store begins anew.',
    cure: 'Restore a backup of the store; there is no other way to its records.',
  },
  {
    ...usualLoss,
    name: 'search/index.db',
    loss: 'It is filled again from the store.',
    isMended: true,
  },
  {
    ...usualLoss,
    name: 'search/vectors.db',
    format: vectorsFormat,
    newer: 'set-aside',
    loss: 'The embedder is asked for the vectors of all records again.',
  },
  {
    ...usualLoss,
    name: 'deleted/tombstones.db',
    format: tombstonesFormat,
    loss: 'What was deleted before cannot be restored.',
  },
  {
    ...usualLoss,
    name: 'records.sqlite',
    format: recordsFormat,
    level: 'error',
    loss: 'Drafts, versions and rules of catalogues are lost.',
  },
  {
    ...usualLoss,
    name: 'harvest.sqlite',
    format: ledgerFormat,
    damaged: 'refuse',
    loss: 'The next runs adopt the records that they find, and remove nothing.',
    cure: `It says which pipe may remove which record: ${restoreAdvice}, or start with --reset harvest, and the next runs adopt what they find.`,
  },
  {
    ...usualLoss,
    name: 'triggers.sqlite',
    format: triggersFormat,
    damaged: 'refuse',
    level: 'error',
    loss: 'No pipe starts by itself until its triggers are set again.',
    cure: `It says when pipes start: ${restoreAdvice}, or start with --reset triggers and set them again.`,
  },
  {
    ...usualLoss,
    name: 'accounts.sqlite',
    format: accountsFormat,
    level: 'error',
    loss: 'The keys of people and programs are no longer valid: use a configured key, and invite them again.',
  },
  {
    ...usualLoss,
    name: 'activity.sqlite',
    format: activityFormat,
    level: 'error',
    loss: 'The record of who wrote what begins anew.',
  },
  {
    ...usualLoss,
    name: 'jobs.sqlite',
    format: jobsFormat,
    loss: 'Deletions of catalogues that had begun go on; other jobs have to be submitted again.',
  },
  {
    ...usualLoss,
    name: 'runs.sqlite',
    format: runsFormat,
    loss: 'The history of runs begins anew.',
  },
  {
    ...usualLoss,
    name: 'metrics.sqlite',
    format: figuresFormat,
    level: 'error',
    loss: 'A refresh counts the figures again; their history is lost.',
  },
  {
    ...usualLoss,
    name: 'verdicts.sqlite',
    format: urlStatusFormat,
    newer: 'set-aside',
    loss: 'URLs are asked again.',
  },
]

/**
 * Files of a backup, in the order in which it reads them: a job or a run that is older than the store is done again, a version or a
 * tombstone that is newer is compared with the store; an older ledger lets the next run write some records again.
 */
export const keptFiles: readonly KeptFile[] = [
  'jobs.sqlite',
  'harvest.sqlite',
  'triggers.sqlite',
  'runs.sqlite',
  'store/store.db',
  'deleted/tombstones.db',
  'records.sqlite',
  'metrics.sqlite',
  'verdicts.sqlite',
  'activity.sqlite',
  'accounts.sqlite',
].flatMap((name) => {
  const format = dataFiles.find((file) => file.name === name)?.format
  const isHistory = ['runs.sqlite', 'metrics.sqlite', 'verdicts.sqlite'].includes(name)
  return [{ name, isHistory, ...(format !== undefined && { format }) }]
})

/** Name of the file that is locked by the process that has the data directory open. */
export const processLeaseName = 'process.lease'

/** Locks a data directory until the release of the lease. Throws `StartRefused` while another process has it open. */
export function lockDirectory(directory: string): Lease {
  const lease = openLease(join(directory, processLeaseName))
  if (lease.held()) return lease
  lease.release()
  throw new StartRefused(`${directory} is in use: stop the platform first.`)
}

/** Names of files that `--reset` accepts, without their extension. */
export const resettable = ['harvest', 'triggers'] as const

/** Files whose loss is logged. */
const watchedNames = [...dataFiles.map(({ name }) => name), 'api-key']

/** Files that must stay the same while a process runs; those of `renewed` may be replaced by their owner. */
export const watchedFiles = (unused: readonly string[]) => {
  const used = dataFiles.filter(({ name }) => !unused.includes(name))
  const namesOf = (files: readonly DataFile[]) => files.map(({ name }) => name)
  return { files: namesOf(used), renewed: namesOf(used.filter(({ isMended }) => isMended)) }
}

/** Files whose loss would be logged and that exist or existed `before`. */
export const filesIn = (directory: string, before: readonly string[]): readonly string[] =>
  watchedNames.filter((name) => before.includes(name) || existsSync(join(directory, name)))

/** Makes the directory (mode 700). Throws a `StartRefused` that names it when this process cannot write there. */
function openDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.W_OK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new StartRefused(
      `The data directory ${directory} cannot be written (${code}): give this process the right to, or name another one in PLATFORM_DATA_DIR.`,
    )
  }
}

type Checking = {
  readonly directory: string
  /** Names among `resettable`. */
  readonly reset: readonly string[]
  /** Files that earlier processes had in the directory. */
  readonly had: readonly string[]
  /** Files that are not used because a server replaces them. */
  readonly unused: readonly string[]
  readonly log: Log
}

/**
 * Checks every used file before it is opened, after those of `reset` were set aside: sets aside damaged or newer files without
 * which the platform can go on, and logs lost ones. Throws a `StartRefused` with the file, the reason and the cure for the
 * others.
 */
export function checkFiles({ directory, reset, had, unused, log }: Checking): void {
  for (const name of reset)
    setFileAside(join(directory, `${name}.sqlite`), 'It was to be reset.', log)
  for (const file of dataFiles.filter(({ name }) => !unused.includes(name))) {
    const path = join(directory, file.name)
    checkFile(path, file, { had, log })
  }
  if (had.includes('api-key') && !existsSync(join(directory, 'api-key')))
    log.warn({ file: join(directory, 'api-key'), loss: 'A new key is made.' }, 'file.lost')
}

/** Brings a file to the present format, or with `isCheck` says what that would do; `undefined` where nothing has to be done. */
export const migrateIfOlder = (
  path: string,
  { format, migrations = [] }: FormattedFile,
  isCheck: boolean,
): MigratedFile | undefined =>
  format === undefined || migrations.length === 0
    ? undefined
    : migrateFile(path, { format, migrations, isCheck })

function checkFile(
  path: string,
  file: DataFile,
  { had, log }: Pick<Checking, 'had' | 'log'>,
): void {
  const condition = conditionOf(path, { format: file.format, isDeep: !file.isMended })
  const { loss, level } = file
  if (!('why' in condition)) {
    if (condition.is !== 'sound' && had.includes(file.name))
      log[level]({ file: path, loss }, 'file.lost')
    const migrated = condition.is === 'sound' ? migrateIfOlder(path, file, false) : undefined
    if (migrated) log.info({ file: path, ...migrated }, 'file.migrated')
    return
  }
  if (file[condition.is] === 'set-aside')
    return setFileAside(path, `${condition.why} ${loss}`, log, level)
  throw new StartRefused(
    condition.is === 'newer'
      ? condition.why
      : `${path} is damaged (${condition.why}). ${file.cure ?? ''}`,
  )
}

/** Sentences about the files of a directory that are damaged or of a newer version; nothing is changed. */
export const filesWithProblems = (directory: string): readonly string[] =>
  dataFiles.flatMap(({ name, format, isMended }) => {
    const path = join(directory, name)
    const condition = conditionOf(path, { format, isDeep: isMended !== true, readOnly: true })
    return 'why' in condition ? [`${path}: ${condition.why}`] : []
  })

function setFileAside(
  path: string,
  why: string,
  log: Log,
  level: DataFile['level'] = 'warn',
): void {
  const copyPath = setAside(path)
  if (copyPath !== undefined) log[level]({ file: path, why, kept: copyPath }, 'file.set-aside')
}

/** Whether a file exists and is not empty. */
export const hasContent = (path: string): boolean => existsSync(path) && statSync(path).size > 0

/** Paths of files that were set aside for any reason, relative to the data directory. */
export function damagedFiles(directory: string): readonly string[] {
  const folders = ['.', ...new Set(dataFiles.map(({ name }) => dirname(name)))]
  return [...new Set(folders)].flatMap((folder) => {
    const path = join(directory, folder)
    if (!existsSync(path)) return []
    return readdirSync(path)
      .filter((name) => name.includes(asideMark) && !name.endsWith('-wal'))
      .map((name) => join(folder, name))
  })
}

// Permissions: only the user of the process may read the data directory.

const otherUsers = 0o077

/** Levels of folders that are looked through; deeper ones are behind a closed folder. */
const depth = 2

/**
 * Makes the data directory and removes the permissions of other users down to `depth`: 755 becomes 700, 644 becomes 600. The
 * `umask` of the process does it for later files. What belongs to another user cannot be changed, and is logged.
 */
export function keepPrivate(directory: string, log: Log): void {
  process.umask(otherUsers)
  openDirectory(directory)
  const refused: string[] = []
  let changed = 0
  for (const path of entries(directory, depth)) {
    const mode = (lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777
    if ((mode & otherUsers) === 0) continue
    try {
      chmodSync(path, mode & ~otherUsers)
      changed += 1
    } catch (error) {
      log.debug({ err: error, path }, 'data.mode-change-failed')
      refused.push(path)
    }
  }
  if (changed > 0) log.warn({ directory, changed }, 'data.closed-to-others')
  if (refused.length > 0) log.warn({ paths: refused.slice(0, 10) }, 'data.readable-by-others')
}

/**
 * Yields the directory, and its folders and files without links down to `levels`. A volume may have unreadable folders of others,
 * such as `lost+found`.
 */
function* entries(directory: string, levels: number): Generator<string> {
  yield directory
  if (levels === 0 || !mayAccess(directory, constants.R_OK | constants.X_OK)) return
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) yield* entries(path, levels - 1)
    else if (entry.isFile()) yield path
  }
}

function mayAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
