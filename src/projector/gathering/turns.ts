/** Lets requests have their turn between the records of a batch. */

import { setImmediate } from 'node:timers/promises'

/** Waits for others whenever so much was done; a small piece of work costs nothing. */
type Turns = (triples: number) => Promise<void>

/** Triples that are read and mapped in a few milliseconds. */
const most = 600

export function turns(): Turns {
  let done = 0
  return async (triples) => {
    done += triples
    if (done < most) return
    done = 0
    await setImmediate()
  }
}
