/** What a segment of metrics knows of a run that nobody watches. */

import { logger } from '../../src/log.ts'
import type { SegmentContext } from '../../src/pipe/segment.ts'
import { logSink } from '../../src/pipe/transport/segment-worker.ts'

const log = logger('silent')

export const contextOf = (runId: string): SegmentContext => ({
  runId,
  pipe: 'metrics',
  log,
  dryRun: false,
  sink: logSink(log),
})
