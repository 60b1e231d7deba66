/** `PLATFORM_BACKUP_CONFIG`: where backups go, when, and how many stay. */

import { z } from 'zod'
import { isServerAddress, messageOf, numbersOf, object } from './settings.ts'

const numbers = { keep: [14, 1, 10_000, 'newest backups that stay'] } as const

const flag = z.boolean(messageOf('true or false'))

/** `PLATFORM_BACKUP_CONFIG`. */
export const backupConfig = object(
  {
    ...numbersOf(numbers),
    /** Directory outside of the data directory; each backup is a directory or an archive in it. Or `s3://{bucket}/{prefix}`. */
    directory: z.string(messageOf('a path')).min(1),
    /** Cron expression in UTC; without it only the command backs up. */
    schedule: z.string(messageOf('a cron expression')).min(1).optional(),
    archive: flag.default(false),
    withKey: flag.default(false),
    history: flag.default(true),
    /** Address of an S3-compatible store, whose buckets are folders of it, and the key for it. */
    endpoint: z
      .string()
      .refine(isServerAddress, messageOf('an http(s) address without path'))
      .optional(),
    region: z.string(messageOf('the name of a region')).min(1).default('us-east-1'),
    accessKeyId: z.string(messageOf('text')).min(1).optional(),
    secretAccessKey: z.string(messageOf('text')).min(1).optional(),
  },
  'is no setting',
)
