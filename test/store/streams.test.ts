/** Large graphs in the embedded store: what it has no room for, what strangers see of them, and those of earlier versions. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { newDirectory, openEmbedded } from './opening.ts'

const graph = 'urn:test:streamed'

const lines = (count: number, length = 10, version = 'a') =>
  Array.from({ length: count }, (_, n) => {
    const name = String(n).padStart(9, '0')
    return `<urn:test:${name}> <urn:test:p> "${n} ${version} ${'x'.repeat(length)}" .\n`
  }).join('')

async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text
}

describe('a graph that the index has no room for', () => {
  it('is refused before anything of it is seen', async () => {
    const store = await openEmbedded({ quads: 5000 })
    await store.write([{ graph, content: lines(3000) }])
    const before = await textOf(store.readLines(graph))
    await expect(store.write([{ graph, content: lines(8001, 500, 'b') }])).rejects.toMatchObject({
      kind: 'store-full',
    })
    const other = store.write([{ graph: 'urn:test:other', content: lines(2001) }])
    await expect(other).rejects.toMatchObject({ kind: 'store-full' })
    expect(await textOf(store.readLines(graph))).toBe(before)
    expect(await store.read('urn:test:other')).toBeUndefined()
    // What goes makes room.
    await store.write([{ graph, content: lines(5000, 10, 'b') }])
    expect((await store.health()).quads).toBe(5000)
    await store.close()
  })
})

describe('a large graph', () => {
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
    await store.write([{ graph, content: lines(10) }])
    await expect.poll(counted).toBe('10')
    await store.write([{ graph, content: lines(count, length) }])
    await expect.poll(counted).toBe(String(count))
    await store.close()
    const again = await openEmbedded({}, directory)
    const [row] = await again.select(`SELECT (COUNT(*) AS ?n) { GRAPH <${graph}> { ?s ?p ?o } }`)
    expect(row?.['n']?.value).toBe(String(count))
    expect((await textOf(again.readLines(graph))).match(/\n/g)).toHaveLength(count)
    await again.close()
  })
})

it('opens the pieces in which earlier versions kept large graphs', async () => {
  const directory = newDirectory()
  const store = await openEmbedded({}, directory)
  await store.write([{ graph, content: lines(10), add: ['<urn:a> <urn:b> <urn:c> .'] }])
  await store.close()
  const db = new DatabaseSync(join(directory, 'store.db'))
  const [first, second] = [lines(10).slice(0, 150), lines(10).slice(150)]
  const id = db.prepare('SELECT id FROM graph').get()?.['id'] ?? null
  db.prepare('UPDATE graph SET content = ?').run(new Uint8Array())
  db.prepare('INSERT INTO large (graph, owner) VALUES (?, 7)').run(id)
  const insert = db.prepare('INSERT INTO piece (owner, number, content) VALUES (7, ?, ?)')
  insert.run(1, deflateRawSync(second))
  insert.run(0, deflateRawSync(first))
  db.close()
  const again = await openEmbedded({}, directory)
  expect(await again.read(graph, { links: false })).toBe(lines(10))
  expect((await again.health()).quads).toBe(11)
  await again.close()
})
