/** Resources of declared types on real triplestores: what is asked of them is what every store understands alike. */

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { literal, namedNode } from '../../src/rdf/terms.ts'
import { bind, loadQuery } from '../../src/store/queries.ts'
import { aGauge, aService, declared, iriOf } from '../repository/declared.ts'
import { openRemote } from '../store/opening.ts'
import { base, repository } from '../support/repository.ts'
import { isMissing, stores } from './stores.ts'

for (const name of stores) {
  describe.skipIf(isMissing(name))(`${name} as the store`, () => {
    const server = inject(name)
    let store: GraphStore
    let repo: Awaited<ReturnType<typeof repository>>
    beforeAll(async () => {
      if ('missing' in server) throw new Error(server.missing)
      store = await openRemote(server.config)
      repo = await repository({ resources: declared, around: (own) => ({ ...own, ...store }) })
      await repo.putCatalogue('rivers')
    })
    afterAll(async () => {
      await repo.close()
      await store.close()
    })

    const send = async (method: string, path: string, body?: string) =>
      (await repo.ask(path, { method, ...(body !== undefined && { type: 'text/turtle', body }) }))
        .status
    const list = async (query = '') =>
      (await repo.ask(`/customresources/data-service?valueType=identifiers${query}`)).json()
    const put = (id: string) =>
      send('PUT', `/customresources/data-service/${id}?catalogId=rivers`, aService())

    it('keeps, lists, changes and forgets them', async () => {
      expect([await put('b'), await put('a'), await put('a')]).toEqual([201, 201, 304])
      expect(await send('PUT', '/customresources/gauge/g', aGauge())).toBe(201)
      expect(await send('PUT', '/customresources/data-service/a', aService('New'))).toBe(204)
      expect(await list()).toEqual(['a', 'b'])
      expect(await list('&catalogId=rivers')).toEqual(['a', 'b'])
      const text = await (await repo.ask('/customresources/data-service/a.ttl')).text()
      expect(text).toContain('New')
      expect(await send('DELETE', '/customresources/gauge/g')).toBe(204)
      expect(await send('GET', '/customresources/gauge/g')).toBe(410)
    })

    it('names them as members of their catalogue, in pages by key', async () => {
      const values = { catalogue: namedNode(`${base}id/catalogue/rivers`) }
      const after = async (iri: string) => {
        const query = bind(loadQuery('catalogue-members-after'), { ...values, after: literal(iri) })
        return (await store.select(query)).map((row) => row['resource']?.value)
      }
      const body = '<> a <http://www.w3.org/ns/dcat#Dataset> .'
      await repo.putDataset('rivers', 'levels', body)
      const all = [`${base}set/data/levels`, iriOf('data-service', 'a'), iriOf('data-service', 'b')]
      expect(await after('')).toEqual(all)
      expect(await after(all[1] ?? '')).toEqual(all.slice(2))
      const [size] = await store.select(bind(loadQuery('catalogue-size'), values))
      expect(size?.['size']?.value).toBe('3')
    })

    it('takes them away with their catalogue and brings them back with it', async () => {
      const before = await store.read(iriOf('data-service', 'a'))
      expect(await send('DELETE', '/catalogues/rivers')).toBe(204)
      // What is in a catalogue goes and comes behind the answer.
      await expect.poll(() => list()).toEqual([])
      expect(await store.read(iriOf('data-service', 'a'))).toBeUndefined()
      // 409 until the removal has ended.
      await expect.poll(() => send('POST', '/catalogues/rivers/restore')).toBe(201)
      await expect.poll(() => list('&catalogId=rivers')).toEqual(['a', 'b'])
      expect(await store.read(iriOf('data-service', 'a'))).toBe(before)
      const handles = await store.select(bind(loadQuery('resource-handles'), {}))
      // The store is shared with other suites.
      const own = handles.flatMap((row) => row['resource']?.value ?? [])
      expect(own.filter((iri) => iri.startsWith(base)).sort()).toEqual([
        iriOf('data-service', 'a'),
        iriOf('data-service', 'b'),
      ])
    })
  })
}
