/** Parses the triggers in requests of the API, and formats those in answers. */

import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'
import { isTimeZone } from '../text/time-zone.ts'
import { z } from 'zod'
import { Failure, shown } from '../errors.ts'
import { invalidRequest } from '../http/problem.ts'
import { startModes } from '../pipe/runs/run.ts'
import { CronError, parseCron } from './cron.ts'
import { nextFiring, type TriggerRequest, type Timing, type Trigger, units } from './trigger.ts'
import { maskSecrets } from './masking.ts'
import type { ScheduledTrigger } from './triggers.ts'

// Times.

const dateTime = z.iso.datetime({ offset: true, local: true })
const timeForm = 'an ISO 8601 date and time in UTC such as 2027-01-31T04:00:00Z'

/** Parses a time to ms since 1970; UTC without an offset; accepts `+0000`. */
const instant = z.string().transform((text, context) => {
  const whole = text.trim().replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
  const withZone = /(?:z|[+-]\d\d:\d\d)$/i.test(whole) ? whole : `${whole}Z`
  const time = dateTime.safeParse(withZone).success ? Date.parse(withZone) : Number.NaN
  if (!Number.isNaN(time)) return time
  context.addIssue({ code: 'custom', message: `must be ${timeForm}` })
  return z.NEVER
})

/** Formats a time; milliseconds only if they are not 0. */
const formatTime = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z')

/** A trigger to store, or an immediate launch. */
export type TriggerEntry =
  | Trigger
  | (TriggerRequest & { readonly id: string; readonly timing: 'immediate' })

// oxlint-disable-next-line no-control-regex
const nameForm = /^(?!\.{1,2}$)[^\u0000-\u001f\u007f/\\]+$/

/** Regular expression of trigger ids for the contract. */
export const triggerIdForm = nameForm.source

/** Name of 1 to 200 characters that may be used in a path. */
const name = z.string().min(1).max(200).regex(nameForm, 'must not hold control characters, / or \\')

/** Matches one of the words, ignoring case and surrounding blanks. */
const anyCase = <const T extends readonly string[]>(words: T, change: (text: string) => string) =>
  z.preprocess((value) => (typeof value === 'string' ? change(value.trim()) : value), z.enum(words))

const lower = (text: string) => text.toLowerCase()
const upper = (text: string) => text.toUpperCase()

/** Config overrides by segment name. */
export const configs = z.record(
  z.string(),
  z.custom<JsonObject>(isJsonObject, 'must be an object of config values'),
)
/** Start mode in any case; other schedulers write capitals. */
export const startMode = anyCase(startModes, lower)

/** Schema of a trigger in requests. Combinations of members are checked afterwards, with the clock. */
const triggerInput = z.object({
  id: name,
  status: anyCase(['enabled', 'disabled'], lower),
  configs: configs.optional(),
  startMode: startMode.optional(),
  interval: z.object({ unit: anyCase(units, upper), value: z.int().min(1) }).optional(),
  next: instant.optional(),
  cron: z.string().max(1000).superRefine(readableCron).optional(),
  timeZone: z
    .string()
    .max(100)
    .refine(isTimeZone, 'must be an IANA time zone such as Europe/Vienna')
    .optional(),
  specific: z.array(instant).min(1).max(1000).optional(),
})

type TriggerInput = z.infer<typeof triggerInput>

/** Default delay of the first firing of an interval in ms. */
const firstAfterMs = 5 * 60_000

/** Schema of a trigger at the time `now`. `null` means absent; unknown members are ignored. */
export const triggerSchema = (now: number) =>
  z.preprocess(withoutNulls, triggerInput).transform((input, context): TriggerEntry => {
    const fault = (key: keyof TriggerInput, message: string) => {
      context.addIssue({ code: 'custom', path: [key], message })
      return z.NEVER
    }
    const { id, status, next, cron, timeZone, configs, startMode } = input
    const request = { configs, startMode }
    const presentKinds = kinds.filter((kind) => input[kind] !== undefined)
    if (presentKinds[1])
      return fault(presentKinds[1], 'only one of interval, cron and specific is possible')
    if (next !== undefined && presentKinds.length === 0) {
      return fault('next', 'needs interval or cron; a single time is a list of one in specific')
    }
    if (timeZone !== undefined && cron === undefined) return fault('timeZone', 'needs cron')
    const timing = timingOf(input, now)
    if (timing) {
      const hasFiring = timing.kind === 'specific' || nextFiring(timing, now) !== undefined
      return hasFiring
        ? { id, status, ...request, timing }
        : fault(timing.kind, 'never fires again')
    }
    if (status === 'enabled') return { id, ...request, timing: 'immediate' }
    return fault(
      'status',
      'a trigger without interval, cron and specific starts at once and cannot be disabled',
    )
  })

/** Drops members that are `null`; other platforms write absent members as `null`. */
const withoutNulls = (value: unknown): unknown =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
    : value

/** Members that define the schedule; at most one may be given. */
const kinds = ['interval', 'cron', 'specific'] as const

