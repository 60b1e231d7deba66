/** Another repository: over HTTP, through the guarded client, with the key of its endpoint. */

import { describe, expect, it, onTestFinished } from 'vitest'
import { remoteRepository, withRetries } from '../../../src/harvest/export/repository-client.ts'
import { portal } from '../../support/portals/portal.ts'
import { outboundFixture } from '../../support/portals/outbound.ts'
import { complete, harvestFixture, pipeOf, record, whole } from './harvest-fixture.ts'

const key = 'a-key-of-another-hub'

const signal = () => AbortSignal.timeout(30_000)

/** A harvest into another repository, whose pipe `p` has removed a record there. */
async function removedElsewhere() {
  const { client } = outboundFixture({})
  onTestFinished(() => client.close())
  const fixture = await harvestFixture({ harvest: { outbound: client } })
  const other = await portal((request) => {
    const headers = new Headers(request.headers)
    if (headers.get('x-api-key') === key) headers.set('x-api-key', 'a-key-for-harvests')
    return fixture.hub.app.fetch(new Request(request, { headers }))
  })
  const pipe = pipeOf('p', {}, { hub: { endpoint: { address: other.url, apiKey: key } } })
  fixture.pipes.set('p', pipe)
  fixture.offers(whole('a', 'b'))
  await fixture.run()
  fixture.offers(whole('a'))
  const run = await fixture.run()
  expect(run.counts).toMatchObject({ removed: 1 })
  return { fixture, pipe, run }
}

describe('another repository', () => {
  it('is written to over HTTP with the key of the endpoint, and never with our own', async () => {
    const { client } = outboundFixture({})
    const fixture = await harvestFixture({ harvest: { outbound: client } })
    const keys = new Set<string | null>()
    const other = await portal((request) => {
      keys.add(request.headers.get('x-api-key'))
      const headers = new Headers(request.headers)
      if (headers.get('x-api-key') === key) headers.set('x-api-key', 'a-key-for-harvests')
      return fixture.hub.app.fetch(new Request(request, { headers }))
    })
    const endpoint = { address: other.url, apiKey: key }
    fixture.pipes.set('p', pipeOf('p', {}, { hub: { endpoint } }))
    fixture.offers(whole('a', 'b', 'c'))
    expect((await fixture.run()).counts).toMatchObject({ created: 3 })
    fixture.offers(whole('a', 'b'))
    expect((await fixture.run()).counts).toMatchObject({ unchanged: 2, removed: 1 })
    expect(fixture.requests).toEqual([])
    expect(keys).toEqual(new Set([key, null]))
    await client.close()
  })

  it.each([
    ['is gone', undefined],
    ['names this repository', pipeOf('p')],
  ])(
    'is the only one where its records are restored, and not while the pipe %s',
    async (_, now) => {
      const { fixture, pipe, run } = await removedElsewhere()
      if (now) fixture.pipes.set('p', now)
      else fixture.pipes.delete('p')
      await expect(fixture.harvest().restore(run.id, signal())).rejects.toThrow('conflict')
      expect(fixture.requests).toEqual([])
      fixture.pipes.set('p', pipe)
      expect(await fixture.harvest().restore(run.id, signal())).toEqual({ restored: 1, failed: [] })
      expect(await fixture.ids()).toEqual(['a', 'b'])
    },
  )

  it('is the only one where held removals are carried out, and not while the pipe is gone', async () => {
    const { fixture } = await removedElsewhere()
    fixture.offers(() => [record('x'), complete('another selection')])
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ removed: 0, held: 1 })
    fixture.pipes.delete('p')
    await expect(fixture.harvest().confirm(run.id, signal())).rejects.toThrow('conflict')
    expect(fixture.requests).toEqual([])
    expect(await fixture.ids()).toEqual(['a', 'x'])
  })

  it('is not followed elsewhere', async () => {
    const { client } = outboundFixture({})
    const other = await portal(
      () => new Response(null, { status: 307, headers: { Location: '/elsewhere' } }),
    )
    const address = other.url
    const reach = { kind: 'configured', address, trust: 'trusted', allow: [] } as const
    const door = remoteRepository({ address, key, reach, outbound: client })
    const asked = door.ask({ method: 'PUT', path: '/x', body: '' }, AbortSignal.timeout(5000))
    await expect(asked).rejects.toThrow(/redirect|elsewhere/)
    expect(other.requests).toHaveLength(1)
    const clock = { now: () => 0, random: () => 1, pause: () => Promise.resolve() }
    const request = { method: 'PUT', path: '/x', body: '' } as const
    const asksAgain = withRetries(door, clock).ask(request, signal())
    await expect(asksAgain).rejects.toThrow('redirect')
    expect(other.requests).toHaveLength(2)
    await client.close()
  })
})
