/** What a segment of metrics knows of a run that nobody watches. */

import { logger } from '../../src/log.ts'
import type { SegmentContext } from '../../src/pipe/segment.ts'

const nothing = () => undefined

export const contextOf = (runId: string): SegmentContext => ({
  runId,
  pipe: 'metrics',
  log: logger('silent'),
  dryRun: false,
  sink: {
    item: nothing,
    total: nothing,
    offered: nothing,
    adopted: nothing,
    page: nothing,
    request: nothing,
    alive: nothing,
    processed: nothing,
    outcome: nothing,
  },
})
