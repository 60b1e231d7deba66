/** `PLATFORM_HARVEST_CONFIG`: how harvests behave towards sources, and how long what they leave is kept. */

import { z } from 'zod'
import { durationMs } from './settings/duration.ts'
import { numbersOf, onlyNames, type NumberRow } from './settings/numbers.ts'

const day = 86_400_000
const gigabyte = 2 ** 30

/** Every number: its default, its bounds, and what it means. */
const harvestNumbers = {
  runs: { standard: 4, least: 1, most: 64, meaning: 'runs at once; further ones wait' },
  hostConcurrency: { standard: 2, least: 1, most: 32, meaning: 'requests at once to one host' },
  hostDelayMs: {
    standard: 200,
    least: 0,
    most: 60_000,
    meaning: 'between two request starts to one host',
  },
  connectTimeoutMs: { standard: 10_000, least: 100, most: 600_000, meaning: 'to connect' },
  firstByteTimeoutMs: {
    standard: 120_000,
    least: 100,
    most: day,
    meaning: 'until an answer begins',
  },
  idleTimeoutMs: { standard: 30_000, least: 100, most: day, meaning: 'between two pieces' },
  pageTimeoutMs: { standard: 600_000, least: 100, most: day, meaning: 'for one page, whole' },
  stallMs: {
    standard: 600_000,
    least: 1_000,
    most: day,
    meaning: 'without a page or a record until a run counts as standing still',
  },
  attempts: { standard: 4, least: 1, most: 20, meaning: 'tries of one request' },
  retryAfterMaxMs: {
    standard: 600_000,
    least: 0,
    most: day,
    meaning: 'longest `Retry-After` that a run waits for',
  },
  maxPageBytes: {
    standard: 100 * 2 ** 20,
    least: 1_024,
    most: gigabyte,
    meaning: 'one page, decompressed',
  },
  maxDocumentBytes: {
    standard: 2 * gigabyte,
    least: 1_024,
    most: 64 * gigabyte,
    meaning: 'one document that is read from a temporary file',
  },
  maxItemBytes: { standard: 10 * 2 ** 20, least: 1_024, most: gigabyte, meaning: 'one record' },
  maxItems: { standard: 2_000_000, least: 1, most: 100_000_000, meaning: 'records of one run' },
  maxPages: { standard: 100_000, least: 1, most: 10_000_000, meaning: 'pages of one run' },
  segmentInFlight: {
    standard: 8,
    least: 1,
    most: 10_000,
    meaning: 'records that a segment of others may have and has not given back',
  },
  segmentFirstMs: {
    standard: 120_000,
    least: 100,
    most: day,
    meaning: 'until an importer of others has to give its first record',
  },
  segmentQuietMs: {
    standard: 120_000,
    least: 100,
    most: day,
    meaning: 'silence after which an importer of others that tells no end counts as through',
  },
  segmentSpoolBytes: {
    standard: gigabyte,
    least: 1_048_576,
    most: 1_024 * gigabyte,
    meaning: 'on disk: what segments of others gave back and waits to be written',
  },
  guardPercent: {
    standard: 20,
    least: 0,
    most: 100,
    meaning: 'share of the records of a pipe that a run may remove without asking',
  },
  guardMinimum: {
    standard: 10,
    least: 0,
    most: 1_000_000,
    meaning: 'number of records that a run may always remove without asking',
  },
  missingRuns: {
    standard: 1,
    least: 1,
    most: 100,
    meaning: 'complete runs in a row that must miss a record before it goes',
  },
  restoreDays: {
    standard: 30,
    least: 0,
    most: 36_500,
    meaning: 'days for which what was deleted can be restored; 0 keeps nothing',
  },
  historyDays: { standard: 365, least: 1, most: 36_500, meaning: 'days for which runs are kept' },
  forceDays: {
    standard: 7,
    least: 0,
    most: 36_500,
    meaning: 'days after which an unchanged record is written again all the same',
  },
} as const satisfies Readonly<Record<string, NumberRow>>

const duration = z.string().transform((text, context) => {
  const span = durationMs(text)
  if (span !== undefined) return span
  context.addIssue('must be an ISO 8601 duration such as PT6H')
  return z.NEVER
})

const texts = {
  deadline: duration.prefault('PT6H'),
  /** Who a source may write to, as a mail or web address; part of `User-Agent`. */
  contact: z
    .string()
    .regex(/^[\x20-\x7e]{1,200}$/)
    .optional(),
  /** Texts of which records are kept with a run. */
  keepSource: z.enum(['failed', 'none', 'all']).default('failed'),
  /** Told when the outcome of a pipe turns bad or good again. */
  notify: z.strictObject({ url: z.url({ protocol: /^https?$/ }) }).optional(),
  /** Hosts and ranges inside the institution that configured addresses may reach. */
  allow: z.array(z.string().min(1)).default([]),
}

const names = [...Object.keys(harvestNumbers), ...Object.keys(texts)]

export const harvestConfig = z
  .looseObject({ ...numbersOf(harvestNumbers), ...texts })
  .superRefine(onlyNames(names))

export type HarvestConfig = z.output<typeof harvestConfig>

/** What counts when nothing is said. */
export const defaultHarvest = harvestConfig.parse({})

const amount = (name: string, value: number): string => {
  if (name.endsWith('Bytes')) return `${value / 2 ** 20} MB`
  return name.endsWith('Ms') ? `${value / 1000} s` : String(value)
}

/** The part of the configuration page about `PLATFORM_HARVEST_CONFIG`. */
export const harvestPage: readonly string[] = [
  '## Harvesting',
  '',
  '`PLATFORM_HARVEST_CONFIG` is a JSON object; every key may be absent. Names that end in `Ms` are milliseconds, sizes bytes.',
  '',
  '| key | default | meaning |',
  '|---|--:|---|',
  '| `contact` | – | who a source may write to; part of `User-Agent` |',
  '| `deadline` | PT6H | longest time of one run, an ISO 8601 duration |',
  '| `keepSource` | failed | texts of which records are kept with a run: `failed`, `none`, `all` |',
  '| `notify.url` | – | told by POST when the outcome of a pipe turns bad or good again |',
  '| `allow` | `[]` | hosts and CIDR ranges inside the institution that configured addresses may reach |',
  ...Object.entries(harvestNumbers).map(
    ([name, { standard, meaning }]) => `| \`${name}\` | ${amount(name, standard)} | ${meaning} |`,
  ),
  '',
]
