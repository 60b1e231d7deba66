/** Values of records as feeds and pages read them. */

import { expect, it } from 'vitest'
import { instantAt } from '../../src/search/record-values.ts'

it.each([
  ['1850-03-01', '1850-03-01T00:00:00.000Z'],
  ['0001', '0001-01-01T00:00:00.000Z'],
  ['0000-12-31', undefined],
  ['10000-01-01', undefined],
])('an instant of %s is %s', (issued, instant) => {
  expect(instantAt({ issued }, 'issued')?.toISOString()).toBe(instant)
})
