/** ArcGIS Hub importer: feeds, what stands in for them, and how it is known that they are whole. */

import { afterEach, describe, expect, it } from 'vitest'
import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { arcgisImporter } from '../../../../src/harvest/importers/arcgis.ts'
import {
  arcgisPortal,
  type ArcgisPortal,
  type ArcgisPortalOptions,
} from '../../../support/portals/arcgis-portal.ts'
import { importOf, type Run } from '../import-run.ts'

const five = 'abcde'.split('').map((id) => ({ id: id.repeat(32), title: `Title of ${id}` }))
const open: ArcgisPortal[] = []
const show = async (options: ArcgisPortalOptions = {}) => {
  const made = await arcgisPortal(five, options)
  open.push(made)
  return made
}
const run = (portal: ArcgisPortal, config: Run['config'] = {}, more: Partial<Run> = {}) =>
  importOf({
    kind: (deps) => importerSegment(arcgisImporter, deps),
    config: { address: portal.url, ...config },
    ...more,
  })
const pathsOf = ({ requests }: ArcgisPortal) => requests.map(({ path }) => path)
const feedsOf = (portal: ArcgisPortal) =>
  pathsOf(portal).filter((path) => path.startsWith('/api/feed'))
const isFeed = ({ url }: Request) => url.includes('/api/feed/dcat-ap')

afterEach(async () => {
  for (const portal of open.splice(0)) await portal.close()
})

describe('a feed', () => {
  it('is read whole, and counted against the records before and after', async () => {
    const portal = await show()
    const found = await run(portal)
    expect([found.records.length, found.end?.kind, found.totals]).toEqual([5, 'complete', [5, 5]])
    expect(found.records.map(({ sourceId }) => sourceId)).toEqual(five.map(({ id }) => `${id}_0`))
    expect(found.records[0]?.aliases).toEqual([
      `https://www.arcgis.com/home/item.html?id=${'a'.repeat(32)}&sublayer=0`,
    ])
    expect(pathsOf(portal)).toEqual([
      '/api/feed/dcat-ap/2.1.1.json',
      '/api/search/v1/collections/dataset/items?limit=0',
      '/api/search/v1/collections/dataset/items?limit=0',
    ])
  })

  it('with other than the counted datasets is not vouched for', async () => {
    const portal = await show()
    portal.declare(() => 6)
    const found = await run(portal)
    expect([found.records.length, found.problem]).toEqual([5, 'total-mismatch'])
  })

  it('is complete without records to count it against', async () => {
    expect((await run(await show({ records: false }))).end?.kind).toBe('complete')
  })

  it.each([
    ['dcat-ap/3.0.0', 'dcat-ap/3.0.0'],
    ['dcat-us/1.1', 'dcat-us/1.1'],
  ])('%s is asked for when the pipe says so', async (feed, asked) => {
    const portal = await show({ feeds: [feed] })
    const found = await run(portal, { feed })
    expect([found.records.length, found.end?.kind]).toEqual([5, 'complete'])
    expect(feedsOf(portal)).toEqual([`/api/feed/${asked}.json`])
    expect(found.records[0]?.sourceId).toBe(`${'a'.repeat(32)}_0`)
  })

  it('is asked for byte for byte when the address is one', async () => {
    const portal = await show()
    const found = await run(portal, { address: `${portal.url}/api/feed/dcat-ap/2.1.1.json?x=%61` })
    expect(found.end?.kind).toBe('complete')
    expect(feedsOf(portal)).toEqual(['/api/feed/dcat-ap/2.1.1.json?x=%61'])
  })

  it('gets the words of the pipe to search by, and so does the count', async () => {
    const portal = await show()
    await run(portal, { q: 'trees & parks' })
    expect(pathsOf(portal)[0]).toBe('/api/feed/dcat-ap/2.1.1.json?q=trees+%26+parks')
    expect(pathsOf(portal)[1]).toMatch(/limit=0&q=trees\+%26\+parks$/)
  })

  it('of changes is asked for since the last complete run, and never vouches', async () => {
    const portal = await show()
    const lastRun = new Date(performance.now() - 6_000_000)
    const found = await run(portal, { incremental: true }, { context: { lastRun } })
    expect(feedsOf(portal)).toEqual(['/api/feed/dcat-ap/2.1.1.json?updated=3'])
    expect([found.records.length, found.end?.kind]).toEqual([5, 'incomplete'])
  })

  it('with a single dataset that is no list is read as well', async () => {
    const portal = await show()
    const single = (text: string) => {
      const document = JSON.parse(text)
      return JSON.stringify({ ...document, 'dcat:dataset': document['dcat:dataset'][0] })
    }
    portal.faults.when(isFeed, { kind: 'edited', edit: single })
    const found = await run(portal)
    expect(found.records.map(({ sourceId }) => sourceId)).toEqual([`${'a'.repeat(32)}_0`])
  })

  it('in DCAT-AP terms is repaired: the theme that every dataset has is dropped', async () => {
    const portal = await show()
    const withTheme = (text: string) => {
      const document = JSON.parse(text)
      const [dataset] = document['dcat:dataset']
      return JSON.stringify({
        ...document,
        'dcat:dataset': [{ ...dataset, 'dcat:theme': 'geospatial' }],
      })
    }
    portal.faults.when(isFeed, { kind: 'edited', edit: withTheme })
    const { records } = await run(portal)
    expect(records.map(({ text }) => text.includes('geospatial'))).toEqual([false])
  })

  it.each([
    ['in a list of their own', { 'dcat:service': [{}, {}] }, '2'],
    ['a single one', { 'dcat:service': { '@id': 'urn:s', 'dct:title': 'S' } }, '1'],
    ['in the words of DCAT-US', { service: [{}] }, '1'],
    ['among the nodes of a graph', { '@graph': [{ '@type': 'dcat:DataService' }] }, '1'],
  ])('of services alone says how many: %s', async (_, document, count) => {
    const portal = await arcgisPortal([])
    open.push(portal)
    portal.faults.when(isFeed, { kind: 'edited', edit: () => JSON.stringify(document) })
    const found = await run(portal)
    expect(found.findings).toEqual([`services-not-harvested ${count}`])
    expect([found.offered, feedsOf(portal).length]).toEqual([0, 1])
  })

  it('has datasets that cannot be read beside others that can', async () => {
    const portal = await show()
    const broken = (text: string) => {
      const document = JSON.parse(text)
      document['dcat:dataset'].splice(1, 2, null, { 'dct:title': 'nameless' })
      return JSON.stringify(document)
    }
    portal.faults.when(isFeed, { kind: 'edited', edit: broken })
    const found = await run(portal)
    expect(found.records).toHaveLength(3)
    expect(found.refused.map(({ problem }) => problem.kind)).toEqual([
      'item-no-identifier',
      'item-no-identifier',
    ])
  })
})

