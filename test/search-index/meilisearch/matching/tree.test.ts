import { describe, expect, it } from 'vitest'
import type { ReadContext } from '../../../../src/search-index/meilisearch/engine-reads.ts'
import { pairCode, uidsOf } from '../../../../src/search-index/meilisearch/attributes.ts'
import { facetCode } from '../../../../src/search-index/remote/names.ts'
import { and, filterText, or } from '../../../../src/search-index/meilisearch/condition.ts'
import {
  filterCondition,
  treeCondition,
} from '../../../../src/search-index/meilisearch/filter-conditions.ts'
import { leafCondition } from '../../../../src/search-index/meilisearch/leaf-conditions.ts'
import { searchedLeaf } from '../../../../src/search-index/remote/searched-leaf.ts'
import { fieldsReached } from '../../../../src/search-index/remote/searched-leaf.ts'
import { expandPatterns } from '../../../../src/search-index/meilisearch/term-patterns.ts'
import { leavesOf, type Leaf } from '../../../../src/search-index/query-tree.ts'
import type { Target } from '../../../../src/search-index/word-forms.ts'
import type { Filter } from '../../../../src/search-index/search-index.ts'
import { settings } from '../../../contracts/search-index-corpus.ts'
import { treeOf } from '../../../contracts/search-index-trees.ts'

const [dataset] = settings as [(typeof settings)[0]]
const languages = ['en', 'de']
type Forms = {
  readonly expanded?: ReadonlyMap<string, readonly string[]>
  /** Targets of every word of the tree. */
  readonly targets?: readonly Target[]
}
/** The conditions that a leaf becomes. */
function conditionsOf(leaf: Leaf, fields?: readonly string[], forms: Forms = {}) {
  const names = leaf.field === undefined ? fields : [leaf.field]
  const searched = searchedLeaf(leaf, fieldsReached(names, dataset, languages), {
    targets: new Map([[leaf, forms.targets ?? []]]),
    termsByPattern: forms.expanded ?? new Map(),
  })
  return leafCondition(searched, languages)
}
/** The filter that a tree becomes, before phrases are verified. */
const filterOf = (text: string, fields?: readonly string[], forms?: Forms): string | undefined =>
  filterText(
    treeCondition(treeOf(text), dataset, (leaf) => {
      const { certain, possible } = conditionsOf(leaf, fields, forms)
      return or([certain, possible])
    }),
  )

describe('places', () => {
  it('are the id and every field, or those that names reach', () => {
    expect(fieldsReached(undefined, dataset, languages)).toHaveLength(1 + 3)
    expect(fieldsReached(['title', 'nope', 'title'], dataset, languages)).toEqual([
      { field: 'title' },
    ])
    expect(fieldsReached(['title.de'], dataset, languages)).toEqual([
      { field: 'title', bucket: 'de' },
    ])
    expect(fieldsReached(['id'], dataset, languages)).toEqual([{ field: 'id' }])
    expect(fieldsReached(['nope'], dataset, languages)).toEqual([])
  })
})

