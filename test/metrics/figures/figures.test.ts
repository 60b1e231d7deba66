/** The figures of three catalogues, computed by hand. */

import { describe, expect, it } from 'vitest'
import { openStore, cacheFixture } from './cache-fixture.ts'
import { scores, write, type MeasuredCatalogue } from './measured.ts'

const water = ['https://water.example.org/', 'Water Office'] as const
const forest = ['https://forest.example.org/', 'Forest Office'] as const
const size = 'http://www.w3.org/ns/dcat#byteSize'
const title = 'http://purl.org/dc/terms/title'

/** Three datasets of two publishers, one not measured; scores 300, 200 and none. */
const city: MeasuredCatalogue = {
  id: 'city',
  title: 'City',
  country: 'DEU',
  type: 'dcat-ap',
  datasets: [
    {
      id: 'a',
      titles: { de: 'Pegel', en: 'Gauges' },
      publisher: water,
      values: { keywordAvailability: true, ...scores(80, 80, 80, 50, 10) },
      distributions: {
        'a-1': {
          values: { downloadUrlAvailability: true, licenceAvailability: true },
          urls: {
            accessUrlStatusCode: {
              'https://one.example.org/x': 200,
              'https://two.example.org/x': 404,
            },
            downloadUrlStatusCode: { 'https://one.example.org/d': 206 },
          },
        },
        'a-2': {
          values: { downloadUrlAvailability: false, licenceAvailability: true },
          urls: { accessUrlStatusCode: { 'https://two.example.org/y': 404 } },
        },
      },
      violations: [
        { path: size, value: '12', messages: { en: 'No datatype', de: 'Kein Datentyp' } },
        { path: size, value: '13', messages: { en: 'No datatype' } },
        { severity: 'Warning', path: title, messages: { en: 'No title' } },
      ],
    },
    {
      id: 'b',
      titles: { en: 'Trees' },
      publisher: forest,
      values: { keywordAvailability: false, ...scores(20, 50, 60, 60, 10) },
      distributions: {
        'b-1': {
          values: { downloadUrlAvailability: true, licenceAvailability: false },
          urls: { accessUrlStatusCode: { 'ftp://three.example.org/': 1300 } },
        },
      },
      violations: [{ path: size, messages: { en: 'No datatype' } }],
    },
    { id: 'c', titles: { en: 'Not measured' }, publisher: forest },
  ],
}

/** One dataset of 120 points without distributions. */
const reachFixture: MeasuredCatalogue = {
  id: 'town',
  title: 'Town',
  country: 'DEU',
  datasets: [
    {
      id: 't',
      titles: { en: 'Streets' },
      publisher: water,
      values: { keywordAvailability: true, ...scores(100, 0, 0, 20, 0) },
    },
  ],
}

/** In no country, of no publisher; 405 points. */
const world: MeasuredCatalogue = {
  id: 'world',
  datasets: [
    {
      id: 'w',
      values: { keywordAvailability: true, ...scores(100, 100, 110, 75, 20) },
      distributions: { 'w-1': { values: { downloadUrlAvailability: true } } },
    },
  ],
}

const empty: MeasuredCatalogue = { id: 'empty', country: 'FRA', datasets: [{ id: 'e' }] }
const secret: MeasuredCatalogue = {
  id: 'secret',
  country: 'AUT',
  hidden: true,
  datasets: [{ id: 's', publisher: water, values: scores(100, 100, 110, 75, 20) }],
}

async function refreshed(...catalogues: readonly MeasuredCatalogue[]) {
  const store = await openStore()
  for (const catalogue of catalogues) await write(store, catalogue)
  const runsFixture = cacheFixture({ store })
  await runsFixture.cache.refresh('all')
  return runsFixture
}

const everything = () => refreshed(city, reachFixture, world, empty, secret)
const yes = (percentage: number, no: number) => [
  { name: 'yes', percentage },
  { name: 'no', percentage: no },
]

