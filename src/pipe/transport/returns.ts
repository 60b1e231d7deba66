/** Places of this process where runs of its own wait for what foreign segments give back. */

import { Failure } from '../../errors.ts'
import type { Pipe } from '../document.ts'
import { arrivalOf } from './messages/arrival.ts'
import { ownSegment } from './messages/envelope.ts'
import type { Accept } from './remote/journey.ts'

export type Returns = {
  /** Waits for what comes for this segment of the run; the function ends that. */
  open(runId: string, segmentNumber: number, accept: Accept): () => void
  /** Whether a run waits for it. */
  awaits(message: Pipe): boolean
  /** Hands the message to the run that waits for it; `gone` when none does, `queue-full` when it has to come again. */
  take(message: Pipe): void
}

export function returns(): Returns {
  const waiting = new Map<string, Accept>()
  const placeOf = (message: Pipe) => {
    const own = ownSegment(message)
    const { runId } = message.header
    const accept = own && waiting.get(`${own.header.segmentNumber} ${runId ?? ''}`)
    return accept && { accept, payload: own.body.payload }
  }
  return {
    awaits: (message) => placeOf(message) !== undefined,
    open(runId, segmentNumber, accept) {
      const key = `${segmentNumber} ${runId}`
      waiting.set(key, accept)
      return () => {
        if (waiting.get(key) === accept) waiting.delete(key)
      }
    },
    take(message) {
      const place = placeOf(message)
      if (!place) throw new Failure('gone', 'no run waits for this message')
      place.accept(arrivalOf(place.payload), place.payload?.body.data.length ?? 0)
    },
  }
}
