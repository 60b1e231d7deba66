/** The two day fields of a cron expression, whose numbers and signs differ between Unix and Quartz. */

import { CronFault, listOf, numberOf, type Field } from './cron-fields.ts'

/** Day of the month and weekday with Sunday = 0; `L`, `W` and `#` as Quartz means them. */
export type Days = { readonly day: string; readonly weekday: string }

/**
 * Unix: 0 and 7 are Sunday; when both fields are restricted, either fits. Quartz: 1 is Sunday, `?` says nothing, and not
 * both may be restricted. Throws `CronFault`.
 */
export function daysOf(dialect: 'unix' | 'quartz', days: Days): Days {
  return dialect === 'unix' ? unixDays(days) : quartzDays(days)
}

const names = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const dayOfMonth: Field = { name: 'day', from: 1, to: 31 }
const unixWeekday: Field = { name: 'weekday', from: 0, to: 7, names: [...names, 'SUN'] }
const quartzWeekday: Field = { name: 'weekday', from: 1, to: 7, names, wrap: true }

function unixDays({ day, weekday }: Days): Days {
  return { day: monthDays(day, dayOfMonth), weekday: unixWeekdays(weekday) }
}

/** A list of all days stays a list: beside a restricted weekday it means every day, and `*` would not. */
const monthDays = (text: string, field: Field): string =>
  text === '*' ? text : listOf(text, field).join(',')

function unixWeekdays(text: string): string {
  if (text === '*') return text
  // The week ends on Saturday for steps, and a range may end on the Sunday after it: 5-7.
  const field = (part: string) => (part.includes('/') ? { ...unixWeekday, to: 6 } : unixWeekday)
  const days = text.split(',').flatMap((part) => listOf(sundayLast(part), field(part)))
  return [...new Set(days.map((one) => one % 7))].toSorted((a, b) => a - b).join(',')
}

const sundayLast = (part: string): string => part.replace(/-SUN$/, '-7')

function quartzDays({ day, weekday }: Days): Days {
  const open = (text: string) => text === '*' || text === '?'
  if (day === '?' && weekday === '?')
    throw new CronFault('only one of day and weekday can be "?", the other one must say something')
  if (!open(day) && !open(weekday)) {
    throw new CronFault(
      'day and weekday cannot both be restricted in an expression of 6 or 7 fields: put "?" in one of them',
    )
  }
  return {
    day: open(day) ? '*' : quartzDay(day),
    weekday: open(weekday) ? '*' : quartzWeekdays(weekday),
  }
}

function quartzDay(text: string): string {
  if (text === 'L' || text === 'LW') return text
  const [, near] = /^(\d+)W$/.exec(text) ?? []
  // Whether a month without such a day is left out or ends earlier differs from reader to reader.
  if (near !== undefined) return `${numberOf(near, { ...dayOfMonth, to: 28 })}W`
  return monthDays(text, { ...dayOfMonth, wrap: true })
}

function quartzWeekdays(text: string): string {
  const number = (name: string) => numberOf(name, quartzWeekday) - 1
  if (text === 'L') return '6'
  const [, last] = /^(\w+)L$/.exec(text) ?? []
  if (last !== undefined) return `${number(last)}L`
  const [, day, which] = /^(\w+)#(\w+)$/.exec(text) ?? []
  if (day !== undefined && which !== undefined) {
    return `${number(day)}#${numberOf(which, { name: 'the number after #', from: 1, to: 5 })}`
  }
  const list = listOf(text, quartzWeekday)
  return list.map((one) => one - 1).join(',')
}
