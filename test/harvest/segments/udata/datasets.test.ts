/** uData importer: what it asks a portal for, and what it leaves out. */

import { afterEach, expect, it } from 'vitest'
import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { udataImporter } from '../../../../src/harvest/importers/udata.ts'
import type { JsonObject } from '../../../../src/text/json.ts'
import {
  datasetOf,
  udataPortal,
  type UdataPortal,
  type UdataPortalOptions,
} from '../../../support/portals/udata-portal.ts'
import { importOf, type Run } from '../import-run.ts'

const five = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, title: `Title of ${id}` }))
const open: UdataPortal[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function portalWith(options: UdataPortalOptions = {}): Promise<UdataPortal> {
  const portal = await udataPortal(five, options)
  open.push(portal)
  return portal
}

const run = (portal: UdataPortal, config: JsonObject = {}, more: Partial<Run> = {}) =>
  importOf({
    kind: (deps) => importerSegment(udataImporter('data.here.example'), deps),
    config: { address: portal.address, pageSize: 2, ...config },
    ...more,
  })
const asked = (portal: UdataPortal) =>
  new URL(portal.requests[0]?.path ?? '', portal.url).searchParams

it('asks in the order of creation, with the filters of the pipe, for what the mapping reads', async () => {
  const portal = await portalWith()
  await run(portal, { address: `${portal.address}api/1/datasets/`, filters: { tag: 'water' } })
  expect(portal.requests[0]?.path).toMatch(/^\/api\/1\/datasets\/\?/)
  expect(asked(portal).get('sort')).toBe('created')
  expect(asked(portal).get('tag')).toBe('water')
  expect(portal.requests[0]?.headers['x-fields']).toContain('resources{id,')
})

it('asks for whole records towards a transformer', async () => {
  const portal = await portalWith()
  const found = await run(portal, { output: 'source' })
  expect(portal.requests[0]?.headers['x-fields']).toBeUndefined()
  expect(JSON.parse(found.records[0]?.text ?? '')).toMatchObject({ metrics: { views: 17 } })
})

it('takes a page that is not there for the end, which the total has to confirm', async () => {
  const portal = await portalWith()
  const more = '"next_page":"https://elsewhere.example/"'
  portal.faults.when(() => true, {
    kind: 'edited',
    edit: (text) => text.replace('"next_page":null', more),
  })
  expect((await run(portal)).end?.kind).toBe('complete')
  portal.declare(() => 7)
  expect((await run(portal)).problem).toBe('total-mismatch')
})

it('skips what is private, archived, deleted, or was harvested from here', async () => {
  const portal = await portalWith()
  const [a, b, c, d, e] = five.map(datasetOf)
  portal.load([
    { ...a, private: true },
    { ...b, archived: '2024-01-01T00:00:00' },
    { ...c, deleted: '2024-01-01T00:00:00' },
    { ...d, harvest: { domain: 'Data.Here.example' } },
    { ...e, harvest: { domain: 'elsewhere.example' } },
  ])
  const found = await run(portal)
  expect(found.end?.kind).toBe('complete')
  expect(found.records.map(({ sourceId }) => sourceId)).toEqual(['e'])
  const all = await run(portal, { skipHarvested: false })
  expect(all.records.map(({ sourceId }) => sourceId)).toEqual(['d', 'e'])
})

it('knows a record by its id, and by its slug as an alias', async () => {
  const [first] = (await run(await portalWith())).records
  expect([first?.sourceId, first?.aliases]).toEqual(['a', ['set-a']])
})

it('hashes to the same when only visits and scores changed', async () => {
  const portal = await portalWith()
  const hashes = async () => (await run(portal)).records.map(({ sourceHash }) => sourceHash)
  const before = await hashes()
  portal.load(five.map((one) => ({ ...datasetOf(one), metrics: { views: 99 }, quality: {} })))
  expect(await hashes()).toEqual(before)
})

it('asks once what the licences are', async () => {
  const licences = [{ id: 'house', title: 'House', url: 'https://city.example/licence' }]
  const portal = await portalWith({ licences })
  portal.load(five.map((one) => ({ ...datasetOf(one), license: 'house' })))
  const [first] = (await run(portal)).records
  expect(first?.text).toContain('<https://city.example/licence>')
  expect(portal.requests.filter(({ path }) => path.includes('licenses'))).toHaveLength(1)
  portal.load(five.map((one) => ({ ...datasetOf(one), license: 'notspecified' })))
  expect((await run(portal)).records[0]?.text).not.toContain('license')
})
