/** Reports in the languages of the portal: texts, the choice of one, and what never changes with it. */

import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { wordsFor } from '../../../src/metrics/reports/report-words.ts'
import { interfaceLanguages } from '../../../src/portal/languages.ts'
import { bands, figuresOf, shares } from './figures-double.ts'
import { appOf, asked, sectionOf, textOf, wordsOf } from './ground.ts'

const folder = new URL('../../../src/metrics/reports/texts/', import.meta.url)
const portalFolder = new URL('../../../src/portal/texts/', import.meta.url)
const read = (language: string, from = folder): unknown =>
  JSON.parse(readFileSync(new URL(`${language}.json`, from), 'utf8'))

/** Texts by their paths: `headings.score`. */
const leaves = (value: unknown, path: string[] = []): [path: string, text: string][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, part]) => leaves(part, [...path, key]))
    : [[path.join('.'), String(value)]]

const namesIn = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort()
const others = interfaceLanguages.filter((language) => language !== 'en')
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const languageIn = (page: string) => /<html lang="([^"]*)">/.exec(page)?.[1]

/** Pages with every note, status, severity and constraint. */
function pagesIn(locale: string): Promise<string[]> {
  const figures = [
    figuresOf({ catalogues: many }),
    figuresOf({ unmeasured: true, refreshed: undefined, catalogues: [] }),
    figuresOf({ score: null, history: [], worst: [], best: [], hosts: [], rules: [] }),
    figuresOf({
      hosts: [],
      rules: [],
      metrics: Object.fromEntries(Object.keys(shares).map((name) => [name, null])),
    }),
    figuresOf({ rules: constraints }),
  ]
  const paths = ['/portal.html?', '/portal.html?order=worst&offset=2&limit=2&']
  const city = figures
    .slice(2)
    .map((some) => textOf(`/catalogues/city.html?locale=${locale}`, some))
  return Promise.all([
    ...paths.flatMap((path) => figures.map((some) => textOf(`${path}locale=${locale}`, some))),
    ...city,
  ])
}

const many = ['a', 'b', 'city', 'd', 'e'].map((id) => ({
  id,
  titles: { '': `x${id}` },
  descriptions: {},
  languages: [],
  country: 'DEU',
  type: 'dcat-ap',
}))
const constraints = leaves((read('en') as { constraints: object }).constraints).map(
  ([name], at) => ({
    path: null,
    component: `${name}ConstraintComponent`,
    severity: (['Violation', 'Warning', 'Info'] as const)[at % 3]!,
    count: 1,
    datasets: 1,
    messages: {},
  }),
)

describe('the texts of the reports', () => {
  it('are there for each language of the portal', () => {
    expect(readdirSync(folder).sort()).toEqual(
      interfaceLanguages.map((one) => `${one}.json`).sort(),
    )
  })

  it.each(interfaceLanguages)(
    'in %s are complete, none is empty, and they take the same values',
    (language) => {
      const [english, own] = [leaves(read('en')), leaves(read(language))]
      expect(own.map(([path]) => path)).toEqual(english.map(([path]) => path))
      expect(own.filter(([, text]) => text.trim() === '')).toEqual([])
      expect(own.map(([, text]) => namesIn(text))).toEqual(english.map(([, text]) => namesIn(text)))
    },
  )

  it.each([
    ['de', ['Format']],
    [
      'fr',
      [
        'Format',
        'Licence',
        'Catalogues',
        'Points',
        'violation',
        '{count} distribution',
        '{count} distributions',
      ],
    ],
    ['it', ['{count} dataset']],
  ])(
    'in %s are all translated: only words that both languages have are as in English',
    (language, same) => {
      const english = new Map(leaves(read('en')))
      const equal = leaves(read(language)).filter(([path, text]) => english.get(path) === text)
      expect(equal.map(([, text]) => text)).toEqual(same)
    },
  )

  it.each(others)('in %s call dimensions, indicators and bands as the portal does', (language) => {
    const portal = read(language, portalFolder) as Record<string, string>
    const { dimensions, indicators, bands: own } = wordsFor(language)
    for (const [name, { label }] of Object.entries(dimensions)) expect(label).toBe(portal[name])
    for (const [name, { label }] of Object.entries(indicators))
      expect(label).toBe(portal[`indicator-${name}`])
    for (const [name, label] of Object.entries(own)) expect(label).toBe(portal[`quality-${name}`])
  })
})

