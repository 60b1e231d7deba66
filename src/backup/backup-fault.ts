/** Failures of backups that an operator can mend. */

import { StartRefused } from '../errors.ts'

/** Says what is wrong with a backup or a directory, and what to do; the message is shown as it is. */
export class BackupFault extends StartRefused {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BackupFault'
  }
}
