/** Settings in a JSON object that are mostly numbers: a table says what they are. */

import { z } from 'zod'
import { nearest } from '../spelling.ts'

/** A number: its default, its bounds, and what it means. */
export type NumberRow = {
  readonly standard: number
  readonly least: number
  readonly most: number
  readonly meaning: string
}

/** A schema for each row, by its name. */
export function numbersOf<Name extends string>(
  table: Readonly<Record<Name, NumberRow>>,
): Record<Name, z.ZodDefault<z.ZodInt>> {
  const rows = Object.entries<NumberRow>(table).map(([name, row]) => [name, numberOf(row)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `fromEntries` forgets the names of the table
  return Object.fromEntries(rows) as Record<Name, z.ZodDefault<z.ZodInt>>
}

function numberOf({ least, most, standard }: NumberRow) {
  const error = `must be a whole number ${least}..${most}`
  return z.int({ error }).min(least, { error }).max(most, { error }).default(standard)
}

/** An unknown name is a problem: a guard or a limit that was misspelt guards and limits nothing. */
export const onlyNames =
  (names: readonly string[]) =>
  (given: object, context: z.RefinementCtx): void => {
    for (const name of Object.keys(given).filter((one) => !names.includes(one))) {
      const close = nearest(name, names)
      const hint = close === undefined ? '' : ` (did you mean ${close}?)`
      context.addIssue({ code: 'custom', path: [name], message: `is no setting${hint}` })
    }
  }
