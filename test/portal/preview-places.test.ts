/** Files of strangers are read beside the pages: few at a time, by turns, and not again while it is known how that ends. */

import { strToU8 } from 'fflate'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPreviews, type Previews } from '../../src/portal/preview/previews.ts'
import type { Outbound } from '../../src/client/outbound-request.ts'
import { Failure } from '../../src/errors.ts'
import type { Port } from '../../src/portal/ports.ts'
import { remove, temporaryDirectory } from '../support/gateway.ts'
import { appAlone, portsTo } from './app-alone.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A host that keeps everybody waiting until it is told what to answer. */
function slowHost() {
  const asked: string[] = []
  const waiting: ((bytes: Uint8Array | undefined) => void)[] = []
  const outbound: Pick<Outbound, 'request'> = {
    request: async ({ url }) => {
      asked.push(url)
      const bytes = await new Promise<Uint8Array | undefined>((resolve) => waiting.push(resolve))
      if (!bytes) throw new Failure('source-unreachable', 'nobody there')
      const body = (async function* () {
        yield bytes
      })()
      const headers = new Headers()
      const text = () => Promise.resolve('')
      return { url, status: 200, headers, redirected: [], body, text, discard: () => undefined }
    },
  }
  const answer = (bytes?: Uint8Array) => waiting.splice(0).forEach((go) => go(bytes))
  return { asked, outbound, answer }
}

let directory: string
let previews: Previews
let host: ReturnType<typeof slowHost>
let now = 0

beforeEach(async () => {
  directory = await temporaryDirectory()
  host = slowHost()
  now = Date.parse('2026-01-01')
  previews = openPreviews({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- previews ask for nothing else
    outbound: host.outbound as Outbound,
    allow: [],
    path: join(directory, 'previews.sqlite'),
    now: () => now,
  })
})
afterEach(async () => {
  await previews.close()
  await remove(directory)
})

const csv = strToU8('a,b\n1,2\n')
const file = (name: string) => `https://files.example/${name}`

describe('files for previews', () => {
  it('are two of one client and four of all at once; two of each wait, and others are refused at once', async () => {
    const views = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) =>
      previews.read(file(name), `192.0.2.${name.charCodeAt(0)}`),
    )
    await expect(previews.read(file('a5'), '192.0.2.97')).rejects.toMatchObject({
      kind: 'queue-full',
      retryAfter: 10,
    })
    await settled()
    expect(host.asked).toEqual(['a1', 'a2', 'b1', 'b2'].map(file))
    for (let round = 0; round < 3; round += 1) {
      host.answer()
      await settled()
      await settled()
    }
    expect(await Promise.all(views)).toHaveLength(7)
    expect(host.asked).toHaveLength(7)
  })

  it('are one file for all who look at the same time, and take a place of the first one', async () => {
    const views = Array.from({ length: 50 }, (_, n) => previews.read(file('same'), `192.0.2.${n}`))
    await settled()
    host.answer(csv)
    const shown = await Promise.all(views)
    expect(host.asked).toEqual([file('same')])
    expect(new Set(shown.map((one) => JSON.stringify(one))).size).toBe(1)
  })

  it('are left alone for a minute when their host does not answer, and asked again after it', async () => {
    const look = async (bytes?: Uint8Array) => {
      const result = previews.read(file('away'), 'client')
      await settled()
      host.answer(bytes)
      return result
    }
    expect(await look()).toEqual({ reason: 'unreachable' })
    now += 59_000
    expect(await look(csv)).toEqual({ reason: 'unreachable' })
    expect(host.asked).toHaveLength(1)
    now += 2000
    expect(await look(csv)).toHaveProperty('tables')
    expect(host.asked).toHaveLength(2)
  })

  it('are not read again when reading them took too much', async () => {
    // As objects they need twenty times what they need as text.
    const heavy = strToU8(`[${'{},'.repeat(1_700_000)}{}]`)
    const first = previews.read(file('heavy.json'), 'client')
    await settled()
    host.answer(heavy)
    expect(await first).toEqual({ reason: 'too-heavy' })
    expect(await previews.read(file('heavy.json'), 'client')).toEqual({ reason: 'too-heavy' })
    expect(host.asked).toHaveLength(1)
  }, 60_000)
})

it('pages are made while any number of previews waits for a host', async () => {
  const distributions = [{ id: 'x', download_url: ['https://files.example/x'] }]
  const service: Port = () =>
    Promise.resolve(
      Response.json({
        result: { id: 'd', title: { en: 'D' }, distributions, count: 0, results: [] },
      }),
    )
  const app = appAlone(portsTo(service), { previews })
  const get = async (path: string) =>
    app.request(`http://h${path}`, { headers: { Accept: 'text/html' } })
  const views = Array.from({ length: 90 }, () => get('/en/datasets/d/distributions/x/preview'))
  await expect.poll(() => host.asked).toHaveLength(1)
  expect((await get('/en/check')).status).toBe(200)
  host.answer(csv)
  const states = (await Promise.all(views)).map(({ status }) => status)
  // Their records are read as pages are: 16 at a time, and 64 wait.
  expect(states.filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect(states.filter((status) => status === 200).length).toBeGreaterThanOrEqual(80)
})
