/** Brings the files of a data directory to the formats of this version, as the start does, or says what would happen. */

import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { identityName } from '../backup/verify.ts'
import { StartRefused } from '../errors.ts'
import { conditionOf } from '../sqlite.ts'
import { dataFiles, type FormattedFile, lockDirectory, migrateIfOlder } from './data-files.ts'
import { identityFormat, requireIdentity, writeIdentity } from './identity.ts'

type MigrateOptions = {
  readonly directory: string
  /** Only says what would happen. */
  readonly isCheck: boolean
  readonly files?: readonly FormattedFile[]
}

/** File that is migrated: formats before and after, and the name of its copy. */
type Step = {
  readonly file: string
  readonly from: number
  readonly to: number
  readonly copy?: string
}

/**
 * Migrates every file of a directory that no process has open; resolves with what was, or would be, done. Rejects with `StartRefused`
 * for a file of a newer version or a damaged one.
 */
export async function migrateData({
  directory,
  isCheck,
  files = dataFiles,
}: MigrateOptions): Promise<readonly Step[]> {
  const identity = await requireIdentity(directory)
  const lease = isCheck ? undefined : lockDirectory(resolve(directory))
  try {
    const there = files.filter(({ name }) => existsSync(join(directory, name)))
    // All files are looked at before the first one is changed.
    for (const { name, format } of there) {
      const path = join(directory, name)
      const condition = conditionOf(path, { format, isDeep: false, readOnly: true })
      if (condition.is === 'newer' || condition.is === 'damaged')
        throw new StartRefused(
          condition.is === 'newer' ? condition.why : `${path} is damaged (${condition.why}).`,
        )
    }
    const steps = there.flatMap((file) => {
      const done = migrateIfOlder(join(directory, file.name), file, isCheck)
      return done ? [{ ...done, file: file.name, copy: basename(done.copy) }] : []
    })
    if (identity.format === identityFormat) return steps
    if (!isCheck) await writeIdentity(directory, { ...identity, format: identityFormat })
    return [...steps, { file: identityName, from: identity.format, to: identityFormat }]
  } finally {
    lease?.release()
  }
}
