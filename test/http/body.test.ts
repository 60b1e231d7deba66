/** Request bodies: what is read, and what is refused before it can hurt. */

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyPieces, readBody, readBodyText } from '../../src/http/body.ts'

const MB = 2 ** 20
const limits = { bytes: MB }

/** A request whose body comes in pieces, as from a socket; `read` counts the pieces taken. */
function request(pieces: Iterable<Uint8Array>, headers: Record<string, string> = {}) {
  const seen = { read: 0, cancelled: false }
  const source = pieces[Symbol.iterator]()
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = source.next()
      if (next.done) return controller.close()
      seen.read++
      controller.enqueue(next.value)
    },
    cancel: () => {
      seen.cancelled = true
    },
  })
  const init = { method: 'PUT', headers, body, duplex: 'half' } as const
  return { request: new Request('http://localhost/x', init), seen }
}

function* endless() {
  for (;;) yield new Uint8Array(65_536)
}

const bytes = (text: string) => Buffer.from(text)
const coders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, 'x-gzip': gzipSync }

describe('a body', () => {
  it.each(Object.entries(coders))('in %s comes out as it was', (coding, code) => {
    return fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 5000 }),
        fc.integer({ min: 1, max: 700 }),
        async (content, size) => {
          const coded = code(content)
          const pieces = Array.from({ length: Math.ceil(coded.length / size) }, (_, at) =>
            coded.subarray(at * size, (at + 1) * size),
          )
          const { request: sent } = request(pieces, { 'Content-Encoding': coding })
          expect(Buffer.from(content).equals(await readBody(sent, limits))).toBe(true)
        },
      ),
      { numRuns: 20 },
    )
  })

  it.each([
    ['UTF-8', 'application/json', Buffer.from('é€')],
    ['UTF-8 that is called Latin-1', 'application/json; charset=iso-8859-1', Buffer.from('é€')],
    ['the charset of its type', 'text/plain; charset=windows-1252', Buffer.from([0xe9, 0x80])],
    ['UTF-16 with a mark', 'text/plain', Buffer.from('\uFEFFé€', 'utf16le')],
  ])('as text is read in %s', async (_name, type, content) => {
    const { request: sent } = request([content], { 'Content-Type': type })
    expect(await readBodyText(sent, limits)).toBe('é€')
  })

  it('as text in no charset that is known is refused with its place', async () => {
    const { request: sent } = request([Buffer.from('a\nb\xe9', 'latin1')])
    await expect(readBodyText(sent, limits)).rejects.toMatchObject({
      kind: 'invalid-parameter',
      errors: [{ line: 2, column: 2 }],
    })
  })

  it('that is absent is empty', async () => {
    const sent = new Request('http://localhost/x', { method: 'DELETE' })
    expect(await readBody(sent, limits)).toHaveLength(0)
  })

  it.each(['compress', 'gzip, gzip', 'constructor', 'zstd'])(
    'in the coding %s is a 415 that names the others',
    async (coding) => {
      const { request: sent } = request([bytes('x')], { 'Content-Encoding': coding })
      await expect(readBody(sent, limits)).rejects.toMatchObject({
        kind: 'unsupported-media-type',
        headers: { 'Accept-Encoding': 'gzip, deflate, br' },
      })
    },
  )

  it.each(Object.keys(coders))('that is broken %s is a 400', async (coding) => {
    const { request: sent } = request([bytes('no such thing')], { 'Content-Encoding': coding })
    await expect(readBody(sent, limits)).rejects.toMatchObject({ kind: 'invalid-parameter' })
  })

  it('that ends in the middle of its coding is a 400', async () => {
    const half = gzipSync(Buffer.alloc(5000, 'abc')).subarray(0, 20)
    const { request: sent } = request([half], { 'Content-Encoding': 'gzip' })
    await expect(readBody(sent, limits)).rejects.toMatchObject({ kind: 'invalid-parameter' })
  })
})

describe('[T12] a body over the limit', () => {
  const refusal = { kind: 'too-large', detail: expect.stringMatching(/1048576 bytes.*bodyBytes/) }

  it('is refused before it is read when its length is announced', async () => {
    const { request: sent, seen } = request([bytes('x')], { 'Content-Length': String(2 * MB) })
    await expect(readBody(sent, limits)).rejects.toMatchObject(refusal)
    expect(seen.read).toBeLessThanOrEqual(1)
  })

  it('stops as soon as the limit is passed when its length is not announced', async () => {
    const { request: sent, seen } = request(endless())
    await expect(readBody(sent, limits)).rejects.toMatchObject(refusal)
    expect(seen.read).toBeLessThanOrEqual(MB / 65_536 + 3)
    expect(seen.cancelled).toBe(true)
  })

  it.each(['gzip', 'br'] as const)('is counted decompressed (%s)', async (coding) => {
    const noise = fc.sample(fc.uint8Array({ minLength: 1000, maxLength: 1000 }), 1)[0] ?? bytes('')
    const content = Buffer.concat(Array.from({ length: 1100 }, () => noise))
    const { request: sent } = request([coders[coding](content)], { 'Content-Encoding': coding })
    await expect(readBody(sent, limits)).rejects.toMatchObject({ kind: 'too-large' })
  })

  it('that grows a hundredfold is refused after its first MB, whatever the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(30 * MB))
    const { request: sent } = request([bomb], { 'Content-Encoding': 'gzip' })
    await expect(readBody(sent, { bytes: 100 * MB })).rejects.toMatchObject({
      kind: 'too-large',
      detail: expect.stringContaining('bodyRatio'),
    })
    const small = gzipSync(Buffer.alloc(MB / 2))
    const { request: fine } = request([small], { 'Content-Encoding': 'gzip' })
    expect(await readBody(fine, { bytes: 100 * MB })).toHaveLength(MB / 2)
  })

  it('names the limit that its route chose', async () => {
    const { request: sent } = request([new Uint8Array(20)])
    const chosen = { bytes: 10, name: 'vocabularyBytes' }
    await expect(readBody(sent, chosen)).rejects.toMatchObject({
      detail: expect.stringContaining('vocabularyBytes'),
    })
  })
})

describe('a sender', () => {
  const silent = () => new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) })
  const waiting = () =>
    new Request('http://localhost/x', { method: 'PUT', body: silent(), duplex: 'half' })

  it('that pauses too long is a request-timeout', async () => {
    await expect(readBody(waiting(), { bytes: MB, idleMs: 5 })).rejects.toMatchObject({
      kind: 'request-timeout',
      detail: expect.stringContaining('bodyIdleMs'),
    })
  })

  it('is left at once when the signal aborts', async () => {
    const stop = new AbortController()
    const reading = readBody(waiting(), limits, stop.signal)
    stop.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
  })

  it('is not read further than its reader goes', async () => {
    const { request: sent, seen } = request(Array.from({ length: 50 }, () => new Uint8Array(1000)))
    for await (const piece of bodyPieces(sent, limits)) {
      expect(piece).toHaveLength(1000)
      break
    }
    expect(seen.read).toBeLessThan(5)
    expect(seen.cancelled).toBe(true)
  })
})
