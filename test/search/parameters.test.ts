/** What each parameter of a search becomes, and what is refused. */

import { describe, expect, it } from 'vitest'
import { parametersOf } from '../../src/search/request/search-parameters.ts'
import { planSearch } from '../../src/search/request/search-request.ts'
import { settings } from './suite/settings.ts'
import { treeText } from './suite/tree-text.ts'

const options = { settings, scoreField: 'scoring' }
const search = (query: string) => planSearch(parametersOf(new URLSearchParams(query)), options)
const request = (query: string) => search(query).request

describe('the query string', () => {
  it('without parameters asks for ten records of every index and no facets', () => {
    expect(search('')).toEqual({
      named: false,
      countOnly: false,
      request: {
        indices: ['dataset', 'catalogue', 'vocabulary'],
        tree: { kind: 'all' },
        filter: {},
        order: [],
        boosts: {},
        offset: 0,
        limit: 10,
        score: false,
      },
    })
  })

  it('reads an empty value as an absent one and ignores unknown names', () => {
    const query =
      'page=&limit=&includes=,&facets=&q=&sort=&minDate=&bboxMinLon=&filters=&scroll=&pitId=&resource=x&__proto__=1&boost.x='
    expect(search(query)).toEqual(search(''))
  })

  it.each([
    'includes=id,title',
    'includes=id, title',
    'includes=id&includes=title',
    'includes[]=id&includes[]=title',
    'includes%5B%5D=id,title',
    'includes=,id,,title,',
  ])('reads a list from %s', (query) => {
    expect(request(query).include).toEqual(['id', 'title'])
  })

  it.each([
    ['true', true],
    ['TRUE', true],
    ['1', true],
    ['false', false],
    ['False', false],
    ['0', false],
  ])('reads %s as the boolean %s', (text, value) => {
    expect(request(`showScore=${text}`).score).toBe(value)
  })

  it.each([
    ['limit=1001', 'limit', 'limit must be 0..1000, got 1001'],
    ['limit=-1', 'limit', 'limit must be 0..1000, got -1'],
    ['limit=1.5', 'limit', 'limit must be 0..1000, got 1.5'],
    ['page=-1', 'page', 'page must be an integer of at least 0, got -1'],
    ['page=x', 'page', 'page must be an integer of at least 0, got x'],
    ['showScore=yes', 'showScore', 'showScore must be true, false, 1 or 0, got yes'],
    ['facetOperator=XOR', 'facetOperator', 'facetOperator must be AND or OR, got XOR'],
    ['facetGroupOperator=x', 'facetGroupOperator', undefined],
    ['facets={"a":{"b":1}}', 'facets', undefined],
    ['facets={"a":[["b"]]}', 'facets', undefined],
    ['minDate=yesterday', 'minDate', undefined],
    ['maxDate=2023-02-30', 'maxDate', undefined],
    ['minDate=2023-01-01T25:00:00Z', 'minDate', undefined],
    ['minDate=2024&maxDate=2023', 'minDate', 'minDate must not be after maxDate'],
    ['dateType=created', 'dateType', undefined],
    ['minScoring=good', 'minScoring', 'minScoring must be a number, got good'],
    ['minScoring=0x10', 'minScoring', undefined],
    ['minScoring=2&maxScoring=1', 'minScoring', undefined],
    ['boost.title=-1', 'boost.title', 'boost.title must be at least 0, got -1'],
    ['boost.title=much', 'boost.title', undefined],
    ['fields=title^much', 'fields', undefined],
    ['bboxMinLon=1', 'bboxMinLat', undefined],
    ['bboxMinLon=-181', 'bboxMinLon', 'bboxMinLon must be -180..180, got -181'],
    ['bboxMaxLat=91', 'bboxMaxLat', undefined],
    ['bboxMinLon=2&bboxMaxLon=1&bboxMinLat=1&bboxMaxLat=2', 'bboxMinLon', undefined],
    ['bboxMinLon=1&bboxMaxLon=2&bboxMinLat=2&bboxMaxLat=2', 'bboxMinLat', undefined],
    [
      `includes=${'a,'.repeat(101)}`,
      'includes',
      'includes may have at most 100 values (limit listItems)',
    ],
    [`facets={"a":["${'x'.repeat(16_384)}"]}`, 'facets', undefined],
    [`facets={"a":[${'"x",'.repeat(100)}"x"]}`, 'facets', undefined],
    ['scroll=true&limit=0', 'limit', undefined],
    ['scroll=true&filters=dataset&searchAfter=true', 'scroll', undefined],
    ['filters=dataset&searchAfter=true&limit=0', 'limit', undefined],
    ['filters=dataset&pitId=abc', 'searchAfterSort', 'pitId needs searchAfterSort'],
    ['filters=dataset&searchAfterSort=1,2', 'pitId', 'searchAfterSort needs pitId'],
    ['filters=dataset&pitId=abc&searchAfterSort=1', 'searchAfterSort', undefined],
    ['filters=dataset&pitId=abc&searchAfterSort=1,2,3', 'searchAfterSort', undefined],
    ['filters=dataset&pitId=abc&searchAfterSort=1,x', 'searchAfterSort', undefined],
    ['filters=dataset&pitId=abc&searchAfterSort=1,-2', 'searchAfterSort', undefined],
    ['filters=dataset&pitId=abc&searchAfterSort=1,0.5', 'searchAfterSort', undefined],
  ])('refuses %s by name', (query, parameter, detail) => {
    const errors = [expect.objectContaining({ parameter, ...(detail && { detail }) })]
    expect(() => search(query)).toThrow(
      expect.objectContaining({ kind: 'invalid-parameter', errors }),
    )
  })

  it('takes other limits', () => {
    const limits = { listItems: 2, facetsBytes: 20, facetValues: 1 }
    const read = (query: string) => () => parametersOf(new URLSearchParams(query), limits)
    for (const query of ['sort=a,b', 'facets={"a":["b"]}']) expect(read(query)).not.toThrow()
    for (const query of ['sort=a,b,c', 'facets={"a":["b","c"]}', 'facets={"a":["bcdefghijkl"]}'])
      expect(read(query)).toThrow(expect.objectContaining({ kind: 'invalid-parameter' }))
  })

  it('names every parameter that is wrong', () => {
    const errors = ['page', 'limit'].map((parameter) => expect.objectContaining({ parameter }))
    expect(() => search('limit=x&page=x')).toThrow(expect.objectContaining({ errors }))
  })

  it.each(['facets=x', 'facets={', 'facets=[]', 'facets="a"', 'facets=null'])(
    'refuses %s as malformed JSON',
    (query) => {
      expect(() => search(query)).toThrow(expect.objectContaining({ kind: 'malformed-json' }))
    },
  )
})

