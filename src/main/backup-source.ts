/** Data directory as backups see it: its files, whose it is, and what its store has. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StartRefused } from '../errors.ts'
import type { Source } from '../backup/backup.ts'
import { names as namesOf } from '../rdf/names.ts'
import { GraphFile } from '../store/embedded/graph-file.ts'
import { keptFiles, processLeaseName } from './data-files.ts'
import { readIdentity } from './identity.ts'
import { openLease } from '../lease.ts'

/** Makes the source of backups of a data directory; `version` is that of the program. */
export const backupSource = (directory: string, version: string): Source => ({
  directory,
  version,
  files: keptFiles,
  readOwner: readIdentity,
  count: countGraphs,
})

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
