/** A record as a document of Meilisearch. */

import { expect, it } from 'vitest'
import { pairCode } from '../../../../src/search-index/meilisearch/attributes.ts'
import { facetCode } from '../../../../src/search-index/remote/names.ts'
import { engineDocument } from '../../../../src/search-index/meilisearch/stored-document.ts'
import { termRow, type IndexedWord } from '../../../../src/search-index/remote/term-rows.ts'
import type { Document } from '../../../../src/search-index/search-index.ts'
import {
  documentOf,
  languages,
  sampleOf,
  settings,
} from '../../../contracts/search-index-corpus.ts'

function stored(document: Document) {
  const words: IndexedWord[] = []
  const values: unknown[] = []
  const layout = {
    settings: settings[0]!,
    languages,
    onWord: (word: IndexedWord) => void words.push(word),
    onFacetValue: (...value: unknown[]) => void values.push(value),
  }
  return { attributes: engineDocument(document, layout), words, values }
}

it('has its words by field, as they are and by bucket; the neighbours of its phrases; and its text for ranking', () => {
  const { attributes, words } = stored(documentOf(sampleOf('d01')))
  expect(attributes).toMatchObject({
    id: 'd01',
    i: 'd01',
    hash: 'd01',
    _s: 'zzz',
    '_o._id': 'd01',
    '_o._index': 'dataset',
    '_f.id': ['d01', '@x:d01'],
    '_g.keywords': [pairCode('en', 'open', 'data')],
    '_t.title': { en: ['Water quality in rivers'], de: ['Wasserqualität in Flüssen'] },
  })
  const title = attributes['_f.title'] as string[]
  expect(title.filter((token) => /^[a-z]/.test(token))).toEqual([
    'water',
    'quality',
    'in',
    'rivers',
    'wasserqualitat',
    'flussen',
  ])
  expect(title).toEqual(expect.arrayContaining(['@en:rivers', '@de:wasserqualitat']))
  expect(title).not.toContain('@de:rivers')
  expect(attributes['_f._2a']).toEqual(expect.arrayContaining(['@x:d01', 'rivers', '@en:rivers']))
  expect(words).toContainEqual({ token: 'rivers', bucket: 'en', stems: ['en:river'] })
})

it('has rows of its words by bucket, backwards where they may be compounds', () => {
  const german = { token: 'wasserstand', bucket: 'de', stems: ['de:wasserstand'] }
  const row = { term: 'wasserstand', bucket: 'de', stems: ['de:wasserstand'] }
  expect(termRow(german)).toEqual({ ...row, mirror: 'dnatsressaw' })
  expect(termRow({ ...german, bucket: 'x', stems: [] })).toEqual({
    term: 'wasserstand',
    bucket: 'x',
  })
})

it('has no neighbours over two values: `river` and `open data` are two keywords', () => {
  const { attributes } = stored(documentOf(sampleOf('d01')))
  expect(attributes['_g.keywords']).not.toContain(pairCode('en', 'river', 'open'))
})

it('has codes for its facet values, and tells what they mean', () => {
  const { attributes, values } = stored(documentOf(sampleOf('d01')))
  const codes = ['CSV', 'JSON'].map((value) => facetCode('format', value))
  expect(attributes['_k.format']).toEqual(codes)
  expect(values).toContainEqual([codes[0], { facet: 'format', value: 'CSV', title: 'CSV' }])
})

it('has numbered places for periods and boxes, and one number to sort dates by in each direction', () => {
  const { attributes } = stored({
    ...documentOf(sampleOf('d11')),
    dates: {
      issued: [
        [5, 9],
        [1, 3],
      ],
    },
  })
  expect(attributes).toMatchObject({
    '_n.issued_p0f': 5,
    '_n.issued_p0t': 9,
    '_n.issued_p1f': 1,
    '_n.issued_p1t': 3,
    '_n.issued_sf': 1,
    '_n.issued_st': 9,
    '_n._xw1': 20,
    '_n._xn1': 61,
    '_n.scoring': 150,
    '_n.countryData': 1,
    '_n.dataServices': 0,
  })
  expect(attributes).not.toHaveProperty('_n.modified_sf')
})

it('sorts in a language that it has no title in by its main title', () => {
  const { attributes } = stored(documentOf(sampleOf('d03')))
  expect(attributes['_o.title_2eja']).toBe(attributes['_o.title'])
  const german = { ...documentOf(sampleOf('d03')), order: { title: 'b', 'title.de': 'a' } }
  expect(stored(german).attributes).toMatchObject({ '_o.title_2ede': 'a', '_o.title_2een': 'b' })
})

it('carries the record as text, so that nothing of it is changed', () => {
  const record = { z: 1.0, a: { _geo: 'x', '10': 1 }, n: null }
  const { attributes } = stored({ ...documentOf(sampleOf('d01')), record })
  expect(attributes['r']).toBe(JSON.stringify(record))
})

it('is found by the first 20,000 words of a field, in all its languages together', () => {
  const words = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${prefix}${i}`).join(' ')
  const text = { description: { en: [words('e', 15_000)], de: [words('d', 15_000)] } }
  const { attributes } = stored({ ...documentOf(sampleOf('d01')), text })
  const tokens = attributes['_f.description'] as string[]
  const inBucket = (sign: string) => tokens.filter((token) => token.startsWith(sign)).length
  expect([inBucket('@en:'), inBucket('@de:')]).toEqual([15_000, 5000])
})

it('leaves out what the settings do not name', () => {
  const { attributes } = stored({
    ...documentOf(sampleOf('d01')),
    text: { nope: { en: ['x'] } },
    facets: { nope: [{ id: 'x', title: 'X' }] },
    numbers: { nope: 1, scoring: Number.NaN },
  })
  expect(Object.keys(attributes).filter((name) => name.includes('nope'))).toEqual([])
  expect(attributes).not.toHaveProperty('_n.scoring')
})
