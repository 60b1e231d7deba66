/** Puts the temporary directories of the tests into memory where there is room, so that nobody waits for a disk to sync. */

import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const place = '/dev/shm'
const leastBytes = 6 * 2 ** 30

/** Global set-up of vitest: the directory is removed after the last test. */
export function setup(): (() => void) | undefined {
  if (!existsSync(place)) return undefined
  const { bavail, bsize } = statfsSync(place)
  if (bavail * bsize < leastBytes) return undefined
  const directory = mkdtempSync(join(place, 'cartulary-tests-'))
  process.env['TMPDIR'] = directory
  return () => rmSync(directory, { recursive: true, force: true })
}