describe('leaves', () => {
  it('of a word ask for itself and its targets in their buckets', () => {
    const target = (bucket: string, tokens: string[]): Target => {
      return { bucket, tokens, share: 1, how: 'word' }
    }
    const targets = [target('en', ['waters']), target('en', ['water']), target('x', ['d1'])]
    const forms = { targets }
    expect(filterOf('waters', ['title'], forms)).toBe(
      '_f.title IN ["waters", "@en:waters", "@en:water", "@x:d1"]',
    )
    expect(filterOf('waters', ['title.en'], forms)).toBe('_f.title IN ["@en:waters", "@en:water"]')
    expect(filterOf('waters', ['id'], forms)).toBe('_f.id IN ["waters", "@x:d1"]')
    const phrases = { targets: [target('en', ['wi', 'fi'])] }
    expect(filterOf('wifi', ['title.en'], phrases)).toBe(
      `_f.title IN ["@en:wifi"] OR _g.title IN ["${pairCode('en', 'wi', 'fi')}"]`,
    )
    expect(filterOf('wifi', ['title.de'], phrases)).toBe('_f.title IN ["@de:wifi"]')
    expect(filterOf('exact(water)', ['title'])).toBe('_f.title IN ["water"]')
    expect(filterOf('water', ['nope'])).toBe('n = -1')
    expect(filterOf('not(water)', ['nope'])).toBeUndefined()
  })

  it('of words in all fields ask one attribute', () => {
    const searched = { fields: [{ field: 'title' }], isEverywhere: true }
    const filter = (more: object) =>
      filterText(leafCondition({ ...searched, phrases: [], ...more }, languages).certain)
    const phrases = [{ tokens: ['water'], bucket: 'en', share: 1 }]
    expect(filter({ phrases })).toBe('_f._2a IN ["@en:water"]')
    expect(filter({ prefix: 'wat' })).toBe('_f._2a STARTS WITH "wat"')
  })

  it('of phrases ask for neighbours', () => {
    const pairs = ['en', 'de', 'x'].map((bucket) => `"${pairCode(bucket, 'open', 'data')}"`)
    expect(filterOf('phrase(open data)', ['title'])).toBe(`_g.title IN [${pairs.join(', ')}]`)
    expect(filterOf('phrase(open data)', ['title.en'])).toBe(`_g.title IN [${pairs[0]}]`)
    expect(filterOf('phrase(open data)', ['id'])).toBe('_f.id IN ["open"] AND _f.id IN ["data"]')
    expect(filterOf('phrase(data)', ['id'])).toBe('_f.id IN ["data"]')
  })

  it('of beginnings are left to the engine where it compares letters as we do', () => {
    expect(filterOf('prefix(wat)', ['title.en'])).toBe('_f.title STARTS WITH "@en:wat"')
    expect(filterOf('wild(wat*)', ['title'])).toBe('_f.title STARTS WITH "wat"')
    const terms = new Map([
      ['wat?r*', ['water', 'waters']],
      ['й*', ['йод']],
    ])
    expect(filterOf('wild(wat?r*)', ['title.en'], { expanded: terms })).toBe(
      '_f.title IN ["@en:water", "@en:waters"]',
    )
    expect(filterOf('prefix(й)', ['title'], { expanded: terms })).toBe('_f.title IN ["и\u0306од"]')
  })

  it('of phrases are loose beyond two words, and where no neighbours are stored', () => {
    const loose = (text: string, names: readonly string[]) => {
      const { certain, possible } = conditionsOf(leavesOf(treeOf(text))[0]!, names)
      return [certain, possible].map(({ kind }) => kind !== 'none')
    }
    expect(loose('phrase(a b)', ['title'])).toEqual([true, false])
    expect(loose('phrase(a b c)', ['title'])).toEqual([false, true])
    expect(loose('phrase(a b)', ['id'])).toEqual([false, true])
    expect(loose('phrase(a b)', ['title', 'id'])).toEqual([true, true])
    expect(loose('exact(a)', ['id'])).toEqual([true, false])
  })
})

describe('wildcards', () => {
  const lookUp = async (tree: string, wildcardTerms: number) => {
    const filters: unknown[] = []
    const terms = ['water', 'waters', 'wasser', 'open', 'йод'].map((term) => ({ term }))
    const client = {
      post: (_: string, body: unknown) => {
        filters.push((body as { filter: string }).filter)
        return Promise.resolve({ results: terms, total: terms.length })
      },
    }
    const context = { client, uids: uidsOf(''), wildcardTerms } as unknown as ReadContext
    return { filters, ...(await expandPatterns(leavesOf(treeOf(tree)), context)) }
  }

  it('that stand for too many terms take the shortest and say so', async () => {
    const few = await lookUp('wild(w*r*)', 2)
    expect(few.termsByPattern.get('w*r*')).toEqual(['water', 'wasser'])
    expect(few.truncatedPatterns).toEqual(['w*r*'])
    expect((await lookUp('wild(w*r*)', 3)).truncatedPatterns).toEqual([])
  })

  it('are looked up where the engine cannot, each once, also those under a not', async () => {
    const { filters } = await lookUp('and(wild(wa*r), wild(we*), not(wild(*n)), wild(wa*r))', 9)
    expect(filters).toEqual(['term STARTS WITH "wa"', 'term EXISTS'])
  })

  // и with a breve is another letter: `и*` does not find йод.
  it('are looked up where letters begin with other letters', async () => {
    expect((await lookUp('prefix(и)', 9)).termsByPattern.get('и*')).toEqual([])
    expect((await lookUp('prefix(й)', 9)).termsByPattern.get('й*')).toEqual(['йод'])
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
  const filter = (of: Filter) => filterText(filterCondition(of, dataset))
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
    expect(filterText(filterCondition({ box: [0, 0, 1, 1] }, settings[1]!))).toBe('n = -1')
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
    expect(filterText(both)).toBe('_n.dataServices = 1')
  })
})
