/** `metrics-validating-shacl`: adds the report of a validation against DCAT-AP. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { ConfigProblem, SegmentContext, SegmentKind } from '../../pipe/segment.ts'
import { dateTimeOf, withoutMetrics, withReport } from '../measure/measurements.ts'
import { withoutReport } from '../measure/validation-report.ts'
import type { Payload } from '../pipe/payload.ts'
import { metricsSegment, segmentConfig } from '../pipe/metrics-segment.ts'
import { chosenModels } from './shape-files.ts'
import type { Validation } from './validation.ts'

type ValidatingDeps = {
  readonly validation: Validation
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const names = z.union([z.string(), z.array(z.string()).min(1)])

const config = segmentConfig.extend({
  /** Of several models one has to conform. */
  shapeModel: names.optional(),
  /** Sets of shapes beside the base, for the model `customized`. */
  customized: names.optional(),
})

type Config = z.infer<typeof config>

/** Only catalogues of this type are said to follow the profile. */
const validated = 'dcat-ap'
/** Enough to keep the workers busy while reports are waited for in their order. */
const atOnce = 8

/**
 * Records of other sources than DCAT-AP pass without a report, and so do all where the shapes cannot be used: compliance is
 * not measured then, and older findings about it go. A record that cannot be validated, or not in time, is refused, so that
 * what was measured before stays.
 */
export const validatingSegment = ({ validation, now }: ValidatingDeps): SegmentKind =>
  metricsSegment<Config>({
    names: ['metrics-validating-shacl', 'validating-shacl'],
    config,
    check: (given) => problemsOf(given, validation),
    atOnce,
    work: async (payload, given, context, signal) => {
      if (payload.subject.source !== validated) return unreported(payload)
      const models = chosenModels(given, validation.models())
      try {
        const report = await validation.validate(payload.lines ?? payload.dataset, models, signal)
        return withReport(payload, report, dateTimeOf(now()))
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof Failure) || error.kind !== 'internal') throw error
        warnOnce(error, context)
        return unreported(payload)
      }
    },
  })

function problemsOf(given: Config, validation: Validation): readonly ConfigProblem[] {
  try {
    chosenModels(given, validation.models())
    return []
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error.errors.map(({ parameter = 'shapeModel', detail }) => ({ key: parameter, detail }))
  }
}

const unreported = (payload: Payload): Payload => ({
  ...payload,
  metrics: withoutMetrics(withoutReport(payload.metrics), ['dcatApCompliance']),
})

const warned = new WeakSet<SegmentContext>()

/** What is wrong with the shapes is wrong for every record of a run, and logged once. */
function warnOnce({ kind, detail }: Failure, context: SegmentContext): void {
  if (warned.has(context)) return
  warned.add(context)
  context.log.warn({ kind, detail }, 'validation.not-measured')
}
