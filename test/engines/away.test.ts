/** A store that is away: the platform says so, loses nothing, and goes on by itself when the store is back. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { freePort, type Engine } from '../support/engines/engine.ts'
import { prefixes } from '../support/repository.ts'
import { fresh, isKillable, settingsFor, stores } from './stores.ts'

const dataset = (n: number) => `${prefixes}<> a dcat:Dataset ; dct:title "Gauge ${n}"@en .`

describe.each(stores)('%s away', (name) => {
  describe.skipIf(!isKillable(name))('and back', () => {
    let engine: Engine
    let directory: string
    let platform: Gateway
    let api: ReturnType<typeof client>
    beforeAll(async () => {
      engine = await fresh(name)
      directory = await temporaryDirectory()
      platform = await gateway(directory, settingsFor(engine.config))
      api = client(platform)
      await api.put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
      await api.putDataset('c', 'first', dataset(1))
    })
    afterAll(async () => {
      await platform.stop()
      await engine.stop()
      await remove(directory)
    })
    const read = () => fetch(`${api.repo}/datasets/first.nt`)
    const isBack = async () => (await read()).status === 200

    it('answers reads and writes with 503 and when to try again, and searches all the same', async () => {
      await engine.kill()
      const answers = [
        await read(),
        await api.putDataset('c', 'second', dataset(2)),
        await api.query('ASK {}'),
      ]
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
      expect(answers.filter((answer) => !Number(answer.headers.get('Retry-After')))).toEqual([])
      const health = await fetch(`${platform.url}/health`)
      expect([health.status, await health.json()]).toMatchObject([200, { status: 'degraded' }])
      expect((await fetch(`${api.search}/datasets/first`)).status).toBe(200)
    })

    it('goes on without a restart when the store is back, and what was refused is not there', async () => {
      await engine.restart()
      expect(await eventually(isBack)).toBe(true)
      expect((await fetch(`${api.repo}/datasets/second`)).status).toBe(404)
      expect((await api.putDataset('c', 'second', dataset(2))).status).toBe(201)
      expect((await fetch(`${api.search}/datasets/second`)).status).toBe(200)
      expect((await fetch(`${platform.url}/health`)).status).toBe(200)
    })

    it('10, 11 keeps every write that was acknowledged before the store died under it', async () => {
      const acknowledged: string[] = []
      const state = { next: 0, dead: false }
      const lane = async () => {
        while (!state.dead) {
          const id = `w-${state.next++}`
          const answer = await api.putDataset('c', id, dataset(state.next), {
            Prefer: 'respond-async',
          })
          if (answer.status === 201) acknowledged.push(id)
          else state.dead = true
        }
      }
      const lanes = Array.from({ length: 8 }, lane)
      await eventually(() => Promise.resolve(acknowledged.length >= 150))
      await engine.kill()
      await Promise.all(lanes)
      await engine.restart()
      expect(await eventually(isBack)).toBe(true)
      const stored = await api.json<string[]>(
        `${api.repo}/datasets?valueType=identifiers&limit=5000`,
      )
      const there = new Set(stored)
      expect(acknowledged.filter((id) => !there.has(id))).toEqual([])
      const { result } = await eventuallyJson<{ result: { count: number } }>(
        () => api.json(`${api.search}/search?filters=dataset&limit=0`),
        ({ result: { count } }) => count === there.size,
      )
      expect(result.count).toBe(there.size)
    })

    it('makes the start wait, with a sign of life', async () => {
      await platform.stop()
      await engine.kill()
      const port = await freePort()
      const starting = gateway(directory, {
        ...settingsFor(engine.config),
        PLATFORM_PORT: String(port),
        PLATFORM_LOG_LEVEL: 'info',
      })
      const health = () =>
        fetch(`http://127.0.0.1:${port}/health`).then(
          (answer) => answer.text(),
          () => '',
        )
      expect(await eventually(async () => (await health()).includes('"waitingFor"'))).toBe(true)
      await engine.restart()
      platform = await starting
      expect((await fetch(`${platform.url}/health`)).status).toBe(200)
      expect(platform.log()).toMatch(/store[^\n]*wait/i)
      api = client(platform)
      expect((await read()).status).toBe(200)
    })
  })
})

async function eventuallyJson<T>(ask: () => Promise<T>, done: (value: T) => boolean): Promise<T> {
  let last = await ask()
  await eventually(async () => done((last = await ask())))
  return last
}
