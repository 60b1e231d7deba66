/** The exporter, the last segment of a run: writes records into a catalogue, or metrics of existing datasets. */

import type { Message } from '../../pipe/message.ts'
import type { SegmentKind } from '../../pipe/segment.ts'
import { configSchema } from '../../pipe/segment-config.ts'
import { exportDatasets } from './dataset-export.ts'
import type { ExportContext } from './export-run.ts'
import { exportConfig, exportTarget } from './export-target.ts'
import { exportMetrics } from './metrics-exporter.ts'

/** The exporter as a kind of segment. Its config is checked when the pipe is loaded. */
export const exporterSegment = (context: ExportContext): SegmentKind => ({
  names: ['exporting-hub', 'exporting-repo', 'exporting-repository'],
  job: 'export',
  schema: () => configSchema(exportConfig),
  open: (config, place) => {
    const target = exportTarget(context, config, place)
    if ('problems' in target) return { ok: false, problems: target.problems }
    return {
      ok: true,
      run: async function* (given, segment, signal) {
        const { isMetrics, input } = await contentOf(context.runs, segment.runId, given)
        const work = isMetrics ? exportMetrics : exportDatasets
        yield* work({ context, ...target }, input, segment, signal)
      },
    }
  },
})

type Content = { readonly isMetrics: boolean; readonly input: AsyncIterable<Message> }

/**
 * Whether the run exports records or metrics: known for a run of this process, else determined by its first record. `input`
 * contains the complete stream.
 */
async function contentOf(
  runs: ExportContext['runs'],
  runId: string,
  input: AsyncIterable<Message>,
): Promise<Content> {
  if (runs.get(runId)) return { isMetrics: runs.resumption(runId).start.feed !== undefined, input }
  const iterator = input[Symbol.asyncIterator]()
  const first: Message[] = []
  for (let isTotal = true; isTotal;) {
    const next = await iterator.next()
    if (next.done === true) break
    first.push(next.value)
    isTotal = next.value.kind === 'total'
  }
  const last = first.at(-1)
  const isMetrics = last?.kind === 'record' && last.extra?.['content'] === 'metrics'
  async function* joined(): AsyncGenerator<Message> {
    try {
      yield* first
      yield* { [Symbol.asyncIterator]: () => iterator }
    } finally {
      await iterator.return?.()
    }
  }
  return { isMetrics, input: joined() }
}
