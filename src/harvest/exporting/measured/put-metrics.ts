/** Writes the metrics of one dataset. */

import { Failure } from '../../../errors.ts'
import type { MetricsLanded, RecordMessage } from '../../../pipe/message.ts'
import { jsonIn } from '../../importing/sending/repository.ts'
import type { Door } from '../door/door.ts'
import { failureOf, outcomeOf, refuseByKey } from '../writing/verdict.ts'
import { measuredId } from './landing-many.ts'

type Put = {
  readonly message: RecordMessage
  readonly body: { readonly mediaType: string; readonly text: string }
  readonly runId: string
}

/** Throws when the key is the reason; what is wrong with the record, or with the repository now, comes back. */
export async function putMetrics(
  door: Door,
  { message, body, runId }: Put,
  signal: AbortSignal,
): Promise<MetricsLanded> {
  const { extra, counter } = message
  const catalogue = extra?.['catalogue']
  try {
    const answer = await door.ask(
      {
        method: 'PUT',
        path: `/datasets/${encodeURIComponent(measuredId(message))}/metrics`,
        body: body.text,
        mediaType: body.mediaType,
        headers: { Prefer: 'respond-async', 'X-Request-Id': `${runId}-${counter}` },
      },
      signal,
    )
    const { status } = answer
    const verdict = { status, problem: jsonIn(await answer.text()) }
    refuseByKey(status, typeof catalogue === 'string' ? catalogue : '-', door)
    if (status === 404 || status === 410) return 'gone'
    return outcomeOf(verdict) ?? failureOf(verdict)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Failure && error.kind === 'export-failed') return error
    throw error
  }
}
