/** `kill -9` in the middle of batches: the file reopens, and every batch is whole or absent. */

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { embeddedIndex } from '../../src/search-index/sqlite/sqlite-index.ts'
import { logger } from '../../src/log.ts'
import { languages, request, settings } from '../contracts/search-index-corpus.ts'
import { treeOf } from '../contracts/search-index-trees.ts'

const writer = new URL('kill-writer.ts', import.meta.url).pathname
const swapper = new URL('kill-swapper.ts', import.meta.url).pathname
const size = 200

/** Starts a program and kills it `later` milliseconds after it has said so many lines; answers how many it said. */
function killAfter(
  program: string,
  [directory, first, lines]: readonly [string, number, number],
  later = 0,
): Promise<number> {
  const child = spawn(process.execPath, [program, directory, String(first), String(size)])
  let acknowledged = 0
  return new Promise((resolve, reject) => {
    child.stderr.on('data', (text) => reject(new Error(String(text))))
    child.stdout.on('data', (text) => {
      acknowledged += String(text).split('\n').length - 1
      if (acknowledged >= lines) setTimeout(() => child.kill('SIGKILL'), later)
    })
    child.on('exit', () => resolve(acknowledged))
  })
}

it('W13: after kill -9 every acknowledged batch is there, each whole or absent', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kill-'))
  let next = 0
  for (const round of [3, 1, 2]) {
    const acknowledged = await killAfter(writer, [directory, next, round])
    const index = await embeddedIndex({ directory, log: logger('silent'), languages })
    expect(await index.configure(settings)).toEqual({ rebuild: [] })
    const { documents } = await index.health()
    const batches = documents.dataset! / size
    expect(Number.isInteger(batches)).toBe(true)
    expect(batches).toBeGreaterThanOrEqual(next + acknowledged)
    for (let batch = 0; batch < batches; batch++) {
      const { count } = await index.search(request({ tree: treeOf(`batch${batch}`), limit: 0 }))
      expect(count).toBe(size)
    }
    await index.close()
    next = batches
  }
  rmSync(directory, { recursive: true })
})

it('after kill -9 in the middle of a rebuild the old documents or the new ones are all there', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kill-'))
  let next = 0
  for (const later of [0, 15, 40, 90]) {
    const swaps = await killAfter(swapper, [directory, next, 1], later)
    const index = await embeddedIndex({ directory, log: logger('silent'), languages })
    next += swaps
    const { rebuild } = await index.configure(settings.map((one) => ({ ...one, basis: `${next}` })))
    const { count } = await index.search(request({ tree: treeOf('kept'), limit: 0 }))
    expect(count).toBe(size)
    expect(index.currentSettings().find((one) => one.index === 'dataset')?.basis).toMatch(/^\d+$/)
    expect(rebuild.every((name) => settings.some((one) => one.index === name))).toBe(true)
    await index.close()
  }
  rmSync(directory, { recursive: true })
})
