/** Watches whether the data directory and its files are still those that this process opened. */

import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { identityName } from '../backup/verify.ts'
import { Failure, StartRefused } from '../errors.ts'
import type { Log } from '../log.ts'

/** State of the files of a data directory. */
export type Storage = {
  /** Starts to watch the files that exist now, and later ones from their first appearance. */
  readonly watch: () => void
  /** Checks the files now. */
  readonly look: () => void
  /** Whether writes would be lost, as of the last check. */
  readonly isLost: () => boolean
  /** Throws `store-unavailable` when writes would be lost; checks at most once a second. */
  readonly demand: () => void
}

type StorageOptions = {
  readonly directory: string
  /** Paths relative to the directory. */
  readonly files: readonly string[]
  /** Files among them that their owner may replace while the process runs. */
  readonly renewed: readonly string[]
  readonly log: Log
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number
}

/** Milliseconds between two checks by `demand`. */
const lookMs = 1000
/** Seconds after which a refused client should try again. */
const retryAfter = 30

const cure =
  'What is written now would be lost. Mount the data directory again or put the missing files back, or stop this process and restore a backup.'

/** File that marks the place of a lost data directory, so that no start takes it for a new platform. */
const markName = 'cartulary.lost'

/** Compares directory and files with what was there at first sight. */
function fileWatch({ directory, files, renewed }: Omit<StorageOptions, 'log' | 'now'>) {
  const known = new Map<string, string>()
  const missed = new Set<string>()
  /**
   * Reason why a file counts as lost; `.` is the directory. A file of `renewed` counts as lost when two checks in a row miss it.
   */
  const lossOf = (name: string): string | undefined => {
    const path = join(directory, name)
    const [before, is] = [known.get(name), identityOf(path)]
    const mayChange = renewed.includes(name)
    if (is !== undefined && (before === undefined || mayChange)) known.set(name, is)
    if (before === undefined || is === before || (is !== undefined && mayChange)) {
      missed.delete(name)
      return undefined
    }
    // A file that is replaced is missing for a moment.
    const isFirst = mayChange && !missed.has(name)
    missed.add(name)
    if (isFirst) return undefined
    return is === undefined
      ? `${path} is gone.`
      : `${path} is not the one that this process has open.`
  }
  return {
    loss: (): string | undefined => {
      try {
        for (const name of ['.', ...files]) {
          const why = lossOf(name)
          if (why !== undefined) return why
        }
        accessSync(directory, constants.W_OK)
        return undefined
      } catch (error) {
        return `${directory} cannot be written (${codeOf(error)}).`
      }
    },
    /** Whether the directory itself is gone or another one. */
    isElsewhere: () => {
      try {
        return identityOf(directory) !== known.get('.')
      } catch {
        return true
      }
    },
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

/** Makes the watcher, which is idle until `watch` is called. */
export function openStorage({ directory, files, renewed, log, now }: StorageOptions): Storage {
  const watch = fileWatch({ directory, files, renewed })
  let isWatching = false
  let loss: string | undefined
  let looked = -Infinity
  const look = () => {
    if (!isWatching) return
    looked = now()
    const before = loss
    loss = watch.loss()
    if (loss !== undefined && loss !== before) {
      log.error({ directory, detail: `${loss} ${cure}` }, 'storage.lost')
      if (watch.isElsewhere()) leaveMark(directory, log)
    } else if (loss === undefined && before !== undefined)
      log.warn({ directory }, 'storage.returned')
  }
  return {
    watch: () => {
      isWatching = true
      look()
    },
    look,
    isLost: () => loss !== undefined,
    demand: () => {
      if (now() - looked >= lookMs) look()
      if (loss === undefined) return
      const detail = 'The storage of the platform is lost: it answers reads, and takes no writes.'
      throw new Failure('store-unavailable', detail, { retryAfter })
    },
  }
}

/** Device and inode of a file; `undefined` when it is not linked in a directory. */
function identityOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat && stat.nlink > 0n ? `${stat.dev} ${stat.ino}` : undefined
}

/** Writes the mark, unless another platform's directory lies there. */
function leaveMark(directory: string, log: Log): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    if (existsSync(join(directory, identityName))) return
    writeFileSync(join(directory, markName), `${new Date().toISOString()}\n`, { mode: 0o600 })
  } catch (err) {
    log.warn({ err, directory }, 'storage.mark-failed')
  }
}

/** Refuses a directory where a data directory was lost. With `--empty` (`isMeant`) it removes the mark instead. */
export function refuseLostPlace(directory: string, isMeant: boolean): void {
  const mark = join(directory, markName)
  if (!existsSync(mark)) return
  if (isMeant) return rmSync(mark)
  throw new StartRefused(
    `The data directory that was at ${directory} is gone: it was deleted, moved or unmounted while a process ran, which left ${mark}. Put the data directory back in the place of this one, or start with --empty to begin anew here.`,
  )
}
