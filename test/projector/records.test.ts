/** Hand-written records: every field of every document is what the contract says, and so is everything that is left out. */

import { describe, expect, test } from 'vitest'
import type { Field } from '../../src/profile/profile.ts'
import { mappingClasses } from '../../src/projector/mappings/classes.ts'
import { conceptRecords } from './records/concepts.ts'
import { distributionRecords } from './records/distributions.ts'
import { otherRecords } from './records/others.ts'
import { partyRecords } from './records/parties.ts'
import { builtFrom, wanted, withThings, type Expected } from './records/record.ts'
import { textRecords } from './records/texts.ts'
import { valueRecords } from './records/values.ts'

const records: readonly Expected[] = [
  ...textRecords,
  ...conceptRecords,
  ...partyRecords,
  ...valueRecords,
  ...distributionRecords,
  ...otherRecords,
]

test.each(records)('$kind: $name', async (expected) => {
  const { document, reports } = await builtFrom(expected)
  expect(document.record).toEqual(wanted(expected))
  const told = reports.map(({ field, problem, value }) => `${field} ${problem} ${value}`)
  expect(told.toSorted()).toEqual([...(expected.leftOut ?? [])].toSorted())
})

/** Classes of the fields that have a value in some document. */
function classesIn(fields: readonly Field[], json: unknown): readonly string[] {
  if (Array.isArray(json)) return json.flatMap((each: unknown) => classesIn(fields, each))
  if (typeof json !== 'object' || json === null) return []
  const values = new Map<string, unknown>(Object.entries(json))
  return fields
    .filter(({ name }) => values.has(name))
    .flatMap(({ name, mapping, children }) => [mapping, ...classesIn(children, values.get(name))])
}

describe('the records together', () => {
  test('are more than forty', () => {
    expect(records.length).toBeGreaterThan(40)
    expect(new Set(records.map(({ name }) => name)).size).toBe(records.length)
  })

  test('have a value of every mapping class', () => {
    const [thing] = withThings.resources
    const fields = {
      dataset: withThings.dataset.fields,
      catalogue: withThings.catalogue.fields,
      concept: withThings.concept.fields,
      thing: thing?.shape.fields ?? [],
    }
    const met = new Set(records.flatMap((record) => classesIn(fields[record.kind], wanted(record))))
    expect([...met].toSorted()).toEqual(Object.keys(mappingClasses).toSorted())
  })
})
