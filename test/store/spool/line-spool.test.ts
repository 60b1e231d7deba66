/** Lines sorted on disk: the same as sorted in memory, whatever they are. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineSpool, openScratch } from '../../../src/store/line-spool.ts'
import { newDirectory } from '../opening.ts'

const directory = newDirectory()

describe('a spool of lines', () => {
  it('gives any lines sorted by code unit and once, as often as it is asked', () => {
    const line = fc
      .string({ unit: 'binary' })
      .map((text) => text.toWellFormed().replaceAll('\n', ' '))
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        (lines, size) => {
          const spool = new LineSpool(directory, size)
          for (const one of lines) spool.add(one)
          const wanted = [...new Set(lines)].sort()
          expect([...spool.sorted()]).toEqual(wanted)
          expect([...spool.sorted()]).toEqual(wanted)
          spool.close()
        },
      ),
    )
  })

  it('touches no disk for what one run holds', () => {
    const spool = new LineSpool('/nowhere/at/all')
    for (const line of ['b', 'a', 'b']) spool.add(line)
    expect([...spool.sorted()]).toEqual(['a', 'b'])
    expect(spool.runs).toBe(0)
    spool.close()
  })

  it('holds one run in memory, and the rest on disk', () => {
    const spool = new LineSpool(directory, 100)
    for (let n = 0; n < 1000; n += 1) spool.add(`line ${n % 250}`)
    expect(spool.runs).toBeGreaterThan(50)
    expect([...spool.sorted()]).toHaveLength(250)
    spool.close()
  })
})

describe('a scratch file', () => {
  it('gives chunks of whole lines, also when a line is longer than a chunk', () => {
    const scratch = openScratch(directory)
    const lines = ['short\n', `${'ü'.repeat(500)}\n`, '😀\n', 'end\n']
    for (const line of lines) scratch.append(line)
    const chunks = [...scratch.chunks(64)]
    expect(chunks.join('')).toBe(lines.join(''))
    expect(chunks.every((chunk) => chunk.endsWith('\n'))).toBe(true)
    expect(chunks.length).toBeGreaterThan(1)
    expect(scratch.bytes()).toBe(Buffer.byteLength(lines.join('')))
    scratch.close()
  })
})
