/** Turns between the records of a batch. */

import { expect, it } from 'vitest'
import { turns } from '../../src/projector/gathering/record-changes.ts'

it('let others in after so much work, and cost nothing before', async () => {
  const turn = turns()
  const order: string[] = []
  setImmediate(() => order.push('a request'))
  for (let record = 1; record <= 9; record += 1) {
    await turn(65)
    order.push(`record ${record}`)
  }
  expect(order).toEqual(Array.from({ length: 9 }, (_, at) => `record ${at + 1}`))
  await turn(65)
  expect(order.at(-1)).toBe('a request')
})
