/** The schema of every mapping class over what the class makes of the rows of its table. */

import { describe, expect, test } from 'vitest'
import { languageMaps, type MappingClass } from '../../../src/profile/profile.ts'
import { classesWithModel, modelOf } from '../../../src/profile/field-models.ts'
import { valueKeysOf } from '../../../src/profile/record-schemas.ts'
import { conceptRows } from '../../projector/mappings/rows/concepts.ts'
import { structureRows } from '../../projector/mappings/rows/structures.ts'
import { textRows } from '../../projector/mappings/rows/text.ts'
import { valueRows } from '../../projector/mappings/rows/values.ts'
import { faults } from './faults.ts'

const rows = { ...textRows, ...conceptRows, ...structureRows, ...valueRows }
const classes = classesWithModel as readonly MappingClass[]
const components = Object.fromEntries(classes.map((name) => [name, modelOf(name) ?? {}]))

/** The values of a class in the rows of its table, out of their arrays. */
const valuesOf = (name: MappingClass): readonly unknown[] =>
  (rows[name] ?? []).flatMap(([, json]) => (json === undefined ? [] : json))

describe('the model of a mapping class', () => {
  test('there is one for every class but Nested', () => {
    expect(classes).toHaveLength(45)
    expect(modelOf('Nested')).toBeUndefined()
  })

  test.each(classes)('%s allows what the class makes, and knows every key of it', (name) => {
    const values = valuesOf(name)
    expect(values.length).toBeGreaterThan(0)
    expect(values.filter((value) => faults(components, name, value).length > 0)).toEqual([])
  })

  test.each(classes)('%s does not allow what no class makes', (name) => {
    expect(faults(components, name, null)).not.toEqual([])
    expect(faults(components, name, { 'no such key': [null] })).not.toEqual([])
  })
})

test('the targets of a class are the keys of what it makes', () => {
  const agent = ['type', 'name', 'name_translated', 'email', 'homepage', 'resource']
  expect([...valueKeysOf('Agent').keys()]).toEqual(agent)
  expect(valueKeysOf('License').has('la_url')).toBe(true)
  for (const name of ['Nested', 'StandardText', 'Spatial', ...languageMaps] as const)
    expect(valueKeysOf(name).size).toBe(0)
})
