/** Triggers as clients send and read them. */

import { z } from 'zod'
import { startModes } from '../../pipe/runs/run.ts'
import type { JsonObject } from '../../pipe/document.ts'
import { CronFault, plain } from '../timing/cron.ts'
import { nextFiring } from '../timing/next-firing.ts'
import { units, type Request, type Timing, type Trigger } from '../trigger.ts'
import { instant } from './instant.ts'

/** A trigger to keep, or one that starts a run at once and is not kept. */
export type Entry = Trigger | (Request & { readonly id: string; readonly timing: 'immediate' })

// oxlint-disable-next-line no-control-regex
const nameForm = /^(?!\.{1,2}$)[^\u0000-\u001f\u007f/\\]+$/

/** The form of the id of a trigger, for contracts. */
export const triggerIdForm = nameForm.source

/** Names may stand in a path: 1 to 200 characters without controls and slashes. */
const name = z.string().min(1).max(200).regex(nameForm, 'must not hold control characters, / or \\')

const anyCase = <const T extends readonly string[]>(words: T, change: (text: string) => string) =>
  z.preprocess((value) => (typeof value === 'string' ? change(value.trim()) : value), z.enum(words))

const lower = (text: string) => text.toLowerCase()
const upper = (text: string) => text.toUpperCase()

/** By segment name, as a pipe has them. */
export const configs = z.record(
  z.string(),
  z.custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object of config values',
  ),
)
export const startMode = anyCase(startModes, lower)

const wire = z.object({
  id: name,
  status: anyCase(['enabled', 'disabled'], lower),
  configs: configs.optional(),
  startMode: startMode.optional(),
  interval: z.object({ unit: anyCase(units, upper), value: z.int().min(1) }).optional(),
  next: instant.optional(),
  cron: z.string().max(1000).optional(),
  timeZone: z.string().max(100).optional(),
  specific: z.array(instant).min(1).max(1000).optional(),
})

type Wire = z.infer<typeof wire>

/** Milliseconds until the first firing of an interval that names none. */
const firstAfterMs = 5 * 60_000

/** Reads a trigger at a moment; `null` means that a member is absent, unknown members are ignored. */
export const triggerSchema = (now: number) =>
  z.preprocess(withoutNulls, wire).transform((given, context): Entry => {
    const fault = (key: keyof Wire, message: string) => {
      context.addIssue({ code: 'custom', path: [key], message })
      return z.NEVER
    }
    const { id, status, configs, startMode } = given
    const request = { ...(configs && { configs }), ...(startMode && { startMode }) }
    const wrong = faultOf(given)
    if (wrong) return fault(...wrong)
    const timing = timingOf(given, now)
    if (timing) {
      const fires = timing.kind === 'specific' || nextFiring(timing, now) !== undefined
      if (!fires) return fault(timing.kind, 'never fires again')
      return { id, status, ...request, timing }
    }
    if (status === 'enabled') return { id, ...request, timing: 'immediate' }
    return fault(
      'status',
      'a trigger without interval, cron and specific starts at once and cannot be disabled',
    )
  })

const withoutNulls = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
    : value

const kinds = ['interval', 'cron', 'specific'] as const

function faultOf(given: Wire): readonly [keyof Wire, string] | undefined {
  const { next, cron, timeZone } = given
  const named = kinds.filter((kind) => given[kind] !== undefined)
  const second = named[1]
  if (second) return [second, `only one of interval, cron and specific is possible`]
  if (next !== undefined && named.length === 0)
    return ['next', 'needs interval or cron; a single time is a list of one in specific']
  if (timeZone !== undefined && cron === undefined) return ['timeZone', 'needs cron']
  if (timeZone !== undefined && !isTimeZone(timeZone))
    return ['timeZone', 'must be an IANA time zone such as Europe/Vienna']
  const unreadable = cron === undefined ? undefined : cronFault(cron)
  return unreadable === undefined ? undefined : ['cron', unreadable]
}

function timingOf(given: Wire, now: number): Timing | undefined {
  const { interval, cron: expression, specific: times, next, timeZone } = given
  if (interval) return { kind: 'interval', ...interval, anchor: next ?? now + firstAfterMs }
  if (times) return { kind: 'specific', times }
  if (expression === undefined) return undefined
  return {
    kind: 'cron',
    expression,
    ...(timeZone !== undefined && { timeZone }),
    ...(next !== undefined && { notBefore: next }),
  }
}

function cronFault(expression: string): string | undefined {
  try {
    plain(expression)
    return undefined
  } catch (error) {
    if (error instanceof CronFault) return error.message
    throw error
  }
}

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
