/** What starts a pipe by itself, and when. */

import type { Configs } from '../pipe/document.ts'
import type { StartMode } from '../pipe/runs/run.ts'

export const units = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const
export type Unit = (typeof units)[number]

/** When a trigger fires; instants are milliseconds since 1970, all in UTC. */
export type Timing =
  | {
      readonly kind: 'interval'
      readonly unit: Unit
      readonly value: number
      /** The first firing; the rhythm of all others. */
      readonly anchor: number
    }
  | {
      readonly kind: 'cron'
      readonly expression: string
      /** IANA name; UTC when absent. */
      readonly timeZone?: string
      readonly notBefore?: number
    }
  | { readonly kind: 'specific'; readonly times: readonly number[] }

export type Status = 'enabled' | 'disabled'

/** What a trigger asks of each run that it starts. */
export type Request = { readonly configs?: Configs; readonly startMode?: StartMode }

/** `id` is a name unique within the pipe. */
export type Trigger = Request & {
  readonly id: string
  readonly status: Status
  readonly timing: Timing
}

/** A trigger as it is kept. */
export type KeptTrigger = Trigger & {
  readonly pipe: string
  /** Nothing that was due up to this moment fires any more: when the trigger was set or switched on. */
  readonly since: number
  /** The last firing. */
  readonly last?: number
}
