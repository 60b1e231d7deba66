/** What strangers send to any endpoint keeps nobody else waiting, and ends nothing, with the heap of a container of 1 GB. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { appAlone, portsTo } from '../portal/app-alone.ts'
import {
  anonymousOperations,
  besiege,
  idleDelay,
  measuredGateway,
  publishHeavy,
  worstInputs,
} from '../support/worst-inputs.ts'

let directory: string
let platform: Gateway
let idle: number

/** Milliseconds beyond what the main thread works at a stretch while nothing happens. */
const mostMs = 300

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await measuredGateway(directory)
  await publishHeavy(platform)
  idle = await idleDelay(platform)
}, 120_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const pages = () =>
  appAlone(portsTo(() => Promise.reject(new Error('nothing is asked'))))
    .routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/:language'))
    .map(({ method, path }) => `${method} ${path.replace(/\/$/, '')}`)

describe('an anonymous endpoint', () => {
  it('has an entry with the worst that can be sent to it', async () => {
    const all = [...(await anonymousOperations(platform)), ...pages()]
    expect(all.filter((endpoint) => !worstInputs.has(endpoint))).toEqual([])
  })

  it.each([...worstInputs.keys()])(
    '%s: does not stop the event loop, and fails only as its contract says',
    async (endpoint) => {
      for (const connections of [1, 20]) {
        let siege = await besiege(platform, endpoint, connections)
        // The first time compiles what is run, and a collection of garbage may come at any time.
        for (let again = 0; again < 2 && siege.delay > idle + mostMs; again += 1)
          siege = await besiege(platform, endpoint, connections)
        expect.soft(siege.delay, `ms at ${connections} connections`).toBeLessThan(idle + mostMs)
        expect.soft(siege.answers).not.toContain(500)
        expect.soft(siege.isAlive).toBe(true)
      }
      expect(platform.process.exitCode).toBeNull()
    },
    120_000,
  )
})
