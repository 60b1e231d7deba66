/** What a page says. */

import { describe, expect, it } from 'vitest'
import { indicators } from '../../../src/metrics/indicators.ts'
import { englishWords } from '../../../src/metrics/reports/report-words.ts'
import {
  aggregateOf,
  catalogueOf,
  datasetOf,
  figuresOf,
  hosts,
  months,
  rules,
  shares,
  yesNo,
} from './figures-double.ts'
import { sectionOf, textOf, wordsOf } from './ground.ts'

const city = '/catalogues/city.html'

describe('the page of a catalogue', () => {
  it('opens with the score, its band and how much was measured', async () => {
    const page = await textOf(city)
    expect(page).toContain('<h1><bdi>City of Example</bdi></h1>')
    const words = wordsOf(sectionOf(page, 'score'))
    expect(words).toContain('287 of 405 points Good')
    expect(words).toContain('1,204 of 1,250 datasets were measured, with 3,187 distributions.')
    expect(wordsOf(sectionOf(page, 'bands'))).toContain(
      'Excellent 212 17.6% Good 640 53.2% Sufficient 301 25.0% Bad 51 4.2%',
    )
  })

  it('draws the score over time, and tells the same in words and in a table', async () => {
    const section = sectionOf(await textOf(city), 'over-time')
    expect(section).toMatch(/<polyline class="line" points="16,[\d.]+ [^"]* 97,[\d.]+"/)
    expect(section).toContain(
      '12 measurements, from 212 points on 31 January 2025 to 287 of 405 points on 31 December 2025. Lowest 212, highest 287.',
    )
    expect(wordsOf(section)).toMatch(/31 December 2025 74 74 81 55 11 287 30 November 2025/)
  })

  it('shows the five dimensions with their points and their share', async () => {
    const words = wordsOf(sectionOf(await textOf(city), 'dimensions'))
    expect(words).toMatch(/Interoperability Can programs .*? 81 110 73\.7%/)
    expect(words).toMatch(/Contextuality .*? 11 20 56\.7%/)
  })

  it('puts the indicators first that most points are missing of', async () => {
    const section = sectionOf(await textOf(city), 'worst-indicators')
    const labels = [...section.matchAll(/<th scope="row"><bdi>([^<]*)</g)].map(([, label]) => label)
    expect(labels).toEqual([
      'Period',
      'DCAT-AP compliance',
      'Format and media type from vocabularies',
      'Rights statement',
      'Access URL works',
      'Non-proprietary format',
    ])
    expect(wordsOf(section)).toContain('31.4% 20 13.7')
  })

  it('names every indicator with its rule and its share', async () => {
    const words = wordsOf(sectionOf(await textOf(city), 'indicators'))
    expect(indicators).toHaveLength(23)
    for (const { name } of indicators) {
      const { label, rule } = englishWords.indicators[name]
      expect(words).toContain(`${label} ${rule}`)
    }
    expect(words).toContain('(404 6.1%, no connection 1.9%, no valid URL 0.5%, …) 91.2% 50')
  })

  it('tells violations by property, most datasets first as they come, with severity and constraint', async () => {
    const words = wordsOf(sectionOf(await textOf(city), 'violations'))
    expect(words).toContain('The value is no IRI. dct:format, violation, node kind 197 812')
    expect(words).toContain('the dataset, violation 1 1')
  })

  it('tells broken links by host', async () => {
    const words = wordsOf(sectionOf(await textOf(city), 'hosts'))
    expect(words).toContain('old-maps.example.org 104 61 404')
    expect(words).toContain('wms.example.net 12 12 no connection')
    expect(words).toContain('no host 2 1 no valid URL')
  })

  it('links the datasets at both ends', async () => {
    const page = await textOf(city)
    expect(sectionOf(page, 'worst-datasets')).toContain(
      '<a href="https://data.example.org/set/data/low-40"><bdi>Dataset low-40</bdi></a>',
    )
    expect(wordsOf(sectionOf(page, 'best-datasets'))).toContain(
      'Dataset top-0 city 100 100 110 75 16 405 Excellent',
    )
  })

  it('says the rule of every section', async () => {
    const page = await textOf(city)
    const sections = page.match(/<section id="[^"]*"[\s\S]*?<\/section>/g) ?? []
    expect(sections).toHaveLength(10)
    for (const section of sections) expect(section).toMatch(/<p class="rule">[^<]{20,}<\/p>/)
  })

  it('has the texts of others in the language that is asked for, and marks others', async () => {
    const page = await textOf(`${city}?locale=de`)
    expect(page).toContain('<h1><bdi>Stadt Beispiel</bdi></h1>')
    const violations = sectionOf(page, 'violations')
    expect(violations).toContain('<bdi>Der Wert ist keine IRI.</bdi>')
    expect(violations).toContain('<bdi lang="en">At least one value is needed.</bdi>')
  })

  it('takes only addresses of the web for links', async () => {
    const worst = [{ ...datasetOf('x', 1), iri: 'javascript:alert(1)' }]
    const page = await textOf(city, figuresOf({ worst }))
    expect(page).not.toContain('javascript:')
    expect(page).toContain('Dataset x')
  })
})

