/**
 * `PLATFORM_METRICS_CONFIG` and `PLATFORM_HUB_VALIDATOR`: how quality is measured, and whether written datasets are measured
 * automatically.
 */

import { z } from 'zod'
import { isAllowance } from '../client/address-guard.ts'
import { matching, messageOf, numbersOf, object, type NumberRow } from './settings.ts'

/** Default, least, most and meaning of each number; the page has them as a table. */
export const metricsNumbers = {
  workers: [1, 1, 64, 'threads that validate; more than there are processors do not help'],
  recheckDays: [14, 0, 3650, 'days until a URL is asked again, a fifth more or less'],
  unreachableDays: [3, 0, 3650, 'the same for a URL whose host could not be reached'],
  budget: [20_000, 0, 10_000_000, 'URLs that one run asks at most'],
  atOnce: [16, 1, 256, 'URLs that are asked at once'],
  hostDelayMs: [1000, 0, 60_000, 'between two request starts to one host'],
  collectMinutes: [
    60,
    0,
    10_080,
    'between two runs of a catalogue that start by themselves after writes',
  ],
} as const satisfies Readonly<Record<string, NumberRow>>

const models = messageOf('an object of name → array of files')
const files = z
  .array(z.string(models).min(1), models)
  .min(1, { error: 'must name at least one file' })
const flag = z.boolean(messageOf('true or false'))

/** `PLATFORM_METRICS_CONFIG`. Files of shapes and weights are paths, relative to the working directory. */
export const metricsConfig = object(
  {
    ...numbersOf(metricsNumbers),
    /** RDF file with points that replace single default ones. */
    weights: z.string().min(1).optional(),
    /** Name of a further shape model → SHACL files. */
    shapeModels: z.record(z.string().regex(/^[\w.-]{1,100}$/), files, models).default({}),
    /** Whether access and download URLs are asked at all. */
    urlChecks: flag.default(true),
    /** Whether formats and media types that are texts count as those that are IRIs. */
    literalFormats: flag.default(true),
    /** IRIs of the schemes of stored vocabularies whose licences are known ones. */
    licenceSchemes: z
      .array(z.url(messageOf('IRIs of concept schemes')), messageOf('an array'))
      .default([]),
    /** Hosts and ranges inside the institution whose links are checked; nothing else may use them. */
    allow: z
      .array(
        matching(isAllowance, 'a host name, an address or a range such as 10.20.0.0/16'),
        messageOf('an array of hosts and ranges'),
      )
      .default([]),
    /** Cron expression in UTC of the times when all figures are counted again; absent for once a day. */
    refresh: z.string(messageOf('a cron expression')).min(1).optional(),
  },
  'is no setting',
)

export type MetricsConfig = z.output<typeof metricsConfig>

/** Settings of the metrics by default. */
export const defaultMetrics = metricsConfig.parse({})

/** Schema of `PLATFORM_HUB_VALIDATOR`; unknown names, those of other versions, are ignored. */
export const validatorConfig = z.looseObject({
  enabled: z.union([z.boolean(), z.stringbool()]).default(false),
  metricsPipeName: z.string().min(1).default('metrics'),
})
