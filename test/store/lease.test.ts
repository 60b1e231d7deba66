/** The lease on a store behind a wire, by the plain protocol. */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { candidates, leaseContract } from '../contracts/store-lease.ts'
import { protocolServer, type ProtocolServer } from '../support/protocol-server.ts'
import { openRemote } from './opening.ts'

let server: ProtocolServer
beforeAll(async () => {
  server = await protocolServer()
})
afterAll(() => server.stop())

describe('the lease', () => {
  leaseContract(() => server.config, 40)

  it('is asked for before each write of a store, whatever the write is', async () => {
    const { candidate, end } = candidates(server.config)
    let isStopped = false
    const own = await openRemote(server.config, {}, undefined, {
      holder: 'store:1',
      isPredecessor: () => false,
      onWaiting: () => undefined,
      times: { heartbeatMs: 60_000, trustedMs: 200, deadMs: 60_000, pollMs: 10 },
    })
    const write = () =>
      own.write([{ graph: 'urn:g', content: `<urn:a> <urn:b> "${isStopped}" .\n` }])
    await write()
    const other = candidate('thief:2', { isPredecessor: () => true })
    await other.acquire(new AbortController().signal)
    isStopped = true
    await sleep(250)
    await expect(write()).rejects.toMatchObject({ kind: 'store-unavailable' })
    expect(await own.read('urn:g')).toBe('<urn:a> <urn:b> "false" .\n')
    await other.release()
    await own.close()
    await end()
  })
})
