/** Coarse time for watching calls: ticks while there is something to watch, and no timer when there is not. */

/** Milliseconds of one tick: how exact the limits of calls are. */
export const tickMs = 200

/** Calls `beat` every tick until it answers false; `start` again after that. */
export function ticks(beat: () => boolean) {
  let running = false
  const next = () => {
    // A timeout signal is a timer that does not keep the process alive.
    AbortSignal.timeout(tickMs).addEventListener('abort', () => {
      running = beat()
      if (running) next()
    })
  }
  return {
    start(): void {
      if (running) return
      running = true
      next()
    },
  }
}
