/** The triplestore goes away while a draft is written: the form is still saved, and publishing says later. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { faultProxy, type FaultProxy } from '../support/fault-proxy.ts'
import { gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { protocolServer, type ProtocolServer } from '../support/protocol-server.ts'
import { prefixes } from '../support/repository.ts'
import { signedIn } from '../portal/signed-in.ts'

const key = 'key-for-everything-0001'
let server: ProtocolServer
let proxy: FaultProxy
let directory: string
let platform: Gateway
beforeAll(async () => {
  server = await protocolServer()
  proxy = await faultProxy(server.config.queryEndpoint)
  directory = await temporaryDirectory()
  const { dialect, queryEndpoint, updateEndpoint } = server.config
  const at = (address: string) => new URL(new URL(address).pathname, proxy.url).href
  const store = { dialect, queryEndpoint: at(queryEndpoint), updateEndpoint: at(updateEndpoint) }
  platform = await gateway(directory, {
    PLATFORM_TRIPLESTORE_CONFIG: JSON.stringify(store),
    PLATFORM_HUB_API_KEYS: JSON.stringify({ [key]: ['*'] }),
  })
  await call('PUT', '/catalogues/water', '<> a dcat:Catalog ; dct:title "Water"@en .')
}, 120_000)
afterAll(async () => {
  await platform.stop()
  await proxy.close()
  await server.stop()
  await remove(directory)
})

const call = (method: string, path: string, turtle: string) =>
  fetch(`${platform.url}/api/hub/repo${path}`, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'text/turtle' },
    body: prefixes + turtle,
  })

it('saves the form, keeps the note of a publication that fails, and publishes later', async () => {
  const body = '<> a dcat:Dataset ; dct:title "Lakes"@en ; dct:description "Nine lakes."@en .'
  await call('POST', '/drafts/datasets?catalogue=water', body)
  const { page, post } = await signedIn(platform, key)
  const form = '/en/desk/datasets/lakes/essentials?catalogue=water'
  const check = '/en/desk/datasets/lakes/check?catalogue=water'
  const revision = /name="revision" value="(\d+)"/.exec(await page(check))?.[1] ?? ''
  expect(revision).not.toBe('')
  const name = /name="(title\.[^"]+)" value="Lakes"/.exec(await page(form))?.[1] ?? ''
  proxy.script.push(...Array.from({ length: 2000 }, () => 'status-503' as const))
  const saved = await post(form, { [name]: 'Lakes, typed without a store' })
  expect([saved.status, saved.headers.get('Location')]).toEqual([
    303,
    expect.stringContaining('saved=1'),
  ])
  expect(await page(form)).toContain('value="Lakes, typed without a store"')
  const now = String(Number(revision) + 1)
  const refused = await post(check, { do: 'publish', note: 'A note of mine', revision: now })
  expect(refused.status).toBeGreaterThanOrEqual(400)
  expect(await refused.text()).toMatch(/does not work at the moment/)
  proxy.script.length = 0
  await expect
    .poll(
      async () => {
        const answer = await post(check, { do: 'publish', revision: now })
        return answer.headers.get('Location') ?? (await answer.text())
      },
      { timeout: 30_000 },
    )
    .toContain('did=publish')
}, 120_000)
