/** What people type and what it finds, on every engine: the named cases of the design, and synonyms of the operator. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSynonyms } from '../../../src/config/synonyms.ts'
import type { Document } from '../../../src/search-index/search-index.ts'
import { sortText } from '../../../src/text/sort-text.ts'
import type { Made } from '../../contracts/search-index-corpus.ts'
import { documentOf } from './corpus.ts'
import { idsOf, searchFixture, type SearchFixture } from './search-fixture.ts'

/** Name, language and title of each dataset; ids have a letter before the name, because words find ids too. */
const titles: readonly (readonly [string, string, string])[] = [
  ['light', 'de', 'Straßenbeleuchtung'],
  ['care', 'en', 'Childcare facilities'],
  ['cares', 'en', 'Places of day care'],
  ['wifi', 'en', 'Wi-Fi coverage'],
  ['spots', 'en', 'Hotspots'],
  ['cycle', 'en', 'Cycle-paths of the city'],
  ['park', 'de', 'Park-and-Ride-Plätze'],
  ['ecole', 'fr', 'Effectifs des écoles'],
  ['eau', 'fr', 'Points d’eau potable'],
  ['acqua', 'it', 'Qualità dell’acqua'],
  ['sykkel', 'nb', 'Sykkelveier'],
  ['hat', 'tr', 'Otobüs hatları'],
  ['skola', 'uk', 'школи'],
  ['ue', 'de', 'Haushalt Muenchen'],
  ['umlaut', 'de', 'München in Zahlen'],
  ['crossing', 'de', 'Fußgängerüberwege'],
  ['w1', 'de', 'Proben von Trinkwasser'],
  ['w2', 'de', 'Wassertemperatur der Seen'],
  ['w3', 'de', 'Grundwasser'],
  ['w4', 'de', 'Wasserstände'],
  ['kita', 'de', 'Kita'],
  ['garten', 'de', 'Kindergärten der Stadt'],
  ['truck', 'de', 'Lastwagen'],
  ['nahverkehr', 'de', 'Halte des öffentlichen Nahverkehrs'],
  ['corona', 'en', 'Corona cases'],
  ['covid', 'en', 'COVID-19 tests'],
  ['die', 'en', 'Tool and die makers'],
  ['wuerfel', 'de', 'Würfelspiele'],
]

const file = `
kita, kindergarten
lkw => lastwagen
öpnv, öffentlicher Nahverkehr
child care => kita
covid-19, corona
[de]
spiel, die => Würfelspiele
`

const dataset = ([name, language, title]: (typeof titles)[number]): Document => {
  const id = `z${name}`
  const text = { title: { [language]: [title] } }
  const made = documentOf({ index: 'dataset', id, text, facets: {} })
  return { ...made, record: { ...made.record, id, title: { [language]: title } } }
}

