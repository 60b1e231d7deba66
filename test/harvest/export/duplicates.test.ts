/** The same dataset in two catalogues: two records, both reported, none removed. */

import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/pipe/message.ts'
import {
  complete,
  dataset,
  harvestFixture,
  pipeOf,
  record,
  type HarvestFixture,
} from './harvest-fixture.ts'

const subject = (id: string) => `<https://source.example/${encodeURIComponent(id)}>`
const identified = (id: string, identifier: string, title = id): Message =>
  record(id, title, {
    text: `${dataset(id, title)}${subject(id)} <http://purl.org/dc/terms/identifier> "${identifier}" .\n`,
  })
const shown = (id: string, page: string): Message =>
  record(id, id, {
    text: `${dataset(id, id)}${subject(id)} <http://www.w3.org/ns/dcat#landingPage> <${page}> .\n`,
  })

async function two(): Promise<HarvestFixture> {
  const fixture = await harvestFixture({ catalogues: ['city', 'lake'] })
  fixture.pipes.set('lake', pipeOf('lake', { catalogue: 'lake' }))
  return fixture
}

const harvested = async (
  fixture: HarvestFixture,
  pipe: string,
  ...messages: readonly Message[]
) => {
  fixture.offers(() => [...messages, complete()], pipe)
  return fixture.run(pipe)
}

const listed = async ({ harvest }: HarvestFixture, catalogue?: string) => {
  const groups: string[][] = []
  const { signal } = new AbortController()
  for await (const group of harvest().duplicates(catalogue, signal))
    groups.push(group.map((one) => `${one.keyName} ${one.catalogue}/${one.platformId}`).toSorted())
  return groups.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))
}

describe('a dataset that two catalogues have', () => {
  it('is two records, of which the second one says where the first one is', async () => {
    const fixture = await two()
    await harvested(fixture, 'p', record('water-levels'), record('only-here'))
    const run = await harvested(fixture, 'lake', record('water-levels'), record('only-there'))
    expect(run.counts).toMatchObject({ created: 2, failed: 0, findings: 1 })
    expect(fixture.runs.report(run.id).findings).toMatchObject({
      'possible-duplicate': {
        count: 1,
        examples: [
          {
            id: 'water-levels',
            platformId: 'water-levels~~1',
            stage: 'export',
            detail: 'water-levels of the catalogue city has the same identifier',
          },
        ],
      },
    })
    expect(await listed(fixture)).toEqual([
      ['identifier city/water-levels', 'identifier lake/water-levels~~1'],
    ])
    expect(await fixture.ids('lake')).toEqual(['only-there', 'water-levels'])
  })

  it('is known by its own identifier and by its landing page, whatever it is called there', async () => {
    const fixture = await two()
    const page = 'https://www.city.example/water'
    await harvested(fixture, 'p', identified('a', 'urn:water:1'), shown('b', page))
    const run = await harvested(
      fixture,
      'lake',
      identified('c', 'urn:water:1'),
      shown('d', `${page.replace('https', 'http')}/`),
    )
    const details = fixture.items(run).map(({ findings }) => findings?.map(({ detail }) => detail))
    expect(details).toEqual([
      ['a of the catalogue city has the same identifier'],
      ['b of the catalogue city has the same landing page'],
    ])
    const both = [
      ['identifier city/a', 'identifier lake/c'],
      ['page city/b', 'page lake/d'],
    ]
    expect(await listed(fixture)).toEqual(both)
    expect(await listed(fixture, 'city')).toEqual(both)
    expect(await listed(fixture, 'elsewhere')).toEqual([])
  })

  it('is one no more when it is gone from one of them, or says something else', async () => {
    const fixture = await two()
    await harvested(fixture, 'p', identified('a', 'urn:water:1'), identified('b', 'urn:water:2'))
    const here = [identified('c', 'urn:water:1'), identified('d', 'urn:water:2')]
    await harvested(fixture, 'lake', ...here)
    expect(await listed(fixture)).toHaveLength(2)
    await harvested(fixture, 'lake', identified('c', 'urn:water:3', 'changed'))
    expect(await listed(fixture)).toEqual([])
  })
})

describe('what says nothing', () => {
  it('is a short or counted identifier, and what records of one catalogue share', async () => {
    const fixture = await two()
    await harvested(fixture, 'p', record('1234567'), record('a1'), identified('b', 'urn:water:1'))
    const run = await harvested(fixture, 'lake', record('1234567'), record('a1'))
    expect(run.counts).toMatchObject({ created: 2, findings: 0 })
    await harvested(fixture, 'p', identified('b', 'urn:water:1'), identified('c', 'urn:water:1'))
    expect(await listed(fixture)).toEqual([])
  })

  it('is a page that many records lead to', async () => {
    const fixture = await two()
    const many = Array.from({ length: 21 }, (_, n) => shown(`record-${n}`, 'https://city.example/'))
    await harvested(fixture, 'p', ...many)
    const run = await harvested(fixture, 'lake', shown('other', 'https://city.example/'))
    expect(run.counts.findings).toBe(0)
    expect(await listed(fixture)).toEqual([])
  })
})
