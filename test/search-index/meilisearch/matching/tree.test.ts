import { describe, expect, it } from 'vitest'
import { facetCode, pairCode } from '../../../../src/search-index/meilisearch/attributes.ts'
import { and, textOf } from '../../../../src/search-index/meilisearch/condition.ts'
import {
  dictionaryOf,
  questionOf,
  type Term,
} from '../../../../src/search-index/meilisearch/term-lookup.ts'
import {
  filterCondition,
  treeCondition,
} from '../../../../src/search-index/meilisearch/filter-conditions.ts'
import {
  isLoose,
  leafCondition,
  placesOf,
} from '../../../../src/search-index/meilisearch/leaf-conditions.ts'
import { leavesOf } from '../../../../src/search-index/query-tree.ts'
import type { Filter } from '../../../../src/search-index/search-index.ts'
import { settings } from '../../../contracts/search-index-corpus.ts'
import { treeOf } from '../../../contracts/search-index-trees.ts'

const [dataset] = settings as [(typeof settings)[0]]
const languages = ['en', 'de']
const term = (term: string, buckets: string, stems = ''): Term => ({
  term,
  buckets: buckets.split(' '),
  stems: stems.split(' ').filter(Boolean),
})
const terms = [
  term('water', 'en', 'en:water'),
  term('waters', 'en', 'en:water'),
  term('wasser', 'de', 'de:wass'),
  term('data', 'en de', 'en:data de:data'),
  term('open', 'en', 'en:open'),
  term('йод', 'x'),
]

const begun = new Map([['dat', new Set(['en', 'de'])]])

/** The filter that a tree becomes. */
function filterOf(text: string, fields?: readonly string[]): string | undefined {
  const tree = treeOf(text)
  const dictionary = dictionaryOf(leavesOf(tree), terms, { wildcardTerms: 1000, begun })
  return textOf(
    treeCondition(tree, dataset, (leaf) => {
      const names = leaf.field === undefined ? fields : [leaf.field]
      return leafCondition(leaf, placesOf(names, dataset, languages), dictionary)
    }),
  )
}

describe('places', () => {
  it('are the id and every field in every bucket', () => {
    expect(placesOf(undefined, dataset, languages)).toHaveLength(1 + 3 * 3)
    expect(placesOf(['title', 'nope'], dataset, languages)).toHaveLength(3)
    expect(placesOf(['title.de'], dataset, languages)).toEqual([{ field: 'title', bucket: 'de' }])
    expect(placesOf(['id'], dataset, languages)).toEqual([{ field: 'id', bucket: 'x' }])
    expect(placesOf(['nope'], dataset, languages)).toEqual([])
  })
})

describe('leaves', () => {
  it('of a word ask for what shares its stem, in its own languages only', () => {
    expect(filterOf('water', ['title'])).toBe('_f.title.en IN ["water", "waters"]')
    expect(filterOf('wasser', ['title'])).toBe('_f.title.de IN ["wasser"]')
    expect(filterOf('data', ['title'])).toBe('_f.title.en IN ["data"] OR _f.title.de IN ["data"]')
  })

  it('of a word that nobody wrote match nothing', () => {
    expect(filterOf('zzzz')).toBe('n = -1')
    expect(filterOf('not(zzzz)')).toBeUndefined()
  })

  it('of phrases ask for neighbours', () => {
    const pair = pairCode('open', 'data')
    expect(filterOf('phrase(open data)', ['title'])).toBe(`_g.title.en = "${pair}"`)
    expect(filterOf('exact(water)', ['title'])).toBe('_f.title.en IN ["water"]')
  })

  it('of beginnings are left to the engine where it compares letters as we do', () => {
    expect(filterOf('prefix(wat)', ['title.en'])).toBe('_f.title.en STARTS WITH "wat"')
    expect(filterOf('wild(wat*)', ['title.en'])).toBe('_f.title.en STARTS WITH "wat"')
    expect(filterOf('wild(wat?r*)', ['title.en'])).toBe('_f.title.en IN ["water", "waters"]')
    expect(filterOf('prefix(dat)', ['title'])).toBe(
      '_f.title.en STARTS WITH "dat" OR _f.title.de STARTS WITH "dat"',
    )
    // и with a breve is another letter: `и*` does not find йод.
    expect(filterOf('prefix(и)', ['title'])).toBe('n = -1')
    expect(filterOf('prefix(й)', ['title'])).toBe('_f.title.x IN ["и\u0306од"]')
  })

  it('of phrases are loose beyond two words, and where no neighbours are stored', () => {
    const loose = (text: string, names: readonly string[]) =>
      isLoose(
        leavesOf(treeOf(text))[0]!,
        names.map((field) => ({ field, bucket: 'en' })),
      )
    expect(loose('phrase(a b)', ['title'])).toBe(false)
    expect(loose('phrase(a b c)', ['title'])).toBe(true)
    expect(loose('phrase(a b)', ['title', 'publisher'])).toBe(true)
    expect(loose('exact(a)', ['publisher'])).toBe(false)
  })
})

