/** Who works in the background lets those go first who write from outside. */

import type { Door } from '../http/gateway.ts'
import { clock } from './clock.ts'

export type Courtesy = {
  /** A door whose writers go first. */
  readonly front: (door: Door) => Door
  /** Waits until no writer is in the house, though never long; how much may be done at once then. */
  readonly turn: (signal: AbortSignal) => Promise<number>
}

const lookMs = 2
/** Many writers must not stop the work for ever. */
const mostLooks = 50
/** A writer has been here lately: the next one is expected. */
const expectedMs = 1000
/** Datasets at once, when a writer is expected and when none is; in the first case also milliseconds of rest before them. */
const few = 2
const restMs = 8
const many = 32

export function courtesy(): Courtesy {
  const house = { writers: 0, last: -Infinity }
  return {
    front: (door) => ({
      fetch: async (request, env) => {
        if (request.method === 'GET' || request.method === 'HEAD') return door.fetch(request, env)
        house.writers += 1
        try {
          return await door.fetch(request, env)
        } finally {
          house.writers -= 1
          house.last = performance.now()
        }
      },
    }),
    turn: async (signal) => {
      const isExpected = () => performance.now() - house.last < expectedMs
      // Half of the time nobody works in the background then, so that a writer mostly meets an empty house.
      if (isExpected()) await clock.pause(restMs, signal)
      for (let looks = 0; house.writers > 0 && looks < mostLooks; looks += 1)
        await clock.pause(lookMs, signal)
      return isExpected() ? few : many
    },
  }
}
