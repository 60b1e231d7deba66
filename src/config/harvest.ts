/** `PLATFORM_HARVEST_CONFIG`: behaviour of harvests towards sources, and retention. */

import { z } from 'zod'
import { dayMs as day, durationMs } from '../text/duration.ts'
import { messageOf, numbersOf, object, type NumberRow } from './settings.ts'

const MB = 2 ** 20
const GB = 2 ** 30

/** Default, least, most and meaning of each number; the page has them as a table. */
export const harvestNumbers = {
  runs: [4, 1, 64, 'runs at once; further ones wait'],
  hostConcurrency: [2, 1, 32, 'requests at once to one host'],
  hostDelayMs: [200, 0, 60_000, 'between two request starts to one host'],
  connectTimeoutMs: [10_000, 100, 600_000, 'to connect'],
  firstByteTimeoutMs: [120_000, 100, day, 'until an answer begins'],
  idleTimeoutMs: [30_000, 100, day, 'between two pieces'],
  pageTimeoutMs: [600_000, 100, day, 'for one page, whole'],
  stallMs: [600_000, 1000, day, 'without a page or a record until a run counts as standing still'],
  attempts: [4, 1, 20, 'tries of one request'],
  retryAfterMaxMs: [600_000, 0, day, 'longest `Retry-After` that a run waits for'],
  maxPageBytes: [100 * MB, 1024, GB, 'one page, decompressed'],
  maxDocumentBytes: [2 * GB, 1024, 64 * GB, 'one document that is read from a temporary file'],
  maxItemBytes: [10 * MB, 1024, GB, 'one record'],
  maxItems: [2_000_000, 1, 100_000_000, 'records of one run'],
  maxPages: [100_000, 1, 10_000_000, 'pages of one run'],
  segmentInFlight: [
    8,
    1,
    10_000,
    'records that a segment of others may have and has not given back',
  ],
  segmentFirstMs: [120_000, 100, day, 'until an importer of others has to give its first record'],
  segmentQuietMs: [
    120_000,
    100,
    day,
    'silence after which an importer of others that does not say that it is done counts as done',
  ],
  segmentSpoolBytes: [
    GB,
    MB,
    1024 * GB,
    'on disk: what segments of others gave back and waits to be written',
  ],
  guardPercent: [20, 0, 100, 'share of the records of a pipe that a run may remove without asking'],
  guardMinimum: [10, 0, 1_000_000, 'number of records that a run may always remove without asking'],
  missingRuns: [1, 1, 100, 'complete runs in a row that must miss a record before it goes'],
  restoreDays: [30, 0, 36_500, 'days for which what was deleted can be restored; 0 keeps nothing'],
  historyDays: [365, 1, 36_500, 'days for which runs are kept'],
  forceDays: [7, 0, 36_500, 'days after which an unchanged record is written again all the same'],
} as const satisfies Readonly<Record<string, NumberRow>>

const duration = z.string().transform((text, context) => {
  const span = durationMs(text)
  if (span !== undefined) return span
  context.addIssue('must be an ISO 8601 duration such as PT6H')
  return z.NEVER
})

/** Limits of versions, as those of `harvestNumbers`. */
export const versionNumbers = {
  days: [730, 0, 36_500, 'days for which versions by people and programs are kept'],
  most: [200, 1, 10_000, 'versions of one record'],
  harvestDays: [90, 0, 36_500, 'days for which versions by harvests are kept'],
  harvestMost: [3, 1, 10_000, 'versions of one record by harvests'],
} as const satisfies Readonly<Record<string, NumberRow>>

/** `PLATFORM_VERSIONS`. */
export const versionsConfig = object(numbersOf(versionNumbers), 'is no setting')

/** Limits of versions by default. */
export const defaultVersions = versionsConfig.parse({})

/** `PLATFORM_HARVEST_CONFIG`; `deadline` is a duration of ISO 8601 and becomes milliseconds. */
export const harvestConfig = object(
  {
    ...numbersOf(harvestNumbers),
    deadline: duration.prefault('PT6H'),
    /** Contact for operators of sources, as a mail or web address; part of `User-Agent`. */
    contact: z
      .string()
      .regex(/^[\x20-\x7e]{1,200}$/, messageOf('at most 200 ASCII characters'))
      .optional(),
    /** Records whose source texts are kept with a run. */
    keepSource: z
      .enum(['failed', 'none', 'all'], messageOf('failed, none or all'))
      .default('failed'),
    /** Address that gets a notice when a pipe begins to fail or recovers. */
    notify: z
      .strictObject(
        { url: z.url({ protocol: /^https?$/ }) },
        messageOf('{"url":"<http(s) address>"}'),
      )
      .optional(),
    /** Hosts and ranges inside the institution that configured addresses may reach. */
    allow: z.array(z.string().min(1), messageOf('an array of hosts and ranges')).default([]),
  },
  'is no setting',
)

export type HarvestConfig = z.output<typeof harvestConfig>

/** Settings of harvesting by default. */
export const defaultHarvest = harvestConfig.parse({})
