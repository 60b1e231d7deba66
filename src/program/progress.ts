/** Progress of long work on standard error: a line on a terminal, JSON lines with `--json`, else nothing. */

/** State of a piece of work; `total` is absent while unknown. */
export type WorkState = {
  /** Work in a word, such as `sending`. */
  readonly what: string
  readonly done: number
  readonly total?: number
  /** Noun of what is counted: `datasets`; `MB` for bytes. */
  readonly unit?: string
}

/** Reporter of progress; `clear` ends it: removes the line from the terminal, or prints the last JSON line that was left out. */
export type ProgressReporter = {
  readonly show: (step: WorkState) => void
  readonly clear: () => void
}

type ProgressOptions = {
  readonly stream: { readonly isTTY?: boolean; readonly write: (text: string) => unknown }
  readonly isJson: boolean
  readonly isQuiet: boolean
  /** Clock in milliseconds. */
  readonly now: () => number
}

/** Minimum milliseconds between two lines: on a terminal, and as JSON. */
const [redrawMs, jsonMs] = [200, 1000]

/** Makes a reporter; rate and time left are those since the first step of the same work. */
export function progressReporter({
  stream,
  isJson,
  isQuiet,
  now,
}: ProgressOptions): ProgressReporter {
  const isShown = !isQuiet && (isJson || stream.isTTY === true)
  let first: (WorkState & { readonly at: number }) | undefined
  let shownAt = Number.NEGATIVE_INFINITY
  let leftOut: WorkState | undefined
  const draw = (step: WorkState, time: number) => {
    const { what, done, total } = step
    const { done: doneBefore, at } = first ?? { done, at: time }
    const rate = (done - doneBefore) / Math.max((time - at) / 1000, 0.001)
    const left = rate > 0 && total !== undefined ? (total - done) / rate : undefined
    const numbers = { what, done, total, perSecond: Math.round(rate), secondsLeft: rounded(left) }
    const text = `\r${progressLine(step, rate, left)}\u001b[K`
    stream.write(isJson ? `${JSON.stringify({ progress: numbers })}\n` : text)
  }
  const show = (step: WorkState) => {
    if (!isShown) return
    const time = now()
    if (first?.what !== step.what) first = { ...step, at: time }
    leftOut = step
    if (time - shownAt < (isJson ? jsonMs : redrawMs)) return
    shownAt = time
    leftOut = undefined
    draw(step, time)
  }
  const clear = () => {
    if (isJson && leftOut) draw(leftOut, now())
    if (shownAt > 0 && !isJson) stream.write('\r\u001b[K')
    leftOut = undefined
    shownAt = Number.NEGATIVE_INFINITY
  }
  return { show, clear }
}

const rounded = (value: number | undefined) => (value === undefined ? undefined : Math.ceil(value))

/** Line such as `sending 500 of 2,000 datasets  25 %  210/s  7 s left`. */
export function progressLine(
  { what, done, total, unit = '' }: WorkState,
  rate: number,
  left: number | undefined,
): string {
  const isBytes = unit === 'MB'
  const shown = (value: number) =>
    isBytes ? (value / 1e6).toFixed(1) : Math.round(value).toLocaleString('en')
  const of = total === undefined ? '' : ` of ${shown(total)}`
  const percent = total ? [`${Math.floor((Math.min(done, total) / total) * 100)} %`] : []
  const speed = rate > 0 ? [`${shown(rate)}${isBytes ? ' MB' : ''}/s`] : []
  const rest = left === undefined ? [] : [`${shownTime(left)} left`]
  return [`${what} ${shown(done)}${of} ${unit}`.trimEnd(), ...percent, ...speed, ...rest].join('  ')
}

const shownTime = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`

/** Progress bar at the beginning of a line of the console. */
const bar = /^\[[#.-]{30}\](?: +\d+ %)? +([\d,]+)(?: of ([\d,]+))?/

/** State of the work that a line of the console reports; `undefined` for other lines. */
export function stepOfLine(line: string, what: string): WorkState | undefined {
  const [, done, total] = bar.exec(line) ?? []
  const numberOf = (text: string) => Number(text.replaceAll(',', ''))
  if (done === undefined) return undefined
  return { what, done: numberOf(done), ...(total !== undefined && { total: numberOf(total) }) }
}
