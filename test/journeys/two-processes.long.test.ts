/** Two processes on one data directory: the second waits, and goes on where the first ended. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { freePort } from '../support/engines/engine.ts'

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
