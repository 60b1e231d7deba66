/** `PLATFORM_METRICS_CONFIG` and `PLATFORM_HUB_VALIDATOR`: how quality is measured, and whether it is by itself. */

import { z } from 'zod'
import { isAllowance } from '../../client/guard/permission.ts'
import { numbersOf, onlyNames, type NumberRow } from './settings/numbers.ts'

/** Every number: its default, its bounds, and what it means. */
const metricsNumbers = {
  workers: {
    standard: 1,
    least: 1,
    most: 64,
    meaning: 'threads that validate; more than there are processors do not help',
  },
  recheckDays: {
    standard: 14,
    least: 0,
    most: 3650,
    meaning: 'days until a URL is asked again, a fifth more or less',
  },
  unreachableDays: {
    standard: 3,
    least: 0,
    most: 3650,
    meaning: 'the same for a URL whose host could not be reached',
  },
  budget: {
    standard: 20_000,
    least: 0,
    most: 10_000_000,
    meaning: 'URLs that one run asks at most',
  },
  atOnce: { standard: 16, least: 1, most: 256, meaning: 'URLs that are asked at once' },
  collectMinutes: {
    standard: 60,
    least: 0,
    most: 10_080,
    meaning: 'between two runs of a catalogue that start by themselves after writes',
  },
} as const satisfies Readonly<Record<string, NumberRow>>

const shapeError = 'must be an object of name → array of files'
const files = z.array(z.string({ error: shapeError }).min(1), { error: shapeError }).min(1, {
  error: 'must name at least one file',
})

const others = {
  weights: z.string().min(1).optional(),
  shapeModels: z
    .record(z.string().regex(/^[\w.-]{1,100}$/), files, { error: shapeError })
    .default({}),
  urlChecks: z.boolean({ error: 'must be true or false' }).default(true),
  literalFormats: z.boolean({ error: 'must be true or false' }).default(true),
  licenceSchemes: z
    .array(z.url({ error: 'must be IRIs of concept schemes' }), { error: 'must be an array' })
    .default([]),
  /** Hosts and ranges inside the institution whose links are checked; nothing else may use them. */
  allow: z
    .array(
      z.string().refine(isAllowance, {
        error: 'must be a host name, an address or a range such as 10.20.0.0/16',
      }),
      { error: 'must be an array of hosts and ranges' },
    )
    .default([]),
  refresh: z.string({ error: 'must be a cron expression' }).min(1).optional(),
}

const names = [...Object.keys(metricsNumbers), ...Object.keys(others)]

export const metricsConfig = z
  .looseObject({ ...numbersOf(metricsNumbers), ...others })
  .superRefine(onlyNames(names))

export type MetricsConfig = z.output<typeof metricsConfig>

/** What counts when nothing is said. */
export const defaultMetrics = metricsConfig.parse({})

/** Unknown names are those of other versions. */
export const validatorConfig = z.looseObject({
  enabled: z.union([z.boolean(), z.stringbool()]).default(false),
  metricsPipeName: z.string().min(1).default('metrics'),
})

/** The part of the configuration page about `PLATFORM_METRICS_CONFIG`. */
export const metricsPage: readonly string[] = [
  '## Metrics',
  '',
  '`PLATFORM_METRICS_CONFIG` is a JSON object; every key may be absent.',
  '',
  '| key | default | meaning |',
  '|---|--:|---|',
  '| `weights` | – | RDF file with points in place of single ones of `shapes/metrics/weights.ttl` |',
  '| `shapeModels` | `{}` | further names for `shapeModel`: name → array of SHACL files |',
  '| `urlChecks` | true | whether access and download URLs are asked at all |',
  '| `licenceSchemes` | `[]` | schemes of stored vocabularies whose licences are known ones |',
  '| `literalFormats` | true | whether formats and media types that are given as text (`"csv"`) count as machine-readable and non-proprietary as their IRIs do; such a distribution is never aligned with the vocabularies (`formatMediaTypeVocabularyAlignment`) |',
  '| `allow` | `[]` | hosts, addresses and CIDR ranges inside the institution whose access and download URLs are asked beside public ones (`["data.intranet.example","10.20.0.0/16"]`); link-local and metadata addresses never are |',
  '| `refresh` | – | when all figures are counted anew, a cron expression in UTC; every day when nothing is said |',
  ...Object.entries(metricsNumbers).map(
    ([name, { standard, meaning }]) => `| \`${name}\` | ${standard} | ${meaning} |`,
  ),
  '',
]
