/** Queries of OpenSearch and its layout, without a server: conditions, names, keys, and what an error answer means. */

import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { refused } from '../../../src/search-index/opensearch/cluster-client.ts'
import {
  clusterNames,
  codeOfStored,
  recordKey,
  storedValue,
} from '../../../src/search-index/opensearch/cluster-layout.ts'
import {
  allOf,
  anyOf,
  clusterFilter,
  everything,
  nothing,
  oneOf,
  treeQuery,
} from '../../../src/search-index/opensearch/query-conditions.ts'
import { facetCode } from '../../../src/search-index/remote/names.ts'
import { settings } from '../../contracts/search-index-corpus.ts'

const dataset = settings[0]!
const [a, b] = [{ exists: { field: 'a' } }, { exists: { field: 'b' } }]

describe('conditions', () => {
  it('are simplified while they are joined', () => {
    expect(allOf([])).toBe(everything)
    expect(allOf([everything, a])).toBe(a)
    expect(allOf([a, nothing])).toBe(nothing)
    expect(anyOf([])).toBe(nothing)
    expect(anyOf([nothing, a])).toBe(a)
    expect(anyOf([a, everything])).toBe(everything)
    expect(anyOf([a, b])).toEqual({ bool: { should: [a, b], minimum_should_match: 1 } })
  })

  it('of one field by several values are one clause', () => {
    const values = ['x', 'y', 'z'].map((value) => oneOf('f', [value]))
    expect(anyOf(values)).toEqual({ terms: { f: ['x', 'y', 'z'] } })
    expect(anyOf([...values, oneOf('f', ['x'])])).toEqual({ terms: { f: ['x', 'y', 'z'] } })
  })

  it('of a reversed range are met by periods around it, and by no number', () => {
    const date = clusterFilter({ date: { name: 'issued', from: 9, to: 5 } }, dataset)
    expect(date).toEqual({ range: { 'd.issued': { gte: 5, lte: 9, relation: 'contains' } } })
    const number = clusterFilter({ numbers: [{ name: 'scoring', from: 9, to: 5 }] }, dataset)
    expect(number).toBe(nothing)
  })

  it.each([
    { date: { name: 'scoring' } },
    { numbers: [{ name: 'issued' }] },
    { numbers: [{ name: 'scoring', from: Number.NaN }] },
    { flags: ['nope'] },
    { box: [0, 5, 1, 4] as const },
    {
      facets: {
        groups: [{ facet: 'nope', values: ['x'] }],
        operator: 'OR',
        groupOperator: 'AND',
      } as const,
    },
  ])('of a filter that no record can meet are nothing: %j', (filter) => {
    expect(clusterFilter(filter, dataset)).toBe(nothing)
  })

  it('of an infinite bound are those of none', () => {
    const open = { kind: 'range', name: 'issued', from: -Infinity } as const
    expect(treeQuery(open, dataset, () => nothing)).toEqual({ exists: { field: 'd.issued' } })
  })
})

describe('names and keys', () => {
  it('a generation is known by its name, and no other index is', () => {
    const names = clusterNames('p_')
    expect(names.alias('resource_A.b')).toBe('p_resource_5f_41_2eb')
    expect(names.isGeneration(names.generation('dataset', '0123456789abcdef'))).toBe(true)
    for (const other of [
      names.terms,
      names.facetValues,
      names.vectors('dataset'),
      names.alias('dataset'),
    ])
      expect(names.isGeneration(other)).toBe(false)
  })

  it('a key has at most 512 bytes, and is never empty', () => {
    for (const id of ['', 'a', 'é'.repeat(250), 'é'.repeat(251), '\u{1F600}'.repeat(500)])
      expect([1, 512]).toEqual([
        Math.min(1, recordKey(id).length),
        Math.max(512, Buffer.byteLength(recordKey(id))),
      ])
    expect(recordKey('h')).not.toBe(recordKey('é'.repeat(251)))
  })

  it('a long facet value is stored as its code, and has the code of the value', () => {
    for (const value of ['DE', '', '\0x', 'é'.repeat(10_000), 'half \ud800 pair']) {
      const kept = storedValue('country', value)
      expect(Buffer.byteLength(kept)).toBeLessThan(8_001)
      expect(codeOfStored('country', kept)).toBe(facetCode('country', value.toWellFormed()))
    }
  })
})

describe('an error answer', () => {
  const answer = (type: string, reason = '') => ({ error: { type, reason } })
  it.each([
    [429, answer('rejected_execution_exception'), 'engine-unavailable'],
    [429, answer('cluster_block_exception'), 'engine-unavailable'],
    [500, answer('node_not_connected_exception'), 'engine-unavailable'],
    [503, answer('search_phase_execution_exception'), 'engine-unavailable'],
    [401, 'no', 'engine-unavailable'],
    [503, answer('too_many_buckets_exception'), 'query-too-complex'],
    [400, answer('query_shard_exception', 'maxClauseCount is set to 1024'), 'query-too-complex'],
    [400, answer('mapper_parsing_exception'), 'internal'],
  ])('%i %j is %s', (status, body, kind) => {
    const failure = refused(status, body)
    expect(failure).toBeInstanceOf(Failure)
    expect(failure.kind).toBe(kind)
  })
})
