/** One process that writes and others that only read, on one triplestore and one search engine. */

import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { freePort, type Engine } from '../support/engines/engine.ts'
import type { StoreUnderTest } from '../journeys/store-under-test.ts'
import { prefixes } from '../support/repository.ts'
import { chosenSearch, searchEngines, searchPlace } from './search/search-under-test.ts'
import { fresh, isMissing } from './stores.ts'

/** A write that is answered when searches show it. */
const wait = { Prefer: 'wait=20' }
/** One that is answered when it is in the store. */
const noWait = { Prefer: 'respond-async' }

const rounds = Number(process.env['REQUEST_ROUNDS'] ?? 30)
/** Writes that are acknowledged before the writer is killed. */
const mostAcknowledged = 10 * rounds
const key = 'a-key-of-the-readers-suite-1234567'

const dataset = (
  title: string,
  more = '',
) => `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en ;
  dcat:distribution [ a dcat:Distribution ; dcat:accessURL <https://files.example/${title}> ] ${more}.`
const catalogue = (title: string, more = '') =>
  `${prefixes}<> a dcat:Catalog ; dct:title "${title}"@en ${more}.`
const hidden = '; <https://piveau.eu/ns/voc#visibility> <https://piveau.eu/ns/voc#hidden> '

/** Dialect of the platform, the server that it is tried on, and the search engine unless `SEARCH_UNDER_TEST` names one. */
const places = [
  ['fuseki', 'fuseki', 'meilisearch'],
  ['virtuoso', 'virtuoso', 'meilisearch'],
  ['sparql11', 'fuseki', 'opensearch'],
] as const

