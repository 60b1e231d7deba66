/** What a launcher does every second, whatever its runs do. */

import type { Log } from '../../log.ts'

const beatMs = 1000
const renewMs = 10_000

type Options = {
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
  /** Every second. */
  readonly check: () => void
  /** Every ten seconds. */
  readonly renew: () => void
}

/** Beats until it is stopped; a beat that fails is logged and the next one comes. */
export function heartbeat({ now, pause, log, check, renew }: Options): { stop(): Promise<void> } {
  const stopping = new AbortController()
  let renewed = now()
  const beat = (): void => {
    try {
      check()
      if (now() - renewed < renewMs) return
      renewed = now()
      renew()
    } catch (err) {
      log.error({ err }, 'launcher.beat')
    }
  }
  const loop = async (): Promise<void> => {
    try {
      while (!stopping.signal.aborted) {
        await pause(beatMs, stopping.signal)
        beat()
      }
    } catch (err) {
      if (!stopping.signal.aborted) log.error({ err }, 'launcher.pause')
    }
  }
  const done = loop()
  return {
    async stop() {
      stopping.abort()
      await done
    },
  }
}
