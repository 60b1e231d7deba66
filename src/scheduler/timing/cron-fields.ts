/** One field of a cron expression as the numbers that it stands for. */

/** An expression that cannot be read with certainty; the message says what would be right. */
export class CronFault extends Error {}

export type Field = {
  readonly name: string
  readonly from: number
  readonly to: number
  /** Names of the numbers, the first one for `from`. */
  readonly names?: readonly string[]
  /** A range may go over the end: `22-3`. */
  readonly wrap?: boolean
}

/** The numbers as a list, ascending; `*` for all of them. */
export function numbers(text: string, field: Field): string {
  const list = listOf(text, field)
  return list.length === field.to - field.from + 1 ? '*' : list.join(',')
}

/** The numbers, ascending. Throws `CronFault`. */
export function listOf(text: string, field: Field): readonly number[] {
  const all = text.split(',').flatMap((part) => partOf(part, field))
  return [...new Set(all)].toSorted((a, b) => a - b)
}

/** The number for a number or a name. Throws `CronFault`. */
export function numberOf(text: string, field: Field): number {
  const { name, from, to, names = [] } = field
  const named = names.indexOf(text)
  const value = named >= 0 ? from + named : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (value >= from && value <= to) return value
  const right = names.length > 0 ? ` or ${names[0]}-${names.at(-1)}` : ''
  throw new CronFault(`${name} must be ${from}-${to}${right}, got "${text}"`)
}

const shape = /^(?:(\*)|([A-Z0-9]+)(?:-([A-Z0-9]+))?)(?:\/(\d{1,4}))?$/

/** `*`, `a`, `a-b`, each with a step; `a/n` goes on to the end. */
function partOf(part: string, field: Field): readonly number[] {
  const { name, from, to, wrap } = field
  const [, all, first = '', last, pace] = shape.exec(part) ?? []
  if (all === undefined && first === '') {
    throw new CronFault(
      `${name} must be *, numbers, ranges or steps, separated by commas, got "${part}"`,
    )
  }
  const start = all === undefined ? numberOf(first, field) : from
  const end = endOf({ all, start, last, pace }, field)
  const step = pace === undefined ? 1 : Number(pace)
  const size = to - from + 1
  if (step < 1 || step > size) throw new CronFault(`the step of ${name} must be 1-${size}`)
  if (end < start && wrap !== true)
    throw new CronFault(`the range "${part}" of ${name} ends before it begins`)
  const stop = end < start ? end + size : end
  const found: number[] = []
  for (let at = start; at <= stop; at += step) found.push(at > to ? at - size : at)
  return found
}

type Part = {
  readonly all: string | undefined
  readonly start: number
  readonly last: string | undefined
  readonly pace: string | undefined
}

function endOf({ all, start, last, pace }: Part, field: Field): number {
  if (last !== undefined) return numberOf(last, field)
  return all !== undefined || pace !== undefined ? field.to : start
}
