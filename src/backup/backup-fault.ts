/** Failures of backups that an operator can mend. */

import { StartRefused } from '../errors.ts'
import { isDiskFull } from '../sqlite.ts'

/** Says what is wrong with a backup or a directory, and what to do; the message is shown as it is. */
export class BackupFault extends StartRefused {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BackupFault'
  }
}

/** Describes an error of the disk at a place in words; returns other errors as they are. */
export function diskFault(error: unknown, place: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOSPC' || isDiskFull(error))
    return new BackupFault(`There is no space left at ${place}.`, { cause: error })
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return new BackupFault(`${place} cannot be written (${code}).`, { cause: error })
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return new BackupFault(`${place} is no directory.`, { cause: error })
  return error
}
