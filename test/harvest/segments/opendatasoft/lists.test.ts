/** OpenDataSoft importer: long lists, older domains, quotas, and what is asked for. */

import { afterEach, describe, expect, it } from 'vitest'
import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { opendatasoftImporter } from '../../../../src/harvest/importers/opendatasoft.ts'
import {
  odsPortal,
  type OdsPortal,
  type OdsPortalOptions,
  type OdsRecord,
} from '../../../support/portals/ods-portal.ts'
import { importOf, type Run } from '../import-run.ts'

const five = 'abcde'.split('').map((id) => ({ id, title: `Title of ${id}` }))
const open: OdsPortal[] = []
const show = async (records: readonly OdsRecord[] = five, options: OdsPortalOptions = {}) => {
  const made = await odsPortal(records, options)
  open.push(made)
  return made
}
const run = (portal: OdsPortal, config: Run['config'] = {}, more: Partial<Run> = {}) =>
  importOf({
    kind: (deps) => importerSegment(opendatasoftImporter, deps),
    config: { address: portal.url, ...config },
    ...more,
  })
const queryOf = (portal: OdsPortal, number: number) =>
  new URL(portal.requests[number]?.path ?? '', portal.url).searchParams

afterEach(async () => {
  for (const portal of open.splice(0)) await portal.close()
})

describe('a list', () => {
  it('is asked for in a stable order, with what the pipe chooses', async () => {
    const portal = await show()
    await run(portal, {
      where: 'size > 3',
      refine: ['theme:Water', 'publisher:City & Co'],
      exclude: 'keyword:old',
      filters: { lang: 'de', where: 'a or b' },
      pageSize: 1000,
    })
    const query = queryOf(portal, 0)
    expect(Object.fromEntries(query)).toMatchObject({
      order_by: 'dataset_id',
      timezone: 'UTC',
      include_app_metas: 'true',
      limit: '100',
      lang: 'de',
      where: '(size > 3) and (a or b)',
      exclude: 'keyword:old',
    })
    expect(query.getAll('refine')).toEqual(['theme:Water', 'publisher:City & Co'])
  })

  it('of changes has what was processed since the last complete run, and never vouches', async () => {
    const portal = await show()
    const lastRun = new Date('2026-03-04T05:06:07Z')
    const found = await run(portal, { incremental: true }, { context: { lastRun } })
    expect(queryOf(portal, 0).get('where')).toBe(
      "metadata_processed >= date'2026-03-04T05:06:07.000Z'",
    )
    expect(found.end?.kind).toBe('incomplete')
  })

  it('that cannot be read in pages to its end is read as one document', async () => {
    const many = Array.from({ length: 10_000 }, (_, number) => ({
      id: String(number).padStart(5, '0'),
      title: `Title ${number}`,
    }))
    const portal = await show(many)
    const found = await run(portal, { output: 'source' })
    expect([found.records.length, found.end?.kind, found.totals]).toEqual([
      10_000,
      'complete',
      [10_000, 10_000],
    ])
    expect(portal.requests.map(({ path }) => path.replace(/\?.*/, ''))).toEqual([
      '/api/explore/v2.1/catalog/datasets',
      '/api/explore/v2.1/catalog/exports/json',
      '/api/explore/v2.1/catalog/datasets',
    ])
  })

  it('of one less is read in pages, the last one cut to the window', async () => {
    const many = Array.from({ length: 9999 }, (_, number) => ({
      id: String(number).padStart(5, '0'),
      title: `Title ${number}`,
    }))
    const portal = await show(many)
    const found = await run(portal, { output: 'source' })
    expect([found.records.length, found.end?.kind]).toEqual([9999, 'complete'])
    expect(queryOf(portal, 100).get('limit')).toBe('99')
    expect(portal.requests).toHaveLength(101)
  })

  it('of an older domain is followed by its links, and its exports lead to that API', async () => {
    const portal = await show(five, { generation: '2.0' })
    const found = await run(portal, { pageSize: 2 })
    expect([found.records.length, found.end?.kind]).toEqual([5, 'complete'])
    expect(found.records[0]?.text).toContain('/api/v2/catalog/datasets/a/exports/csv>')
  })

  it('that leads to another host is not followed', async () => {
    const portal = await show(five, { generation: '2.0' })
    const elsewhere = (text: string) => text.replaceAll(portal.url, 'https://elsewhere.example')
    portal.faults.from(2, { kind: 'edited', edit: elsewhere })
    const found = await run(portal, { pageSize: 2 })
    expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'next-crosses-origin'])
  })

  it('that neither API has fails the run', async () => {
    const portal = await show()
    portal.faults.from(1, { kind: 'status', status: 404 })
    expect((await run(portal)).failure?.kind).toBe('source-not-found')
    expect(portal.requests).toHaveLength(2)
  })
})

