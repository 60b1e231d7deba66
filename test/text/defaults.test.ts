import { expect, it } from 'vitest'
import { withDefaults } from '../../src/text/defaults.ts'

const defaults = { connectMs: 10, idleMs: 20 }

it('takes the members that are given and keeps the defaults of the others', () => {
  expect(withDefaults(defaults, { idleMs: 0 })).toEqual({ connectMs: 10, idleMs: 0 })
  expect(withDefaults(defaults)).toEqual(defaults)
})

it('keeps the default of a member that is undefined', () => {
  expect(withDefaults(defaults, { connectMs: undefined, idleMs: 5 })).toStrictEqual({
    connectMs: 10,
    idleMs: 5,
  })
})

it('leaves the defaults themselves as they are', () => {
  withDefaults(defaults, { connectMs: 1 })
  expect(defaults).toEqual({ connectMs: 10, idleMs: 20 })
})
