/** CKAN importer: what it asks a portal for, and what it makes of the answers. */

import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { ckanImporter } from '../../../../src/harvest/importers/ckan.ts'
import type { JsonObject } from '../../../../src/text/json.ts'
import {
  ckanPortal,
  packageOf,
  type CkanPortal,
  type CkanPortalOptions,
} from '../../../support/portals/ckan-portal.ts'
import { dkanPortal } from '../../../support/portals/dkan-portal.ts'
import { importOf, type Run } from '../import-run.ts'

const five = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, title: `Title of ${id}` }))
const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function portalWith(options: CkanPortalOptions = {}): Promise<CkanPortal> {
  const portal = await ckanPortal(five, options)
  open.push(portal)
  return portal
}

const run = (portal: { address: string }, config: JsonObject = {}, more: Partial<Run> = {}) =>
  importOf({
    kind: (deps) => importerSegment(ckanImporter, deps),
    config: { address: portal.address, pageSize: 2, ...config },
    ...more,
  })
const searched = (portal: CkanPortal) =>
  portal.requests
    .filter(({ path }) => path.includes('package_search'))
    .map(({ path }) => new URL(path, portal.url).searchParams)

it('a record that comes or goes between two pages costs no other one, or the run is not complete', async () => {
  const drawn = fc.record({
    ids: fc.uniqueArray(fc.constantFrom(...'bcdfghjklmnpqrst'.split('')), {
      minLength: 3,
      maxLength: 12,
    }),
    pageSize: fc.integer({ min: 1, max: 4 }),
    after: fc.integer({ min: 1, max: 12 }),
    // Where one comes and one goes, the number of records tells nothing.
    come: fc.option(fc.constantFrom(...'aeiouz'.split(''))),
    go: fc.option(fc.nat()),
  })
  await fc.assert(
    fc.asyncProperty(drawn, async ({ ids, pageSize, after, come, go }) => {
      const portal = await ckanPortal([])
      const before = ids.toSorted()
      const staying = before.filter((_, at) => go === null || at !== go % before.length)
      const later = [...staying, ...(come === null ? [] : [come])].sort()
      const show = (shown: readonly string[]) => portal.show(shown.map((id) => ({ id, title: id })))
      show(before)
      let heard = 0
      const found = await run(
        portal,
        { pageSize },
        {
          meanwhile: () => {
            heard += 1
            if (heard === after) show(later)
          },
        },
      )
      await portal.close()
      const arrived = new Set(found.records.map(({ sourceId }) => sourceId))
      const missing = staying.filter((id) => !arrived.has(id))
      expect(found.end?.kind === 'complete' ? missing : []).toEqual([])
    }),
    { numRuns: 100 },
  )
})

describe('the search', () => {
  it('is sorted by id, public only, and steps by what was received', async () => {
    const portal = await portalWith({ rowsMax: 2 })
    const found = await run(portal, { pageSize: 1000 })
    expect(found.end?.kind).toBe('complete')
    expect(searched(portal).map((query) => query.get('start'))).toEqual(['0', '1', '2', '3'])
    expect(searched(portal)[0]?.get('sort')).toBe('id asc')
    expect(searched(portal)[0]?.get('include_private')).toBe('false')
    expect(found.totals).toEqual([5, 5, 5, 5])
  })

  it('falls back to the name where the id cannot be sorted by', async () => {
    const portal = await portalWith({ refusedSorts: ['id asc'] })
    const found = await run(portal)
    expect(found.end?.kind).toBe('complete')
    expect(searched(portal).at(-1)?.get('sort')).toBe('name asc')
  })

  it('vouches for nothing where nothing can be sorted by', async () => {
    const portal = await portalWith({ refusedSorts: ['id asc', 'name asc'] })
    const found = await run(portal)
    expect([found.records.length, found.end?.kind, found.problem]).toEqual([
      5,
      'incomplete',
      'source-error',
    ])
  })

  it('asks with the filters of the pipe, and for changes alone when incremental', async () => {
    const portal = await portalWith()
    const filters = { fq: 'organization:city', q: 'water' }
    const lastRun = new Date('2024-05-06T07:08:09Z')
    const found = await run(portal, { filters, incremental: true }, { context: { lastRun } })
    expect(found.end?.kind).toBe('incomplete')
    expect(searched(portal)[0]?.get('q')).toBe('water')
    expect(searched(portal)[0]?.get('fq')).toBe(
      '(organization:city) AND metadata_modified:[2024-05-06T07:08:09.000Z TO *]',
    )
  })

  it.each(['', 'dataset', 'api/3', 'api/3/action/package_list', 'api/1/x'])(
    'finds the portal when the address ends in /%s',
    async (path) => {
      const portal = await portalWith()
      const found = await run({ address: `${portal.address}ckan/${path}` })
      expect(portal.requests[0]?.path).toMatch(/^\/ckan\/api\/3\/action\/package_search\?/)
      expect(found.end?.kind).toBe('complete')
    },
  )
})

