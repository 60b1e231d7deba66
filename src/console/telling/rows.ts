/** Lists as text: columns under each other. */

const widest = 60

/** Rows as lines; a column is as wide as its widest cell, up to 60 characters. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [at, cell] of row.entries())
      widths[at] = Math.min(widest, Math.max(widths[at] ?? 0, cell.length))
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

export const number = (value: number): string => value.toLocaleString('en')

export const instant = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? '–' : `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

/** `3 datasets`, `1 dataset`. */
export const amount = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`
