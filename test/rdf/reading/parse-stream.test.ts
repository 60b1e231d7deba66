import { describe, expect, test } from 'vitest'
import type { Quad } from '@rdfjs/types'
import { toLines } from '../../../src/rdf/lines.ts'
import { parseStream } from '../../../src/rdf/reading/parse-stream.ts'
import { pieces } from '../graphs.ts'

const options = { baseIri: 'http://e/x' }
const line = (index: number) => `<http://e/${index}> <http://e/p> "${index}" .\n`
const all = async (batches: AsyncIterable<Quad[]>) => {
  const found: Quad[][] = []
  for await (const batch of batches) found.push(batch)
  return found
}

test('batches hold at most 1000 quads and come in the order of the source', async () => {
  const text = Array.from({ length: 2_500 }, (_, index) => line(index)).join('')
  const batches = await all(parseStream(pieces(text, 1_000_000), 'ntriples', options))
  expect(batches.map(({ length }) => length)).toEqual([1_000, 1_000, 500])
  expect(batches.flat().map(({ object }) => object.value)).toEqual(
    Array.from({ length: 2_500 }, (_, index) => String(index)),
  )
})

test('nothing is read ahead, and stopping closes the source', async () => {
  let read = 0
  let closed = false
  async function* endless(): AsyncIterable<Uint8Array> {
    try {
      for (;;) {
        yield new TextEncoder().encode(line(read))
        read += 1
      }
    } finally {
      closed = true
    }
  }
  for await (const batch of parseStream(endless(), 'ntriples', options)) {
    expect(batch).toHaveLength(1_000)
    break
  }
  expect(read).toBeLessThan(1_010)
  expect(closed).toBe(true)
})

describe('errors', () => {
  test.each([
    ['a bad line', `${line(1)}${line(2)}oops\n${line(3)}`, 3],
    ['a bad IRI', `${line(1)}\n<http://e/[> <http://e/p> "x" .\n`, 3],
    ['an unfinished line', `${line(1)}<http://e/a> <http://e/p> "x"`, 2],
  ])('%s is named by its number', async (_, text, at) => {
    for (const size of [1, 7, 1_000]) {
      await expect(all(parseStream(pieces(text, size), 'ntriples', options))).rejects.toMatchObject(
        {
          kind: 'malformed-rdf',
          errors: [expect.objectContaining({ line: at }) as object],
        },
      )
    }
  })

  test('a byte that is no UTF-8 is named by its line, also at the very end', async () => {
    const bytes = Buffer.concat([Buffer.from(line(1)), Buffer.of(0xe2)])
    await expect(all(parseStream(pieces(bytes, 5), 'ntriples', options))).rejects.toMatchObject({
      errors: [{ line: 2, detail: 'the text is not UTF-8' }],
    })
  })

  test('a failing source fails the parse', async () => {
    async function* broken(): AsyncIterable<Uint8Array> {
      yield new TextEncoder().encode(line(1))
      throw new Error('connection lost')
    }
    await expect(all(parseStream(broken(), 'turtle', options))).rejects.toThrow('connection lost')
  })

  test('a statement that never ends is given up', async () => {
    const text = `<a> <b> """${'x'.repeat(17 * 1_048_576)}`
    await expect(
      all(parseStream(pieces(text, 1_048_576), 'turtle', options)),
    ).rejects.toMatchObject({
      kind: 'malformed-rdf',
    })
  })
})

test('XML may declare its encoding', async () => {
  const text = `<?xml version="1.0" encoding="ISO-8859-1"?><T xmlns="http://e/" xmlns:n="http://e/" n:p="Straße"/>`
  const quads = (
    await all(parseStream(pieces(Buffer.from(text, 'latin1'), 1_000), 'rdfxml', options))
  ).flat()
  expect(toLines(quads)).toContain('"Straße"')
})

test('repairs are reported while the stream goes on', async () => {
  const lines: unknown[] = []
  const text = `${line(1)}<http://e/a b> <http://e/p> "x"@en_GB .\n${line(2)}`
  const repair = (found: { line?: number }) => lines.push(found.line)
  const quads = (await all(parseStream(pieces(text, 3), 'ntriples', { ...options, repair }))).flat()
  expect(quads).toHaveLength(3)
  expect(lines).toEqual([2, 2])
})
