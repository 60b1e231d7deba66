/** Segment `metrics-validating-shacl`: adds the report of a validation against DCAT-AP. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { ConfigProblem, SegmentContext, SegmentKind } from '../../pipe/segment.ts'
import { dateTimeOf, withoutMetrics, withReport } from '../measure/measurements.ts'
import { withoutReport } from '../measure/validation-report.ts'
import type { Payload } from '../pipe/payload.ts'
import { metricsSegment, segmentConfig } from '../pipe/metrics-segment.ts'
import { requestedModels } from './shape-files.ts'
import type { Validation } from './validation.ts'

type ValidatingDeps = {
  readonly validation: Validation
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const names = z.union([z.string(), z.array(z.string()).min(1)])

const config = segmentConfig.extend({
  /** One model or several, of which one has to conform; by default that of `requestedModels`. */
  shapeModel: names.optional(),
  /** Sets of shapes beside the base, for the model `customized`. */
  customized: names.optional(),
})

type Config = z.infer<typeof config>

/** Type of the catalogues whose records are validated. */
export const validatedType = 'dcat-ap'
/** Records at once, which keeps the workers busy while the order is kept. */
const atOnce = 8

/**
 * Makes the segment. Records of catalogues of other types, and all records where the shapes cannot be used, pass without a
 * report: compliance is not measured then, and its older measurements and reports are removed. A record that cannot be validated,
 * or not in time, is refused and keeps its older measurements.
 */
export const validatingSegment = ({ validation, now }: ValidatingDeps): SegmentKind =>
  metricsSegment<Config>({
    names: ['metrics-validating-shacl', 'validating-shacl'],
    config,
    check: (settings) => problemsOf(settings, validation),
    atOnce,
    work: async (payload, settings, context, signal) => {
      if (payload.subject.source !== validatedType) return withoutCompliance(payload)
      const models = requestedModels(settings, validation.models())
      try {
        const report = await validation.validate(payload.lines ?? payload.dataset, models, signal)
        return withReport(payload, report, dateTimeOf(now()))
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof Failure) || error.kind !== 'internal') throw error
        warnOnce(error, context)
        return withoutCompliance(payload)
      }
    },
  })

function problemsOf(settings: Config, validation: Validation): readonly ConfigProblem[] {
  try {
    requestedModels(settings, validation.models())
    return []
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error.errors.map(({ parameter = 'shapeModel', detail }) => ({ key: parameter, detail }))
  }
}

const withoutCompliance = (payload: Payload): Payload => ({
  ...payload,
  metrics: withoutMetrics(withoutReport(payload.metrics), ['dcatApCompliance']),
})

const warned = new WeakSet<SegmentContext>()

/** Logs a fault of the shapes once for a run, because every record has it. */
function warnOnce({ kind, detail }: Failure, context: SegmentContext): void {
  if (warned.has(context)) return
  warned.add(context)
  context.log.warn({ kind, detail }, 'validation.not-measured')
}
