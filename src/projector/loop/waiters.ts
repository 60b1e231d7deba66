/** Who waits until a version of a resource is searchable. */

export type Waiters = {
  /** Resolves true when `version` or a newer one is indexed, false when the signal fires first. */
  wait(resource: string, version: number, signal: AbortSignal): Promise<boolean>
  /** Tells the waiters of these resources. */
  done(indexed: readonly { readonly resource: string; readonly version: number }[]): void
  /** Tells all that it will take longer than they can wait. */
  giveUp(): void
  /** Resources that somebody waits for. */
  readonly size: number
}

type Waiter = { readonly version: number; readonly resolve: (done: boolean) => void }

export function waiters(): Waiters {
  const waiting = new Map<string, Set<Waiter>>()

  const leave = (resource: string, waiter: Waiter) => {
    const others = waiting.get(resource)
    others?.delete(waiter)
    if (others?.size === 0) waiting.delete(resource)
  }

  return {
    wait: (resource, version, signal) => {
      if (signal.aborted) return Promise.resolve(false)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const waiter = { version, resolve }
      const abort = () => resolve(false)
      signal.addEventListener('abort', abort, { once: true })
      waiting.set(resource, (waiting.get(resource) ?? new Set()).add(waiter))
      return promise.finally(() => {
        signal.removeEventListener('abort', abort)
        leave(resource, waiter)
      })
    },
    done: (indexed) => {
      for (const { resource, version } of indexed) {
        for (const waiter of waiting.get(resource) ?? []) {
          if (waiter.version <= version) waiter.resolve(true)
        }
      }
    },
    giveUp: () => {
      for (const waiter of [...waiting.values()].flatMap((some) => [...some])) waiter.resolve(false)
    },
    get size() {
      return waiting.size
    },
  }
}
