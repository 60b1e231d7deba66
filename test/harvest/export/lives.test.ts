/** What lives at the source is not removed, and reading ends: moved pages, records that are only listed, pages without an end. */

import { describe, expect, it, onTestFinished } from 'vitest'
import { portal } from '../../support/portals/portal.ts'
import { importing, reachingGround, turtleSource } from './turtle-source.ts'

const entry = (id: string) => ({
  id: `id-${id}`,
  name: `name-${id}`,
  title: `Title ${id}`,
  state: 'active',
  resources: [],
})

/** A CKAN whose packages a test changes before each answer. `shows`: whether it answers for single packages. */
async function ckan(ids: string, { shows = true } = {}) {
  const told = { ids: ids.split(''), before: (_start: number) => undefined as void }
  const site = await portal((request) => {
    const { pathname, searchParams } = new URL(request.url)
    const answer = (value: unknown, status = 200) =>
      Response.json({ success: status === 200, result: value }, { status })
    if (pathname.endsWith('/package_show')) {
      const one = told.ids.find((id) => `id-${id}` === searchParams.get('id'))
      return shows && one !== undefined ? answer(entry(one)) : answer(null, 404)
    }
    if (!pathname.endsWith('/package_search')) return answer(null, 404)
    const start = Number(searchParams.get('start'))
    told.before(start)
    const all = told.ids.map(entry)
    const results = all.slice(start, start + Number(searchParams.get('rows')))
    return answer({ count: all.length, results })
  })
  onTestFinished(() => site.close())
  const fixture = await reachingGround()
  fixture.pipes.set('p', importing('importing-ckan', { address: site.url, pageSize: 2 }))
  const titles = async () => {
    const texts = await Promise.all((await fixture.ids()).map((id) => fixture.text(id)))
    return texts
      .map((text) => /"Title (.)"/.exec(text)?.[1] ?? '?')
      .toSorted()
      .join('')
  }
  return Object.assign(told, { site, fixture, titles })
}

describe('a record that moves between two pages', () => {
  it.each([true, false])(
    'is not removed when another one is deleted (own addresses: %s)',
    async (shows) => {
      const source = await ckan('123456', { shows })
      const { fixture } = source
      await fixture.run()
      source.before = (start) => {
        if (start > 0) source.ids = '23456'.split('')
      }
      expect((await fixture.run()).counts).toMatchObject({ removed: 0, held: 0 })
      expect(await source.titles()).toBe('123456')
      expect((await fixture.run()).counts).toMatchObject({ removed: 1 })
      expect(await source.titles()).toBe('23456')
    },
  )

  it('is not missed when another one takes the place of the deleted one', async () => {
    const source = await ckan('123456')
    source.before = (start) => {
      if (start > 0) source.ids = '234567'.split('')
    }
    expect((await source.fixture.run()).counts).toMatchObject({ created: 7 })
    expect(await source.titles()).toBe('1234567')
  })

  it('stays with a finding when the list hides it and its address knows it', async () => {
    const source = await ckan('123')
    const { fixture } = source
    await fixture.run()
    const whole = source.ids
    source.before = () => void (source.ids = '12'.split(''))
    source.site.faults.when(
      (request) => {
        source.ids = request.url.includes('package_show') ? whole : source.ids
        return false
      },
      { kind: 'status', status: 500 },
    )
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ removed: 0, skipped: 1 })
    expect(fixture.items(run, 'skipped')).toMatchObject([{ sourceId: 'id-3' }])
    expect(run.counts.findings).toBeGreaterThan(0)
    expect(await source.titles()).toBe('123')
  })

  it('stays when nobody can say whether it is there', async () => {
    const source = await ckan('123')
    const { fixture } = source
    await fixture.run()
    source.ids = '12'.split('')
    const asksFor3 = (request: Request) => request.url.includes('id-3')
    source.site.faults.when(asksFor3, { kind: 'status', status: 500 })
    expect((await fixture.run()).counts).toMatchObject({ removed: 0, skipped: 1 })
    source.site.faults.clear()
    expect((await fixture.run()).counts).toMatchObject({ removed: 1, skipped: 0 })
  })
})

