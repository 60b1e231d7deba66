/** What every store behind a wire must bear: servers that die, networks that break, and strangers' passwords. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GraphStore } from '../../src/store/graph-store.ts'
import type { StoreConfig } from '../../src/store/open-store.ts'
import { content, graphName, linesOf, markOf as mark, record, system } from '../store/graphs.ts'
import { openRemote } from '../store/opening.ts'
import { faultProxy, type FaultProxy } from '../support/fault-proxy.ts'

/** A server of the test's own. */
export type Killable = {
  readonly config: StoreConfig
  readonly kill: () => Promise<void>
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

const behind = (proxy: FaultProxy, config: StoreConfig): StoreConfig => {
  const moved = (address: string) => new URL(new URL(address).pathname, proxy.url).href
  return {
    ...config,
    queryEndpoint: moved(config.queryEndpoint),
    updateEndpoint: moved(config.updateEndpoint),
  }
}

/** The same numbers at every run. */
const seeded = () => {
  let state = 42
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

const inStore = async (store: GraphStore, graph: string) =>
  linesOf(await store.construct(`CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${graph}> { ?s ?p ?o } }`))

/** `start` gives a new and empty server; `guarded` one that asks for the credentials of its configuration. */
export function faultContract(
  dialect: string,
  start: () => Promise<Killable>,
  guarded?: () => Promise<Killable>,
): void {
  describe(`${dialect}: faults`, () => {
    let server: Killable
    let store: GraphStore
    beforeAll(async () => {
      server = await start()
      store = await openRemote(server.config)
    })
    afterAll(async () => {
      await store.close()
      await server.stop()
    })
    const back = async () => {
      await expect.poll(async () => (await store.health()).ready, { timeout: 30_000 }).toBe(true)
    }

    it('46 starts empty: no system graph, nothing fails', async () => {
      expect(await store.read(system)).toBeUndefined()
      expect(await store.readAll([system, graphName()])).toEqual(new Map())
      // Some stores have graphs of their own.
      const ours = 'FILTER(STRSTARTS(STR(?g), "urn:cartulary:") || STRSTARTS(STR(?g), "urn:test:"))'
      expect(await store.select(`SELECT * { GRAPH ?g { ?s ?p ?o } ${ours} } LIMIT 1`)).toEqual([])
      expect(await store.health()).toMatchObject({ ready: true })
      expect((await store.health()).product).not.toBe('')
    })

    it('10, 11 loses nothing that was acknowledged when the server is killed, and leaves nothing half done', async () => {
      const acknowledged = new Set<number>()
      const graphs = (n: number) => [`urn:test:killed:${n}:a`, `urn:test:killed:${n}:b`]
      let last = -1
      const caller = async () => {
        while (acknowledged.size < 150) {
          const n = ++last
          const changes = graphs(n).map((graph) => ({ graph, content: record(30, String(n)) }))
          await store.write(changes)
          acknowledged.add(n)
        }
      }
      const callers = Promise.allSettled(Array.from({ length: 4 }, caller))
      await expect.poll(() => acknowledged.size, { timeout: 60_000 }).toBeGreaterThanOrEqual(100)
      await server.kill()
      await callers
      await server.restart()
      await back()
      for (let n = 0; n <= last; n += 1) {
        const [a, b] = await Promise.all(graphs(n).map((graph) => inStore(store, graph)))
        const whole = linesOf(record(30, String(n)))
        const landed = acknowledged.has(n) || a?.length !== 0
        expect([n, a, b]).toEqual(landed ? [n, whole, whole] : [n, [], []])
      }
    })

    it('44 says that the store is away, and works again when it is back', async () => {
      const graph = graphName()
      await store.write([{ graph, content: record(5) }])
      await server.kill()
      const calls = [
        store.read(graph),
        store.write([{ graph, content: record(6) }]),
        store.ask('ASK {}'),
      ]
      const outcomes = await Promise.allSettled(calls)
      expect(outcomes.map((one) => one.status === 'rejected' && one.reason)).toMatchObject([
        { kind: 'store-unavailable' },
        { kind: 'store-unavailable' },
        { kind: 'store-unavailable' },
      ])
      expect(await store.health()).toMatchObject({ ready: false })
      await server.restart()
      await back()
      expect(linesOf(await store.read(graph))).toEqual(linesOf(record(5)))
      await store.write([{ graph, content: record(7) }])
      expect(linesOf(await store.read(graph))).toEqual(linesOf(record(7)))
    })

    it('11 waits at the start until the store is there', async () => {
      await server.kill()
      const opening = openRemote(server.config)
      const given = new AbortController()
      const givenUp = openRemote(server.config, {}, given.signal)
      given.abort(new Error('no longer wanted'))
      await expect(givenUp).rejects.toThrow('no longer wanted')
      await server.restart()
      const other = await opening
      expect(await other.ask('ASK {}')).toBe(true)
      await other.close()
    })

    it('10 leaves a large graph as it was, or whole, when the server is killed in the middle', async () => {
      const graph = graphName()
      const text = (version: string) => record(3000, version)
      await store.write([{ graph, content: text('old') }])
      const call = store.write([
        { graph, content: text('new') },
        { graph: system, add: [mark(graph, 1)] },
      ])
      const outcome = call.then(
        () => 'landed',
        () => 'failed',
      )
      await server.kill()
      await outcome
      await server.restart()
      await back()
      const found = (await store.read(graph)) ?? ''
      const isMarked = linesOf(await store.read(system)).includes(mark(graph, 1))
      expect(linesOf(found)).toEqual(linesOf(text(isMarked ? 'new' : 'old')))
      await store.write([{ graph, content: text('newer') }])
      expect(linesOf(await store.read(graph))).toEqual(linesOf(text('newer')))
    })

    it('40 takes an answer that was cut for an error, and goes on', async () => {
      const graph = graphName()
      await store.write([{ graph, content: record(300) }])
      const proxy = await faultProxy(server.config.queryEndpoint)
      const other = await openRemote(behind(proxy, server.config))
      for (const fault of ['cut-length', 'cut-chunked'] as const) {
        for (const call of [
          () => other.select(`SELECT * { GRAPH <${graph}> { ?s ?p ?o } }`),
          () => other.read(graph),
        ]) {
          proxy.script.push(...Array.from({ length: 8 }, () => fault))
          await expect(call()).rejects.toMatchObject({ kind: 'store-unavailable' })
          proxy.script.length = 0
          await expect.poll(() => other.ask('ASK {}').catch(() => false)).toBe(true)
        }
      }
      expect(linesOf(await other.read(graph))).toHaveLength(300)
      await other.close()
      await proxy.close()
    })

    it('keeps graphs whole and acknowledged writes in bad weather', async () => {
      const proxy = await faultProxy(server.config.queryEndpoint, { random: seeded(), slowMs: 20 })
      const other = await openRemote(behind(proxy, server.config))
      for (const fault of Object.keys(proxy.rates)) Object.assign(proxy.rates, { [fault]: 0.02 })
      const graphs = Array.from({ length: 6 }, graphName)
      const texts = (n: number) => record(25, String(n))
      const known = new Map<string, number>()
      const tried = new Map<string, Set<number>>(graphs.map((graph) => [graph, new Set()]))
      const caller = async (graph: string) => {
        for (let n = 0; n < 40; n += 1) {
          const wish = { graph, content: texts(n) }
          const done = await other.write([wish]).then(
            () => true,
            () => false,
          )
          if (!done) tried.get(graph)?.add(n)
          else {
            known.set(graph, n)
            tried.get(graph)?.clear()
          }
        }
      }
      await Promise.all(graphs.map(caller))
      for (const fault of Object.keys(proxy.rates)) Object.assign(proxy.rates, { [fault]: 0 })
      for (const graph of graphs) {
        const possible = [known.get(graph) ?? -1, ...(tried.get(graph) ?? [])].map(texts)
        expect(possible).toContain(content(await inStore(store, graph)))
        expect(linesOf(await store.read(graph))).toEqual(await inStore(store, graph))
      }
      await other.close()
      await proxy.close()
    })

    it.skipIf(!guarded)(
      '43 says at the start that credentials are refused, and enters with the right ones',
      async () => {
        const strict = await (guarded ?? start)()
        const wrong = openRemote({ ...strict.config, password: 'wrong' })
        await expect(wrong).rejects.toMatchObject({ kind: 'store-unavailable' })
        const other = await openRemote(strict.config)
        const graph = graphName()
        await other.write([{ graph, content: record(5) }])
        expect(linesOf(await other.read(graph))).toHaveLength(5)
        await other.close()
        await strict.stop()
      },
    )
  })
}
