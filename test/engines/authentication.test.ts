/** Servers that ask who enters: the right user reads and writes, a wrong one is told so at once. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { graphName, linesOf, record } from '../store/graphs.ts'
import { openRemote } from '../store/opening.ts'
import type { Engine } from '../support/engines/engine.ts'
import { ownFuseki } from '../support/engines/fuseki.ts'
import { ownVirtuoso } from '../support/engines/virtuoso.ts'
import { isKillable } from './stores.ts'

const cases = [
  ['Fuseki by Basic', 'fuseki', () => ownFuseki('basic')],
  ['Fuseki by Digest', 'fuseki', () => ownFuseki('digest')],
  ['Virtuoso by Digest', 'virtuoso', ownVirtuoso],
] as const

for (const [title, name, start] of cases) {
  describe.skipIf(!isKillable(name))(`${title} asks who enters`, () => {
    let engine: Engine
    let store: GraphStore
    beforeAll(async () => {
      engine = await start()
      store = await openRemote(engine.config)
    })
    afterAll(async () => {
      await store?.close()
      await engine?.stop()
    })

    it('lets its user write and read, many at a time', async () => {
      const graphs = Array.from({ length: 100 }, graphName)
      await Promise.all(graphs.map((graph) => store.write([{ graph, content: record(20, graph) }])))
      const found = await Promise.all(graphs.map((graph) => store.read(graph)))
      expect(found.map(linesOf)).toEqual(graphs.map((graph) => linesOf(record(20, graph))))
    })

    it('43 tells a wrong password at the start, and does not wait for it to become right', async () => {
      const opening = openRemote({ ...engine.config, password: 'wrong' })
      await expect(opening).rejects.toMatchObject({ kind: 'store-unavailable' })
    })

    it('goes on with a user whose challenge a restart has made stale', async () => {
      const graph = graphName()
      await store.write([{ graph, content: record(5) }])
      await engine.kill()
      await engine.restart()
      const read = () => store.read(graph).catch(() => undefined)
      await expect.poll(read, { timeout: 30_000 }).toBe(record(5))
      await store.write([{ graph, content: record(6) }])
      expect(linesOf(await store.read(graph))).toHaveLength(6)
    })
  })
}
