/** Memory of the embedded engines in a process of a given size. */

import { describe, expect, it } from 'vitest'
import { writerBytes } from '../../src/store/embedded/engine.ts'
import { bytesForCopy } from '../../src/store/public/copy-memory.ts'

const MB = 2 ** 20

describe('a public copy', () => {
  const bytesOf = (quads: number, used: number, limit: number, configuredBytes = 0) =>
    bytesForCopy({ quads, configuredBytes, memory: { used: used * MB, limit: limit * MB } })

  it('has room for queries where there is memory', () => {
    expect(bytesOf(200_000, 400, 24_000)).toEqual({ bytes: 1280 * MB })
  })
  it('has at most what is left, but enough for the data', () => {
    expect(bytesOf(200_000, 400, 1024)).toEqual({ bytes: 256 * MB })
    expect(bytesOf(1_000_000, 500, 1024)).toEqual({ bytes: 320_000_000 })
  })
  it('is refused where the data do not fit', () => {
    expect(bytesOf(2_000_000, 413, 1024)).toEqual({ neededMb: 671, leftMb: 530 })
  })
  it('has what is configured, or less where less is left', () => {
    expect(bytesOf(200_000, 400, 24_000, 300 * MB)).toEqual({ bytes: 300 * MB })
    expect(bytesOf(200_000, 400, 1024, 4096 * MB)).toEqual({ bytes: 256 * MB })
  })
})

describe('the engine of the writer', () => {
  it('leaves memory for everything else', () => {
    expect([1024, 2048, 65_536].map((mb) => writerBytes(mb * MB) / MB)).toEqual([576, 1536, 4096])
  })
})