describe('where something is missing', () => {
  const empty = { metrics: { ...shares, dcatApCompliance: null, spatialAvailability: null } }

  it('an indicator that was not measured says so and is never among the worst', async () => {
    const page = await textOf(city, figuresOf(empty))
    expect(wordsOf(sectionOf(page, 'indicators'))).toMatch(/DCAT-AP compliance .*? not measured 30/)
    expect(sectionOf(page, 'worst-indicators')).not.toContain('DCAT-AP compliance')
  })

  it('no violations is praise only where something was validated', async () => {
    const good = await textOf(city, figuresOf({ rules: [] }))
    expect(wordsOf(sectionOf(good, 'violations'))).toContain('nothing to complain about')
    const not = await textOf(city, figuresOf({ ...empty, rules: [] }))
    expect(wordsOf(sectionOf(not, 'violations'))).toContain('Nothing was validated')
  })

  it('no broken link is praise only where a URL was asked', async () => {
    const good = await textOf(city, figuresOf({ hosts: [] }))
    expect(wordsOf(sectionOf(good, 'hosts'))).toContain('Every URL that was asked answered.')
    const metrics = { ...shares, accessUrlStatusCode: null, downloadUrlStatusCode: null }
    const not = await textOf(city, figuresOf({ hosts: [], metrics }))
    expect(wordsOf(sectionOf(not, 'hosts'))).toContain('No URL was asked.')
  })

  it('an excellent catalogue has nothing missing', async () => {
    const all = Object.fromEntries(Object.keys(shares).map((name) => [name, yesNo(100)]))
    const page = await textOf(city, figuresOf({ metrics: all, score: 405 }))
    expect(wordsOf(sectionOf(page, 'worst-indicators'))).toContain('Nothing: every indicator')
    expect(wordsOf(sectionOf(page, 'score'))).toContain('405 of 405 points Excellent')
  })

  it('one snapshot is a point, not a line', async () => {
    const page = await textOf(city, figuresOf({ history: months([287]) }))
    const section = sectionOf(page, 'over-time')
    expect(section).not.toContain('<polyline')
    expect(section).toContain('<circle class="accent" cx="56.5%"')
    expect(wordsOf(section)).toContain('1 measurement ')
  })

  it('a snapshot without a score is a gap in the line', async () => {
    const page = await textOf(city, figuresOf({ history: months([100, 110, null, 120, 130]) }))
    expect(sectionOf(page, 'over-time').match(/<polyline/g)).toHaveLength(2)
  })

  it('a catalogue that was not measured has a page that says so, with its title', async () => {
    const words = wordsOf(await textOf(city, figuresOf({ unmeasured: true })))
    expect(words).toContain('City of Example')
    expect(words).toContain('Nothing has been measured here yet.')
    expect(words).not.toMatch(/NaN|undefined|null|Infinity/)
  })

  it('a portal that was never refreshed has a page too', async () => {
    const figures = figuresOf({ unmeasured: true, refreshed: undefined, catalogues: [] })
    const words = wordsOf(await textOf('/portal.html', figures))
    expect(words).toContain('The figures have never been refreshed.')
    expect(words).toContain('There are 0.')
    expect(words).not.toMatch(/NaN|undefined|null|Infinity/)
  })

  it('datasets that were measured but not scored leave blanks', async () => {
    const parts = { score: null, history: months([null]), worst: [], best: [] }
    const page = await textOf('/portal.html', figuresOf(parts))
    expect(wordsOf(page)).toContain('not scored')
    expect(wordsOf(page)).toContain('No dataset has a score.')
    expect(wordsOf(page)).not.toMatch(/NaN|undefined|null|Infinity/)
  })
})

describe('the page of the portal', () => {
  it('has the figures of all catalogues and a list of them that leads to each', async () => {
    const catalogues = [
      catalogueOf('city', { en: 'City' }),
      catalogueOf('lake', { de: 'Seeufer', fr: 'Rive' }),
    ]
    const page = await textOf('/portal.html', figuresOf({ catalogues }))
    expect(page).toContain('<h1><bdi>All catalogues</bdi></h1>')
    const list = sectionOf(page, 'catalogues')
    expect(list).toContain('<a href="./catalogues/lake.html"><bdi lang="de">Seeufer</bdi></a>')
    expect(wordsOf(list)).toContain('City 74 74 81 55 11 287 Good 1,204')
  })
})

describe('lists', () => {
  it('show the top and no more', async () => {
    const figures = figuresOf({
      worst: Array.from({ length: 500 }, (_, n) => datasetOf(`d${n}`, 100)),
      rules: Array.from({ length: 500 }, () => rules[0]!),
      hosts: Array.from({ length: 500 }, () => hosts[0]!),
      history: Array.from({ length: 400 }, (_, n) => ({
        day: new Date(Date.UTC(1990, n, 28)).toISOString().slice(0, 10),
        aggregate: aggregateOf(n),
      })),
    })
    const page = await textOf(city, figures)
    const rows = (id: string) => sectionOf(page, id).match(/<tr>/g)?.length
    expect([rows('worst-datasets'), rows('violations'), rows('hosts'), rows('over-time')]).toEqual([
      11, 16, 16, 13,
    ])
    expect(sectionOf(page, 'over-time')).toContain('The latest 12 of 240 measurements')
    expect(page.length).toBeLessThan(100_000)
  })
})
