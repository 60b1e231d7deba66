/** Records what the start waits for and since when, for `/health`, the log and answers before the services are open. */

import type { Log } from '../log.ts'
import type { Loading } from '../store/graph-store.ts'

/** Dependencies that the start may have to wait for, as `The platform waits for …` names them. */
const startupDependencies = {
  'data-directory': 'another process to leave the data directory',
  store: 'its triplestore',
  lease: 'another gateway to give up the triplestore',
} as const

/** Dependency that is waited for. */
type Awaited = {
  readonly what: keyof typeof startupDependencies
  /** ISO 8601. */
  readonly since: string
  /** Sentence for operators; may name hosts and paths. */
  readonly detail: string
}

/** Dependency that the start waits for at present. */
export type Waiting = {
  /** Absent while the start does not wait. */
  readonly current: () => Awaited | undefined
  /** Begins to wait; `since` stays when the dependency is the same. */
  readonly for: (what: Awaited['what'], detail: string) => void
  /** Ends the wait. */
  readonly over: () => void
  /** Progress of loading the embedded store; absent before it begins. */
  progress?: Loading
}

/** Makes the record; `now` is in milliseconds since 1970. A reason is logged when it differs from the one before. */
export function waiting(now: () => number, log: Log): Waiting {
  let current: Awaited | undefined
  return {
    current: () => current,
    for: (what, detail) => {
      if (current?.what !== what || current.detail !== detail)
        log.warn({ waitingFor: what, detail }, 'start.waiting')
      const since = current?.what === what ? current.since : new Date(now()).toISOString()
      current = { what, since, detail }
    },
    over: () => {
      current = undefined
    },
  }
}

/** Makes a listener for the reason why a dependency is not available yet; `undefined` when it is. */
export const reportWaiting =
  (waits: Waiting, what: Awaited['what']) =>
  (detail: string | undefined): void =>
    detail === undefined ? waits.over() : waits.for(what, detail)

/** Sentence for anonymous clients, without details. */
export const waitingSentence = (awaited: Awaited | undefined): string =>
  awaited
    ? `The platform waits for ${startupDependencies[awaited.what]} since ${awaited.since}.`
    : 'The platform is starting.'
