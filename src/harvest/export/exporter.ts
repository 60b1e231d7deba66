/** Segment that exports: writes records into a catalogue, or metrics of existing datasets. */

import type { Message } from '../../pipe/message.ts'
import type { SegmentKind } from '../../pipe/segment.ts'
import { configSchema } from '../../pipe/segment-config.ts'
import { exportDatasets } from './dataset-export.ts'
import type { ExportContext } from './export-run.ts'
import { exportConfig, exportTarget } from './export-target.ts'
import { exportMetrics } from './metrics-exporter.ts'

/** Kind of segment for exporters. The config is checked when the segment is opened. */
export const exporterSegment = (context: ExportContext): SegmentKind => ({
  names: ['exporting-hub', 'exporting-repo', 'exporting-repository'],
  job: 'export',
  schema: () => configSchema(exportConfig),
  open: (config, place) => {
    const target = exportTarget(context, config, place)
    if ('problems' in target) return { ok: false, problems: target.problems }
    return {
      ok: true,
      run: async function* (messages, segment, signal) {
        const { isMetrics, input } = await contentOf(context.runs, segment.runId, messages)
        const exportContent = isMetrics ? exportMetrics : exportDatasets
        yield* exportContent({ context, ...target }, input, segment, signal)
      },
    }
  },
})

/** Content of a run, and the messages that the exporter must read in place of its input. */
type Content = { readonly isMetrics: boolean; readonly input: AsyncIterable<Message> }

/**
 * Determines whether a run exports records or metrics. A run of another process, which `runs` does not know, is recognised by its
 * first message that is no total.
 */
async function contentOf(
  runs: ExportContext['runs'],
  runId: string,
  input: AsyncIterable<Message>,
): Promise<Content> {
  if (runs.get(runId)) return { isMetrics: runs.resumption(runId).start.feed !== undefined, input }
  const iterator = input[Symbol.asyncIterator]()
  const readMessages: Message[] = []
  for (let isTotal = true; isTotal;) {
    const next = await iterator.next()
    if (next.done === true) break
    readMessages.push(next.value)
    isTotal = next.value.kind === 'total'
  }
  const firstContent = readMessages.at(-1)
  const isMetrics = firstContent?.kind === 'record' && firstContent.extra?.['content'] === 'metrics'
  async function* allMessages(): AsyncGenerator<Message> {
    try {
      yield* readMessages
      yield* { [Symbol.asyncIterator]: () => iterator }
    } finally {
      await iterator.return?.()
    }
  }
  return { isMetrics, input: allMessages() }
}