/** Texts between tags and in the attributes that are read aloud. */
const piecesOf = (page: string): string[] => {
  const body = page.replace(/<style>[\s\S]*?<\/style>/, '')
  const read = [...body.matchAll(/aria-label="([^"]*)"/g)].map(([, label = '']) => label)
  return [...body.split(/<[^>]*>/), ...read].map((text) => text.replace(/\s+/gu, ' ').trim())
}

describe('a report in another language', () => {
  it.each(others)('has no English text left: %s', async (language) => {
    const english = new Map(leaves(read('en')))
    const own = new Map(leaves(read(language)))
    const translated = [...english].filter(([path, text]) => own.get(path) !== text)
    const said = new Set(own.values())
    const pieces = new Set((await pagesIn(language)).flatMap(piecesOf))
    const left = translated.flatMap(([path, text]) =>
      text.split(/\{\w+\}/).flatMap((part) => {
        const words = part.replace(/^[\s.,:;]+|[\s.,:;]+$/g, '')
        // Short words can be parts of others: they have to stand alone.
        const isThere = words.includes(' ')
          ? [...pieces].some((piece) => piece.includes(words))
          : pieces.has(words) && !said.has(words)
        return words.length > 2 && isThere ? [`${path}: ${words}`] : []
      }),
    )
    expect(left).toEqual([])
  })

  it('shares with the English page only numbers, names and the titles of others', async () => {
    const english = new Set(piecesOf(await textOf('/catalogues/city.html?locale=en')))
    const german = new Set(piecesOf(await textOf('/catalogues/city.html?locale=de')))
    const words = [...german].filter((piece) => english.has(piece) && /\p{L}{3}/u.test(piece))
    const names =
      /^(?:Dataset .*|What city publishes\.|city|.*\.example\.(?:org|net)|CSV|JSON|Format)$/
    expect(words.filter((piece) => !names.test(piece))).toEqual(['At least one value is needed.'])
  })

  it('has the numbers, days and bands of German readers', async () => {
    const page = await textOf('/catalogues/city.html?locale=de')
    expect(languageIn(page)).toBe('de')
    const score = wordsOf(sectionOf(page, 'score'))
    expect(score).toContain('287 von 405 Punkten Gut')
    expect(score).toContain(
      '1.204 von 1.250 Datensätzen wurden gemessen, mit 3.187 Distributionen.',
    )
    expect(wordsOf(page)).toContain('Stand: 22. November 2026 , Auswertung 7')
    const history = wordsOf(sectionOf(page, 'over-time'))
    expect(history).toContain(
      '12 Messungen, von 212 Punkten am 31. Januar 2025 bis 287 von 405 Punkten am 31. Dezember 2025. Niedrigster Wert 212, höchster 287.',
    )
    expect(wordsOf(sectionOf(page, 'indicators'))).toMatch(
      /\(404 6,1\s%, keine Verbindung 1,9\s%, keine gültige URL 0,5\s%, …\) 91,2\s% 50/,
    )
    expect(wordsOf(sectionOf(page, 'violations'))).toContain('dct:format, Verstoß, Art des Knotens')
  })

  it('calls the portal by its name in that language', async () => {
    expect(await textOf('/portal.html?locale=de')).toContain(
      '<h1><bdi>Alle Kataloge der Stadt</bdi>',
    )
    expect(await textOf('/portal.html?locale=fr')).toContain('<h1><bdi>All catalogues</bdi>')
    expect(await textOf('/catalogues/city.html?locale=de')).toContain(
      '<title>Stadt Beispiel – Metadatenqualität – Alle Kataloge der Stadt</title>',
    )
  })

  it('leaves bands with a title of their own as they are', () => {
    const { bandTitle } = wordsFor('de')
    expect(bands.map(bandTitle)).toEqual(['Ausgezeichnet', 'Gut', 'Ausreichend', 'Mangelhaft'])
    expect(bandTitle({ ...bands[0], title: 'Vorbildlich' })).toBe('Vorbildlich')
    expect(bandTitle({ ...bands[0], id: 'constructor', title: 'Good' })).toBe('Good')
  })
})

