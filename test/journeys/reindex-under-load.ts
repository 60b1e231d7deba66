/** An index that is filled anew while people search and write: no error, no gap, nothing lost. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'
import type { StoreUnderTest } from './store-under-test.ts'

/** Per second, and what there is to fill. */
export type Load = {
  readonly searches: number
  readonly writes: number
  readonly datasets: number
  /** The load lasts at least so long, and until the index is filled. */
  readonly seconds: number
}

const given = (name: string, standard: number) => Number(process.env[name] ?? standard)

/** `LOAD_SEARCHES`, `LOAD_WRITES`, `LOAD_DATASETS` and `LOAD_SECONDS` make it heavier. */
export const usualLoad = (datasets: number): Load => ({
  searches: given('LOAD_SEARCHES', 50),
  writes: given('LOAD_WRITES', 20),
  datasets: given('LOAD_DATASETS', datasets),
  seconds: given('LOAD_SECONDS', 3),
})

type Hit = { readonly id: string; readonly title: { readonly en?: string } }
type Found = {
  readonly result: {
    readonly count: number
    readonly results: readonly Hit[]
    readonly facets: readonly { readonly id: string }[]
  }
}
type Health = {
  readonly pending: number
  readonly rebuilding: readonly { readonly index: string }[]
}

const dataset = (title: string) =>
  `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en ; dcat:theme
  <http://publications.europa.eu/resource/authority/data-theme/ENVI> .`
/** What waits at a time: a write does until it is searchable. */
const lanesOf = { searches: 16, writes: 32 }

const configured = (facets: readonly string[]) => ({
  PLATFORM_SEARCH_CONFIG: JSON.stringify({ facets }),
  PLATFORM_LIMITS: JSON.stringify({ writesPerKey: 2 * lanesOf.writes }),
})

/** `ground` is asked once. */
export function reindexUnderLoad(
  name: string,
  openStore: () => Promise<StoreUnderTest>,
  load: Load,
): void {
  describe(`filling anew on ${name} under load`, () => {
    let directory: string
    let platform: Gateway
    let place: StoreUnderTest
    let api: ReturnType<typeof client>
    const start = async (facets: readonly string[]) => {
      platform = await gateway(directory, { ...place.env, ...configured(facets) })
      api = client(platform)
    }
    beforeAll(async () => {
      place = await openStore()
      directory = await temporaryDirectory()
      await start(['country'])
      await api.put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
      let next = 0
      const lane = async () => {
        for (let n = next++; n < load.datasets; n = next++)
          await api.putDataset('c', `old-${n}`, dataset(`Lasting n${n}x`), {
            Prefer: 'respond-async',
          })
      }
      await Promise.all(Array.from({ length: 8 }, lane))
    }, 300_000)
    afterAll(async () => {
      await platform.stop()
      await remove(directory)
      await place.end()
    })

    const health = () => api.json<Health>(`${platform.url}/health`)
    const search = async (query: string) =>
      (await api.json<Found>(`${api.search}/search?filters=dataset&${query}`)).result
    const erase = (id: string) =>
      fetch(`${api.repo}/datasets/${id}`, {
        method: 'DELETE',
        headers: { 'X-API-Key': platform.key },
      })

    it(
      `of ${load.searches} searches and ${load.writes} writes a second nobody notices anything`,
      { timeout: 300_000 },
      async () => {
        await expect.poll(async () => (await health()).pending, { timeout: 120_000 }).toBe(0)
        await platform.stop()
        await start(['categories', 'country'])
        expect((await health()).rebuilding.map(({ index }) => index)).toContain('dataset')

        const wrong: string[] = []
        /** Title of every record that was written under load; `undefined` = deleted. */
        const written = new Map<string, string | undefined>()
        const done = { searches: 0, writes: 0, slowestSearch: 0, slowestWrite: 0 }

        const look = async (n: number) => {
          const [which, since] = [n % load.datasets, performance.now()]
          const one = await search(`q=n${which}x+OR+nowhere&limit=1`)
          if (one.count !== 1 || one.results[0]?.id !== `old-${which}`)
            wrong.push(`lost old-${which}`)
          const { count } = await search('q=lasting&limit=0')
          if (count !== load.datasets) wrong.push(`${count} of ${load.datasets} lasting ones`)
          done.searches += 2
          done.slowestSearch = Math.max(
            done.slowestSearch,
            Math.round((performance.now() - since) / 2),
          )
        }
        const write = async (n: number) => {
          const id = `new-${n % 3 === 0 ? n : n - (n % 3)}`
          const since = performance.now()
          const title = n % 3 === 2 ? undefined : `Fleeting t${n}x`
          const answer =
            title === undefined ? await erase(id) : await api.putDataset('c', id, dataset(title))
          if (!answer.ok) wrong.push(`${id}: ${answer.status}`)
          written.set(id, title)
          done.writes += 1
          done.slowestWrite = Math.max(done.slowestWrite, Math.round(performance.now() - since))
          if (answer.headers.get('Index-Status') !== 'done') return
          const found = await fetch(`${api.search}/datasets/${id}`)
          const body = found.ok
            ? ((await found.json()) as { result: Hit }).result.title.en
            : undefined
          if (body !== title) wrong.push(`${id} is ${body} and not ${title}`)
        }
        /** One after the other in each lane, so that a record's writes keep their order; late ones catch up. */
        const paced = (rate: number, work: (n: number) => Promise<void>, lanes: number) => {
          const begin = performance.now()
          const lane = async (own: number) => {
            for (let n = own; !over(); n += lanes) {
              const due = begin + (n / rate) * 1000 - performance.now()
              if (due > 0) await new Promise((resolve) => setTimeout(resolve, due))
              await work(n).catch((error: unknown) => wrong.push(String(error)))
            }
          }
          return Promise.all(Array.from({ length: lanes }, (_, own) => lane(own)))
        }
        const state = { filled: false, stopped: false }
        const begin = performance.now()
        const over = () =>
          state.stopped || (state.filled && performance.now() - begin > load.seconds * 1000)
        const watch = async () => {
          while (!state.filled && performance.now() - begin < 200_000) {
            state.filled = (await health()).rebuilding.length === 0
            await new Promise((resolve) => setTimeout(resolve, 50))
          }
          state.stopped = !state.filled
        }
        await Promise.all([
          watch(),
          paced(load.searches / 2, look, lanesOf.searches),
          paced(
            load.writes / 3,
            async (n) => {
              for (const step of [0, 1, 2]) if (!over()) await write(n * 3 + step)
            },
            lanesOf.writes,
          ),
        ])

        expect(state).toEqual({ filled: true, stopped: false })
        expect(wrong).toEqual([])
        const seconds = (performance.now() - begin) / 1000
        process.stderr.write(
          `${name}: filled ${load.datasets} anew in ${seconds.toFixed(1)} s beside ${JSON.stringify(done)}\n`,
        )
        await expect.poll(async () => (await health()).pending, { timeout: 60_000 }).toBe(0)
        const left = [...written].filter(([, title]) => title !== undefined)
        expect((await search('q=fleeting&limit=0')).count).toBe(left.length)
        for (const [id, title] of left) {
          const { result } = await api.json<{ result: Hit }>(`${api.search}/datasets/${id}`)
          expect([id, result.title.en]).toEqual([id, title])
        }
        const all = await search('limit=0')
        expect(all.count).toBe(load.datasets + left.length)
        expect(all.facets.map(({ id }) => id)).toEqual(['categories', 'country'])
      },
    )
  })
}
