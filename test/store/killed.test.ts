/** A process that is killed: what was acknowledged is there, what was not is there whole or not at all. */

import { fork } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linesOf } from './graphs.ts'
import { newDirectory, openEmbedded } from './opening.ts'

type Progress = { readonly acknowledged: number }

/** Runs the writer until it has acknowledged `count` calls, then kills it; answers the last that it acknowledged. */
function killedAfter(directory: string, count: number): Promise<number> {
  const child = fork(new URL('./writing.ts', import.meta.url), [directory], { execArgv: [] })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let last = 0
  child.on('message', ({ acknowledged }: Progress) => {
    last = acknowledged
    if (acknowledged >= count) child.kill('SIGKILL')
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

  it('keeps its files to its own user', async () => {
    const directory = join(newDirectory(), 'made')
    const store = await openEmbedded({}, directory)
    await store.close()
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    expect(statSync(join(directory, 'store.db')).mode & 0o777).toBe(0o600)
  })
})
