/** `PLATFORM_BACKUP_CONFIG`: where backups go, when, and how many stay. */

import { z } from 'zod'
import { messageOf, numbersOf, object } from './settings.ts'

const numbers = { keep: [14, 1, 10_000, 'newest backups that stay'] } as const

const flag = z.boolean(messageOf('true or false'))

/** `PLATFORM_BACKUP_CONFIG`. */
export const backupConfig = object(
  {
    ...numbersOf(numbers),
    /** Directory outside of the data directory; each backup is a directory or an archive in it. */
    directory: z.string(messageOf('a path')).min(1),
    /** Cron expression in UTC; without it only the command backs up. */
    schedule: z.string(messageOf('a cron expression')).min(1).optional(),
    archive: flag.default(false),
    withKey: flag.default(false),
    history: flag.default(true),
  },
  'is no setting',
)
