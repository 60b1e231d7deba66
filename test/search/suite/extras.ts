/** What pages ask of a search beside its hits, on every engine: marked words, other queries, facets without their own values, similar datasets. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Made } from '../../contracts/search-index-corpus.ts'
import type { Document } from '../../../src/search-index/search-index.ts'
import { documentOf } from './corpus.ts'
import { searchFixture, type SearchFixture } from './search-fixture.ts'

type About = { readonly country?: string; readonly themes?: readonly string[] }

export function extrasDataset(
  id: string,
  title: string,
  { country = 'de', themes = [] }: About = {},
): Document {
  const text = { title: { en: [title] } }
  const made = documentOf({ index: 'dataset', id, text, facets: { country: [country] } })
  const categories = themes.map((one) => ({ id: one, label: { en: one } }))
  const language = [{ id: 'en' }]
  return { ...made, record: { ...made.record, id, title: { en: title }, categories, language } }
}

const held = [
  extrasDataset('e01', 'Water levels of rivers', { themes: ['ENVI'] }),
  extrasDataset('e02', 'Water quality', { country: 'fr', themes: ['HEAL'] }),
  extrasDataset('e03', 'Water levels of lakes', { country: 'fr', themes: ['ENVI'] }),
  extrasDataset('e04', 'Waiters and waitresses', { themes: ['ECON'] }),
  extrasDataset('e05', 'Cycle paths', { themes: ['TRAN'] }),
  extrasDataset('e06', 'Qualité des plages'),
  extrasDataset('e07', 'Theme parks'),
]

/** The contract; `engine` as of the station. */
export function extrasContract(engine?: () => Promise<Made>): void {
  let search: SearchFixture
  beforeAll(async () => {
    search = await searchFixture(held, engine ? { engine } : {})
  })
  afterAll(() => search.close())
  const get = async (query: string) =>
    (await search.get(`/search?filters=dataset&${query}`)).body.result

  /** Suggestions stop when their time is over, which a busy machine may need longer than: then they are asked for again. */
  const suggesting = async (query: string) => {
    for (let turn = 1; ; turn++) {
      const result = await get(`${query}&suggestions=true`)
      if (turn === 50 || JSON.stringify(result['suggestions']) !== '[]') return result
    }
  }

  const idsOf = ({ results }: { readonly results?: readonly { readonly id?: string }[] }) =>
    (results ?? []).map(({ id = '' }) => id).toSorted()

  describe('related=true', () => {
    /** The look-up of near words stops when its time is over, too. */
    const related = async (query: string) => {
      for (let turn = 1; ; turn++) {
        const result = await get(`${query}&related=true&includes=id`)
        if (turn === 50 || result['instead'] !== undefined) return result
      }
    }
    it('finds the nearest words in place of one that no record has, and names both', async () => {
      const result = await related('q=watre')
      expect(result['instead']).toEqual({ watre: ['water'] })
      expect([result['count'], idsOf(result)]).toEqual([3, ['e01', 'e02', 'e03']])
    })
    it('finds records with the other words as before, those with more of them first', async () => {
      const { instead, count, results } = await related('q=rivers watre')
      expect(instead).toEqual({ watre: ['water'] })
      expect([count, results[0]?.['id']]).toEqual([3, 'e01'])
    })
    it('names the word as it was typed, and takes all words of the smallest distance', async () => {
      const { instead } = await related(`q=${encodeURIComponent('Quälitt')}`)
      expect(instead).toEqual({ quälitt: ['qualite', 'quality'] })
    })
    it('takes a question mark for punctuation', async () => {
      const { instead, count } = await related('q=where is watre?')
      expect([instead, count]).toEqual([{ watre: ['water'] }, 3])
    })
    it('finds the words that a wildcard finds beside those of a question', async () => {
      const found = async (query: string) => idsOf(await get(`${query}&includes=id`)).join(' ')
      expect(await found('q=lake?')).toBe('e03')
      expect(await found('q=lake? river?&related=true')).toBe('e01 e03')
      expect(await found('q=wate?')).toBe('e01 e02 e03')
      expect(await found('q=wate?&related=true')).toBe('e01 e02 e03')
      expect(await found('q=wat??&related=true')).toBe('e01 e02 e03')
      expect(await found('q=path?')).toBe('e05')
      expect(await found('q=paths?')).toBe('')
      expect(await found('q=paths?&related=true')).toBe('e05')
    })
    it('leaves stop words as they are', async () => {
      const { instead, count } = await related('q=there is watre')
      expect([instead, count]).toEqual([{ watre: ['water'] }, 3])
    })
    it('asks for suggestions only where nothing is replaced, or nothing is found', async () => {
      const { suggestions } = await related('q=watre&suggestions=true')
      expect(suggestions).toEqual([])
      const none = encodeURIComponent('{"country":["xx"]}')
      const { count, ...others } = await suggesting(`q=watre&related=true&facets=${none}`)
      expect([count, others['suggestions']]).toEqual([0, [{ q: 'water', count: 3 }]])
    })
    it.each([
      'q=watre AND rivers',
      'q="watre"',
      'q=title:watre',
      'q=watr*e',
      'q=watr?e?',
      'q=watre*',
      'q=NOT watre',
      'q=water',
      'q=wat',
      'q=watre&sort=modified desc',
      'q=watre&scroll=true',
      'q=watre&autocomplete=true',
      'q=',
    ])('leaves %s as it is', async (query) => {
      const plain = await get(`${query}&includes=id`)
      const result = await get(`${query}&related=true&includes=id`)
      expect(result['instead']).toBeUndefined()
      expect([result['count'], idsOf(result)]).toEqual([plain['count'], idsOf(plain)])
    })
  })

  describe('words', () => {
    const found = async (query: string) => {
      const { count, results } = await get(`${query}&includes=id`)
      expect(count).toBe(results?.length)
      return idsOf({ results }).join(' ')
    }
    it.each([
      ['q=water cycle', 'e01 e02 e03 e05', 'e01 e02 e03 e05'],
      // Water is in half of the records, the other words are in one.
      ['q=water paths waitresses qualité', 'e01 e02 e03 e04 e05 e06', 'e04 e05 e06'],
      ['q=water of xylophone harmonica banjo', 'e01 e02 e03', 'e01 e02 e03'],
      ['q=water and of', 'e01 e02 e03 e04', 'e01 e02 e03'],
    ])('leave of %s the records with most of the words', async (query, any, most) => {
      expect(await found(query)).toBe(any)
      expect(await found(`${query}&words=any`)).toBe(any)
      expect(await found(`${query}&words=most`)).toBe(most)
    })
    it.each(['most', 'all'])('%s count a word with a question mark', async (words) => {
      expect(await found(`q=what are the levels of rivers?&words=${words}`)).toBe(
        words === 'all' ? 'e01' : 'e01 e03',
      )
      expect(await found(`q=rivers wate?&words=${words}`)).toBe(
        words === 'all' ? 'e01' : 'e01 e02 e03',
      )
    })
    it('leave all records where none has most of the words', async () => {
      const french = encodeURIComponent('{"country":["fr"]}')
      const query = `q=water paths waitresses plages&facets=${french}`
      expect(await found(`${query}&words=most`)).toBe('e02 e03')
    })
    it('leave only records with all words but stop words', async () => {
      expect(await found('q=the levels of water&words=all')).toBe('e01 e03')
      expect(await found('q=water quality&words=all')).toBe('e02')
      expect(await found('q=water xylophone&words=all')).toBe('')
    })
    it('are counted together where each of many is too frequent to decide alone', async () => {
      const two = 'q=rivers lakes water waiters cycle paths plages levels'
      expect(await found(`${two}&words=most`)).toBe('e01 e03 e05')
    })
    it('count the facets of the records that they leave', async () => {
      const { facets } = await get('q=water quality&words=all&limit=0')
      const country = facets?.find(({ id }) => id === 'country')?.items
      expect(country?.map(({ id, count }) => [id, count])).toEqual([['fr', 1]])
    })
    it.each(['water OR quality', 'water OR (quality paths)', 'NOT water', '*'])(
      'are ignored where the query %s has operators',
      async (q) => {
        const query = `q=${encodeURIComponent(q)}`
        expect(await found(`${query}&words=all`)).toBe(await found(query))
      },
    )
    it('leave the same records on the pages of a snapshot', async () => {
      expect(await found('q=water quality&words=all&scroll=true')).toBe('e02')
      expect(await found('q=water paths waitresses qualité&words=most&scroll=true')).toBe(
        'e04 e05 e06',
      )
    })
  })

  describe('explain=true', () => {
    const whyOf = async (query: string, id: string) => {
      const { results } = await get(`${query}&explain=true&includes=id`)
      const hit = results?.find((each) => each['id'] === id)
      expect(Object.keys(hit ?? {}).toSorted()).toEqual(['_why', 'id'])
      return hit?.['_why']
    }
    it('names the words of the query in a record, their forms and fields, and their share', async () => {
      const word = { word: 'water', as: 'water', how: 'word', in: ['title.en'], share: 1 }
      const root = { word: 'river', as: 'rivers', how: 'root', in: ['title.en'], share: 1 }
      expect(await whyOf('q=river water xylophone', 'e01')).toEqual({
        words: [root, word],
        side: 0,
        title: false,
      })
    })
    it('names words in place of others', async () => {
      const why = async () => Object(await whyOf('q=watre&related=true', 'e02'))['words']
      const near = { word: 'watre', as: 'water', how: 'instead', in: ['title.en'], share: 0.5 }
      await expect.poll(why).toEqual([near])
    })
    it('shows accents as the record has them', async () => {
      const { words } = Object(await whyOf('q=qualite', 'e06'))
      expect(words).toMatchObject([{ word: 'qualite', as: 'qualité', how: 'word' }])
    })
    it('counts words that are side by side, and knows the title', async () => {
      expect(await whyOf('q=water levels rivers', 'e03')).toMatchObject({ side: 1, title: false })
      expect(await whyOf('q=Water quality', 'e02')).toMatchObject({ side: 1, title: true })
    })
    it('explains phrases, wildcards and words of one field', async () => {
      const { words } = Object(
        await whyOf('q="levels of" wat*r title:lakes description:water', 'e03'),
      )
      expect(words).toMatchObject([
        { word: 'levels of', as: 'levels of' },
        { word: 'wat*r', as: 'water' },
        { word: 'lakes', as: 'lakes' },
      ])
    })
  })

  describe('suggestions', () => {
    it('replace a word that no record has, with what the new query finds', async () => {
      const { count, suggestions } = await suggesting('q=watre')
      expect([count, suggestions]).toEqual([0, [{ q: 'water', count: 3 }]])
    })
    it('leave the other words of the query and its operators as they are', async () => {
      const { suggestions } = await suggesting('q=rivers AND levals')
      expect(suggestions).toEqual([{ q: 'rivers AND levels', count: 1 }])
    })
    it('are counted under the same filters, and without them where those leave nothing', async () => {
      const some = encodeURIComponent('{"country":["fr"]}')
      const none = encodeURIComponent('{"country":["xx"]}')
      const [within, without] = [
        await suggesting(`q=watre&facets=${some}`),
        await suggesting(`q=watre&facets=${none}`),
      ]
      expect(within['suggestions']).toEqual([{ q: 'water', count: 2 }])
      expect(without['suggestions']).toEqual([{ q: 'water', count: 3 }])
    })
    it('are written as the records write them, whatever the dictionary makes of accents', async () => {
      const { suggestions } = await suggesting('q=qualite OR plagse')
      expect(suggestions).toEqual([{ q: 'qualite OR plages', count: 1 }])
      expect((await suggesting('q=qualitt'))['suggestions']).toEqual([
        { q: 'qualité', count: 1 },
        { q: 'quality', count: 1 },
      ])
    })
    it('are empty where enough was found or nothing is near, and absent unless asked for', async () => {
      expect((await get('q=water&suggestions=true'))['suggestions']).toEqual([])
      expect((await get('q=xylophone&suggestions=true'))['suggestions']).toEqual([])
      expect((await get('suggestions=true'))['suggestions']).toEqual([])
      expect(await get('q=watre')).not.toHaveProperty('suggestions')
    })
    it('come by POST too', async () => {
      const body = JSON.stringify({ q: 'watre', filters: ['dataset'], suggestions: true })
      const { result } = (await search.post('/search', body)).body
      expect(result['suggestions']).toEqual([{ q: 'water', count: 3 }])
    })
  })

  it('names what is no parameter, and refuses it with the right name where that is asked for', async () => {
    expect((await get('limt=1&q=water&page[]=0&sotr=&x=1'))['ignored']).toEqual(['limt', 'x'])
    expect(await get('q=water')).not.toHaveProperty('ignored')
    const body = { q: 'water', limt: 1, searchParams: {}, boost: {}, other: { a: 1 }, no: null }
    const posted = await search.post('/search', JSON.stringify(body))
    expect(posted.body.result['ignored']).toEqual(['limt', 'other'])
    const strict = await search.get('/search?limt=1&quantum=2&strict=true')
    expect([strict.status, strict.body['errors']]).toEqual([
      400,
      [
        { parameter: 'limt', detail: 'limt is no parameter of the search; did you mean limit?' },
        { parameter: 'quantum', detail: 'quantum is no parameter of the search' },
      ],
    ])
    const many = await get(
      `${Array.from({ length: 50 }, (_, n) => `${'x'.repeat(99)}${n}=1`).join('&')}&q=water`,
    )
    expect(JSON.stringify(many['ignored']).length).toBeLessThan(1500)
  })

  it('marks words by offsets, in the texts that were asked for', async () => {
    const [first] = (await get('q=river&highlight=title,description&includes=id,title')).results
    expect(first).toMatchObject({ id: 'e01', _highlight: { title: [[16, 22]] } })
    const [other] = (await get('q=river&highlight=description')).results
    expect(other).not.toHaveProperty('_highlight')
  })

  it('counts a facet without its own values when asked to', async () => {
    const chosen = encodeURIComponent('{"country":["fr"]}')
    const only = `q=water&facets=${chosen}&aggregationAllFields=false&aggregationFields=country`
    const counts = async (query: string) =>
      (await get(query)).facets?.[0]?.items.map(({ id, count }) => [id, count])
    expect(await counts(only)).toEqual([['fr', 2]])
    expect(await counts(`${only}&facetSelf=false`)).toEqual([
      ['fr', 2],
      ['de', 1],
    ])
    const global = await counts(`${only}&globalAggregation=true`)
    expect(global?.length).toBeGreaterThan(1)
    expect(await counts(`${only}&globalAggregation=true&facetSelf=false`)).toEqual(global)
  })

  it('names facets and their values in the language asked for, as far as they have names in it', async () => {
    const named = async (locale: string) => {
      const { facets = [] } = await get(`locale=${locale}`)
      const { items = [] } = facets.find(({ id }) => id === 'country') ?? {}
      return items.map(({ title }) => title)
    }
    expect(await named('de')).toEqual(['Deutschland', 'Frankreich'])
    expect(await named('fr-CH')).toEqual(['Allemagne', 'France'])
    expect(await named('xyz')).toEqual(['Germany', 'France'])
  })

  it('similar datasets share words, and among those themes decide', async () => {
    const { status, body } = await search.get('/datasets/e01/similar?limit=2')
    expect([status, body.result.results.map(({ id }) => id)]).toEqual([200, ['e03', 'e02']])
  })

  it.each([
    '/datasets/e01/similar?limit=-3',
    '/datasets/e01/similar?limit=1.5',
    '/datasets/e01/similar?limit=many',
    '/search?locale=%3Cscript%3E',
    '/search?facetSize=501',
    '/search?facetSelf=perhaps',
    '/search?suggestions=2',
  ])('%s is refused, and the parameter named', async (path) => {
    const { status, body } = await search.get(path)
    const name = /[?](\w+)=/.exec(path)?.[1]
    expect([status, body.errors?.[0]?.parameter]).toEqual([400, name])
  })
}
