/** Suggestions while somebody types, and places that a query names, over records with keywords, themes, publishers and places. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executablePath, openBrowser } from '../support/chromium.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'

let directory: string
let platform: Gateway

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
  @prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  @prefix place: <https://places.example/> . @prefix theme: <http://publications.europa.eu/resource/authority/data-theme/> .
  @prefix country: <http://publications.europa.eu/resource/authority/country/> .\n`

async function put(path: string, body: string): Promise<void> {
  const answer = await client(platform).put(path, prefixes + body)
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

const catalogue = (id: string, country: string) =>
  put(
    `/catalogues/${id}`,
    `<https://${id}.example/> a dcat:Catalog ; dct:title "${id}"@en ; dct:spatial country:${country} .`,
  )

const dataset = (id: string, title: string, more = '', where = 'city') =>
  put(
    `/catalogues/${where}/datasets/origin?originalId=${id}`,
    `<https://city.example/${id}> a dcat:Dataset ; dct:title ${title} ${more} .`,
  )

beforeAll(async () => {
  directory = await temporaryDirectory()
  platform = await gateway(directory)
  await put(
    '/vocabularies/places',
    `<https://places.example/> a skos:ConceptScheme ; skos:prefLabel "Places"@en .
     place:bs a skos:Concept ; skos:inScheme <https://places.example/> ;
       skos:prefLabel "Basel"@de, "Bâle"@fr, "Basilea"@it ; skos:altLabel "Basel-Stadt"@de .
     place:ny a skos:Concept ; skos:inScheme <https://places.example/> ; skos:prefLabel "New York"@en .
     place:y a skos:Concept ; skos:inScheme <https://places.example/> ; skos:prefLabel "York"@en .
     place:far a skos:Concept ; skos:inScheme <https://places.example/> ; skos:prefLabel "Farland"@en .`,
  )
  await catalogue('city', 'DEU')
  await catalogue('canton', 'CHE')
  await dataset('levels', '"River Levels"@en', ' ; dcat:keyword "flood levels"@en')
  await dataset('level', '"Level of the lake"@en', ' ; dct:spatial place:bs')
  await dataset('legal', '"Legal texts"@en', ' ; dcat:theme theme:ENVI')
  await dataset('lengths', '"River lengths"@en', ' ; dct:description "levels of rivers"@en')
  await dataset('trees', '"Trees"@en, "Bäume"@de', ' ; dct:spatial place:bs, place:ny')
  await dataset(
    'parks',
    '"Parks"@en',
    ' ; dct:spatial place:y, [ a dct:Location ; skos:prefLabel "Auenfeld" ]',
  )
  await dataset(
    'lists',
    '"Lists"@en',
    ' ; dct:publisher [ a foaf:Organization ; foaf:name "Levelling office" ] ; dcat:theme theme:ENVI',
  )
  await dataset('wald', '"Wald"@de', '', 'canton')
  await dataset('zander', '"Stream zander"@en, "Zahlen"@de', '', 'canton')
  await dataset('zahlen', '"Stream"@en, "Zahlen im Fluss"@de', '', 'canton')
  // Lines that take more than a second are left out, which the first ones do on a busy machine.
  await eventually(async () => (await lines('words', 'lev')).length > 0)
})
afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

type Line = {
  readonly label: string
  readonly path: string
  readonly about: string
  readonly count?: number
}

const page = async (path: string): Promise<string> =>
  (await fetch(platform.url + path, { headers: { Accept: 'text/html' } })).text()

async function suggest(
  q: string,
  language = 'en',
): Promise<Readonly<Record<string, readonly Line[]>>> {
  const answer = await fetch(`${platform.url}/${language}/suggest?q=${encodeURIComponent(q)}`)
  return (await answer.json()) as Readonly<Record<string, readonly Line[]>>
}

/** Lines of a kind, each with what it says about itself. */
const lines = async (kind: string, q: string, language?: string) =>
  ((await suggest(q, language))[kind] ?? []).map(({ label, about }) => `${label} (${about})`)

