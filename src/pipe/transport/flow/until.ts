/** Reading that a signal ends, whatever the source does. */

import { unlessAborted } from '../../../workers/abort.ts'

/** The values of the source; throws the signal's reason as soon as it fires. */
export async function* until<Value>(
  source: AsyncIterable<Value>,
  signal: AbortSignal,
): AsyncGenerator<Value> {
  const iterator = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await unlessAborted(iterator.next(), signal)
      if (next.done) return
      yield next.value
    }
  } finally {
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}
