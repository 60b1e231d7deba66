/** Durations in milliseconds: a day, and ISO 8601 durations of configurations. */

/** Milliseconds of a day. */
export const dayMs = 86_400_000

const unitMs = { W: 604_800_000, D: dayMs, H: 3_600_000, M: 60_000, S: 1000 } as const

/** Parses `PnWnDTnHnMnS` to milliseconds; `undefined` for other texts, also with years and months, whose length varies. */
export function durationMs(text: string): number | undefined {
  const match =
    /^P(?=.)(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=.)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?$/.exec(
      text,
    )
  if (!match) return undefined
  const [, weeks, days, hours, minutes, seconds] = match.map((part) => Number(part ?? 0))
  const ms =
    (weeks ?? 0) * unitMs.W +
    (days ?? 0) * unitMs.D +
    (hours ?? 0) * unitMs.H +
    (minutes ?? 0) * unitMs.M +
    (seconds ?? 0) * unitMs.S
  return ms > 0 ? ms : undefined
}