describe('the language of a report', () => {
  const page = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await asked(path, { headers: { Accept: browser, ...headers } })
    return { answer, text: await answer.text(), vary: answer.headers.get('Vary') ?? '' }
  }

  it.each([
    ['de', 'de'],
    ['de-CH', 'de'],
    ['FR', 'fr'],
    ['it', 'it'],
    ['en-US', 'en'],
  ])(
    'is the one that the address names: %s is %s, whatever Accept-Language says',
    async (locale, language) => {
      const { text, vary } = await page(`/portal?locale=${locale}`, { 'Accept-Language': 'it, fr' })
      expect(languageIn(text)).toBe(language)
      expect(vary).not.toContain('Accept-Language')
    },
  )

  it.each([
    ['de-AT, en;q=0.5', 'de'],
    ['sv, fr;q=0.4, it;q=0.8', 'it'],
    ['de;q=0, fr', 'fr'],
    ['sv', 'en'],
    ['', 'en'],
  ])('else it is the first of Accept-Language: "%s" is %s', async (accepted, language) => {
    for (const path of ['/portal', '/portal.html', '/catalogues/city.html']) {
      const { text, vary } = await page(path, { 'Accept-Language': accepted })
      expect(languageIn(text)).toBe(language)
      expect(vary).toContain('Accept-Language')
    }
  })

  it('else it is the default language of the portal', async () => {
    const portal = { defaultLanguage: 'fr', languages: ['fr', 'de'] } as const
    const app = appOf(figuresOf(), { ...portal, languages: [...portal.languages] })
    const answer = await app.request('http://localhost/api/mqa/reports/portal.html', {
      headers: { 'Accept-Language': 'it' },
    })
    const text = await answer.text()
    expect(languageIn(text)).toBe('fr')
    expect(text).toContain('href="./portal.csv?locale=fr"')
  })

  it('without texts of its own has English words and titles in that language', async () => {
    const titles = { en: 'Lake', sv: 'Sjö' }
    const text = await textOf(
      '/catalogues/city.html?locale=sv',
      figuresOf({ catalogues: [{ ...many[2]!, titles }] }),
    )
    expect(languageIn(text)).toBe('en')
    expect(text).toContain('<h1><bdi lang="sv">Sjö</bdi></h1>')
    expect(wordsOf(text)).toContain('Score over time')
  })

  it('goes along with every link', async () => {
    for (const { text } of [
      await page('/portal?locale=de'),
      await page('/portal', { 'Accept-Language': 'de' }),
    ]) {
      const hrefs = [...text.matchAll(/href="(\.[^"]*)"/g)].map(([, href]) => href)
      expect(hrefs.length).toBeGreaterThan(4)
      for (const href of hrefs) expect(href).toContain('locale=de')
    }
  })

  it('is part of the state of a page', async () => {
    const german = await page('/portal', { 'Accept-Language': 'de' })
    const headers = { 'If-None-Match': german.answer.headers.get('ETag') ?? '' }
    expect((await page('/portal', { ...headers, 'Accept-Language': 'fr' })).answer.status).toBe(200)
    const again = await page('/portal', { ...headers, 'Accept-Language': 'de' })
    expect([again.answer.status, again.vary]).toEqual([
      304,
      expect.stringContaining('Accept-Language'),
    ])
  })
})

describe('CSV and JSON', () => {
  it.each(['csv', 'json'])(
    'say the same in every language but for titles and messages: %s',
    async (form) => {
      const path = `/portal.${form}`
      const plain = figuresOf({ catalogues: many, rules: [] })
      const told = async (locale: string) =>
        (await textOf(`${path}?locale=${locale}`, plain)).replace(`"locale":"${locale}"`, '')
      expect(await told('de')).toBe(await told('en'))
    },
  )

  it.each(['csv', 'json'])('do not follow Accept-Language: %s', async (form) => {
    const [german, any] = await Promise.all(
      ['de', 'en'].map((language) =>
        asked(`/catalogues/city.${form}`, { headers: { 'Accept-Language': language } }),
      ),
    )
    expect(await german?.text()).toBe(await any?.text())
    expect(german?.headers.get('Vary') ?? '').not.toContain('Accept-Language')
  })
})
