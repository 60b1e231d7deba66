/** Socrata importer: types of assets, links, other hosts of the API, and sites without it. */

import { afterEach, describe, expect, it } from 'vitest'
import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { socrataImporter, socrataImporterWith } from '../../../../src/harvest/importers/socrata.ts'
import {
  socrataPortal,
  type SocrataPortal,
  type SocrataPortalOptions,
  type SocrataRecord,
} from '../../../support/portals/socrata-portal.ts'
import { importOf, type Run } from '../import-run.ts'

const five = 'abcde'.split('').map((id) => ({ id, title: `Title of ${id}` }))
const open: SocrataPortal[] = []
const show = async (
  records: readonly SocrataRecord[] = five,
  options: SocrataPortalOptions = {},
) => {
  const made = await socrataPortal(records, options)
  open.push(made)
  return made
}
const run = (portal: SocrataPortal, config: Run['config'] = {}, roots: readonly string[] = []) =>
  importOf({
    kind: (deps) => importerSegment(socrataImporterWith(roots), deps),
    config: { address: portal.url, ...config },
  })
const asked = (portal: SocrataPortal, path: string) =>
  portal.requests.filter((request) => request.path.startsWith(path))
const idsOf = (found: Awaited<ReturnType<typeof run>>) =>
  found.records.map(({ sourceId }) => sourceId)

afterEach(async () => {
  for (const portal of open.splice(0)) await portal.close()
})

describe('assets', () => {
  it('of all wanted types are found, and counted together', async () => {
    const portal = await show([
      { id: 'a', title: 'A' },
      { id: 'b', title: 'B', type: 'file' },
      { id: 'c', title: 'C', type: 'href' },
      { id: 'd', title: 'D', type: 'story' },
    ])
    const found = await run(portal)
    expect(idsOf(found)).toEqual(['axxx-0000', 'bxxx-0000', 'cxxx-0000'])
    expect([found.end?.kind, found.totals]).toEqual(['complete', [3, 3]])
    expect(idsOf(await run(portal, { only: ['story'] }))).toEqual(['dxxx-0000'])
  })

  it('are asked for behind the last one, until none are left', async () => {
    const portal = await show()
    await run(portal, { only: 'dataset', pageSize: 2 })
    const steps = portal.requests.map(({ path }) => new URL(path, portal.url).searchParams)
    expect(steps.map((query) => `${query.get('limit')} ${query.get('scroll_id')}`)).toEqual([
      '1 ',
      '2 ',
      '2 bxxx-0000',
      '2 dxxx-0000',
      '2 exxx-0000',
      '1 ',
    ])
  })

  it('are read on behind a key where an interrupted run had stopped, which then vouches for nothing', async () => {
    const portal = await show([...five, { id: 'f', title: 'F', type: 'file' }])
    const whole = await run(portal, { pageSize: 2 })
    expect(whole.pages.map(({ cursor }) => cursor)).toEqual([
      'dataset bxxx-0000',
      'dataset dxxx-0000',
      'dataset exxx-0000',
      'file fxxx-0000',
    ])
    const resumed = (resumeFrom: string) =>
      importOf({
        kind: (deps) => importerSegment(socrataImporterWith([]), deps),
        config: { address: portal.url, pageSize: 2 },
        context: { resumeFrom, isResumed: true },
      })
    const rest = await resumed('dataset dxxx-0000')
    expect(idsOf(rest)).toEqual(['exxx-0000', 'fxxx-0000'])
    expect([rest.end, rest.problem]).toEqual([{ kind: 'incomplete' }, undefined])
    expect(idsOf(await resumed('file fxxx-0000'))).toEqual([])
    // Of a type that is not wanted any more there is no place: the run begins anew.
    const anew = await resumed('map axxx-0000')
    expect([idsOf(anew).length, anew.end?.kind]).toEqual([6, 'complete'])
  })

  it('of other domains and derived ones are passed over, and counted all the same', async () => {
    const portal = await show([
      ...five,
      { id: 'f', title: 'F', more: { metadata: { domain: 'other.example' } } },
      { id: 'g', title: 'G', resource: { parent_fxf: ['axxx-0000'] } },
    ])
    const found = await run(portal)
    expect([found.records.length, found.end?.kind]).toEqual([5, 'complete'])
    expect((await run(portal, { derived: true })).records).toHaveLength(6)
  })

  it('are not vouched for when the service cuts a page short and goes on', async () => {
    const portal = await show()
    const less = (text: string) => {
      const page = JSON.parse(text)
      return JSON.stringify({ ...page, results: page.results.slice(0, 1) })
    }
    portal.faults.when(({ url }) => url.includes('limit=2'), { kind: 'edited', edit: less })
    const found = await run(portal, { pageSize: 2 })
    expect([found.records.length, found.end?.kind]).toEqual([5, 'complete'])
    portal.faults.clear()
    const none = (text: string) => JSON.stringify({ ...JSON.parse(text), results: [] })
    portal.faults.when(({ url }) => url.includes('scroll_id=b'), { kind: 'edited', edit: none })
    const cut = await run(portal, { pageSize: 2 })
    expect([cut.records.length, cut.problem]).toEqual([2, 'total-mismatch'])
  })

  it('without an id end the list, for nobody knows where it goes on', async () => {
    const portal = await show()
    const edit = (text: string) => text.replaceAll('"id"', '"ID"')
    portal.faults.when(({ url }) => url.includes('limit=100'), { kind: 'edited', edit })
    const found = await run(portal)
    expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'source-malformed'])
    expect(found.refused).toHaveLength(5)
  })
})

