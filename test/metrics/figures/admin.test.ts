/** Administration of the cache: who may, and what it does. */

import { describe, expect, it } from 'vitest'
import { cacheEndpoints } from '../../../src/metrics/figures/cache-app.ts'
import { keys, served } from './served.ts'
import { changesOf, scores } from './measured.ts'

const by = (key: string, init: RequestInit = {}): RequestInit => ({
  method: 'POST',
  ...init,
  headers: { 'X-API-Key': key },
})
const all = 'key-of-everything'
const body = (given: unknown) => ({ body: JSON.stringify(given) })
const nightly = { id: 'nightly', status: 'enabled', cron: '0 3 * * *' }

const calls: readonly (readonly [method: string, path: string, good: number, given?: unknown])[] = [
  ['POST', '/admin/refresh', 202],
  ['POST', '/admin/refresh/catalogues/city', 202],
  ['POST', '/admin/refresh/countries/deu', 202],
  ['POST', '/admin/refresh/global/any', 202],
  ['POST', '/admin/schedule', 202, nightly],
  ['GET', '/admin/schedule', 200],
  ['DELETE', '/catalogues/city', 200],
  ['POST', '/admin/clear', 202],
]

describe('keys', () => {
  it('are needed for everything that changes something, as the table of endpoints says', () => {
    const guarded = cacheEndpoints.filter(({ auth }) => auth.needs !== 'nothing')
    const open = cacheEndpoints.filter(({ auth }) => auth.needs === 'nothing')
    expect(new Set(open.map(({ route }) => route.method))).toEqual(new Set(['get']))
    const tried = new Set(
      calls.map(([method, path]) => `${method} ${path.split('/').slice(0, 3).join('/')}`),
    )
    for (const { route } of guarded) {
      const path = route.path.replace('{id}', 'city').split('/').slice(0, 3).join('/')
      expect(tried).toContain(`${route.method.toUpperCase()} ${path}`)
    }
  })

  it('are needed for everything that administers, and for nothing else to be told', async () => {
    const { ask } = await served()
    for (const [method, path, , given] of calls) {
      const init = { method, ...(given !== undefined && body(given)) }
      const none = await ask(path, init)
      expect([path, none.status]).toEqual([path, 401])
      expect(JSON.parse(await none.text())).toMatchObject({ success: false, result: null })
      expect((await ask(path, by('wrong', init))).status).toBe(401)
      expect([path, (await ask(path, by('key-of-city', init))).status]).toEqual([path, 403])
    }
    expect((await ask('/admin/refresh/planets/x', { method: 'POST' })).status).toBe(401)
  })

  it.each([
    ['X-API-Key', (key: string) => key],
    ['Authorization', (key: string) => key],
    ['Authorization', (key: string) => `Bearer ${key}`],
  ])('are taken in %s', async (header, form) => {
    const { ask } = await served()
    for (const key of [all, 'key-of-the-cache'])
      expect(
        (await ask('/admin/refresh', { method: 'POST', headers: { [header]: form(key) } })).status,
      ).toBe(202)
  })

  it('may be for single things', async () => {
    const { ask } = await served()
    expect(Object.keys(keys)).toContain('key-of-refreshes')
    expect((await ask('/admin/refresh', by('key-of-refreshes'))).status).toBe(202)
    expect((await ask('/admin/clear', by('key-of-refreshes'))).status).toBe(403)
  })

  it('of the cache are good for every call', async () => {
    const { ask } = await served()
    for (const [method, path, good, given] of calls) {
      const init = { method, ...(given !== undefined && body(given)) }
      expect([path, (await ask(path, by('key-of-the-cache', init))).status]).toEqual([path, good])
    }
  })
})