const one = (name: string, more = '') => `e:${name} a dcat:Dataset ; dct:title "${name}" ${more}.\n`

describe('a dataset that a catalogue lists and does not describe', () => {
  const listing = 'e:cat a dcat:Catalog ; dcat:dataset e:a , e:b , e:c .\n'

  it('is skipped as a stub and stays', async () => {
    const source = await turtleSource(() => listing + one('a') + one('b') + one('c'))
    const { fixture } = source
    await fixture.run()
    source.say = () => listing + one('a')
    const run = await fixture.run()
    expect(run).toMatchObject({ outcome: 'complete', counts: { removed: 0, skipped: 2 } })
    expect(fixture.items(run, 'skipped')).toMatchObject([{ note: 'stub' }, { note: 'stub' }])
    expect(await fixture.ids()).toHaveLength(3)
    source.say = () => 'e:cat a dcat:Catalog ; dcat:dataset e:a , e:b .\n' + one('a')
    expect((await fixture.run()).counts).toMatchObject({ removed: 1 })
  })

  it('is told when nothing is described', async () => {
    const source = await turtleSource(() => listing)
    const run = await source.fixture.run()
    expect(run.counts).toMatchObject({ skipped: 3, created: 0 })
  })
})

describe('an IRI at the host of the source', () => {
  it('is asked before its record is removed, unless the host answers for everything', async () => {
    const source = await turtleSource((_, base) => text(base, 'abc'))
    const text = (base: string, names: string) =>
      names
        .split('')
        .map(
          (name) =>
            `<${new URL(`/d/${name}`, base).href}> a dcat:Dataset ; dct:title "${name}" .\n`,
        )
        .join('')
    const { fixture } = source
    await fixture.run()
    source.say = (_, base) => text(base, 'ab')
    source.other = (path) => (path === '/d/a' || path === '/d/c' ? 200 : 404)
    expect((await fixture.run()).counts).toMatchObject({ removed: 0, skipped: 1 })
    source.other = (path) => (path === '/d/a' ? 200 : 410)
    expect((await fixture.run()).counts).toMatchObject({ removed: 1 })
    source.say = (_, base) => text(base, 'a')
    source.other = () => 200
    expect((await fixture.run()).counts).toMatchObject({ removed: 1 })
  })
})

describe('pages without an end', () => {
  const next = (base: string, page: number, total = '') =>
    `<${base}${page}> a hydra:PagedCollection ; ${total} hydra:nextPage <${base}${page + 1}> .`

  it('are read until the declared number of records is there, and one page further', async () => {
    const source = await turtleSource(
      (page, base) => (page < 3 ? one(`n${page}`) : '') + next(base, page, 'hydra:totalItems 2 ;'),
    )
    const run = await source.fixture.run()
    expect(run).toMatchObject({ outcome: 'complete', counts: { created: 2 } })
    expect(source.site.requests.length).toBeLessThanOrEqual(4)
    expect(run.counts.findings).toBe(1)
  })

  it.each([
    ['empty', () => ''],
    ['with the same catalogue', () => 'e:cat a dcat:Catalog ; dct:title "C" .'],
    [
      'with the same record in other words',
      (page: number) => one('n1', `; dct:modified "${page}" `),
    ],
    [
      'with a catalogue and a page that are never alike',
      (page: number) =>
        `e:cat a dcat:Catalog ; dct:title "C ${page}" . <c.ttl?page=${page}> dct:modified "${page}" .`,
    ],
    ['with the same references', () => 'e:cat a dcat:Catalog ; dcat:dataset e:x .'],
  ])('%s end the run as incomplete, which says why', async (_, filler) => {
    const source = await turtleSource(
      (page, base) => (page < 3 ? one(`n${page}`) : filler(page)) + next(base, page),
    )
    const run = await source.fixture.run()
    expect(run).toMatchObject({ outcome: 'incomplete', counts: { created: 2 } })
    expect(run.problem?.type).toBe('urn:cartulary:problem:page-repeated')
    expect(source.site.requests.length).toBeLessThanOrEqual(6)
  })

  it('that list other references each are read on', async () => {
    const source = await turtleSource((page, base) =>
      page < 5
        ? `e:cat a dcat:Catalog ; dcat:dataset e:n${page} . ${next(base, page)}`
        : ['n1', 'n2', 'n3', 'n4'].map((id) => one(id)).join(''),
    )
    expect(await source.fixture.run()).toMatchObject({
      outcome: 'complete',
      counts: { created: 4 },
    })
  })

  it('that only describe parts are read on', async () => {
    const source = await turtleSource((page, base) => {
      if (page === 1) return one('a', '; dcat:distribution e:f2 , e:f3 , e:f4 ') + next(base, 1)
      const file = `e:f${page} a dcat:Distribution ; dcat:accessURL e:u${page} .`
      return page < 4 ? file + next(base, page) : file
    })
    const run = await source.fixture.run()
    expect(run).toMatchObject({ outcome: 'complete', counts: { created: 1 } })
    const text = await source.fixture.text('https://s.example/a')
    for (const page of [2, 3, 4]) expect(text).toContain(`<https://s.example/u${page}>`)
  })
})

