/** Work that is there already, in pieces between which others have their turn. */

import { setImmediate } from 'node:timers/promises'

export async function* inTurns<T>(pieces: Iterable<T>): AsyncGenerator<T> {
  for (const piece of pieces) {
    yield piece
    await setImmediate()
  }
}
