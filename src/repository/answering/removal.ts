/** What the deletion of a catalogue answers: done, or how many of its datasets remain. */

import type { AppContext } from '../../http/app.ts'
import type { CatalogueRemoval } from '../deleting/catalogues/catalogue-removal.ts'
import type { Answering } from './answers.ts'
import { waitOf } from './waiting.ts'

/**
 * 204 when its datasets are gone within the time that the client waits, else 202 with `{"remaining": n}`; at once when
 * somebody else had begun the deletion.
 */
export async function answerRemoval(
  c: AppContext,
  { job, mark }: CatalogueRemoval,
  { settled, waitMs }: Answering,
): Promise<Response> {
  const wait = waitOf(c.req.header('Prefer'), waitMs)
  if (wait.applied !== undefined) c.header('Preference-Applied', wait.applied)
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
