/** What the start of the platform waits for, from when on: told by `/health`, the log and every address that is not served yet. */

import type { Log } from '../log.ts'
import type { Loading } from '../store/graph-store.ts'

/** Dependencies that the start may have to wait for, as `The platform waits for …` names them. */
const startupDependencies = {
  'data-directory': 'another process to leave the data directory',
  store: 'its triplestore',
  lease: 'another gateway to give up the triplestore',
} as const

type Awaited = {
  readonly what: keyof typeof startupDependencies
  /** ISO 8601. */
  readonly since: string
  /** In words for operators: may name hosts and paths. */
  readonly detail: string
}

/** The one thing that the start waits for at present. */
export type Waiting = {
  /** Absent while nothing is waited for. */
  readonly current: () => Awaited | undefined
  /** Begins to wait, or goes on with what is waited for already: `since` stays. */
  readonly for: (what: Awaited['what'], detail: string) => void
  readonly over: () => void
  /** How much of the embedded store is loaded; absent before that begins. */
  progress?: Loading
}

/** `now`: milliseconds since 1970. The log has one warning for each reason: nothing else would say why nothing starts. */
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

/** For whoever tells why it has nothing yet, and `undefined` when it has. */
export const reportWaiting =
  (waits: Waiting, what: Awaited['what']) =>
  (detail: string | undefined): void =>
    detail === undefined ? waits.over() : waits.for(what, detail)

/** The sentence that strangers may read. */
export const waitingSentence = (awaited: Awaited | undefined): string =>
  awaited
    ? `The platform waits for ${startupDependencies[awaited.what]} since ${awaited.since}.`
    : 'The platform is starting.'