describe('suggestions', () => {
  it('complete the last word from the dictionary, with the hits of the completed query', async () => {
    // Words with the same stem are one line, because they have the same hits.
    expect(await lines('words', 'lev')).toEqual(['levels (Word · 4 datasets)'])
    expect(await lines('words', 'le', 'de')).toEqual([
      'levels (Wort · 4 Datensätze)',
      'Legal (Wort · Ein Datensatz)',
      'lengths (Wort · Ein Datensatz)',
    ])
    const [first] = (await suggest('river le'))['words'] ?? []
    expect(first).toMatchObject({ label: 'river levels', path: '/en/datasets?q=river+levels' })
    const text = await page(first?.path ?? '')
    expect(text).toContain(`Hits 1 to ${first?.count} of ${first?.count}`)
  })

  it('complete with words of the language of the words before first', async () => {
    const labels = async (q: string) =>
      ((await suggest(q))['words'] ?? []).map(({ label }) => label)
    expect(await labels('za')).toEqual(['Zahlen', 'zander'])
    expect(await labels('stream za')).toEqual(['stream zander', 'stream Zahlen'])
    expect(await labels('Fluss za')).toEqual(['Fluss Zahlen'])
  })

  it.each(['river ', 'title:le', '"river le"', 'river -', 'x', 'le AND', '🌊', ''])(
    'complete no word of %j',
    async (q) => {
      expect(await lines('words', q)).toEqual([])
    },
  )

  it('are values of facets of each kind, with counts, and lead to the list with this filter', async () => {
    expect(await lines('keywords', 'lev')).toEqual(['flood levels (Keyword · One dataset)'])
    expect(await lines('publishers', 'lev')).toEqual(['Levelling office (Publisher · One dataset)'])
    expect(await lines('themes', 'env')).toEqual(['Environment (Theme · 2 datasets)'])
    expect(await lines('places', 'bas', 'de')).toEqual(['Basel (Ort · 2 Datensätze)'])
    expect(await lines('places', 'ger')).toEqual(['Germany (Place · 7 datasets)'])
    const { keywords = [], themes = [], places = [] } = await suggest('lev')
    expect([themes, places]).toEqual([[], []])
    expect(await page(keywords[0]?.path ?? '')).toContain('Hits 1 to 1 of 1')
  })

  it.each([
    ['de', 'umw', 'Umwelt (Thema · 2 Datensätze)'],
    ['fr', 'env', 'Environnement (Thème · 2 jeux de données)'],
    ['it', 'amb', 'Ambiente (Tema · 2 dataset)'],
  ])('name kinds and values in the language of the page: %s', async (language, q, line) => {
    expect(await lines('themes', q, language)).toEqual([line])
  })

  it('are titles that lead to their record', async () => {
    expect((await suggest('legal'))['titles']).toEqual([
      { label: 'Legal texts', path: '/en/datasets/legal', about: 'Dataset' },
    ])
  })
})

it.skipIf(executablePath === undefined)(
  'a list of suggestions names the kind of each line, follows the arrows, and asks once for quick typing (skipped without Chromium)',
  async () => {
    const browser = await openBrowser()
    try {
      const tab = await browser.newPage()
      const asked: string[] = []
      tab.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url())
        if (pathname.endsWith('/suggest')) asked.push(searchParams.get('q') ?? '')
      })
      await tab.goto(`${platform.url}/en/datasets`)
      // The letters come in one moment, however slow the machine is; then the pause after the last one ends.
      await tab.clock.install()
      await tab.type('#q', 'river le')
      await tab.clock.runFor(1000)
      const option = tab.locator('[role=listbox] [role=option]')
      await option.first().waitFor()
      expect(asked).toEqual(['river le'])
      const texts = await option.allTextContents()
      expect([...texts.slice(0, 2).toSorted(), ...texts.slice(2)]).toEqual([
        'River Levels Dataset',
        'River lengths Dataset',
        'river levels Word · 4 datasets',
        'river lengths Word · 2 datasets',
      ])
      for (const _ of [1, 2, 3]) await tab.keyboard.press('ArrowDown')
      expect(await tab.getAttribute('#q', 'aria-activedescendant')).toBe('q-suggestions-2')
      await tab.keyboard.press('Enter')
      await tab.waitForURL(/q=river\+levels/)
      expect(await tab.inputValue('#q')).toBe('river levels')
    } finally {
      await browser.close()
    }
  },
)

