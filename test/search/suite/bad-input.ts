/** Queries and texts that are no use to anybody: each has an answer or a refusal in words, and loses no record. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Document } from '../../../src/search-index/search-index.ts'
import type { Made } from '../../contracts/search-index-corpus.ts'
import { documentOf } from './corpus.ts'
import { idsOf, searchFixture, type Reply, type SearchFixture } from './search-fixture.ts'

const longWord = 'donau'.repeat(2_000)
const compound = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen'

/** Id, language and title of each dataset. */
const titles: readonly (readonly [string, string, string])[] = [
  ['z1', 'en', 'Where the river is'],
  ['z2', 'de', compound],
  ['z3', 'de', longWord],
  ['z4', 'de', 'Donau'],
  ['z5', 'ru', 'Вода water 水質 น้ำ مياه'],
  ['z6', '', 'tagless'],
  ['z7', 'not a language!', 'mistagged'],
  ['z8', 'de-x-private-und-sehr-lang', 'subtagged Bäume'],
  ['z9', 'EN', 'shouting stations'],
  ['z10', '__proto__', 'inherited'],
  ['z11', 'de', '!!! … ???'],
  ['z12', 'de', '\ue000 \ue001 \ue003 \u0000 \ufeff separators'],
  ['z13', 'de', 'ａｂｃ ﬁnanzen'],
  ['z14', 'de', `Wasser${'́'.repeat(500)}`],
  ['z15', 'en', 'word '.repeat(30_000)],
]

const dataset = ([id, language, title]: (typeof titles)[number]): Document => {
  const text = { title: Object.fromEntries([[language, [title]]]) }
  const made = documentOf({ index: 'dataset', id, text, facets: {} })
  return { ...made, record: { ...made.record, id, title: text.title } }
}

/** The cases; `engine` as of the station. */
export function badInputContract(engine?: () => Promise<Made>): void {
  let search: SearchFixture
  beforeAll(async () => {
    search = await searchFixture(titles.map(dataset), engine ? { engine } : {})
  })
  afterAll(() => search.close())
  const ask = (q: string, more = '') =>
    search.get(`/search?filters=dataset&limit=50&q=${encodeURIComponent(q)}${more}`)
  const refusal = ({ status, body }: Reply) => [status, body.errors?.[0]?.parameter]

  it('no record is lost, whatever its language is called', async () => {
    const { body } = await ask('')
    expect(body.result.count).toBe(titles.length)
  })

  it.each([
    ['the only word of many', 'Donau', 'z2 z3 z4'],
    ['a compound of compounds', compound, 'z2'],
    ['an unknown compound of compounds', `${compound}verordnung`, ''],
    ['a part of it', 'Dampfschifffahrtsgesellschaft', ''],
    ['stop words alone', 'where the is', 'z1'],
    ['one stop word', 'the', 'z1'],
    ['punctuation alone', '!!! ??? … — ""', ''],
    ['brackets and operators alone', '(((NOT))) [TO] AND OR', ''],
    ['a mixed script', 'Вода水質', ''],
    ['one of several scripts', '水質', 'z5'],
    ['Thai', 'น้ำ', 'z5'],
    ['a text without a language', 'tagless', 'z6'],
    ['a text of no language', 'mistagged', 'z7'],
    ['a long tag', 'baum', 'z8'],
    ['a tag in capitals', 'station', 'z9'],
    ['a tag that objects inherit', 'inherited', 'z10'],
    ['the separators of the index', 'separators', 'z12'],
    ['separators in a query', '\ue000 \ue001 \ue003', ''],
    ['ligatures and wide letters', 'abc finanzen', 'z13'],
    ['a language that does not exist', 'title.xx-yy:donau', ''],
    ['many equal words', 'donau '.repeat(256), 'z4'],
    ['many unknown words', Array.from({ length: 256 }, (_, i) => `qw${i}`).join(' '), ''],
    ['many unknown compounds', 'unbekannteswort '.repeat(32), ''],
    ['everything but something', 'NOT donau', 'z1 z2 z3 z5 z6 z7 z8 z9 z10 z11 z12 z13 z14 z15'],
  ])('%s', async (_, q, ids) => {
    const answer = await ask(q)
    expect([answer.status, idsOf(answer).split(' ').filter(Boolean).toSorted()]).toEqual([
      200,
      ids.split(' ').filter(Boolean).toSorted(),
    ])
    const extra = '&highlight=title,description&related=true&suggestions=true&showScore=true'
    expect((await ask(q, extra)).status).toBe(200)
  })

  it.each([
    ['a word of ten thousand letters', longWord],
    ['five hundred words', 'river '.repeat(500)],
    ['forty levels of brackets', `${'('.repeat(40)}river${' x)'.repeat(40)}`],
  ])('%s is refused', async (_, q) => {
    const answer = await ask(q)
    expect(refusal(answer)).toEqual([400, 'q'])
    expect(String(answer.body['detail'])).toMatch(/q may (?:have|nest) at most \d+/)
  })

  it('lone surrogates find nothing', async () => {
    const answer = await search.post(
      '/search',
      String.raw`{"q":"\ud800 \udfff","filters":["dataset"]}`,
    )
    expect([answer.status, answer.body.result.count]).toEqual([200, 0])
  })

  it('the first letters of a longer word find it', async () => {
    const answer = await ask(longWord.slice(0, 4_000))
    expect([answer.status, idsOf(answer)]).toEqual([200, 'z3'])
  })

  it.each(['*', '*:*', 'd* OR NOT d*', '(a OR NOT a)'])('%s matches everything', async (q) => {
    const { body } = await ask(q)
    expect(body.result.count).toBe(titles.length)
  })
}