/** Schedule of a trigger; `undefined` for an immediate launch. */
function timingOf(input: TriggerInput, now: number): Timing | undefined {
  const { interval, cron: expression, specific: times, next, timeZone } = input
  if (interval) return { kind: 'interval', ...interval, anchor: next ?? now + firstAfterMs }
  if (times) return { kind: 'specific', times }
  if (expression === undefined) return undefined
  // Compared with the stored timing, where members without a value are absent.
  return {
    kind: 'cron',
    expression,
    ...(timeZone !== undefined && { timeZone }),
    ...(next !== undefined && { notBefore: next }),
  }
}

/** Validates a cron expression. */
function readableCron(expression: string, context: z.RefinementCtx<string>): void {
  try {
    parseCron(expression)
  } catch (error) {
    if (!(error instanceof CronError)) throw error
    context.addIssue({ code: 'custom', message: error.message })
  }
}

// Bodies of requests that set the triggers of one pipe or of all.

/** Entries by the name or id of the pipe in the request. */
export type TriggerSets = ReadonlyMap<string, readonly TriggerEntry[]>

/** Failure for more triggers than the limit `mostTriggers`. */
export function tooManyTriggers(count: number, mostTriggers: number): Failure {
  const detail = `a pipe has at most ${mostTriggers} triggers (limit triggers), not ${count}`
  return new Failure('invalid-parameter', detail, { errors: [{ detail }] })
}

/** Current time, and the maximum number of triggers of a pipe. */
type Bounds = { readonly now: number; readonly mostTriggers: number }

/**
 * Parses sets for several pipes: an array whose entries name their pipes as `id`, or an object of arrays by pipe. Throws
 * `invalid-parameter`.
 */
export function parseTriggerSets(
  body: Json | undefined,
  { now, mostTriggers }: Bounds,
): TriggerSets {
  const list = z.array(triggerSchema(now))
  const sets = Array.isArray(body)
    ? Map.groupBy(parseBody(list, body), ({ id }) => id)
    : new Map(Object.entries(parseBody(z.record(z.string(), list), body)))
  return new Map([...sets].map(([pipe, entries]) => [pipe, withUniqueIds(entries, mostTriggers)]))
}

/** Parses the triggers of one pipe: an array or a single object. Throws `invalid-parameter`. */
export function parseTriggers(
  body: Json | undefined,
  { now, mostTriggers: most }: Bounds,
): readonly TriggerEntry[] {
  const list = body === undefined || Array.isArray(body) ? body : [body]
  return withUniqueIds(parseBody(z.array(triggerSchema(now)), list), most)
}

/** Parses one trigger; `id` is that of the path. Throws `invalid-parameter`, also if the body has another id. */
export function parseTrigger(body: Json | undefined, id: string, now: number): TriggerEntry {
  const whole =
    typeof body === 'object' && !Array.isArray(body) ? Object.assign({ id }, body) : body
  const entry = parseBody(triggerSchema(now), whole)
  if (entry.id === id) return entry
  const detail = `the id in the body is ${shown(entry.id)}, but the path says ${shown(id)}`
  throw new Failure('invalid-parameter', detail, { errors: [{ pointer: '/id', detail }] })
}

/** Validates a body. Throws `invalid-parameter` with a JSON Pointer for each error. */
function parseBody<T>(schema: z.ZodType<T>, body: Json | undefined): T {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  throw invalidRequest(result.error.issues, 'json', body)
}

/** Checks the number of entries and makes duplicate ids unique with `-2`, `-3` and so on. */
function withUniqueIds(
  entries: readonly TriggerEntry[],
  mostTriggers: number,
): readonly TriggerEntry[] {
  if (entries.length > mostTriggers) throw tooManyTriggers(entries.length, mostTriggers)
  const usedIds = new Set<string>()
  const requestedIds = new Set(entries.map(({ id }) => id))
  return entries.map((entry) => {
    let id = entry.id
    for (let number = 2; usedIds.has(id) || (id !== entry.id && requestedIds.has(id)); number += 1)
      id = `${entry.id}-${number}`
    usedIds.add(id)
    return { ...entry, id }
  })
}

// Triggers in answers, which can be sent back as requests.

/** A trigger as JSON with masked secrets. */
export function triggerAnswer({ id, status, timing, next, last, ...trigger }: ScheduledTrigger) {
  const { configs, startMode, problem } = trigger
  return {
    id,
    status,
    ...timingAnswer(timing),
    next: next === undefined ? undefined : formatTime(next),
    last: last === undefined ? undefined : formatTime(last),
    problem,
    startMode,
    configs: configs && maskSecrets(configs),
  }
}

/** A schedule as JSON; its first firing is omitted, because `next` has the coming one. */
function timingAnswer(timing: Timing) {
  if (timing.kind === 'interval') return { interval: { unit: timing.unit, value: timing.value } }
  if (timing.kind === 'specific') return { specific: timing.times.map(formatTime) }
  return { cron: timing.expression, timeZone: timing.timeZone }
}
