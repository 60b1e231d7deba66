/** A port of its own for monitors, and the first line of the log. */

import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

let directory: string
let platform: Gateway
let administration: string
beforeAll(async () => {
  directory = await temporaryDirectory()
  const port = await freePort()
  administration = `http://127.0.0.1:${port}`
  platform = await gateway(directory, {
    PLATFORM_ADMIN_PORT: String(port),
    PLATFORM_LOG_LEVEL: 'info',
    PLATFORM_LOG_FORMAT: 'json',
  })
}, 30_000)
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

const statusOf = async (address: string) => (await fetch(address)).status

it('health and numbers are there, and nothing else', async () => {
  for (const path of ['/metrics', '/health', '/health/live', '/health/ready'])
    expect([path, await statusOf(administration + path)]).toEqual([path, 200])
  expect(await statusOf(`${administration}/api/hub/repo/catalogues`)).toBe(404)
  expect(await statusOf(`${administration}/`)).toBe(404)
})

it('they are not on the common port', async () => {
  for (const path of ['/metrics', '/health', '/health/ready'])
    expect([path, await statusOf(platform.url + path)]).toEqual([path, 404])
  expect(await statusOf(`${platform.url}/api/hub/repo/catalogues`)).toBe(200)
})

it('the log begins with what runs, and has no line for a monitor', async () => {
  const lines = platform.log().trim().split('\n')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    event: 'process.started',
    pid: platform.process.pid,
    node: process.version,
    role: 'writer',
    store: 'embedded',
    engine: 'embedded',
    data: directory,
  })
  expect(lines.filter((line) => line.includes('"path":"/metrics"'))).toEqual([])
})