describe.each(places)('with the dialect %s on %s and %s', (dialect, name, usual) => {
  const searchName = chosenSearch() ?? usual
  const isAnyMissing = isMissing(name) || searchEngines[searchName].isMissing
  describe.skipIf(isAnyMissing)('a writer and two readers', () => {
    let store: Engine
    let engine: StoreUnderTest
    let writer: Gateway
    let readers: Gateway[]
    let env: Record<string, string>
    const directories: string[] = []
    const directory = async () => {
      const path = await temporaryDirectory()
      directories.push(path)
      return path
    }
    const startReader = async (writerUrl: string) =>
      gateway(await directory(), { ...env, PLATFORM_WRITER_URL: writerUrl })
    beforeAll(async () => {
      store = await fresh(name)
      engine = await searchPlace(searchName)
      env = {
        ...engine.env,
        PLATFORM_TRIPLESTORE_CONFIG: JSON.stringify({ ...store.config, dialect }),
        PLATFORM_HUB_API_KEYS: JSON.stringify({ [key]: ['*'] }),
        PLATFORM_TRUSTED_PROXIES: '127.0.0.1',
        PLATFORM_PORT: String(await freePort()),
      }
      const writerUrl = `http://127.0.0.1:${env['PLATFORM_PORT']}`
      const own = { ...env, PLATFORM_PORT: '0' }
      // All three begin at once, on servers without data.
      const starting = [gateway(await directory(), env)]
      env = own
      starting.push(startReader(writerUrl), startReader(writerUrl))
      const [first, ...others] = await Promise.all(starting)
      writer = first!
      readers = others
    })
    afterAll(async () => {
      await Promise.all([writer, ...readers].map((one) => one.stop()))
      await engine.end()
      await store.stop()
      await Promise.all(directories.map(remove))
    })
    const at = (one: Gateway) => client({ url: one.url, key })
    const [readerOne, readerTwo] = [() => at(readers[0]!), () => at(readers[1]!)]
    const health = async (url: string) => Object(await (await fetch(`${url}/health`)).json())
    const idsFound = async (search: string, q: string, more = '') => {
      const answer = await fetch(
        `${search}/search?q=${q}&filters=dataset&limit=1000&includes=id${more}`,
      )
      type Answer = { readonly result: { readonly results: readonly { readonly id: string }[] } }
      return answer.ok ? ((await answer.json()) as Answer).result.results.map(({ id }) => id) : []
    }

    it('are ready after they began at once on empty servers, each in its role', async () => {
      const isReady = async ({ url }: Gateway) => (await fetch(`${url}/health/ready`)).ok
      for (const one of [writer, ...readers])
        expect(await eventually(() => isReady(one))).toBe(true)
      // The indices are new: the readers find them with their next look.
      const states = async () =>
        Promise.all(
          [writer, ...readers].map(async ({ url }) => {
            const { status, role } = await health(url)
            return `${role} ${status}`
          }),
        )
      await expect
        .poll(states, { timeout: 20_000 })
        .toEqual(['writer up', 'reader up', 'reader up'])
    })

    it('leave the files of the writer alone: a reader does not start in its directory', async () => {
      const before = await readdir(writer.directory)
      const inItsPlace = { ...env, PLATFORM_WRITER_URL: writer.url }
      await expect(gateway(writer.directory, inItsPlace)).rejects.toThrow(
        'of a process that writes',
      )
      expect(await readdir(writer.directory)).toEqual(before)
    })

    it('take writes at each, and show them at each', async () => {
      const made = await readerOne().put('/catalogues/c1', catalogue('C1'))
      expect(made.status).toBe(201)
      expect(made.headers.get('Location')).toContain('http://localhost:8080/')
      expect((await readerTwo().put('/catalogues/c2', catalogue('C2'))).status).toBe(201)
      const written = await readerOne().putDataset('c1', 'levels', dataset('levels'), {
        Prefer: 'wait=20',
      })
      expect([written.status, written.headers.get('Index-Status')]).toEqual([201, 'done'])
      const etag = written.headers.get('ETag')
      for (const { repo, search } of [readerOne(), readerTwo()]) {
        const read = await fetch(`${repo}/datasets/levels.nt`)
        expect([read.status, read.headers.get('ETag')]).toEqual([200, etag])
        expect(
          (await fetch(`${repo}/datasets/levels.nt`, { headers: { 'If-None-Match': etag! } }))
            .status,
        ).toBe(304)
        expect(
          await eventually(async () => (await idsFound(search, 'levels')).includes('levels')),
        ).toBe(true)
        const list = (await (
          await fetch(`${repo}/catalogues?valueType=identifiers`)
        ).json()) as string[]
        expect(new Set(list)).toEqual(new Set(['c1', 'c2']))
      }
    })

    it(`never both change what both have read, nor make one IRI twice, in ${rounds} rounds`, async () => {
      for (let round = 0; round < rounds; round += 1) {
        const read = await fetch(`${readerOne().repo}/datasets/levels.nt`)
        const headers = { ...noWait, 'If-Match': read.headers.get('ETag') ?? '' }
        const changed = await Promise.all([
          readerOne().putDataset('c1', 'levels', dataset(`a${round}`), headers),
          readerTwo().putDataset('c1', 'levels', dataset(`b${round}`), headers),
        ])
        expect(new Set(changed.map(({ status }) => status))).toEqual(new Set([204, 412]))
        const made = await Promise.all([
          readerOne().putDataset('c1', `new-${round}`, dataset('one'), noWait),
          readerTwo().putDataset('c2', `new-${round}`, dataset('two'), noWait),
        ])
        expect(made.map(({ status }) => status)).toEqual([201, 201])
        const places = new Set(made.map((answer) => answer.headers.get('Location')))
        expect(places.size).toBe(2)
        const text = await (await fetch(`${readerTwo().repo}/datasets/levels.nt`)).text()
        expect(text.match(/terms\/title> "[^"]*"/g)).toHaveLength(1)
      }
    })

    it(`never show a mixture while a dataset is written, in ${rounds * 3} writes`, async () => {
      const over = new AbortController()
      const seen: string[] = []
      const reading = (async () => {
        while (!over.signal.aborted) {
          const text = await (await fetch(`${readerTwo().repo}/datasets/levels.nt`)).text()
          const titles = text.match(/terms\/title> "[^"]*"/g) ?? []
          const addresses = text.match(/accessURL> <[^>]*>/g) ?? []
          seen.push(`${titles.length} ${addresses.length}`)
        }
      })()
      for (let round = 0; round < rounds * 3; round += 1)
        expect(
          (await readerOne().putDataset('c1', 'levels', dataset(`x${round}`), noWait)).status,
        ).toBe(204)
      over.abort()
      await reading
      expect(seen.length).toBeGreaterThan(10)
      expect([...new Set(seen)]).toEqual(['1 1'])
    })

    it('never show a record that was hidden, whoever hides it and whoever writes into it', async () => {
      await readerOne().put('/catalogues/h1', catalogue('H1'))
      await readerOne().putDataset('h1', 'secret', dataset('hiddenword'), wait)
      expect(
        await eventually(
          async () => (await idsFound(readerTwo().search, 'hiddenword')).length === 1,
        ),
      ).toBe(true)
      const put = await readerOne().put('/catalogues/h1', catalogue('H1', hidden), {
        Prefer: 'wait=20',
      })
      expect(put.status).toBe(204)
      expect(
        await eventually(
          async () => (await idsFound(readerTwo().search, 'hiddenword')).length === 0,
        ),
      ).toBe(true)
      await readerTwo().putDataset('h1', 'other', dataset('hiddenword'), wait)
      for (let n = 0; n < 20; n += 1) {
        expect(await idsFound(readerOne().search, 'hiddenword')).toEqual([])
        expect(await idsFound(readerTwo().search, 'hiddenword')).toEqual([])
      }
    })

    it('say of what was deleted that it is gone, which only the writer knows', async () => {
      await readerOne().putDataset('c1', 'away', dataset('away'))
      const headers = { 'X-API-Key': key }
      expect(
        (await fetch(`${readerTwo().repo}/datasets/away`, { method: 'DELETE', headers })).status,
      ).toBe(204)
      for (const one of readers) {
        expect((await fetch(`${one.url}/api/hub/repo/datasets/away`)).status).toBe(410)
        const page = await fetch(`${one.url}/en/datasets/away`, {
          headers: { Accept: 'text/html' },
        })
        expect([page.status, page.headers.get('Content-Type')]).toEqual([
          410,
          'text/html; charset=utf-8',
        ])
        expect((await fetch(`${one.url}/api/hub/repo/datasets/never`)).status).toBe(404)
      }
      const restored = await fetch(`${readerOne().repo}/datasets/away/restore`, {
        method: 'POST',
        headers,
      })
      expect(restored.ok).toBe(true)
      expect((await fetch(`${readerTwo().repo}/datasets/away`)).status).toBe(200)
    })

    it('read a list to its end by a cursor while records change, in their order', async () => {
      for (let n = 0; n < 12; n += 1) {
        const body = dataset(`pages-${n}`)
        expect((await readerOne().putDataset('c2', `page-${n}`, body, wait)).status).toBe(201)
      }
      const { search } = readerTwo()
      const isComplete = async () =>
        (await idsFound(search, 'pages')).filter((id) => id.startsWith('page-')).length === 12
      expect(await eventually(isComplete)).toBe(true)
      type Answer = {
        readonly result: {
          readonly scrollId: string
          readonly results: readonly {
            readonly id: string
            readonly title: Record<string, string>
          }[]
        }
      }
      const first = (await (
        await fetch(`${search}/search?q=pages&filters=dataset&limit=4&scroll=true&sort=id+asc`)
      ).json()) as Answer
      await readerOne().putDataset('c2', 'page-9', dataset('pages-9-again'), wait)
      await fetch(`${readerOne().repo}/datasets/page-8`, {
        method: 'DELETE',
        headers: { 'X-API-Key': key, Prefer: 'wait=20' },
      })
      const records = [...first.result.results]
      for (let page = 0; page < 4; page += 1) {
        const next = (await (
          await fetch(`${search}/scroll?scrollId=${first.result.scrollId}`)
        ).json()) as Answer
        records.push(...next.result.results)
      }
      const ids = records.map(({ id }) => id)
      // A cluster keeps the documents of a search as they were; at a reader on Meilisearch a cursor has only their ids.
      const isKept = searchName === 'opensearch'
      expect(ids).toHaveLength(isKept ? 12 : 11)
      expect(new Set(ids).size).toBe(ids.length)
      const title = records.find(({ id }) => id === 'page-9')?.title['en']
      expect(title).toBe(isKept ? 'pages-9' : 'pages-9-again')
    })

    it('leave a person who signs in, a key and what is written to the writer', async () => {
      const page = await fetch(`${readers[0]!.url}/en/sign-in`)
      expect([page.status, (await page.text()).includes('name="key"')]).toEqual([200, true])
      const wrong = await fetch(`${readerOne().repo}/datasets/levels`, {
        headers: { 'X-API-Key': 'wrong' },
      })
      expect(wrong.status).toBe(200)
      const listed = await fetch(`${readerOne().repo}/tombstones?catalogue=c2`, {
        headers: { 'X-API-Key': key },
      })
      expect(listed.status).toBe(200)
      const refused = await fetch(`${readerOne().repo}/catalogues/c1`, {
        method: 'PUT',
        headers: { 'X-API-Key': 'wrong', 'Content-Type': 'text/turtle' },
        body: catalogue('x'.repeat(3_000_000)),
      })
      expect(refused.status).toBe(401)
      const contract = await fetch(`${readerOne().repo}/openapi.json`)
      expect(contract.status).toBe(200)
      expect((await fetch(`${readers[0]!.url}/api/scheduler/triggers`)).status).toBe(200)
    })

    it('lose nothing that a killed writer has acknowledged, and say meanwhile that it is away', async () => {
      let acknowledged = 0
      const write = async (lane: number) => {
        for (let n = 0; ; n += 1) {
          const answer = await readerOne()
            .putDataset('c2', `kill-${lane}-${n}`, dataset('killed'), noWait)
            .catch(() => undefined)
          if (answer?.status !== 201) return
          acknowledged += 1
          names.push(`kill-${lane}-${n}`)
        }
      }
      const names: string[] = []
      const lanes = [0, 1, 2, 3].map(write)
      expect(await eventually(async () => acknowledged >= mostAcknowledged, 60_000)).toBe(true)
      await writer.kill()
      await Promise.all(lanes)
      const refused = await readerOne().put('/catalogues/c9', catalogue('C9'))
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '5'])
      expect(await refused.json()).toMatchObject({ type: 'urn:cartulary:problem:writer-away' })
      expect((await fetch(`${readerOne().repo}/datasets/levels`)).status).toBe(200)
      const [path] = directories
      const port = new URL(writer.url).port
      writer = await gateway(path!, { ...env, PLATFORM_PORT: port })
      const missing = async () => {
        const found = new Set(await idsFound(readerTwo().search, 'killed'))
        return names.filter((id) => !found.has(id))
      }
      expect(await eventually(async () => (await missing()).length === 0)).toBe(true)
      const isTaken = async () => (await readerOne().put('/catalogues/c9', catalogue('C9'))).ok
      expect(await eventually(isTaken)).toBe(true)
    })

    it('follow the writer to indices that it fills anew, without a gap', async () => {
      type Answer = {
        readonly result: {
          readonly count: number
          readonly facets: readonly { readonly id: string }[]
        }
      }
      const seen = new Set<number>()
      const facetsAt = async ({ url }: Gateway) => {
        const answer = await fetch(`${url}/api/hub/search/search?q=killed&filters=dataset&limit=0`)
        if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
        const { count, facets } = ((await answer.json()) as Answer).result
        seen.add(count)
        return facets.map(({ id }) => id).join()
      }
      const over = new AbortController()
      const searching = Promise.all(
        readers.map(async (one) => {
          while (!over.signal.aborted) await facetsAt(one)
        }),
      )
      const { port } = new URL(writer.url)
      await writer.stop()
      const config = JSON.stringify({ facets: ['country'] })
      const changed = { ...env, PLATFORM_PORT: port, PLATFORM_SEARCH_CONFIG: config }
      writer = await gateway(writer.directory, changed)
      const facets = () => Promise.all(readers.map(facetsAt))
      await expect.poll(facets).toEqual(['country', 'country'])
      over.abort()
      await searching
      expect([...seen].map((count) => count >= mostAcknowledged)).toEqual([true])
      await readerOne().putDataset('c2', 'anew', dataset('anew'), wait)
      const isThere = async () => (await idsFound(readerTwo().search, 'anew')).includes('anew')
      expect(await eventually(isThere)).toBe(true)
    })

    it('follow a stand-by that takes over by itself when the writer is killed or stopped', async () => {
      const [port, place] = [String(await freePort()), await directory()]
      const urls = [writer.url, `http://127.0.0.1:${port}`].join()
      const reader = await startReader(urls)
      readers.push(reader)
      const standby = gateway(place, { ...env, PLATFORM_PORT: port }, undefined, ['--adopt'])
      standby.catch(() => undefined)
      const waits = async () =>
        Object(await health(`http://127.0.0.1:${port}`).catch(() => ({}))).waitingFor?.what ===
        'lease'
      expect(await eventually(waits)).toBe(true)
      const write = (title: string) => at(reader).putDataset('c1', 'levels', dataset(title))
      expect((await write('before')).status).toBe(204)
      const [oldPath, oldPort] = [writer.directory, new URL(writer.url).port]
      await writer.kill()
      const isTaken = (title: string) => async () => (await write(title)).status === 204
      expect(await eventually(isTaken('after-kill'), 20_000)).toBe(true)
      const second = await standby
      const third = gateway(oldPath, { ...env, PLATFORM_PORT: oldPort }, undefined, ['--adopt'])
      third.catch(() => undefined)
      const isWaiting = async () =>
        Object(await health(writer.url).catch(() => ({}))).waitingFor?.what === 'lease'
      expect(await eventually(isWaiting)).toBe(true)
      await second.stop()
      writer = await third
      expect(await eventually(isTaken('after-stop'))).toBe(true)
      const text = await (await fetch(`${at(reader).repo}/datasets/levels.nt`)).text()
      expect(text.match(/terms\/title> "[^"]*"/g)).toEqual([`terms/title> "after-stop"`])
    }, 120_000)
  })
})
