/** Puts the temporary directories of the tests into memory where there is room, so that nobody waits for a disk to sync. */

import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const place = '/dev/shm'
const prefix = 'cartulary-tests-'
const leastBytes = 6 * 2 ** 30

/** Global set-up of vitest: the directory is removed after the last test. */
export function setup(): (() => void) | undefined {
  if (!existsSync(place)) return undefined
  removeLeftBehind()
  const { bavail, bsize } = statfsSync(place)
  if (bavail * bsize < leastBytes) return undefined
  const directory = join(place, `${prefix}${process.pid}`)
  mkdirSync(directory, { mode: 0o700 })
  process.env['TMPDIR'] = directory
  return () => rmSync(directory, { recursive: true, force: true })
}

/** Removes the directories of runs that were killed; each is named after its process. */
function removeLeftBehind(): void {
  for (const name of readdirSync(place)) {
    const pid = name.startsWith(prefix) ? name.slice(prefix.length) : ''
    if (/^\d+$/.test(pid) && (pid === String(process.pid) || !existsSync(`/proc/${pid}`)))
      rmSync(join(place, name), { recursive: true, force: true })
  }
}