describe('a search that does not go deep', () => {
  it('is left for single packages, each asked for once', async () => {
    const portal = await portalWith({ window: 4, lists: true })
    const found = await run(portal)
    expect([found.end?.kind, found.records.length, found.refused.length]).toEqual([
      'complete',
      5,
      0,
    ])
    const shown = portal.requests.filter(({ path }) => path.includes('package_show'))
    expect(shown.map(({ path }) => path.split('id=')[1])).toEqual(['set-e'])
  })

  it('skips what nobody may read and forgets what is gone', async () => {
    const closed = { 'set-c': 403, 'set-d': 404 }
    const portal = await portalWith({ window: 3, lists: true, closed })
    const found = await run(portal)
    expect(found.end?.kind).toBe('complete')
    expect(found.records.map(({ sourceId }) => sourceId)).toEqual(['a', 'b', 'e'])
    expect(found.messages.filter(({ kind }) => kind === 'skipped')).toHaveLength(1)
  })
})

describe('packages', () => {
  it('that are private, deleted or no datasets are skipped and counted', async () => {
    const portal = await portalWith()
    const [a, b, c, d] = five.map(packageOf)
    portal.load([a, { ...b, private: true }, { ...c, state: 'deleted' }, { ...d, type: 'harvest' }])
    const found = await run(portal)
    expect(found.end?.kind).toBe('complete')
    expect(found.records.map(({ sourceId }) => sourceId)).toEqual(['a'])
    expect(found.messages.filter(({ kind }) => kind === 'skipped')).toEqual([
      { kind: 'skipped', sourceId: 'b', reason: 'private' },
      { kind: 'skipped', sourceId: 'c', reason: 'state deleted' },
      { kind: 'skipped', sourceId: 'd', reason: 'type harvest' },
    ])
  })

  it('have a stable id and a readable alias, or the other way round', async () => {
    const portal = await portalWith()
    const [first] = (await run(portal)).records
    expect([first?.sourceId, first?.aliases]).toEqual(['a', ['set-a']])
    const [named] = (await run(portal, { identifier: 'name' })).records
    expect([named?.sourceId, named?.aliases]).toEqual(['set-a', ['a']])
  })

  it('that cannot be read do not stop their neighbours', async () => {
    const portal = await portalWith()
    const [a, b] = five.map(packageOf)
    portal.load([a, 'broken', { ...b, id: '' }, { ...b, resources: [null, 7, 'x', { url: {} }] }])
    const found = await run(portal, { pageSize: 10 })
    expect(found.records.map(({ sourceId }) => sourceId)).toEqual(['a', 'b'])
    expect(found.refused.map(({ problem }) => problem.kind)).toEqual([
      'item-no-identifier',
      'item-no-identifier',
    ])
  })

  it('hash to the same when only their visits changed', async () => {
    const portal = await portalWith()
    const hashes = async () => (await run(portal)).records.map(({ sourceHash }) => sourceHash)
    const before = await hashes()
    portal.load(five.map((one) => ({ ...packageOf(one), tracking_summary: { total: 99 } })))
    expect(await hashes()).toEqual(before)
    portal.load(five.map((one) => ({ ...packageOf(one), notes: 'new' })))
    expect(new Set(await hashes()).isDisjointFrom(new Set(before))).toBe(true)
  })

  it('travel as they are towards a transformer', async () => {
    const portal = await portalWith()
    const found = await run(portal, {}, { place: { next: 'transforming-js' } })
    expect(found.records[0]?.mediaType).toBe('application/json')
    expect(JSON.parse(found.records[0]?.text ?? '')).toMatchObject({ id: 'a', name: 'set-a' })
  })

  it('name licences that the portal explains, when it does', async () => {
    const licences = [{ id: 'house', title: 'House licence', url: 'https://city.example/licence/' }]
    const portal = await portalWith({ licences })
    portal.load(five.map((one) => ({ ...packageOf(one), license_id: 'house' })))
    const [first] = (await run(portal)).records
    expect(first?.text).toContain(
      '<http://purl.org/dc/terms/license> <https://city.example/licence/>',
    )
    expect(portal.requests.filter(({ path }) => path.includes('license_list'))).toHaveLength(1)
    const silent = await portalWith()
    silent.load(five.map((one) => ({ ...packageOf(one), license_id: 'house' })))
    const found = await run(silent)
    expect(found.end?.kind).toBe('complete')
    expect(found.records[0]?.findings).toContainEqual({ slug: 'unknown-licence', detail: 'house' })
  })
})

it('reads a DKAN when the pipe says that the portal is one', async () => {
  const portal = await dkanPortal(five, { version: 1 })
  open.push(portal)
  const found = await run(portal, { dialect: 'dkan' })
  expect([found.end?.kind, found.records.length]).toEqual(['complete', 5])
})
