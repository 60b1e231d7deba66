/** Who works in the background lets those go first who write from outside. */

import type { Door } from '../http/gateway.ts'
import { clock } from './clock.ts'

type Fetch = (request: Request) => Promise<Response>

export type Courtesy = {
  /** A door whose writers go first. */
  readonly front: (door: Door) => Door
  /** Waits until no writer is in the house, though never long. */
  readonly polite: (fetch: Fetch) => Fetch
}

const lookMs = 2
/** Many writers must not stop the work for ever. */
const mostLooks = 50

export function courtesy(): Courtesy {
  const house = { writers: 0 }
  return {
    front: (door) => ({
      fetch: async (request, env) => {
        if (request.method === 'GET' || request.method === 'HEAD') return door.fetch(request, env)
        house.writers += 1
        try {
          return await door.fetch(request, env)
        } finally {
          house.writers -= 1
        }
      },
    }),
    polite: (fetch) => async (request) => {
      for (let looks = 0; house.writers > 0 && looks < mostLooks; looks += 1)
        await clock.pause(lookMs, request.signal)
      return fetch(request)
    },
  }
}
