/** Whether somebody has decided about removals that were held back. */

import { expect, it } from 'vitest'
import { removalDecision } from '../../src/portal/pages/steward/runs.ts'

const now = new Date().toISOString()
const before = new Date(performance.timeOrigin - 60_000).toISOString()

it.each([
  ['a confirmation', { action: 'confirm', done: 3, failed: 0, time: before }, true],
  ['one that has begun', { action: 'confirm', done: 0, failed: 0, time: now }, true],
  [
    'one that the end of a process cut off',
    { action: 'confirm', done: 0, failed: 0, time: before },
    false,
  ],
  ['one that failed in parts', { action: 'confirm', done: 1, failed: 2, time: now }, false],
  ['keeping', { action: 'keep', done: 3, failed: 0, time: before }, true],
])('%s', (_name, note, isDecided) => {
  expect(removalDecision({ notes: [note] }) !== undefined).toBe(isDecided)
  const restored = { action: 'restore', done: 1, failed: 0, time: now }
  expect(removalDecision({ notes: [note, restored] }) !== undefined).toBe(isDecided)
})