describe('a link', () => {
  const link = (view: unknown): SocrataRecord => ({ id: 'l', title: 'L', type: 'href', view })
  const csv = { metadata: { accessPoints: { 'text/csv': 'https://gis.example/x.csv' } } }

  it('is asked for where it leads, once, and changes when that changes', async () => {
    const portal = await show([...five, link(csv)])
    const first = await run(portal)
    expect(asked(portal, '/api/views/')).toHaveLength(1)
    const linked = ({ records }: typeof first) => records.find((one) => one.sourceId[0] === 'l')
    expect(linked(first)?.text).toContain('<https://gis.example/x.csv>')
    portal.show([...five, link({ metadata: { accessPoints: { 'text/csv': 'gis.example/y' } } })])
    expect(linked(await run(portal))?.sourceHash).not.toBe(linked(first)?.sourceHash)
  })

  it('that leads nowhere is a record without distributions', async () => {
    const found = await run(await show([link(undefined)]))
    expect(found.records[0]?.text).not.toContain('accessURL')
  })

  it('whose description cannot be read is refused, and its neighbours are written', async () => {
    const portal = await show([...five, link(csv)])
    portal.faults.when(({ url }) => url.includes('/api/views/'), { kind: 'html' })
    const found = await run(portal)
    expect([found.records.length, found.end?.kind]).toEqual([5, 'complete'])
    expect(found.refused).toMatchObject([
      { sourceId: 'lxxx-0000', problem: { kind: 'source-html' } },
    ])
  })

  it('of another domain is not asked for', async () => {
    const portal = await show([{ ...link(csv), more: { metadata: { domain: 'x.example' } } }])
    await run(portal)
    expect(asked(portal, '/api/views/')).toEqual([])
  })
})

describe('a domain that has no discovery API', () => {
  it('is asked for where the platform has it', async () => {
    const portal = await show(five, { discovery: '/eu' })
    const found = await run(portal, {}, [`${portal.url}/us`, `${portal.url}/eu`])
    expect([found.records.length, found.end?.kind]).toEqual([5, 'complete'])
  })

  it('is read by its data.json, with the same ids, and not vouched for', async () => {
    const portal = await show(
      [...five, { id: 'f', title: 'F', more: { accessLevel: 'non-public' } }],
      { lists: 'data.json' },
    )
    const found = await run(portal, { onlyPublic: true })
    expect(idsOf(found)).toEqual(five.map(({ id }) => `${id}xxx-0000`))
    expect(found.records[0]?.aliases).toHaveLength(1)
    expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'source-error'])
  })

  it('says how many services its data.json has beside the datasets', async () => {
    const portal = await show([], { lists: 'data.json' })
    const edit = (text: string) => JSON.stringify({ ...JSON.parse(text), service: [{}, {}] })
    portal.faults.when(({ url }) => url.endsWith('/data.json'), { kind: 'edited', edit })
    expect((await run(portal)).findings).toEqual(['services-not-harvested 2'])
  })

  it('is read by its list of views when it has no data.json either, and not vouched for', async () => {
    const portal = await show(five, { lists: 'metadata' })
    const found = await run(portal, { pageSize: 2 })
    expect([found.records.length, found.end?.kind]).toEqual([5, 'incomplete'])
    expect(found.records[0]?.text).toContain('/api/views/axxx-0000/rows.csv')
  })

  it('and nothing in its place fails the run', async () => {
    const portal = await show()
    portal.faults.from(1, { kind: 'status', status: 404 })
    expect((await run(portal)).failure?.kind).toBe('source-not-found')
  })
})

describe('a token', () => {
  it('is sent as the platform wants it', async () => {
    const portal = await show()
    await run(portal, { apikey: 'canary-4711' })
    expect(portal.requests[0]?.headers['x-app-token']).toBe('canary-4711')
    expect(portal.requests[0]?.headers['authorization']).toBeUndefined()
  })
})

describe('the config', () => {
  it.each([
    [{ only: '' }, 'only'],
    [{ fields: { x: 'colour' } }, 'fields'],
    [{ pageSize: 0 }, 'pageSize'],
    [{ timezone: 'Mars/Base' }, 'timezone'],
  ])('%j is refused', async (config, key) => {
    const portal = await show()
    await expect(
      importOf({
        kind: (deps) => importerSegment(socrataImporter, deps),
        config: { address: portal.url, ...config },
      }),
    ).rejects.toThrow(key)
  })
})
