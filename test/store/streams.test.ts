/** Streams into the embedded store: what it has no room for, and what strangers see of them. */

import { describe, expect, it } from 'vitest'
import { newDirectory, openEmbedded } from './opening.ts'

const graph = 'urn:test:streamed'

async function* lines(count: number, length = 10, version = 'a') {
  for (let n = 0; n < count; n += 1) {
    const name = String(n).padStart(9, '0')
    yield `<urn:test:${name}> <urn:test:p> "${n} ${version} ${'x'.repeat(length)}" .\n`
    if (n % 100 === 0) await Promise.resolve()
  }
}

async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text
}

describe('a stream that the index has no room for', () => {
  it('is refused before anything of it is seen', async () => {
    const store = await openEmbedded({ quads: 5000 })
    await store.replaceStreamed(graph, lines(3000), [])
    const before = await textOf(store.readLines(graph))
    await expect(store.replaceStreamed(graph, lines(8001, 500, 'b'), [])).rejects.toMatchObject({
      kind: 'store-full',
    })
    const other = store.replaceStreamed('urn:test:other', lines(2001), [])
    await expect(other).rejects.toMatchObject({ kind: 'store-full' })
    expect(await textOf(store.readLines(graph))).toBe(before)
    expect(await store.read('urn:test:other')).toBeUndefined()
    // What goes makes room.
    await store.replaceStreamed(graph, lines(5000, 10, 'b'), [])
    expect((await store.health()).quads).toBe(5000)
    await store.close()
  })
})

describe('a streamed graph', () => {
  it.each([
    ['small', 1500, 10],
    ['larger than what is told to the public copy', 2500, 8000],
  ])('that is %s is seen by public queries', async (_, count, length) => {
    const directory = newDirectory()
    const store = await openEmbedded({}, directory)
    const counted = async () => {
      const query = `SELECT (COUNT(*) AS ?n) { GRAPH <${graph}> { ?s ?p ?o } }`
      const answer = await store
        .publicQuery({ query, accept: 'text/csv', client: 'test' })
        .catch(() => undefined)
      return answer?.body.trim().split('\r\n').at(-1)
    }
    await store.replaceStreamed(graph, lines(10), [])
    await expect.poll(counted).toBe('10')
    await store.replaceStreamed(graph, lines(count, length), [])
    await expect.poll(counted).toBe(String(count))
    await store.close()
    const again = await openEmbedded({}, directory)
    const [row] = await again.select(`SELECT (COUNT(*) AS ?n) { GRAPH <${graph}> { ?s ?p ?o } }`)
    expect(row?.['n']?.value).toBe(String(count))
    expect((await textOf(again.readLines(graph))).match(/\n/g)).toHaveLength(count)
    await again.close()
  })
})
