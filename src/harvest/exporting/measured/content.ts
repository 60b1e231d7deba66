/** Whether a stream carries records for a catalogue, or metrics of datasets that are there already. */

import type { Message } from '../../../pipe/message.ts'
import type { Runs } from '../../../pipe/runs/run-history.ts'

type Told = { readonly measures: boolean; readonly input: AsyncIterable<Message> }

/** A run of this process says it by how it is fed; of another process's the first record does. `input` is still whole. */
export async function contentOf(
  runs: Pick<Runs, 'get' | 'resumption'>,
  runId: string,
  input: AsyncIterable<Message>,
): Promise<Told> {
  if (runs.get(runId)) return { measures: runs.resumption(runId).start.feed !== undefined, input }
  const iterator = input[Symbol.asyncIterator]()
  const read: Message[] = []
  for (;;) {
    const next = await iterator.next()
    if (next.done === true) break
    read.push(next.value)
    if (next.value.kind !== 'total') break
  }
  const last = read.at(-1)
  const measures = last?.kind === 'record' && last.extra?.['content'] === 'metrics'
  return { measures, input: rejoined(read, iterator) }
}

async function* rejoined(
  read: readonly Message[],
  iterator: AsyncIterator<Message>,
): AsyncGenerator<Message> {
  try {
    yield* read
    for (;;) {
      const next = await iterator.next()
      if (next.done === true) return
      yield next.value
    }
  } finally {
    await iterator.return?.()
  }
}
