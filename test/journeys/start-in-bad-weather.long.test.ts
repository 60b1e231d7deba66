/** A start whose every step may meet a store that is away for a moment: it waits, and then it is there. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultProxy, type FaultProxy } from '../support/fault-proxy.ts'
import { gateway, remove, temporaryDirectory } from '../support/gateway.ts'
import { protocolServer, type ProtocolServer } from '../support/protocol-server.ts'

describe('a start', () => {
  let server: ProtocolServer
  let proxy: FaultProxy
  let directory: string
  beforeAll(async () => {
    server = await protocolServer()
    proxy = await faultProxy(server.config.queryEndpoint)
    directory = await temporaryDirectory()
  })
  afterAll(async () => {
    await proxy.close()
    await server.stop()
    await remove(directory)
  })

  /** Starts the platform once; answers how many requests that took. */
  const start = async (): Promise<number> => {
    const before = proxy.seen().requests
    const { dialect, queryEndpoint, updateEndpoint } = server.config
    const at = (address: string) => new URL(new URL(address).pathname, proxy.url).href
    const config = { dialect, queryEndpoint: at(queryEndpoint), updateEndpoint: at(updateEndpoint) }
    const platform = await gateway(directory, {
      PLATFORM_TRIPLESTORE_CONFIG: JSON.stringify(config),
    })
    const requests = proxy.seen().requests - before
    expect((await fetch(`${platform.url}/health`)).status).toBe(200)
    await platform.stop()
    return requests
  }

  it('succeeds although a request of its beginning, middle or end fails', async () => {
    // The first start of all has an index to fill, and asks more than those after it.
    await start()
    const requests = await start()
    expect(requests).toBeGreaterThan(3)
    const lost = new Set([0, 0.3, 0.6, 0.8].map((share) => Math.floor(requests * share)))
    for (const position of lost) {
      proxy.script.push(...Array.from({ length: position }, () => undefined), 'status-500')
      await start()
    }
    expect(proxy.seen().faults['status-500']).toBe(lost.size)
  }, 180_000)
})
