/** Who may read what the platform keeps: its own user and nobody else. */

import { accessSync, chmodSync, constants, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { openDirectory } from './data-files.ts'

const others = 0o077

/** Folders inside folders that are looked through; whatever lies deeper is behind a closed folder. */
const depth = 2

/**
 * Makes the data directory (700) and takes from others what they may do with it: folders become 700, files 600. What is made
 * later has such modes by itself, because the process keeps them from others (`umask`). A directory of somebody else cannot
 * be changed: that is a warning.
 */
export function keepPrivate(directory: string, log: Log): void {
  process.umask(others)
  openDirectory(directory)
  const refused: string[] = []
  let changed = 0
  for (const path of entries(directory, depth)) {
    const mode = (lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777
    if ((mode & others) === 0) continue
    try {
      chmodSync(path, mode & ~others)
      changed += 1
    } catch (error) {
      log.debug({ err: error, path }, 'data.mode')
      refused.push(path)
    }
  }
  if (changed > 0) log.warn({ directory, changed }, 'data.closed-to-others')
  if (refused.length > 0) log.warn({ paths: refused.slice(0, 10) }, 'data.readable-by-others')
}

/** A volume may have folders of its own in there, such as `lost+found`. */
function isReadable(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The directory, and what is in it; links are left alone. */
function* entries(directory: string, levels: number): Generator<string> {
  yield directory
  if (levels === 0 || !isReadable(directory)) return
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) yield* entries(path, levels - 1)
    else if (entry.isFile()) yield path
  }
}
