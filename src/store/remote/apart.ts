/** Keeps reads and writes of ours apart in time where the store would let them wait for each other in a circle. */

type Side = 'reads' | 'writes'

export type Apart = {
  /** Runs beside other work of its side, and not beside the other side as long as that takes no longer than `patienceMs`. */
  readonly run: <T>(side: Side, work: () => Promise<T>) => Promise<T>
}

type Waiting = { readonly side: Side; readonly start: () => void }

type Settings = {
  readonly pause: (ms: number) => Promise<void>
  /** A read that takes longer than this does not hold up writes, and the other way round. */
  readonly patienceMs?: number
}

/**
 * Turns: what waits starts when nothing of the other side runs any more, those who came first first. Without it a store with
 * locks on what is read finds deadlocks between a look-up and the write beside it, and each costs it 200 ms and more.
 */
export function apart({ pause, patienceMs = 250 }: Settings): Apart {
  const running = { reads: 0, writes: 0 }
  const waiting: Waiting[] = []
  const other = (side: Side): Side => (side === 'reads' ? 'writes' : 'reads')

  const startNext = () => {
    const first = waiting[0]
    if (!first || running[other(first.side)] > 0) return
    // All of its side that stand in front; those behind somebody of the other side wait for their turn.
    while (waiting[0]?.side === first.side) waiting.shift()?.start()
  }

  const turn = async (side: Side): Promise<void> => {
    if (waiting.length === 0 && running[other(side)] === 0) {
      running[side] += 1
      return
    }
    const started = Promise.withResolvers<void>()
    let isStarted = false
    const start = () => {
      isStarted = true
      running[side] += 1
      started.resolve()
    }
    const one = { side, start }
    waiting.push(one)
    await Promise.race([started.promise, pause(patienceMs)])
    if (isStarted) return
    waiting.splice(waiting.indexOf(one), 1)
    start()
    startNext()
  }

  return {
    run: async (side, work) => {
      await turn(side)
      try {
        return await work()
      } finally {
        running[side] -= 1
        startNext()
      }
    },
  }
}
