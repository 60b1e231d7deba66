/** The filter query as a tree: its grammar, and that no text breaks out of its clause. */

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { filterTree } from '../../../src/search/ckan/ckan-filter.ts'
import { platformField } from '../../../src/search/ckan/ckan-names.ts'
import { queryLimits } from '../../../src/search/query/parser.ts'
import { scopesOf } from '../../../src/search/query/leaves.ts'
import { settings } from '../feeds/feed-documents.ts'
import { treeText } from '../suite/tree-text.ts'
import { caller, type Caller } from './caller.ts'

const known = scopesOf(settings.filter(({ index }) => index === 'dataset'))
const read = (fq: string) => filterTree(fq, (name) => known(platformField(name)), queryLimits)

describe('a filter query', () => {
  it.each([
    ['', 'all'],
    ['organization:a', 'value(catalog, a)'],
    ['organization:a groups:B', 'and(value(catalog, a), value(categories, B))'],
    ['a:1 OR tags:b', 'or(none, value(keywords, b))'],
    [
      'tags:a tags:b OR tags:c',
      'or(and(value(keywords, a), value(keywords, b)), value(keywords, c))',
    ],
    [
      'tags:a && !tags:b || tags:c',
      'or(and(value(keywords, a), not(value(keywords, b))), value(keywords, c))',
    ],
    ['NOT -tags:a', 'value(keywords, a)'],
    ['+(-tags:a)', 'not(value(keywords, a))'],
    ['tags:(a "b c" -d)', 'and(value(keywords, a), value(keywords, b c), not(value(keywords, d)))'],
    ['license_id:http://x.example/?a=b&c', 'value(license, http://x.example/?a=b&c)'],
    ['tags:a\\ b\\)\\"', 'value(keywords, a b)")'],
    ['tags:"a \\"b\\" \\\\"', 'value(keywords, a "b" \\)'],
    ['tags:AND', 'value(keywords, AND)'],
    ['tags:-a', 'value(keywords, -a)'],
    ['tags: a', 'and(term(tags:), a)'],
    [
      'title:"Water quality" notes:riv*',
      'and(title:phrase(water quality), description:wild(riv*))',
    ],
    ['name:a-b', 'id:phrase(a b)'],
    [
      'metadata_created:[2023-01-01 TO 2023-12-31T00:00:00Z]',
      'range(catalog_record.issued, 2023-01-01, 2023-12-31)',
    ],
    ['quality_meas.scoring:[ 300 TO * ]', 'range(quality_meas.scoring, 300, *)'],
    ['state:active private:false state:deleted', 'and(all, all, none)'],
    ['__proto__:x constructor:y', 'and(none, none)'],
  ])('%s', (fq, text) => {
    const expected = text.replace('term(tags:)', 'tags')
    expect(treeText(read(fq))).toBe(expected)
  })

  it('keeps a quoted text in its clause, whatever it says', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 })
    fc.assert(
      fc.property(text, (value) => {
        const quoted = `"${value.replace(/["\\]/g, '\\$&')}"`
        const expected = { kind: 'value', facet: 'catalog', value }
        expect(read(`organization:${quoted}`)).toEqual(expected)
        expect(read(`-tags:x organization:${quoted}`)).toMatchObject({
          kind: 'and',
          operands: [{}, expected],
        })
      }),
      { numRuns: 500 },
    )
  })

  it('is a tree or says what is wrong with it, whatever it is', () => {
    const signs = ['(', ')', '"', '\\', '[', ']', 'OR', 'AND', 'NOT', '-', '+', ' ', ':']
    const words = ['tags:', 'a', '[1 TO 2]', '{!x}', '*:*', 'modified:', '2023', '*', '\ud800']
    const part = fc.constantFrom(...signs, ...words)
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(part).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(text, (fq) => {
        expect(['a tree', 'malformed-query']).toContain(outcome(() => read(fq)))
      }),
      { numRuns: 3000 },
    )
  })

  it('is read however deep its signs are', () => {
    expect(treeText(read(`${'-'.repeat(4000)}tags:a`))).toBe('value(keywords, a)')
    expect(treeText(read(`${'NOT '.repeat(1001)}a`))).toBe('not(a)')
  })
})

describe('a filter', () => {
  let ckan: Caller
  beforeAll(async () => {
    ckan = await caller()
  })
  afterAll(() => ckan.close())

  it('holds whatever the query says', async () => {
    const words = [
      'rivers',
      'lakes',
      ') OR (',
      '"',
      'OR',
      'AND',
      'NOT',
      '*:*',
      'tags:water',
      '-',
      '\\',
    ]
    const query = fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((all) => all.join(' '))
    await fc.assert(
      fc.asyncProperty(query, async (q) => {
        const { status, body } = await ckan.get('package_search', { q, fq: 'organization:c2' })
        expect(status).toBe(200)
        const ids = body.result.results.map(({ id }) => id)
        expect(ids.filter((id) => id !== 'b-lakes' && id !== 'c-forests')).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})

/** Other errors than those that a client is told go through. */
function outcome(work: () => unknown): string {
  try {
    work()
    return 'a tree'
  } catch (error) {
    if (error instanceof Failure) return error.kind
    throw error
  }
}
