/** A process that is killed: what was acknowledged is there, what was not is there whole or not at all. */

import { fork } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linesOf } from './graphs.ts'
import { newDirectory, openEmbedded } from './opening.ts'
import { streamed, streamedGraph, streamedLines } from './streamed.ts'

type Progress = { readonly acknowledged?: number; readonly began?: number }

/** Runs the writer until it has acknowledged `count` calls, then kills it; answers the last that it acknowledged. */
function killedAfter(
  directory: string,
  count: number,
  { script = new URL('./writing.ts', import.meta.url), ms = 0 } = {},
): Promise<number> {
  const child = fork(script, [directory], { execArgv: [] })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let last = 0
  child.on('message', ({ acknowledged, began }: Progress) => {
    last = acknowledged ?? last
    if (ms === 0 && last >= count) child.kill('SIGKILL')
    // In the middle of the next one, wherever that is.
    if (ms > 0 && began !== undefined && last >= count) setTimeout(() => child.kill('SIGKILL'), ms)
  })
  child.on('error', reject)
  child.on('exit', () => resolve(last))
  return promise
}

describe('a killed process', () => {
  it('10, 11 loses nothing that was acknowledged and leaves no call half done', async () => {
    const directory = newDirectory()
    for (const count of [150, 70, 30]) {
      const acknowledged = await killedAfter(directory, count)
      const store = await openEmbedded({}, directory)
      const [last] = await store.select(
        'SELECT (MAX(?n) AS ?last) { GRAPH <urn:test:catalogue> { ?s <urn:test:number> ?n } }',
      )
      const written = Number(last?.['last']?.value)
      expect(written).toBeGreaterThanOrEqual(acknowledged)
      for (let n = 1; n <= written; n += 1) {
        expect(linesOf(await store.read(`urn:test:graph:${n}`))).toHaveLength(40)
      }
      expect(await store.read(`urn:test:graph:${written + 1}`)).toBeUndefined()
      expect(linesOf(await store.read('urn:test:catalogue'))).toHaveLength(written)
      expect(linesOf(await store.read('urn:test:hot'))).toEqual(
        Array.from(
          { length: 40 },
          (_, n) => `<urn:test:hot> <urn:test:p${n}> "${written}" .`,
        ).sort(),
      )
      await store.close()
    }
  })

  it('10 leaves a large graph whole, old or new, with what landed beside it', async () => {
    const directory = newDirectory()
    let acknowledged = 0
    for (const ms of [5, 60, 130]) {
      const script = new URL('./stream-writing.ts', import.meta.url)
      acknowledged = await killedAfter(directory, acknowledged + 1, { script, ms })
      const store = await openEmbedded({}, directory)
      const facts = linesOf(await store.read('urn:test:facts')).length
      expect([acknowledged, acknowledged + 1]).toContain(facts)
      let text = ''
      for await (const chunk of store.readLines(streamedGraph)) text += chunk
      expect(text === streamed(facts)).toBe(true)
      const [row] = await store.select(
        `SELECT (COUNT(*) AS ?n) { GRAPH <${streamedGraph}> { ?s ?p ?o FILTER(CONTAINS(?o, "version ${facts} ")) } }`,
      )
      expect(row?.['n']?.value).toBe(String(streamedLines))
      acknowledged = facts
      await store.close()
    }
  })

  it('keeps its files to its own user', async () => {
    const directory = join(newDirectory(), 'made')
    const store = await openEmbedded({}, directory)
    await store.close()
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect(statSync(join(directory, 'store.db')).mode & 0o777).toBe(0o600)
  })
})
