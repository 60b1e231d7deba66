/** A pipe file becomes a pipe, or a list of what is wrong with it. */

import type { Pipe } from '../document.ts'
import { shapedPipe, standardSegments, type Shaped } from './shape.ts'
import { readText } from './text.ts'

export type PipeLimits = {
  /** Bytes of one file. */
  readonly pipeBytes: number
  readonly segments: number
}

export const standardLimits: PipeLimits = { pipeBytes: 5 * 2 ** 20, segments: standardSegments }

/**
 * Reads a stored pipe; the suffix of the file name decides between JSON and YAML. What only a run may say (run id, times,
 * payloads, which segments are done) is left out. `name` beside problems is the pipe's, where it could be read.
 */
export function readPipe(text: string, name: string, limits: PipeLimits = standardLimits): Shaped {
  if (Buffer.byteLength(text) > limits.pipeBytes) return { problems: [tooLarge(limits)] }
  const read = readText(text, name)
  if (!read.ok) return { problems: read.problems }
  const shaped = shapedPipe(read.value, limits.segments)
  return 'pipe' in shaped ? { pipe: stored(shaped.pipe) } : shaped
}

export const tooLarge = (limits: PipeLimits) => ({
  detail: `must be at most ${limits.pipeBytes} bytes (pipeBytes)`,
})

function stored({ header, body, ...rest }: Pipe): Pipe {
  const { runId: _id, startTime: _start, lastRun: _last, ...kept } = header
  const segments = body.segments.map(
    ({ header, body: { payload: _payload, ...body }, ...rest }) => ({
      ...rest,
      header: { ...header, processed: false },
      body,
    }),
  )
  return { ...rest, header: kept, body: { ...body, segments } }
}
