/** DKAN importer: which version a site has, and what each way of reading it makes of its habits. */

import { afterEach, describe, expect, it } from 'vitest'
import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { dkanImporter } from '../../../../src/harvest/importers/dkan.ts'
import type { JsonObject } from '../../../../src/text/json.ts'
import {
  dkanPortal,
  podOf,
  type DkanPortal,
  type DkanPortalOptions,
} from '../../../support/portals/dkan-portal.ts'
import { importOf, type Run } from '../import-run.ts'

const five = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, title: `Title of ${id}` }))
const open: DkanPortal[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function siteWith(options: DkanPortalOptions = {}): Promise<DkanPortal> {
  const site = await dkanPortal(five, options)
  open.push(site)
  return site
}

const run = (site: DkanPortal, config: JsonObject = {}, more: Partial<Run> = {}) =>
  importOf({
    kind: (deps) => importerSegment(dkanImporter, deps),
    config: { address: site.address, pageSize: 2, ...config },
    ...more,
  })
const pathsOf = (site: DkanPortal) => site.requests.map(({ path }) => path.split('?')[0])

describe('the version of a site', () => {
  it('is 2 when its search counts', async () => {
    const site = await siteWith()
    expect((await run(site)).end?.kind).toBe('complete')
    expect(pathsOf(site).slice(0, 3)).toEqual(['/api/1/search', '/data.json', '/api/1/search'])
  })

  it('does not matter when there is a data.json', async () => {
    const site = await siteWith({ dataJson: true })
    const found = await run(site)
    expect([found.end?.kind, found.records.length]).toEqual(['complete', 5])
    expect(pathsOf(site)).toEqual(['/api/1/search', '/data.json'])
  })

  it('is 1 when there is neither', async () => {
    const site = await siteWith({ version: 1 })
    const found = await run(site)
    expect([found.end?.kind, found.records.length]).toEqual(['complete', 5])
  })
})

describe('filters', () => {
  it('go to the search, which a data.json could not answer', async () => {
    const site = await siteWith({ dataJson: true })
    const found = await run(site, { filters: { theme: 'water' } })
    expect([found.end?.kind, found.records.length]).toEqual(['complete', 5])
    expect(pathsOf(site)).not.toContain('/data.json')
    expect(site.requests.at(-1)?.path).toContain('theme=water')
  })

  it('are refused at load for version 1, and by the run where a site has no search', async () => {
    const site = await siteWith({ version: 1 })
    const filters = { theme: 'water' }
    await expect(run(site, { version: '1', filters })).rejects.toThrow('"key":"filters"')
    expect((await run(site, { filters })).problem).toBe('invalid-pipe')
    expect((await run(site, { version: '1', filters: {} })).end?.kind).toBe('complete')
  })
})

describe('a data.json that has not changed', () => {
  const validatorsOf = (found: Awaited<ReturnType<typeof run>>) =>
    found.end?.kind === 'complete' ? (found.end.validators ?? []) : []

  it.each([true, false])('is not read again (ETag: %s)', async (conditional) => {
    const site = await siteWith({ dataJson: true, conditional })
    const validators = validatorsOf(await run(site))
    expect(validators).toHaveLength(1)
    const again = await run(site, {}, { validators })
    expect([again.end?.kind, again.records.length]).toEqual(['not-modified', 0])
    expect(again.requests.at(-1)?.status).toBe(conditional ? 304 : 200)
    site.show(five.slice(1))
    expect((await run(site, {}, { validators })).records).toHaveLength(4)
  })

  it('is looked for in the search when it is gone', async () => {
    const validators = validatorsOf(await run(await siteWith({ dataJson: true })))
    const site = await siteWith()
    const known = validators.map((one) => ({ ...one, url: `${site.url}/data.json` }))
    const found = await run(site, {}, { validators: known })
    expect([found.end?.kind, found.records.length]).toEqual(['complete', 5])
  })
})

describe('version 2', () => {
  it('reads a data.json that is a bare list, as it was in version 1.0', async () => {
    const site = await siteWith({ dataJson: true })
    site.faults.when(({ url }) => url.endsWith('/data.json'), {
      kind: 'edited',
      edit: (text) => JSON.stringify(JSON.parse(text).dataset),
    })
    const found = await run(site, { version: '2' })
    expect([found.end?.kind, found.records.length]).toEqual(['complete', 5])
  })

  it.each(['{"message":"down"}', '{"dataset":[]}', '[]'])(
    'vouches for nothing when data.json is %s',
    async (body) => {
      const site = await siteWith({ dataJson: true })
      site.faults.when(({ url }) => url.endsWith('/data.json'), { kind: 'envelope', body })
      const found = await run(site, { version: '2' })
      expect(found.end?.kind).not.toBe('complete')
      expect(found.problem).toMatch(/^source-/)
    },
  )

  it('is incomplete when the search counts datasets that it does not give', async () => {
    const site = await siteWith({ ghosts: 3 })
    const found = await run(site, { version: '2' })
    expect([found.records.length, found.end?.kind, found.problem]).toEqual([
      5,
      'incomplete',
      'total-mismatch',
    ])
  })

  it('asks for 100 at most and for no facets', async () => {
    const site = await siteWith()
    await run(site, { version: '2', pageSize: 500 })
    const asked = new URL(site.requests[1]?.path ?? '', site.url).searchParams
    expect([asked.get('page-size'), asked.get('facets')]).toEqual(['100', '0'])
  })

  it('keeps what its publisher restricts, and leaves it out when it is told to', async () => {
    const site = await siteWith()
    const [a, b] = five.map(podOf)
    site.load([a, { ...b, accessLevel: 'non-public' }])
    const all = await run(site, { version: '2' })
    expect(all.records.map(({ sourceId }) => sourceId)).toEqual(['a', 'b'])
    expect(all.records[1]?.text).toContain('access-right/NON_PUBLIC>')
    const found = await run(site, { version: '2', onlyPublic: true })
    expect(found.end?.kind).toBe('complete')
    expect(found.records.map(({ sourceId }) => sourceId)).toEqual(['a'])
    expect(found.findings).toEqual(['entry-left-out b is non-public'])
    expect(found.messages).toContainEqual(
      expect.objectContaining({ kind: 'skipped', sourceId: 'b', isKept: true }),
    )
  })

  it('names a dataset by its own identifier, and by the one of the metastore', async () => {
    const site = await siteWith()
    const [first] = (await run(site, { version: '2' })).records
    expect([first?.sourceId, first?.sourceUrl]).toEqual(['a', `${site.url}/dataset/a`])
  })
})

describe('version 1', () => {
  it('reads dates, sizes and HTML as Drupal writes them', async () => {
    const site = await siteWith({ version: 1, nested: true })
    const [first] = (await run(site, { version: '1' })).records
    expect(first?.text).toContain('"About a"')
    expect(first?.text).toContain('"2017-04-18T10:25:00Z"')
    expect(first?.text).toContain('"12500"')
    expect(first?.aliases).toEqual(['set-a'])
  })

  it('skips what is marked as private only where a token may show what others do not see', async () => {
    const site = await siteWith({ version: 1 })
    const record = { id: 'a', name: 'set-a', title: 'A', state: 'Active', private: true }
    site.load([{ ...record, type: 'Dataset' }])
    const found = await run(site, { version: '1' })
    expect(found.records.map(({ findings }) => findings)).toEqual([
      [{ slug: 'private-record', detail: 'private, in an answer to anybody' }],
    ])
    const auth = { auth: { secret: 'token' } }
    const inside = await run(site, { version: '1', ...auth }, { secrets: { token: 'x' } })
    expect(inside.messages).toContainEqual({ kind: 'skipped', sourceId: 'a', reason: 'private' })
  })

  it('vouches for nothing when the site does not list its names', async () => {
    const site = await siteWith({ version: 1 })
    site.faults.when(({ url }) => url.endsWith('/package_list'), { kind: 'status', status: 404 })
    const found = await run(site, { version: 1 })
    expect([found.records.length, found.end?.kind, found.problem]).toEqual([
      5,
      'incomplete',
      'total-mismatch',
    ])
  })
})
