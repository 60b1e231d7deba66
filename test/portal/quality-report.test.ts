/** The quality pages of the portal and of a catalogue: what they show of a report. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indicators } from '../../src/metrics/indicators.ts'
import { type Port, portInProcess } from '../../src/portal/ports.ts'
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
} from '../metrics/reports/figures-double.ts'
import { appOf, base } from '../metrics/reports/report-apps.ts'
import { asPage, qualityPage, qualityPortal, sectionOf, wordsOf } from './quality-reports.ts'

const city = 'quality/catalogues/city'

describe('the quality page of a catalogue', () => {
  it('opens with the score, its step and how much was measured', async () => {
    const page = await qualityPage(city)
    expect(page).toContain('<h1>Metadata quality of “City of Example”</h1>')
    const words = wordsOf(page)
    expect(words).toContain('287 points on average')
    expect(words).toContain('Interoperability 81 / 110')
    expect(words).toContain('1,204 of 1,250 datasets were measured, with 3,187 files and links.')
    expect(wordsOf(sectionOf(page, 'score-bands'))).toContain(
      'Excellent 212 17.6 % Good 640 53.2 % Sufficient 301 25 % Poor 51 4.2 %',
    )
  })

  it('draws the score over time, and says the same in words and in a table', async () => {
    const section = sectionOf(await qualityPage(city), 'score-over-time')
    expect(section).toMatch(/<polyline points="16,[\d.]+ [^"]* 97,[\d.]+"/)
    expect(section).toContain(
      '12 measurements, from 212 points on 31 Jan 2025 to 287 of 405 points on 31 Dec 2025. Lowest 212, highest 287.',
    )
    expect(wordsOf(section)).toMatch(/31 Dec 2025 74 74 81 55 11 287 30 Nov 2025/)
  })

  it('puts the indicators first that most points are missing of', async () => {
    const section = wordsOf(sectionOf(await qualityPage(city), 'most-missing'))
    expect(section).toMatch(/Period 31\.4 % 20 13\.7 DCAT-AP compliance/)
  })

  it('names every indicator with its share, its points and bad answers', async () => {
    const words = wordsOf(sectionOf(await qualityPage(city), 'all'))
    expect(words.match(/ \d+ \/ \d+ /g)).toHaveLength(5)
    expect(words).toMatch(
      /Access URL works 404 6\.1 %, Does not answer 1\.9 %, Not a link that can be followed 0\.5 %, … dcat:accessURL 91\.2 % 50/,
    )
    expect(indicators).toHaveLength(23)
  })

  it('shows violations by property, with severity and constraint', async () => {
    const words = wordsOf(sectionOf(await qualityPage(city), 'violations'))
    expect(words).toContain('The value is no IRI. dct:format Error 197 812')
    expect(words).toContain('At least one value is needed. dcat:contactPoint Warning 45 45')
    const component = 'MinCountConstraintComponent'
    const silent = figuresOf({ rules: [{ ...rules[1]!, messages: {}, component }] })
    expect(wordsOf(sectionOf(await qualityPage(city, silent), 'violations'))).toContain(
      `sh:${component}`,
    )
  })

  it('shows broken links by host', async () => {
    const words = wordsOf(sectionOf(await qualityPage(city), 'broken-links'))
    expect(words).toContain('old-maps.example.org 104 61 404')
    expect(words).toContain('wms.example.net 12 12 Does not answer')
    expect(words).toContain('No host 2 1 Not a link that can be followed')
  })

  it('leads to the pages of the datasets with the lowest and the highest scores', async () => {
    const page = await qualityPage(city)
    expect(sectionOf(page, 'worst-datasets')).toContain(
      '<a href="/en/datasets/low-40/quality"><bdi>Dataset low-40</bdi></a>',
    )
    expect(wordsOf(sectionOf(page, 'best-datasets'))).toContain(
      'Dataset top-0 100 100 110 75 16 405',
    )
  })

  it('leads to the report as CSV and as JSON in the language of the page', async () => {
    const page = await qualityPage(city, undefined, 'de')
    for (const form of ['csv', 'json'])
      expect(page).toContain(`api/mqa/reports/catalogues/city.${form}?locale=de"`)
    expect(page).not.toContain('city.html')
  })

  it('has texts of others in the language of the page, and marks those in another one', async () => {
    const page = await qualityPage(city, undefined, 'de')
    expect(page).toContain('„Stadt Beispiel“')
    const violations = sectionOf(page, 'violations')
    expect(violations).toContain('<bdi>Der Wert ist keine IRI.</bdi>')
    expect(violations).toContain('<span lang="en" dir="ltr">At least one value is needed.</span>')
  })

  it('has no English left in another language', async () => {
    const pieces = async (language: string) =>
      new Set(
        (await qualityPage(city, undefined, language)).split(/<[^>]*>/).map((one) => one.trim()),
      )
    const [english, german] = [await pieces('en'), await pieces('de')]
    const left = [...german].filter((piece) => english.has(piece) && /\p{L}{3}/u.test(piece))
    const own =
      /^(?:Dataset .*|.*\.example\.(?:org|net)|(?:dcat|dct):.*|CSV|JSON|Format|Host|SPARQL|Atom|Cartulary|English|Deutsch|français|italiano|URLs)$/
    expect(left.filter((piece) => !own.test(piece))).toEqual(['At least one value is needed.'])
  })
})

describe('where something is missing, a quality page', () => {
  const metrics = { ...shares, dcatApCompliance: null, spatialAvailability: null }

  it('praises the validation and the links only where something was checked', async () => {
    const good = await qualityPage(city, figuresOf({ rules: [], hosts: [] }))
    expect(sectionOf(good, 'violations')).toContain('Validation found no errors.')
    expect(sectionOf(good, 'broken-links')).toContain('Every URL that was checked answered.')
    const codes = { accessUrlStatusCode: null, downloadUrlStatusCode: null }
    const parts = { rules: [], hosts: [], metrics: { ...metrics, ...codes } }
    const unchecked = await qualityPage(city, figuresOf(parts))
    expect(sectionOf(unchecked, 'violations')).toContain('Nothing was validated')
    expect(sectionOf(unchecked, 'broken-links')).toContain('No URL was checked.')
    expect(wordsOf(sectionOf(unchecked, 'all'))).toMatch(/DCAT-AP compliance Not measured yet 30/)
  })

  it('says so where nothing is missing', async () => {
    const all = Object.fromEntries(Object.keys(shares).map((name) => [name, yesNo(100)]))
    const page = await qualityPage(city, figuresOf({ metrics: all, score: 405 }))
    expect(sectionOf(page, 'most-missing')).toContain('Nothing: every indicator')
  })

  it('has a point for one measurement, and a gap for one without a score', async () => {
    const one = sectionOf(
      await qualityPage(city, figuresOf({ history: months([287]) })),
      'score-over-time',
    )
    expect(one).not.toContain('<polyline')
    expect(one).toContain('<circle cx="56.5%"')
    const gap = await qualityPage(city, figuresOf({ history: months([100, 110, null, 120, 130]) }))
    expect(sectionOf(gap, 'score-over-time').match(/<polyline/g)).toHaveLength(2)
  })

  it('says that nothing was measured, and when there will be figures', async () => {
    const words = wordsOf(await qualityPage(city, figuresOf({ unmeasured: true })))
    expect(words).toContain('City of Example')
    expect(words).toContain('Not measured yet')
    expect(words).toContain('Once a metrics run has ended')
    expect(words).not.toMatch(/NaN|undefined|null|Infinity/)
  })

  it('of a portal that was never refreshed is a page', async () => {
    const figures = figuresOf({ unmeasured: true, refreshed: undefined, catalogues: [] })
    const words = wordsOf(await qualityPage('quality', figures))
    expect(words).toContain('No catalogues')
    expect(words).not.toMatch(/NaN|undefined|null|Infinity/)
  })

  it('leaves out what datasets that were measured but not scored do not have', async () => {
    const parts = { score: null, history: months([null]), worst: [], best: [] }
    const words = wordsOf(await qualityPage('quality', figuresOf(parts)))
    expect(words).toContain('No dataset has a score.')
    expect(words).not.toMatch(/NaN|undefined|null|Infinity/)
  })

  it('of a catalogue that has come after the last refresh has its title', async () => {
    const results = [{ info: { id: 'new', title: 'New one' } }]
    const metrics: Port = async () => Response.json({ result: { results } })
    const answer = await qualityPortal(figuresOf(), metrics).request(
      '/en/quality/catalogues/new',
      asPage,
    )
    expect(answer.status).toBe(200)
    const words = wordsOf(await answer.text())
    expect(words).toContain('Metadata quality of “New one”')
    expect(words).toContain('Not measured yet')
  })

  it('of a catalogue that does not exist is not found', async () => {
    const metrics = portInProcess(appOf(), base)
    const answer = await qualityPortal(figuresOf(), metrics).request(
      '/en/quality/catalogues/nowhere',
      asPage,
    )
    expect(answer.status).toBe(404)
  })
})

describe('the quality page of the portal', () => {
  it('has the figures of all catalogues and a list of them that leads to each', async () => {
    const catalogues = [
      catalogueOf('city', { en: 'City' }),
      catalogueOf('lake', { de: 'Seeufer', fr: 'Rive' }),
    ]
    const page = await qualityPage('quality', figuresOf({ catalogues }))
    const list = sectionOf(page, 'catalogues')
    expect(list).toContain(
      '<a href="/en/quality/catalogues/lake"><span lang="de" dir="ltr">Seeufer</span></a>',
    )
    expect(wordsOf(list)).toMatch(/City 74 74 81 55 11 287 Metadata quality: Good 1,204/)
    expect(wordsOf(sectionOf(page, 'worst-datasets'))).toContain('Dataset low-40 city 10 10')
    expect(wordsOf(sectionOf(page, 'how'))).toContain('Findability · 100 points')
  })

  const many = figuresOf({
    catalogues: Array.from({ length: 10_000 }, (_, n) => catalogueOf(`c${n}`, { en: `Nr ${n}` })),
  })

  it('shows fifty catalogues at a time', async () => {
    const page = await qualityPage('quality', many)
    expect(page.length).toBeLessThan(120_000)
    expect(page).toContain('10,000 catalogues')
    expect(page.match(/href="\/en\/quality\/catalogues\//g)).toHaveLength(50)
    expect(page).toContain('href="/en/quality?page=2#catalogues"')
    expect(page).not.toContain('>Previous<')
  })

  it('goes on with the list alone, in either order', async () => {
    const page = await qualityPage('quality?page=3&order=worst', many)
    expect(page).toContain('>Nr 9899<')
    expect(page).toContain('href="/en/quality?order=worst&amp;page=2#catalogues"')
    expect(page).toContain('href="/en/quality?order=worst&amp;page=4#catalogues"')
    expect(page).toContain('href="/en/quality?#catalogues">Highest score first')
    expect(page).not.toContain('id="score-over-time"')
  })

  it('after the end of the list is empty and leads back', async () => {
    const page = await qualityPage('quality?page=200', figuresOf())
    expect(page).toContain('>Previous<')
    expect(page).not.toContain('>Next<')
  })

  it('shows the top of each list and no more', async () => {
    const figures = figuresOf({
      history: Array.from({ length: 400 }, (_, n) => ({
        day: new Date(Date.UTC(1990, n, 28)).toISOString().slice(0, 10),
        aggregate: aggregateOf(n),
      })),
    })
    const section = sectionOf(await qualityPage('quality', figures), 'score-over-time')
    expect(section.match(/<tr/g)).toHaveLength(13)
    expect(section).toContain('The newest 12 of 240 measurements')
  })
})

const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...`<>&"'\`/= ;{}\0\n\u{202e}\u{d800}a`.split('')) }),
  fc.constantFrom(
    '</title><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '<!--',
    ']]>',
    '&lt;script&gt;',
    '{{7*7}}${7*7}',
    '</svg><desc>',
  ),
)

/** Every text that somebody else may have written. */
const figuresWith = (text: string) =>
  figuresOf({
    catalogues: [catalogueOf('city', { en: text })],
    worst: [{ ...datasetOf('x', 1, { en: text }), catalogue: text }],
    best: [{ ...datasetOf('x', 400, { en: text }), catalogue: text }],
    rules: [{ ...rules[0]!, messages: { en: text }, path: text, component: text }],
    hosts: [{ ...hosts[0]!, host: text }],
  })

const pagesWith = (text: string) =>
  Promise.all(['quality', city].map((path) => qualityPage(path, figuresWith(text))))

/** Names of elements and of their attributes, in order. */
const skeleton = (page: string) =>
  (page.match(/<[^>]*>/g) ?? []).map((tag) => tag.replaceAll(/="[^"]*"/g, '=""'))

describe('a hostile text on a quality page', () => {
  it('is never markup: the page has the elements that it has with a harmless one', async () => {
    const expected = (await pagesWith('harmless')).map(skeleton)
    await fc.assert(
      fc.asyncProperty(nasty, async (text) => {
        expect((await pagesWith(`a ${text} z`)).map(skeleton)).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })

  it('is cut to the length of a line', async () => {
    const page = await qualityPage('quality', figuresWith('x'.repeat(1_000_000)))
    expect(page.length).toBeLessThan(120_000)
  })
})
