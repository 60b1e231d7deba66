/** What the embedded store weighs by itself after very many changes of statements whose number stays the same. */

import { join } from 'node:path'
import { logger } from '../../src/log.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { table } from './figures.ts'
import { memory } from './memory.ts'

const [graphs, lines, together] = [2000, 50, 20]
const rounds = 20

const content = (graph: number, version: number) =>
  Array.from(
    { length: lines },
    (_, n) =>
      `<urn:bench:dataset:${graph}> <urn:bench:property:${100 + n}> "Value ${n} of ${graph}, version ${version}" .\n`,
  ).join('')

/** Replaces every statement once; answers the slowest of its writes in ms. */
async function replaceAll(store: GraphStore, version: number): Promise<number> {
  let slowest = 0
  for (let first = 0; first < graphs; first += together) {
    const changes = Array.from({ length: together }, (_, n) => ({
      graph: `urn:bench:dataset:${first + n}`,
      content: content(first + n, version),
    }))
    const started = performance.now()
    await store.write(changes)
    slowest = Math.max(slowest, performance.now() - started)
  }
  return slowest
}

/** `statements` that are changed in all, 100,000 in each round. */
export async function storeSoakBench(directory: string, statements: number): Promise<string> {
  const log = logger('silent')
  const store = await embeddedStore({ directory: join(directory, 'store'), log })
  const rows: (string | number)[][] = [
    ['changed', 'statements', 'dead', 'RSS MB', 'slowest write ms'],
  ]
  const all = statements / (graphs * lines)
  let slowest = 0
  try {
    for (let version = 0; version <= all; version += 1) {
      slowest = Math.max(slowest, await replaceAll(store, version))
      if (version % Math.max(1, Math.floor(all / rounds)) > 0) continue
      const { quads = 0, dead = 0 } = await store.health()
      const { now } = await memory(process.pid)
      rows.push([version * graphs * lines, quads, dead, now, Math.round(slowest)])
      slowest = 0
    }
  } finally {
    await store.close()
  }
  return table(rows)
}
