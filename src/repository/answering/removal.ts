/** What the deletion of a catalogue answers, and its return: both go on with its datasets behind the request. */

import type { AppContext } from '../../http/app.ts'
import type { CatalogueRemoval } from '../deleting/catalogues/catalogue-removal.ts'
import type { Return } from '../deleting/catalogues/returns.ts'
import { answerOutcome, type Answering } from './answers.ts'
import { landedWait } from './waiting.ts'

/**
 * 204 when its datasets are gone within the time that the client waits, else 202 with `{"remaining": n}`; at once when
 * somebody else had begun the deletion.
 */
export async function answerRemoval(
  c: AppContext,
  { job, mark }: CatalogueRemoval,
  { settled, waitMs }: Answering,
): Promise<Response> {
  const wait = landedWait(c, waitMs)
  const signal = AbortSignal.any([c.get('signal'), AbortSignal.timeout(wait.ms)])
  // Asked for before the work is waited for: the index may be done earlier, and tells it once.
  const indexed = mark && wait.ms > 0 ? settled(mark, signal) : undefined
  if (!indexed || !(await ends(job.done, signal))) {
    c.header('Index-Status', 'pending')
    return c.json({ remaining: job.remaining() }, 202)
  }
  c.header('Index-Status', (await indexed) ? 'done' : 'pending')
  return c.body(null, 204)
}

/** 201: the catalogue is there. `pending` when its datasets are not back, or not searchable, within the time that the client waits. */
export async function answerReturn(
  c: AppContext,
  { outcome, job }: Return,
  answering: Answering,
): Promise<Response> {
  const wait = landedWait(c, answering.waitMs)
  const signal = AbortSignal.any([c.get('signal'), AbortSignal.timeout(wait.ms)])
  // Without a mark somebody else had begun the return; what was written then may be indexed by now.
  const indexed =
    outcome.mark && wait.ms > 0
      ? answering.settled(outcome.mark, signal)
      : Promise.resolve(!answering.awaits(outcome.iri))
  const isBack = wait.ms > 0 && (await ends(job.done, signal))
  return answerOutcome(c, outcome, answering, isBack && (await indexed) ? 'done' : 'pending')
}

/** Whether the work ends before the signal fires. */
async function ends(work: Promise<void>, signal: AbortSignal): Promise<boolean> {
  const late = Promise.withResolvers<false>()
  const stop = () => late.resolve(false)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work.then(() => true), late.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
