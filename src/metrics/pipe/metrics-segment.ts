/**
 * Base of all segments that measure: runs their work for every dataset; one that fails with a `Failure` is refused, and the
 * others go on.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Message, RecordMessage } from '../../pipe/message.ts'
import type {
  ConfigProblem,
  SegmentContext,
  SegmentFunction,
  SegmentKind,
} from '../../pipe/segment.ts'
import { configProblems, configSchema } from '../../pipe/segment-config.ts'
import { mapOrdered } from '../../pipe/map-ordered.ts'
import { payloadOf, withPayload, type Payload } from './payload.ts'

/** Schema of the members that every segment's configuration may have; unknown members are kept. */
export const segmentConfig = z.looseObject({
  /** Passes everything through. */
  skip: z.boolean().default(false),
})

type Config = z.infer<typeof segmentConfig>

/** Name, configuration and work of one segment of the quality pipe. */
export type MetricsKind<Settings extends Config> = {
  /** Normal form first, then its aliases. */
  readonly names: readonly string[]
  readonly config: z.ZodType<Settings>
  /** Further checks of the configuration, beyond its schema. */
  readonly check?: (config: Settings) => readonly ConfigProblem[]
  /** Datasets that are processed at once; 1 when the work does not wait. */
  readonly atOnce: number
  /**
   * Returns the payload with the additions of this segment, or the same one without any. A `Failure` refuses the dataset,
   * any other error ends the run.
   */
  readonly work: (
    payload: Payload,
    config: Settings,
    context: SegmentContext,
    signal: AbortSignal,
  ) => Payload | Promise<Payload>
}

/**
 * Makes a segment: records pass through its work in their order, other messages pass unchanged. With `skip` all messages pass.
 */
export function metricsSegment<Settings extends Config>(kind: MetricsKind<Settings>): SegmentKind {
  return {
    names: kind.names,
    job: 'metrics',
    schema: () => configSchema(kind.config),
    open: (configuration) => {
      const parsed = kind.config.safeParse(configuration)
      if (!parsed.success) return { ok: false, problems: configProblems(parsed.error) }
      const problems = kind.check?.(parsed.data) ?? []
      return problems.length > 0
        ? { ok: false, problems }
        : { ok: true, run: runOf(kind, parsed.data) }
    },
  }
}

function runOf<Settings extends Config>(
  kind: MetricsKind<Settings>,
  config: Settings,
): SegmentFunction {
  return (input, context, signal) => {
    if (config.skip) return input
    const step = async (message: Message): Promise<Message> => {
      if (message.kind !== 'record') return message
      try {
        const payload = await payloadOf(message, context.pipe)
        const next = await kind.work(payload, config, context, signal)
        context.sink.alive()
        return withPayload(message, next)
      } catch (problem) {
        signal.throwIfAborted()
        if (problem instanceof Failure) return refusal(message, problem)
        throw problem
      }
    }
    return mapOrdered(input, step, kind.atOnce)
  }
}

/** UTF-16 units of a refused record that the item of the run shows. */
const excerptLength = 64 * 1024

const refusal = ({ sourceId, sourceUrl, text }: RecordMessage, problem: Failure): Message => ({
  kind: 'refused',
  sourceId,
  stage: 'transform',
  problem,
  sourceUrl,
  excerpt: text.slice(0, excerptLength),
})