/** Places offered above the hits: text and address of each link. */
async function offered(q: string, language = 'en', more = '') {
  const text = await page(`/${language}/datasets?q=${encodeURIComponent(q)}${more}`)
  const link =
    /<p><a href="([^"]+)">([^<]+) <strong>([^<]+)<\/strong><\/a>\s*<span class="soft">· ([^<]+)</g
  return [...text.matchAll(link)].map(([, href = '', before, name, count]) => ({
    href: href.replaceAll('&amp;', '&'),
    text: `${before} ${name}: ${count}`,
  }))
}

describe('a place in a query', () => {
  it.each([
    ['trees Basel', 'en', 'Only datasets for Basel: One dataset'],
    ['Bäume Basel', 'de', 'Nur Datensätze für Basel: Ein Datensatz'],
    ['trees bâle', 'fr', 'Seulement les jeux de données de ce lieu : Bâle: Un jeu de données'],
    ['trees BASILEA', 'it', 'Solo i dataset per Basilea: Un dataset'],
    ['basel stadt trees', 'en', 'Only datasets for Basel: One dataset'],
    ['Basel', 'en', 'Only datasets for Basel: 2 datasets'],
    ['trees New York', 'en', 'Only datasets for New York: One dataset'],
    ['parks Auenfeld', 'en', 'Only datasets for Auenfeld: One dataset'],
    ['Wald Schweiz', 'de', 'Nur Datensätze für Schweiz: Ein Datensatz'],
    ['Wald Svizzera', 'en', 'Only datasets for Switzerland: One dataset'],
  ])('is offered as a filter: %s', async (q, language, expected) => {
    const places = await offered(q, language)
    expect(places.map(({ text }) => text)).toEqual([expected])
    const count = expected.endsWith('2 datasets') ? 2 : 1
    const text = await page(places[0]?.href ?? '')
    expect(text.match(/<li><h2>/g)).toHaveLength(count)
    expect(text).toContain('class="chip"')
  })

  it('leaves the rest of a question, without its question mark', async () => {
    const [place] = await offered('Where are trees in Basel?')
    expect(place?.href).toMatch(/\?q=Where\+are\+trees\+in&/)
  })

  it('keeps the query where the rest finds nothing there, and where it has operators', async () => {
    expect(await offered('legal Basel')).toMatchObject([
      {
        href: `/en/datasets?q=legal+Basel&spatial=${encodeURIComponent('https://places.example/bs')}`,
      },
    ])
    expect(await offered('trees AND NOT Wald')).toEqual([])
  })

  it.each(['trees', 'trees Farland', 'trees Japan', '"', 'x'.repeat(900)])(
    'is not offered without records: %s',
    async (q) => {
      expect(await offered(q)).toEqual([])
    },
  )

  it('is not offered again where the search is filtered by places', async () => {
    expect(await offered('Wald Schweiz', 'de', '&country=ch')).toEqual([])
  })

  it('has its name in the language of the page on the chip of the filter', async () => {
    const text = await page(
      `/fr/datasets?spatial=${encodeURIComponent('https://places.example/bs')}`,
    )
    expect(text).toMatch(/class="chip"[^]*?Lieu: <bdi>Bâle/)
  })
})