describe('a refresh', () => {
  it('is accepted at once, and followed at the address that it names', async () => {
    const { ask, get, figures, store } = await served()
    await store.write(changesOf({ id: 'a', values: scores(5, 0, 0, 0, 0) }))
    const response = await ask('/admin/refresh', by(all))
    expect([response.status, await response.text()]).toEqual([202, ''])
    expect(response.headers.get('Link')).toBe(
      '<http://localhost:8080/api/mqa/cache/health>; rel="monitor"',
    )
    await expect.poll(() => figures.refreshed()?.number).toBe(2)
    expect((await get('/catalogues/city?filter=score')).body.result.results).toEqual([{ score: 5 }])
  })

  it('of a catalogue finds one that is new, and refuses what there is not', async () => {
    const { ask, figures, cache } = await served({ isRefreshed: false })
    expect((await ask('/admin/refresh/catalogues/city', by(all))).status).toBe(202)
    await expect.poll(() => figures.catalogue('city')).toBeDefined()
    await expect.poll(() => cache.refreshes.progress).toBeUndefined()
    for (const [path, status] of [
      ['/admin/refresh/catalogues/nowhere', 404],
      ['/admin/refresh/catalogues/secret', 404],
      ['/admin/refresh/catalogues/%3E', 404],
      ['/admin/refresh/countries/AUT', 404],
      ['/admin/refresh/planets/earth', 400],
    ] as const)
      expect([path, (await ask(path, by(all))).status]).toEqual([path, status])
  })
})

describe('removing', () => {
  it('takes a catalogue out of its country and the portal, and leaves the graphs', async () => {
    const { ask, get } = await served()
    expect((await ask('/catalogues/city', by(all, { method: 'DELETE' }))).status).toBe(200)
    expect((await get('/catalogues')).body.result.count).toBe(1)
    expect((await get('/catalogues/city?filter=score')).body.result.results).toEqual([
      { score: null },
    ])
    expect((await get('/countries/DEU')).status).toBe(404)
    expect((await get('/global?filter=score')).body.result.results).toEqual([{ score: null }])
    expect((await get('/datasets/a')).status).toBe(200)
    expect((await ask('/catalogues/city', by(all, { method: 'DELETE' }))).status).toBe(404)
  })

  it('of everything takes the history too, and a refresh brings the figures back', async () => {
    const { ask, get, cache } = await served()
    expect((await ask('/admin/clear', by(all))).status).toBe(202)
    expect((await get('/catalogues')).body.result.count).toBe(0)
    expect((await ask('/admin/refresh/countries/AUT', by(all))).status).toBe(404)
    expect((await ask('/admin/refresh/countries/deu', by(all))).status).toBe(202)
    await expect.poll(async () => (await get('/catalogues')).body.result.count).toBe(2)
    await cache.refresh('all')
    expect((await get('/catalogues')).body.result.count).toBe(2)
  })
})

describe('schedules', () => {
  it('are set, replaced by their id, and told with their next time', async () => {
    const { ask } = await served()
    const set = async (given: unknown) =>
      (await ask('/admin/schedule', by(all, body(given)))).status
    expect(await set(nightly)).toBe(202)
    expect(await set({ ...nightly, cron: '0 4 * * *' })).toBe(202)
    expect(await set({ id: 'once', status: 'enabled', specific: ['2026-12-24T18:00:00Z'] })).toBe(
      202,
    )
    expect(await set({ id: 'off', status: 'disabled', interval: { unit: 'HOUR', value: 1 } })).toBe(
      202,
    )
    const listed = await ask('/admin/schedule', by(all, { method: 'GET' }))
    expect(JSON.parse(await listed.text())).toMatchObject([
      { id: 'nightly', status: 'enabled', cron: '0 4 * * *', next: '2026-11-23T04:00:00.000Z' },
      { id: 'off', status: 'disabled', interval: { unit: 'HOUR', value: 1 } },
      { id: 'once', specific: [expect.stringContaining('2026-12-24T18:00:00')] },
    ])
  })

  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['no id', JSON.stringify({ status: 'enabled', cron: '0 3 * * *' })],
    ['no time', JSON.stringify({ id: 'now', status: 'enabled' })],
    ['two kinds of time', JSON.stringify({ ...nightly, specific: ['2026-12-24T18:00:00Z'] })],
    ['a time that never comes', JSON.stringify({ ...nightly, cron: '0 0 30 2 *' })],
    ['an array', JSON.stringify([nightly])],
  ])('are refused with %s', async (_, text) => {
    const { ask } = await served()
    const response = await ask('/admin/schedule', by(all, { body: text }))
    expect(response.status).toBe(400)
    expect(JSON.parse(await response.text())).toMatchObject({ success: false, status: 400 })
  })
})