describe('the figures of a catalogue', () => {
  it('are means of the scores, and shares of what was measured', async () => {
    const { figures } = await everything()
    const found = figures.aggregate({ catalogue: 'city' })
    expect(found?.score).toBe(250)
    expect(found?.dimensions).toEqual({
      findability: { points: 50, percentage: 50, max: 100 },
      accessibility: { points: 65, percentage: 65, max: 100 },
      interoperability: { points: 70, percentage: 63.6, max: 110 },
      reusability: { points: 55, percentage: 73.3, max: 75 },
      contextuality: { points: 10, percentage: 50, max: 20 },
    })
    expect(found?.metrics).toMatchObject({
      keywordAvailability: yes(50, 50),
      downloadUrlAvailability: yes(66.7, 33.3),
      licenceAvailability: yes(66.7, 33.3),
      accessUrlStatusCode: [
        { name: '404', percentage: 50 },
        { name: '200', percentage: 25 },
        { name: '1300', percentage: 25 },
      ],
      accessUrlAccessibility: yes(25, 75),
      downloadUrlStatusCode: [{ name: '206', percentage: 100 }],
      downloadUrlAccessibility: yes(100, 0),
      knownLicence: null,
      dcatApCompliance: null,
    })
  })

  it('count what was measured, by band', async () => {
    const { figures } = await everything()
    expect(figures.measured({ catalogue: 'city' })).toEqual({
      all: 3,
      datasets: 2,
      distributions: 3,
      bands: [
        { id: 'excellentScoring', datasets: 0 },
        { id: 'goodScoring', datasets: 1 },
        { id: 'sufficientScoring', datasets: 1 },
        { id: 'badScoring', datasets: 0 },
      ],
    })
    expect(figures.measured({ catalogue: 'town' })?.bands[3]).toEqual({
      id: 'badScoring',
      datasets: 1,
    })
  })

  it('are null where nothing was measured, and absent where it is hidden', async () => {
    const { figures } = await everything()
    const nothing = figures.aggregate({ catalogue: 'empty' })
    expect(nothing?.score).toBeNull()
    expect(Object.values(nothing?.dimensions ?? { some: 1 })).toEqual([
      null,
      null,
      null,
      null,
      null,
    ])
    expect(new Set(Object.values(nothing?.metrics ?? {}))).toEqual(new Set([null]))
    expect(figures.measured({ catalogue: 'empty' })).toMatchObject({ all: 1, datasets: 0 })
    expect(figures.catalogue('secret')).toBeUndefined()
    expect(figures.aggregate({ catalogue: 'secret' })).toBeUndefined()
    expect(figures.catalogues().map(({ id }) => id)).toEqual(['city', 'empty', 'town', 'world'])
  })
})

