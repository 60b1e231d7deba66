/** A platform that waits at its start: nothing that it holds looks deleted meanwhile, and `/health` says why. */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLease, type Lease } from '../../src/lease.ts'
import { freePort } from '../support/engines/engine.ts'
import { gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

type Json = Readonly<Record<string, unknown>>

const services = ['/api/hub/repo', '/api/hub/search', '/sparql', '/api/scheduler', '/shell']
const addresses = [...services, '/set/data/one', '/robots.txt', '/healthy', '/api/hub/repo/health']

describe('while another process works in its data directory', () => {
  let directory: string
  let holder: Lease
  let started: Promise<Gateway>
  let url: string
  let log = ''
  beforeAll(async () => {
    directory = await temporaryDirectory()
    await mkdir(directory, { recursive: true })
    holder = openLease(join(directory, 'process.lease'))
    holder.held()
    const [waits, port] = [Promise.withResolvers<void>(), await freePort()]
    url = `http://127.0.0.1:${port}`
    const env = { PLATFORM_PORT: String(port), PLATFORM_LOG_LEVEL: 'warn' }
    started = gateway(directory, env, (text) => {
      log = text
      if (log.includes('start.waiting')) waits.resolve()
    })
    await waits.promise
  }, 30_000)
  afterAll(async () => {
    await (await started).stop()
    await remove(directory)
  })

  const json = async (path: string, headers: Record<string, string> = {}) =>
    (await (await fetch(url + path, { headers })).json()) as Json

  it.each(addresses)('%s is 503 and says when to come back', async (path) => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await fetch(url + path, { method })
      expect(answer.status).toBe(503)
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
      expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
      expect(await answer.json()).toMatchObject({
        type: 'urn:cartulary:problem:starting',
        status: 503,
        detail: expect.stringContaining('another process'),
      })
    }
  })

  it('tells what it waits for, since when, and who asks on this host also where', async () => {
    const health = await fetch(`${url}/health`)
    expect(health.status).toBe(503)
    const { status, waitingFor } = (await health.json()) as Json & { waitingFor: Json }
    expect([status, waitingFor['what']]).toEqual(['waiting', 'data-directory'])
    expect(Date.parse(String(waitingFor['since']))).toBeLessThanOrEqual(Date.now())
    const sentence = `Another process works in ${directory}: this one waits until that one ends.`
    expect(waitingFor['detail']).toContain(sentence)
    expect(log.split(sentence)).toHaveLength(2)
    expect(await json('/health')).toMatchObject({ waitingFor: { since: waitingFor['since'] } })
    const strangers = await json('/health', { 'X-Forwarded-For': '203.0.113.7' })
    expect(JSON.stringify(strangers)).not.toContain(directory)
  })

  it('is alive and not ready, and its metrics are there', async () => {
    expect((await fetch(`${url}/health/live`)).status).toBe(200)
    expect((await fetch(`${url}/health/ready`)).status).toBe(503)
    expect((await fetch(`${url}/metrics`)).status).toBe(200)
  })

  it('shows people a page that asks again by itself', async () => {
    const answer = await fetch(`${url}/`, { headers: { Accept: 'text/html' } })
    expect(answer.status).toBe(503)
    const page = await answer.text()
    expect(page).toContain('http-equiv="refresh"')
    expect(page).not.toContain('The platform waits')
    const search = await fetch(`${url}/de/datasets?q=wasser`, { headers: { Accept: 'text/html' } })
    expect(await search.text()).toMatch(/name="q" value="wasser"/)
    for (const [, path] of page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g))
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200])
    expect(page).toMatch(/href="\/assets\/portal\.\w+\.css"/)
    expect(await json('/')).toMatchObject({ status: 'starting' })
  })

  it('is up as soon as it has what it waited for, and an unknown address is 404 then', async () => {
    holder.release()
    await started
    expect(await json('/health')).toMatchObject({ status: 'up' })
    expect(await json('/health')).not.toHaveProperty('waitingFor')
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)
    expect((await fetch(`${url}/nowhere`)).status).toBe(404)
    expect((await fetch(`${url}/`)).status).toBe(200)
  }, 30_000)
})