describe('indices', () => {
  it.each([
    ['filters=dataset', ['dataset']],
    ['filter=dataset', ['dataset']],
    ['filters=vocabulary&filter=dataset', ['dataset', 'vocabulary']],
    ['filters=catalogue,dataset,resource', ['dataset', 'catalogue']],
    ['filters=resource', []],
  ])('%s searches %s', (query, indices) => {
    expect(search(query)).toMatchObject({ named: true, request: { indices } })
  })

  it('limits concepts to vocabularies only when concepts are asked for', () => {
    const tree = (query: string) => treeText(request(query).tree)
    expect(tree('filters=vocabulary&vocabulary=a')).toBe('or(value(vocabulary, a))')
    expect(tree('filters=vocabulary&vocabulary=a,b&q=x')).toBe(
      'and(x, or(value(vocabulary, a), value(vocabulary, b)))',
    )
    expect(tree('filters=dataset&vocabulary=a')).toBe('all')
    expect(tree('filters=dataset,vocabulary&vocabulary=a')).toBe(
      'or(value(vocabulary, a), not(range(resource, *, *)))',
    )
    expect(tree('vocabulary=a')).toBe('all')
  })
})

describe('filters', () => {
  it.each([
    ['facets={"country":["it","es"]}', { groups: [{ facet: 'country', values: ['it', 'es'] }] }],
    ['facets={"country":"it"}', { groups: [{ facet: 'country', values: ['it'] }] }],
    [
      'facets={"is_hvd":true,"x":1}',
      {
        groups: [
          { facet: 'is_hvd', values: ['true'] },
          { facet: 'x', values: ['1'] },
        ],
      },
    ],
    ['facets={"country":[],"nope":["x"]}', { groups: [{ facet: 'nope', values: ['x'] }] }],
    ['superCatalogue=a', { groups: [{ facet: 'superCatalog', values: ['a'] }] }],
    [
      'facets={"superCatalog":["b"]}&superCatalogue=a',
      { groups: [{ facet: 'superCatalog', values: ['b', 'a'] }] },
    ],
    [
      'facets={"a":["b"]}&facetOperator=and&facetGroupOperator=or',
      { operator: 'AND', groupOperator: 'OR' },
    ],
    ['facets={"a":["b"]}', { operator: 'OR', groupOperator: 'AND' }],
  ])('%s restricts facets', (query, facets) => {
    expect(request(query).filter.facets).toMatchObject(facets)
  })

  it.each(['facets={}', 'facets={"country":[]}', 'facets={"country":null}'])(
    '%s restricts nothing',
    (query) => expect(request(query).filter).toEqual({}),
  )

  const at = (text: string) => Date.parse(text)
  it.each([
    ['minDate=2020-01-15', { name: 'issued', from: at('2020-01-15T00:00:00Z') }],
    ['maxDate=2020-01-15', { name: 'issued', to: at('2020-01-15T23:59:59.999Z') }],
    [
      'minDate=2020&maxDate=2020',
      { name: 'issued', from: at('2020-01-01'), to: at('2020-12-31T23:59:59.999Z') },
    ],
    ['maxDate=2020-02', { name: 'issued', to: at('2020-02-29T23:59:59.999Z') }],
    ['minDate=2020-01-15T13:00:00%2B01:00', { name: 'issued', from: at('2020-01-15T12:00:00Z') }],
    ['minDate=2020-01-15T13:00:00+01:00', { name: 'issued', from: at('2020-01-15T12:00:00Z') }],
    ['minDate=2020-01-15T13:00:00.5', { name: 'issued', from: at('2020-01-15T13:00:00.500Z') }],
    ['minDate=2020-01-15&dateType=temporal', { name: 'temporal', from: at('2020-01-15') }],
    ['dateType=modified', undefined],
  ])('%s restricts dates', (query, date) => {
    expect(request(query).filter.date).toEqual(date)
  })

  it.each([
    ['filters=dataset', 'modified'],
    ['filters=dataset&dateType=issued', 'issued'],
    ['filters=catalogue', 'issued'],
    // They differ.
    ['', 'issued'],
  ])('%s restricts the configured date', (query, name) => {
    const given = parametersOf(new URLSearchParams(`${query}&minDate=2020`))
    const dated = { ...options, dateTypes: { dataset: 'modified' } } as const
    expect(planSearch(given, dated).request.filter.date?.name).toBe(name)
  })

  it.each([
    ['minScoring=280&maxScoring=350', [{ name: 'scoring', from: 280, to: 350 }]],
    ['minScoring=0', undefined],
    ['minScoring=0&maxScoring=5', [{ name: 'scoring', from: 0, to: 5 }]],
    ['maxScoring=120.5', [{ name: 'scoring', to: 120.5 }]],
  ])('%s restricts scores', (query, numbers) => {
    expect(request(query).filter.numbers).toEqual(numbers)
  })

  it('true flags and a box restrict, false flags do not', () => {
    expect(request('countryData=true&dataServices=1').filter.flags).toEqual([
      'countryData',
      'dataServices',
    ])
    expect(request('countryData=false&dataServices=0').filter).toEqual({})
    const box = 'bboxMinLon=-5.5&bboxMaxLon=8&bboxMinLat=42&bboxMaxLat=51'
    expect(request(box).filter).toEqual({ box: [-5.5, 42, 8, 51] })
  })
})

