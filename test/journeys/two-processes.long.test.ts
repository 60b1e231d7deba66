/** Two processes on one data directory: the second waits, and goes on where the first ended. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { freePort } from '../support/engines/engine.ts'

/** 100 were run by hand on 2026-11-30. */
const rounds = Number(process.env['START_ROUNDS'] ?? 3)

const catalogue =
  '<urn:x> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "One"@en .'

describe('a second process on a data directory', () => {
  let directory: string
  let first: Gateway
  beforeAll(async () => {
    directory = await temporaryDirectory()
    first = await gateway(directory)
  })
  afterAll(async () => {
    await first.kill()
    await remove(directory)
  })

  it('is not ready while the first one lives, and has everything that was written when that was killed', async () => {
    const port = await freePort()
    const waits = Promise.withResolvers<void>()
    const health = `http://127.0.0.1:${port}/health`
    const env = { PLATFORM_PORT: String(port), PLATFORM_LOG_LEVEL: 'info' }
    const started = gateway(directory, env, (log) => {
      if (log.includes('Another process works in')) waits.resolve()
    })
    await waits.promise
    const status = async () => (await fetch(health)).status
    expect(await status()).toBe(503)
    expect((await client(first).put('/catalogues/one', catalogue)).status).toBe(201)
    expect(await status()).toBe(503)
    await first.kill()

    const second = await started
    const { search, repo } = client(second)
    expect((await fetch(`${repo}/catalogues/one`)).status).toBe(200)
    expect((await fetch(`${search}/catalogues/one`)).status).toBe(200)
    expect(await second.stop()).toBe(0)
  }, 60_000)
})

describe('two processes that start together on an empty data directory', () => {
  it.each(Array.from({ length: rounds }, (_, round) => round))(
    'are one that writes and one that follows it, round %i',
    async () => {
      const directory = await temporaryDirectory()
      const ports = [await freePort(), await freePort()]
      const started = ports.map((port) => gateway(directory, { PLATFORM_PORT: String(port) }))
      try {
        const first = await Promise.race(started)
        const other = ports.find((port) => !first.url.endsWith(`:${port}`))
        const second = started[ports.indexOf(other!)]!
        expect((await client(first).put('/catalogues/one', catalogue)).status).toBe(201)
        const ofOther = () =>
          fetch(`http://127.0.0.1:${other}/api/hub/repo/catalogues/one`).catch(() => undefined)
        await expect.poll(async () => (await ofOther())?.status).toBe(503)
        await first.kill()
        expect(await client(await second).json(`http://127.0.0.1:${other}/health`)).toMatchObject({
          status: 'up',
        })
        const { repo, search } = client(await second)
        expect((await fetch(`${repo}/catalogues/one`)).status).toBe(200)
        expect((await fetch(`${search}/catalogues/one`)).status).toBe(200)
        const key = { 'X-API-Key': first.key }
        const deleted = await fetch(`${repo}/catalogues/one`, { method: 'DELETE', headers: key })
        expect(deleted.status).toBe(204)
      } finally {
        // The second one is ready when the first one is gone.
        await Promise.race(started).then((first) => first.kill())
        for (const settled of await Promise.allSettled(started))
          if (settled.status === 'fulfilled') await settled.value.kill()
        await remove(directory)
      }
    },
  )
})