describe('what another page describes', () => {
  it('is part of the record, whichever page comes first; what none describes is a finding', async () => {
    const page1 =
      one(
        'a',
        '; dcat:distribution e:f ; dct:publisher e:o ; dcat:contactPoint [ foaf:name "A" ] ',
      ) + 'e:p a foaf:Agent ; foaf:name "Early" ; foaf:page [ dct:title "B" ] .'
    const page2 =
      'e:f a dcat:Distribution ; dcat:accessURL e:u ; dct:rights [ dct:title "R" ] . e:o a foaf:Agent ; foaf:name "Office" .' +
      one('b', '; dct:publisher e:p ; dct:creator e:nobody ')
    const source = await turtleSource((page, base) =>
      page === 1 ? `${page1}\n<${base}1> a hydra:PagedCollection ; hydra:next <${base}2> .` : page2,
    )
    const { fixture } = source
    const run = await fixture.run()
    expect(run).toMatchObject({ outcome: 'complete', counts: { created: 2 } })
    const a = await fixture.text('https://s.example/a')
    for (const word of ['<https://s.example/u>', '"Office"', '"A"', '"R"'])
      expect(a).toContain(word)
    expect(a).not.toContain('"B"')
    const b = await fixture.text('https://s.example/b')
    for (const word of ['"Early"', '"B"']) expect(b).toContain(word)
    const items = JSON.stringify(fixture.items(run))
    expect(items.match(/not-described/g)).toHaveLength(1)
    expect(items).toContain('https://s.example/nobody')
  })
})

describe('an entry that its publisher restricts', () => {
  it('is kept with its access right, and stays when entries like it are left out', async () => {
    const told = { level: 'public' }
    const dataset = (identifier: string, accessLevel: string) => ({
      identifier,
      title: identifier,
      accessLevel,
    })
    const site = await portal(() =>
      Response.json({ dataset: [dataset('a', 'public'), dataset('b', told.level)] }),
    )
    onTestFinished(() => site.close())
    const fixture = await reachingGround()
    const address = `${site.url}/data.json`
    fixture.pipes.set('p', importing('importing-datajson', { address }))
    await fixture.run()
    told.level = 'restricted public'
    expect((await fixture.run()).counts).toMatchObject({ updated: 1, skipped: 0, removed: 0 })
    expect(await fixture.text('b')).toContain('access-right/RESTRICTED>')
    told.level = 'non-public'
    fixture.pipes.set('p', importing('importing-datajson', { address, onlyPublic: true }))
    const run = await fixture.run()
    expect(run.counts).toMatchObject({ skipped: 1, removed: 0, held: 0 })
    expect(await fixture.ids()).toEqual(['a', 'b'])
  })
})
