/** Searches with `related=true` beside an embedder that fails: they answer by words, nothing is lost, and no log has a query. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { embedderDouble, type EmbedderDouble, type Mood } from '../support/embedder.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .`
const dataset = (title: string) =>
  `${prefixes} <https://example.com/d> a dcat:Dataset ; dct:title "${title}"@en ; dct:description "About it."@en .`

let directory: string
let embedder: EmbedderDouble
let platform: Gateway
beforeAll(async () => {
  directory = await temporaryDirectory()
  embedder = await embedderDouble()
  platform = await start()
  const { put } = client(platform)
  await put(
    '/catalogues/city',
    `${prefixes} <https://example.com/c> a dcat:Catalog ; dct:title "City"@en .`,
  )
  await write('water', 'Water levels')
}, 60_000)
afterAll(async () => {
  await platform?.stop()
  await embedder?.stop()
  await remove(directory)
})

const start = () =>
  gateway(directory, {
    PLATFORM_LOG_LEVEL: 'debug',
    PLATFORM_EMBEDDER_CONFIG: JSON.stringify({
      url: embedder.url,
      model: 'double',
      apiKey: 'sk-very-secret',
      queryMs: 300,
    }),
  })

const write = async (id: string, title: string) => {
  const answer = await client(platform).putDataset('city', id, dataset(title))
  expect(answer.status).toBe(201)
}

type Health = { readonly status: string; readonly embedder: string }
const health = () => client(platform).json<Health>(`${platform.url}/health`)
const metrics = async () => (await fetch(`${platform.url}/metrics`)).text()

const isMade = (title: string) =>
  eventually(async () => embedder.embedded.some((text) => text.includes(title)))

const searched = async (q: string) => {
  const { result } = await client(platform).json<{ result: { count: number; related?: number } }>(
    `${platform.url}/api/hub/search/search?filters=dataset&related=true&q=${encodeURIComponent(q)}`,
  )
  return result
}

describe('an embedder', () => {
  it('is named on the page about the search, without its address, as where queries are sent', async () => {
    const page = `${platform.url}/en/pages/about-search`
    const text = await (await fetch(page, { headers: { Accept: 'text/html' } })).text()
    expect(text).toContain('the text of each search is sent to another service')
    expect(text).not.toContain('does not leave this platform')
    expect(text).not.toContain(new URL(embedder.url).host)
  })

  it('is not asked for what somebody types before they search', async () => {
    const answer = await fetch(`${platform.url}/en/suggest?q=wat`)
    expect(await answer.json()).toMatchObject({ titles: [{ label: 'Water levels' }] })
    expect(embedder.calls.flatMap(({ texts }) => texts)).not.toContain('wat')
  })

  it('makes the vectors of written records and of queries', async () => {
    expect(await isMade('Water levels')).toBe(true)
    expect(embedder.embedded).toContain('Water levels. About it.')
    expect(embedder.calls[0]?.key).toBe('Bearer sk-very-secret')
    expect(await eventually(async () => (await searched('anything')).related === 1)).toBe(true)
    expect(embedder.embedded).toContain('anything')
    expect(await health()).toMatchObject({ status: 'up', embedder: 'up' })
    expect(await metrics()).toMatch(/^cartulary_embedder_query_seconds\{quantile="0.95"\} /m)
  })

  it.each<[string, Mood]>([
    ['is slow', { afterMs: 600_000 }],
    ['is away', { isAway: true }],
    ['answers nonsense', { body: '<html>' }],
    ['is busy', { status: 429 }],
    [
      'has other dimensions',
      { body: JSON.stringify({ data: [{ index: 0, embedding: Array(16).fill(1) }] }) },
    ],
  ])('that %s leaves the answer to the words', async (name, mood) => {
    embedder.state.mood = mood
    const { count, related } = await searched(`water q${name.replaceAll(' ', '')}`)
    expect([count, related]).toEqual([1, undefined])
    await write(name, `Title when it ${name}`)
  })

  it('is not asked any more after five failures, and health says so with the status as before', async () => {
    const queries = () => embedder.calls.filter(({ texts }) => texts[0]?.startsWith('water'))
    const before = queries().length
    expect(await searched('water qagain')).toMatchObject({ count: 1 })
    expect(queries()).toHaveLength(before)
    const answer = await fetch(`${platform.url}/health`)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ status: 'up', embedder: 'away' })
    expect(await metrics()).toContain(
      'cartulary_embedder_calls_total{purpose="queries",outcome="failed"} 5',
    )
  })

  it('gets what was written meanwhile when it is back, also after a restart', async () => {
    embedder.state.mood = {}
    await platform.stop()
    expect(platform.log()).not.toMatch(/sk-very-secret|water q/)
    platform = await start()
    expect(await isMade('has other dimensions')).toBe(true)
    expect(await eventually(async () => (await searched('anything else')).related === 6)).toBe(true)
    const titles = embedder.embedded.filter((text) => text.includes('. '))
    expect(titles.toSorted()).toEqual([...new Set(titles)].toSorted())
    expect(titles).toHaveLength(6)
    expect(await health()).toMatchObject({ status: 'up', embedder: 'up' })
  })
})
