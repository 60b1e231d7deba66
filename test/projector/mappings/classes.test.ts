/** The table of mapping classes: at least three rows for each, one of them with a value that does not fit. */

import { expect, test } from 'vitest'
import { mappingClasses } from '../../../src/projector/mappings/classes.ts'
import { testRows, type Rows } from './mapped.ts'
import { conceptRows } from './rows/concepts.ts'
import { structureRows } from './rows/structures.ts'
import { textRows } from './rows/text.ts'
import { valueRows } from './rows/values.ts'

const rows: Rows = { ...textRows, ...conceptRows, ...structureRows, ...valueRows }

/** Computed from what other fields report: nothing is ever left out here. */
const silent = new Set(['TranslationMeta'])

test.each(Object.keys(mappingClasses) as (keyof typeof mappingClasses)[])(
  '%s has three rows, one of them broken',
  (name) => {
    const table = rows[name] ?? []
    expect(table.length).toBeGreaterThanOrEqual(3)
    const broken = table.filter(([, , problems = []]) => problems.length > 0)
    expect(broken.length).toBeGreaterThanOrEqual(silent.has(name) ? 0 : 1)
  },
)

test('there are forty-six classes', () => {
  expect(Object.keys(mappingClasses)).toHaveLength(46)
  expect(Object.keys(rows).toSorted()).toEqual(Object.keys(mappingClasses).toSorted())
})

testRows(rows)

/** A literal without a text is no value of any class: nothing is made of it and nobody is told. */
testRows(
  Object.fromEntries(
    Object.keys(mappingClasses)
      .filter((name) => name !== 'TranslationMeta')
      .map((name) => [name, [['"", "  "@de, " "^^xsd:date', undefined]]]),
  ),
)