describe('a renamed dataset', () => {
  it('keeps its id, and has its new name as an alias', async () => {
    const portal = await show([{ id: 'a', title: 'A', slug: 'trees' }])
    const [before] = (await run(portal)).records
    portal.show([{ id: 'a', title: 'A', slug: 'trees-and-parks' }])
    const [after] = (await run(portal)).records
    expect([before?.sourceId, after?.sourceId]).toEqual(['da_a', 'da_a'])
    expect([before?.aliases, after?.aliases]).toEqual([['trees'], ['trees-and-parks']])
  })
})

describe('one dataset', () => {
  it('that is skipped counts among the offered, so that the rest is vouched for', async () => {
    const empty = { id: 'f', title: 'F', more: { has_records: false } }
    const found = await run(await show([...five, empty]))
    expect([found.records.length, found.end?.kind]).toEqual([5, 'complete'])
    expect(found.messages).toContainEqual({
      kind: 'skipped',
      sourceId: 'da_f',
      reason: 'has neither records nor files',
    })
  })

  it('that cannot be read is refused by its id, and its neighbours are written', async () => {
    const portal = await show([...five, { id: 'f', title: 'F', more: { metas: 'gone' } }])
    const found = await run(portal)
    expect(found.records).toHaveLength(5)
    expect(found.refused).toMatchObject([{ sourceId: 'da_f', problem: { kind: 'item-malformed' } }])
    expect(found.end?.kind).toBe('complete')
  })

  it('without any id is refused, and another with a known id is a duplicate', async () => {
    const nameless = { id: 'f', title: 'F', more: { dataset_uid: null, dataset_id: '' } }
    const double = { id: 'g', title: 'G', more: { dataset_uid: 'da_a' } }
    const found = await run(await show([...five, nameless, double]))
    expect(found.refused.map(({ problem }) => problem.kind)).toEqual([
      'item-no-identifier',
      'item-duplicate',
    ])
  })

  it('keeps its hash when only its counts and processing times change', async () => {
    const portal = await show([{ id: 'a', title: 'A', metas: { records_count: 1 } }])
    const first = await run(portal)
    const metas = { records_count: 2, metadata_processed: '2026-11-11T00:00:00Z' }
    portal.show([{ id: 'a', title: 'A', metas }])
    expect((await run(portal)).records[0]?.sourceHash).toBe(first.records[0]?.sourceHash)
  })

  it('goes to a transformer as the source sent it', async () => {
    const found = await run(await show(), {}, { place: { next: 'transforming-js' } })
    expect(found.records[0]?.mediaType).toBe('application/json')
    expect(JSON.parse(found.records[0]?.text ?? '')).toMatchObject({ dataset_uid: 'da_a' })
  })
})

describe('a quota that is used up', () => {
  const used = (reset: string) =>
    ({
      kind: 'status',
      status: 429,
      body: JSON.stringify({ errorcode: 10002, call_limit: 10000, reset_time: reset }),
    }) as const
  // The clock of these tests is that of the process, which began a moment ago.
  const inMilliseconds = (ms: number) => new Date(performance.now() + ms).toISOString()
  const second = ({ url }: Request) => url.includes('offset=1')

  it('is waited for when it begins anew soon', async () => {
    const portal = await show()
    portal.faults.when(second, used(inMilliseconds(60_000)), 4)
    const found = await run(portal, { pageSize: 2 })
    expect([found.records.length, found.end?.kind]).toEqual([5, 'complete'])
    expect(found.pauses.some((pause) => pause > 50_000 && pause <= 60_000)).toBe(true)
  })

  it('ends the run as incomplete, with the time, when that is long', async () => {
    const portal = await show()
    portal.faults.when(second, used('2099-01-26T00:00:00Z'))
    const found = await run(portal, { pageSize: 2 })
    expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'source-throttled'])
    const problem = found.end?.kind === 'incomplete' ? found.end.problem : undefined
    expect(problem?.detail).toContain('2099-01-26T00:00:00Z')
    expect(problem?.retryAfter).toBeGreaterThan(1_000_000)
  })

  it('is not waited for without end when the time that is told never comes', async () => {
    const portal = await show()
    portal.faults.when(second, used('1999-01-01T00:00:00Z'))
    const found = await run(portal, { pageSize: 2 })
    expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'source-throttled'])
    expect(portal.requests.length).toBeLessThan(20)
  })
})

describe('a key', () => {
  it('is sent as the platform wants it, in a header and nowhere else', async () => {
    const portal = await show()
    await run(portal, { apikey: 'canary-4711' })
    expect(portal.requests[0]?.headers['authorization']).toBe('Apikey canary-4711')
    expect(portal.requests.some(({ path }) => path.includes('canary'))).toBe(false)
  })
})