describe('order, fields and pages', () => {
  it.each([
    ['relevance+desc,+modified+desc,+title.en+asc', 'relevance desc, modified desc, title.en asc'],
    ['title.en%2Basc', 'title.en asc'],
    ['issued', 'issued desc'],
    ['issued ASC', 'issued asc'],
    ['issued upwards', 'issued desc'],
    ['modified-desc', 'modified desc'],
    ['modified-asc,title:asc', 'modified asc, title asc'],
    ['nope asc, issued+desc', 'issued desc'],
    ['nope', ''],
    ['constructor asc', ''],
    ['relevance', 'relevance desc'],
    ['issued asc&sort=modified desc', 'issued asc, modified desc'],
    ['scoring desc&filters=dataset,catalogue', ''],
    ['modified desc&filters=dataset,catalogue', 'modified desc'],
  ])('sort=%s', (sort, expected) => {
    const query = sort.includes('filters') ? `sort=${sort}` : `filters=dataset&sort=${sort}`
    const order = request(query).order.map(({ name, direction }) => `${name} ${direction}`)
    expect(order.join(', ')).toBe(expected)
  })

  it('takes weights from fields and from boost, which wins', () => {
    const { fields, boosts } = request(
      'fields=title^2.5,keywords,nope^3&boost.title=4&boost.title.en=0',
    )
    expect(fields).toEqual(['title', 'keywords', 'nope'])
    expect(boosts).toEqual({ title: 4, nope: 3, 'title.en': 0 })
  })

  it('serves the window and nothing behind it', () => {
    expect(request('limit=1000&page=10')).toMatchObject({ offset: 10_000, limit: 1000 })
    expect(request('limit=1000&page=11')).toMatchObject({ offset: 0, limit: 0 })
    expect(request('limit=0&page=99999999')).toMatchObject({ offset: 0, limit: 0 })
    expect(request('page=9007199254740991')).toMatchObject({ offset: 0, limit: 0 })
  })
})

describe('facets', () => {
  const facets = (query: string) => request(query).facets

  it('are counted when indices are named', () => {
    expect(facets('')).toBeUndefined()
    expect(facets('filters=dataset')).toEqual({ size: 50, global: false })
    expect(facets('filters=dataset&globalAggregation=true')).toEqual({ size: 50, global: true })
    expect(facets('filters=dataset&aggregation=false')).toBeUndefined()
    expect(facets('filters=dataset&countOnly=true')).toBeUndefined()
  })

  it('are only those named when not all are wanted, in the order of the settings', () => {
    const some = 'filters=dataset,catalogue&aggregationAllFields=false'
    expect(facets(`${some}&aggregationFields=theme,nope,country`)?.ids).toEqual([
      'country',
      'theme',
    ])
    expect(facets(some)).toBeUndefined()
    expect(facets(`${some}&aggregationFields=nope`)).toBeUndefined()
    expect(facets('filters=dataset&aggregationFields=theme')).toEqual({ size: 50, global: false })
  })
})
