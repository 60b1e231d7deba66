/** Cron expressions, with five fields as on Unix and with six or seven as in Quartz. */

import { Cron } from 'croner'
import type { Timing } from '../trigger.ts'
import { daysOf, type Days } from './cron-days.ts'
import { CronFault, listOf, numbers } from './cron-fields.ts'

export { CronFault } from './cron-fields.ts'

type CronTiming = Extract<Timing, { kind: 'cron' }>

/**
 * Seven fields that can be read in one way only: numbers, all written out, Sunday = 0, from seconds to years. Throws
 * `CronFault` for everything whose meaning is not certain.
 */
export function plain(expression: string): string {
  const fields = expression.trim().toUpperCase().split(/\s+/)
  const [first = '', ...others] = fields
  if (fields.length === 5) return written('unix', ['0', first, ...others, '*'])
  if (fields.length === 6) return written('quartz', [...fields, '*'])
  if (fields.length === 7) return written('quartz', fields)
  throw new CronFault(
    `cron must have 5 fields (minute hour day month weekday) or 6 to 7 (second minute hour day month weekday [year]), got ${expression.trim() === '' ? 0 : fields.length}`,
  )
}

/** The first firing after a moment, or undefined when there is none any more. */
export function nextOfCron(timing: CronTiming, after: number): number | undefined {
  const { expression, timeZone = 'UTC', notBefore = after } = timing
  const known = `${timeZone} ${expression}`
  const cron = compiled.get(known) ?? remember(known, expression, timeZone)
  // The moment itself may be the first firing.
  return cron.nextRun(new Date(Math.max(after, notBefore - 1)))?.getTime()
}

type Dialect = 'unix' | 'quartz'

function written(dialect: Dialect, fields: readonly string[]): string {
  const [seconds = '', minutes = '', hours = '', day = '', month = '', weekday = '', years = ''] =
    fields
  const wrap = dialect === 'quartz'
  const days: Days = daysOf(dialect, { day, weekday })
  return [
    numbers(seconds, { name: 'second', from: 0, to: 59, wrap }),
    numbers(minutes, { name: 'minute', from: 0, to: 59, wrap }),
    numbers(hours, { name: 'hour', from: 0, to: 23, wrap }),
    days.day,
    numbers(month, { name: 'month', from: 1, to: 12, wrap, names: months }),
    days.weekday,
    years === '*' ? '*' : listOf(years, { name: 'year', from: 1970, to: 2099 }).join(','),
  ].join(' ')
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

/** Reading an expression takes longer than asking it. */
const compiled = new Map<string, Cron>()
const mostCompiled = 10_000

function remember(known: string, expression: string, timezone: string): Cron {
  const cron = new Cron(plain(expression), {
    mode: '7-part',
    timezone,
    paused: true,
    domAndDow: false,
  })
  const oldest = compiled.keys().next().value
  if (compiled.size >= mostCompiled && oldest !== undefined) compiled.delete(oldest)
  compiled.set(known, cron)
  return cron
}