/** The cases; `engine` as of the station. */
export function foundWordsContract(engine?: () => Promise<Made>): void {
  let search: SearchFixture
  const directory = mkdtempSync(join(tmpdir(), 'synonyms-'))
  beforeAll(async () => {
    const path = join(directory, 'synonyms.txt')
    writeFileSync(path, file)
    const read = readSynonyms(path)
    if (!read.ok) throw new Error(read.problems.join())
    search = await searchFixture(titles.map(dataset), { synonyms: read.synonyms, engine })
  })
  afterAll(async () => {
    await search.close()
    rmSync(directory, { recursive: true })
  })
  const found = async (q: string) => {
    const path = `/search?filters=dataset&limit=50&q=${encodeURIComponent(q)}`
    const ids = idsOf(await search.get(path)).replaceAll(/\bz/g, '')
    return ids.split(' ').toSorted().join(' ')
  }

  it.each([
    ['Beleuchtung', 'light'],
    ['daycare', 'cares'],
    ['wifi', 'wifi'],
    ['Wi-Fi', 'wifi'],
    ['hot-spots', 'spots'],
    ['hot spots', 'spots'],
    ['cycle-path', 'cycle'],
    ['cycle paths', 'cycle'],
    ['Park-and-Ride-Platz', 'park'],
    ["d'école", 'ecole'],
    ["l'eau", 'eau'],
    ["dell'acqua", 'acqua'],
    ['sykkelvei', 'sykkel'],
    ['hattı', 'hat'],
    ['школа', 'skola'],
    ['München', 'ue umlaut'],
    ['Muenchen', 'ue umlaut'],
    ['Fussgaengerueberwege', 'crossing'],
    ['wasser', 'w1 w2 w3 w4'],
  ])('%s finds %s', async (q, ids) => {
    expect(await found(q)).toBe(ids)
  })

  describe('synonyms', () => {
    it.each([
      ['kita', 'garten kita'],
      ['Kindergarten', 'garten kita'],
      ['LKW', 'truck'],
      ['lastwagen', 'truck'],
      ['ÖPNV', 'nahverkehr'],
      ['covid-19', 'corona covid'],
      ['corona', 'corona covid'],
      ['title:kita', 'garten kita'],
      ['kita AND stadt', 'garten'],
    ])('%s finds %s', async (q, ids) => {
      expect(await found(q)).toBe(ids)
    })
    it('of several words stand for these side by side', async () => {
      expect(await found('child care')).toBe('care cares kita')
      expect(await found('child play care')).toBe('cares')
    })
    it('of a language are found in texts of this language alone', async () => {
      expect(await found('die')).toBe('die wuerfel')
    })
    it('are not found by quoted words, wildcards and words after NOT', async () => {
      expect(await found('"kita"')).toBe('kita')
      expect(await found('kita*')).toBe('kita')
      expect(await found('stadt NOT kita')).toBe('garten')
    })
    it('are not searched for a query of more than 32 words', async () => {
      const others = Array.from({ length: 32 }, (_, i) => ` qw${i}`).join('')
      expect(await found(`kita${others}`)).toBe('kita')
    })
    it('count less than the word', async () => {
      const { body } = await search.get('/search?filters=dataset&q=corona&showScore=true')
      expect(body.result.results.map(({ id }) => id)).toEqual(['zcorona', 'zcovid'])
    })
    it('are marked', async () => {
      const path = '/search?filters=dataset&q=kindergarten&highlight=title&includes=id,title'
      const { results } = (await search.get(path)).body.result
      const marks = results.map(({ id, _highlight }) => [id, _highlight])
      expect(Object.fromEntries(marks)).toEqual({
        zgarten: { title: [[0, 12]] },
        zkita: { title: [[0, 4]] },
      })
    })
    it('are found by CKAN clients', async () => {
      const { body } = await search.get('/ckan/api/3/action/package_search?q=lkw')
      expect(body.result.count).toBe(1)
    })
  })

  it.each([
    ['sv', 'Zinkgruvan|Öland|Åre|Ängelholm|Ale', 'Ale|Zinkgruvan|Åre|Ängelholm|Öland'],
    ['en', '10 wards|2 wards|1 ward', '1 ward|2 wards|10 wards'],
  ])(
    'titles in %s are in the order of its alphabet and of numbers',
    async (language, some, all) => {
      const order = (title: string) => sortText(title, language)
      const changes = some.split('|').map((title, i) => {
        const document = dataset([`sort${i}`, language, title])
        const orders = { title: order(title), 'title.en': order(title), 'title.sv': order(title) }
        return { put: { ...document, id: `${language}${i}`, order: orders, version: 2 } }
      })
      await search.index.write(changes)
      const q = some.split('|').map((title) => title.split(' ').at(-1))
      const path = `/search?filters=dataset&q=${encodeURIComponent(q.join(' '))}&sort=title.${language} asc`
      const { results } = (await search.get(path)).body.result
      expect(results.map(({ title }) => Object.values(Object(title))[0]).join('|')).toBe(all)
    },
  )
}