describe('a feed that has not changed', () => {
  const validatorsOf = (found: Awaited<ReturnType<typeof run>>) =>
    found.end?.kind === 'complete' ? (found.end.validators ?? []) : []

  it.each([true, false])('is known by its tag, else by its bytes: %s', async (conditional) => {
    const portal = await show({ conditional })
    const validators = validatorsOf(await run(portal))
    expect(validators).toHaveLength(1)
    const again = await run(portal, {}, { validators })
    expect([again.end?.kind, again.records.length]).toEqual(['not-modified', 0])
    portal.show(five.slice(1))
    expect((await run(portal, {}, { validators })).records).toHaveLength(4)
  })
})

describe('in place of a feed', () => {
  it('that is switched off another is read, and vouched for when the count is right', async () => {
    const portal = await show({ feeds: ['dcat-us/1.1'] })
    const found = await run(portal)
    expect([found.records.length, found.end?.kind]).toEqual([5, 'complete'])
    expect(feedsOf(portal)).toEqual(['/api/feed/dcat-ap/2.1.1.json', '/api/feed/dcat-us/1.1.json'])
  })

  it('another is not vouched for when nobody counts', async () => {
    const found = await run(await show({ feeds: ['dcat-us/1.1'], records: false }))
    expect([found.records.length, found.end?.kind, found.problem]).toEqual([
      5,
      'incomplete',
      'source-not-found',
    ])
  })

  it('the records are read when there is no feed at all', async () => {
    const found = await run(await show({ feeds: [] }))
    expect([found.records.length, found.end?.kind]).toEqual([5, 'complete'])
  })

  it('nothing is read when there is nothing: the run fails with what the feed said', async () => {
    const found = await run(await show({ feeds: [], records: false }))
    expect(found.failure?.kind).toBe('source-not-found')
  })

  it('that never closes its JSON another is read, and nothing of it counts', async () => {
    const portal = await show({ feeds: ['dcat-ap/2.1.1', 'dcat-us/1.1'] })
    const cut = (text: string) => text.slice(0, text.lastIndexOf('},{') + 1)
    portal.faults.when(isFeed, { kind: 'edited', edit: cut })
    const found = await run(portal)
    expect([found.records.length, found.end?.kind]).toEqual([5, 'complete'])
    expect(feedsOf(portal)).toHaveLength(5)
    expect(found.records[0]?.text).not.toContain('City GIS')
  })

  it.each([
    ['an error with status 200', { kind: 'envelope', body: '{"message":"x","statusCode":500}' }],
    ['a web page', { kind: 'html' }],
    ['nothing', { kind: 'empty' }],
    ['what is no JSON', { kind: 'envelope', body: 'oops' }],
    ['a server error', { kind: 'status', status: 500 }],
  ] as const)('that answers with %s another is read', async (_, fault) => {
    const portal = await show({ feeds: ['dcat-ap/2.1.1', 'dcat-us/1.1'] })
    portal.faults.when(isFeed, fault)
    const found = await run(portal, { attempts: 1 })
    expect([found.records.length, found.end?.kind]).toEqual([5, 'complete'])
  })

  it('that is closed to us nothing else is tried', async () => {
    const portal = await show()
    portal.faults.when(isFeed, { kind: 'status', status: 403 })
    expect((await run(portal)).failure?.kind).toBe('source-refused')
    expect(portal.requests).toHaveLength(1)
  })

  it('that is larger than a document may be the records are read', async () => {
    const found = await run(await show(), {}, { limits: { maxDocumentBytes: 1000 } })
    expect([found.records.length, found.end?.kind]).toEqual([5, 'complete'])
  })
})