describe('what spans catalogues', () => {
  it('has the mean of all datasets, not of catalogues', async () => {
    const { figures } = await everything()
    // (300 + 200 + 120 + 405) / 4 and (300 + 200 + 120) / 3
    expect(figures.aggregate('global')?.score).toBe(256)
    expect(figures.aggregate({ country: 'DEU' })?.score).toBe(207)
    expect(figures.aggregate('global')?.metrics.keywordAvailability).toEqual(yes(75, 25))
    expect(figures.aggregate({ country: 'FRA' })?.score).toBeNull()
    expect(figures.aggregate({ country: 'AUT' })).toBeUndefined()
    expect(figures.countries()).toEqual(['DEU', 'FRA'])
    expect(figures.measured('global')).toMatchObject({ all: 6, datasets: 4, distributions: 4 })
  })

  it('knows publishers over catalogues', async () => {
    const { figures } = await everything()
    const all = figures.publishers({ offset: 0, limit: 10 })
    expect(all).toEqual({
      count: 2,
      rows: [
        { key: forest[0], name: 'Forest Office' },
        { key: water[0], name: 'Water Office' },
      ],
    })
    // (300 + 120) / 2; the hidden one does not count
    expect(figures.aggregate({ publisher: water[0] })?.score).toBe(210)
    expect(figures.measured({ publisher: forest[0] })).toMatchObject({ all: 2, datasets: 1 })
    expect(figures.publisher('https://nobody.example.org/')).toBeUndefined()
  })

  it('puts catalogues and datasets in order', async () => {
    const { figures } = await everything()
    const ranked = (order: 'best' | 'worst') =>
      figures
        .rankedCatalogues(order, { offset: 0, limit: 10 })
        .rows.map(({ catalogue }) => catalogue.id)
    expect(ranked('best')).toEqual(['world', 'city', 'town', 'empty'])
    expect(ranked('worst')).toEqual(['town', 'city', 'world', 'empty'])
    expect(figures.rankedCatalogues('best', { offset: 1, limit: 1 })).toMatchObject({
      count: 4,
      rows: [{ score: 250, datasets: 2, catalogue: { id: 'city' } }],
    })
    const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
    expect(ids(figures.best('global', 2))).toEqual(['w', 'a'])
    expect(ids(figures.worst('global', 3))).toEqual(['t', 'b', 'a'])
    expect(ids(figures.worst({ country: 'DEU' }, 1))).toEqual(['t'])
    expect(ids(figures.best({ publisher: water[0] }, 5))).toEqual(['a', 't'])
    expect(figures.best({ catalogue: 'city' }, 1)[0]).toMatchObject({
      catalogue: 'city',
      score: 300,
      titles: { de: 'Pegel', en: 'Gauges' },
      points: { findability: 80, contextuality: 10 },
    })
  })
})

describe('lists', () => {
  it('have results of validations by dataset and property, and the rules that were broken most', async () => {
    const { figures } = await everything()
    const { count, rows } = figures.violations('city', { offset: 0, limit: 10 })
    expect(count).toBe(4)
    expect(rows.map(({ dataset, path, severity }) => [dataset.id, path, severity])).toEqual([
      ['a', title, 'Warning'],
      ['a', size, 'Violation'],
      ['a', size, 'Violation'],
      ['b', size, 'Violation'],
    ])
    expect(figures.violations('city', { offset: 3, limit: 1 }).rows).toMatchObject([
      { dataset: { id: 'b' } },
    ])
    expect(figures.violationsByRule('global', 10)).toMatchObject([
      {
        path: size,
        severity: 'Violation',
        count: 3,
        datasets: 2,
        component: 'MinCountConstraintComponent',
      },
      { path: title, severity: 'Warning', count: 1, datasets: 1 },
    ])
    expect(figures.violationsByRule({ publisher: forest[0] }, 10)).toMatchObject([
      { count: 1, datasets: 1 },
    ])
    expect(figures.violations('town', { offset: 0, limit: 10 })).toEqual({ count: 0, rows: [] })
  })

  it('have the URLs that were not there, and their hosts', async () => {
    const { figures } = await everything()
    const { count, rows } = figures.unreachable('city', { offset: 0, limit: 10 })
    expect(count).toBe(3)
    expect(rows.map(({ dataset, url, status, type }) => [dataset.id, url, status, type])).toEqual([
      ['a', 'https://two.example.org/x', 404, 'accessUrl'],
      ['a', 'https://two.example.org/y', 404, 'accessUrl'],
      ['b', 'ftp://three.example.org/', 1300, 'accessUrl'],
    ])
    expect(rows[0]?.checked).toBe('2026-11-21T10:00:00Z')
    expect(figures.unreachableByHost('global', 10)).toEqual([
      { host: 'two.example.org', urls: 2, datasets: 1, status: 404 },
      { host: 'three.example.org', urls: 1, datasets: 1, status: 1300 },
    ])
    expect(figures.unreachableByHost({ publisher: forest[0] }, 10)).toHaveLength(1)
  })
})
