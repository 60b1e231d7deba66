/** Another profile over the same data: the index is filled anew in the background, and searches never miss a record. */

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importDump } from '../../src/harvest/importing/dump.ts'
import { openDocument } from '../../src/rdf/open-document.ts'
import { checkAnswers } from '../support/answers.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

const generator = new URL('../../../shared/data/generate-catalogue.mjs', import.meta.url).pathname
const profile = new URL('../profile/foreign/national', import.meta.url).pathname
const amount = 300
const never = new AbortController().signal

type Found = {
  readonly result: {
    readonly count: number
    readonly results: readonly Readonly<Record<string, unknown>>[]
  }
}
type Health = {
  readonly pending: number
  readonly profile: { readonly id: string; readonly hash: string }
  readonly rebuilding: readonly {
    readonly index: string
    readonly done: number
    readonly of: number
  }[]
}

describe.skipIf(!existsSync(generator))('a changed profile', () => {
  let directory: string
  let platform: Gateway
  let api: ReturnType<typeof client>
  beforeAll(async () => {
    directory = await temporaryDirectory()
    platform = await gateway(directory)
    api = client(platform)
    const place = join(directory, 'generated.nt')
    const options = ['--datasets', String(amount), '--seed', '3', '--format', 'nt', '--out', place]
    execFileSync(process.execPath, [generator, ...options], { stdio: 'ignore' })
    const source = await openDocument(
      { location: place, baseIri: 'https://portal.example/doc' },
      never,
    )
    const target = { service: api.repo, key: platform.key, catalogue: 'all' }
    await importDump(source, target, never)
  }, 120_000)
  afterAll(async () => {
    await platform.stop()
    await remove(directory)
  })

  const health = () => api.json<Health>(`${platform.url}/health`)
  const find = (query: string) => api.json<Found>(`${api.search}/search?filters=dataset&${query}`)

  it('is noticed at the start, while the old index answers', { timeout: 120_000 }, async () => {
    await expect.poll(async () => (await health()).pending, { timeout: 60_000 }).toBe(0)
    const before = await health()
    expect(before.rebuilding).toEqual([])
    expect((await find('limit=0')).result.count).toBe(amount)
    await platform.stop()
    platform = await gateway(directory, {
      PLATFORM_FEATURE_FLAGS: '{"platform_profile":true}',
      PLATFORM_PROFILE: JSON.stringify({ type: 'directory', path: profile }),
      PLATFORM_LOG_LEVEL: 'debug',
    })
    api = client(platform)
    const first = await find('limit=1')
    expect(first.result.count).toBe(amount)
    expect(first.result.results[0]).toHaveProperty('title')
    const seen = await health()
    expect(seen.profile.hash).not.toBe(before.profile.hash)
    expect(seen.rebuilding.map(({ index }) => index)).toContain('dataset')

    const counts = new Set<number>()
    await expect
      .poll(
        async () => {
          counts.add((await find('limit=0')).result.count)
          counts.add((await find('limit=1&sort=modified desc')).result.count)
          return (await health()).rebuilding
        },
        { timeout: 100_000 },
      )
      .toEqual([])
    expect([...counts]).toEqual([amount])
  })

  it('then answers in its own words, as its contract says', { timeout: 120_000 }, async () => {
    const { result } = await find('limit=1')
    expect(result.results[0]).toHaveProperty('titel')
    expect(result.results[0]).not.toHaveProperty('title')
    await expect.poll(async () => (await health()).pending, { timeout: 60_000 }).toBe(0)
    const { answers, findings } = await checkAnswers(api.search)
    expect(answers).toBeGreaterThan(amount)
    expect(findings).toEqual([])
  })

  it('is no reason to fill anything at the next start', async () => {
    await platform.stop()
    platform = await gateway(directory, {
      PLATFORM_FEATURE_FLAGS: '{"platform_profile":true}',
      PLATFORM_PROFILE: JSON.stringify({ type: 'directory', path: profile }),
    })
    api = client(platform)
    const { rebuilding, pending } = await health()
    expect([rebuilding, pending]).toEqual([[], 0])
    expect((await find('limit=0')).result.count).toBe(amount)
  })
})