describe('wildcards', () => {
  it('that stand for too many terms take the shortest and say so', () => {
    const leaves = leavesOf(treeOf('wild(w*r*)'))
    const dictionary = dictionaryOf(leaves, terms, { wildcardTerms: 2 })
    expect(dictionary.expanded('w*r*')).toEqual(['water', 'wasser'])
    expect(dictionary.shortened).toEqual(['w*r*'])
    expect(dictionaryOf(leaves, terms, { wildcardTerms: 3 }).shortened).toEqual([])
  })
})

describe('the question to the index of terms', () => {
  const question = (text: string) => questionOf(leavesOf(treeOf(text)), languages)

  it('is one for a whole query, with the words under a not', () => {
    expect(question('and(water, not(exact(air)))')).toBe(
      'term IN ["water", "air"] OR stems IN ["en:water", "de:wat"]',
    )
    expect(question('or(wild(wa*r), wild(we*))')).toBe('term STARTS WITH "wa"')
    expect(question('and(wild(wa*), all)')).toBeUndefined()
  })
})

describe('ranges and values', () => {
  it('ask for one period that overlaps', () => {
    expect(filterOf('range(issued, 5, 9)')).toContain(
      '(_n.issued_p0f <= 9 AND _n.issued_p0t >= 5) OR (',
    )
    expect(filterOf('range(scoring, 5, *)')).toBe('_n.scoring >= 5')
    expect(filterOf('range(scoring, *, *)')).toBe('_n.scoring EXISTS')
    expect(filterOf('range(nope, 1, 2)')).toBe('n = -1')
  })

  it('of facets are codes', () => {
    expect(filterOf('value(format, CSV)')).toBe(`_k.format = "${facetCode('format', 'CSV')}"`)
    expect(filterOf('value(nope, x)')).toBe('n = -1')
  })
})

describe('filters', () => {
  const filter = (of: Filter) => textOf(filterCondition(of, dataset))
  const facets = (operator: 'AND' | 'OR', groupOperator: 'AND' | 'OR', groups: object) => ({
    facets: {
      operator,
      groupOperator,
      groups: Object.entries(groups).map(([facet, values]) => ({ facet, values })),
    },
  })
  const [csv, pdf] = ['CSV', 'PDF'].map((value) => `"${facetCode('format', value)}"`)

  it('combine facets in four ways', () => {
    const groups = { format: ['CSV', 'PDF', 'CSV'], nope: ['x'], theme: [] }
    expect(filter(facets('OR', 'OR', groups))).toBe(`_k.format IN [${csv}, ${pdf}]`)
    expect(filter(facets('AND', 'OR', groups))).toBe(`_k.format = ${csv} AND _k.format = ${pdf}`)
    expect(filter(facets('OR', 'AND', groups))).toBe('n = -1')
    expect(filter(facets('AND', 'AND', { theme: [], nope: [] }))).toBeUndefined()
  })

  it('of what an index does not have match nothing', () => {
    expect(filter({ flags: ['dataServices'] })).toBe('_n.dataServices = 1')
    expect(filter({ flags: ['nope'] })).toBe('n = -1')
    expect(filter({ date: { name: 'nope' } })).toBe('n = -1')
    expect(filter({ numbers: [{ name: 'nope', from: 1 }] })).toBe('n = -1')
    expect(textOf(filterCondition({ box: [0, 0, 1, 1] }, settings[1]!))).toBe('n = -1')
  })

  it('of a box ask for one box that meets it', () => {
    expect(filter({ box: [1, 2, 3, 4] })).toContain(
      '(_n._xw0 <= 3 AND _n._xe0 >= 1 AND _n._xs0 <= 4 AND _n._xn0 >= 2) OR (',
    )
  })

  it('come together with the tree', () => {
    const both = and([
      filterCondition({ flags: ['dataServices'] }, dataset),
      filterCondition({}, dataset),
    ])
    expect(textOf(both)).toBe('_n.dataServices = 1')
  })
})
