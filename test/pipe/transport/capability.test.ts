import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { capabilities } from '../../../src/pipe/transport/returns.ts'

const capability = capabilities(randomBytes(32))

test('a token fits a path, and permits what it was made for', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.nat(), (runId, segmentNumber) => {
      const token = capability.of({ runId, segmentNumber })
      expect(token).toMatch(/^[A-Za-z0-9_-]{20,200}$/)
      expect(capability.read(token)).toEqual({ runId, segmentNumber })
      expect(capabilities(randomBytes(32)).read(token)).toBeUndefined()
    }),
  )
})

test('a token that was changed anywhere, or made up, permits nothing', () => {
  const token = capability.of({ runId: 'run-1', segmentNumber: 3 })
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  fc.assert(
    fc.property(
      fc.nat({ max: token.length - 2 }),
      fc.constantFrom(...letters.split('')),
      (at, letter) => {
        fc.pre(token[at] !== letter)
        expect(capability.read(token.slice(0, at) + letter + token.slice(at + 1))).toBeUndefined()
      },
    ),
  )
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(capability.read(text)).toBeUndefined()
    }),
  )
})
