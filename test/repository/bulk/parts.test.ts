/** The parts of a bulk write by themselves: what is cut out of a body, whose turn it is, what became of many groups. */

import { describe, expect, it } from 'vitest'
import { BulkBody, bulkItems } from '../../../src/repository/writing/bulk-body.ts'
import { commitBatch } from '../../../src/repository/writing/write-batch.ts'
import type { CommitResult } from '../../../src/store/graph-store.ts'
import { names } from '../../../src/rdf/names.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { base, prefixes } from '../../support/repository.ts'

async function cut(text: string): Promise<Record<string, number>> {
  const body = new BulkBody(names(base))
  body.add(await parse(prefixes + text, 'trig', { baseIri: base }))
  const found = await bulkItems(body, () => undefined)
  return Object.fromEntries(found.map((piece) => [piece.node.value, piece.extract().length]))
}

describe('the datasets of a body', () => {
  it('are those that nothing points to; what a dataset points to travels with it', async () => {
    expect(await cut('<a:1> a dcat:Dataset ; dct:relation <a:2> . <a:2> a dcat:Dataset .')).toEqual(
      {
        'a:1': 3,
      },
    )
  })

  it('are also those that a catalogue or a record of the body names', async () => {
    const text = `<a:c> a dcat:Catalog ; dcat:dataset <a:2> . <a:r> a dcat:CatalogRecord ; foaf:primaryTopic <a:3> .
<a:1> a dcat:Dataset ; dct:relation <a:2> , <a:3> , <a:c> . <a:2> a dcat:Dataset . <a:3> a dcat:Dataset .`
    expect(await cut(text)).toEqual({ 'a:1': 4, 'a:2': 1, 'a:3': 1 })
  })

  it('are all of those that only point to each other', async () => {
    const text = `<a:1> a dcat:Dataset ; dct:relation <a:2> . <a:2> a dcat:Dataset ; dct:relation <a:1> .
<a:3> a dcat:Dataset .`
    expect(await cut(text)).toEqual({ 'a:1': 2, 'a:2': 2, 'a:3': 1 })
  })

  it('have the whole graph that describes them, reached from them or not', async () => {
    const text =
      '<g:1> { <a:1> a dcat:Dataset . <a:x> dct:title "x" } <g:2> { <a:2> a dcat:Dataset }'
    expect(await cut(text)).toEqual({ 'a:1': 2, 'a:2': 1 })
  })

  it('that several graphs describe are those of the graph of their name, else of the first', async () => {
    const text = `<g:1> { <a:1> a dcat:Dataset . <a:2> a dcat:Dataset ; dct:title "elsewhere" }
<a:1> { <a:1> a dcat:Dataset ; dct:title "at home" ; dct:description "here" } <g:2> { <a:2> a dcat:Dataset }`
    expect(await cut(text)).toEqual({ 'a:2': 2, 'a:1': 3 })
  })

  it('are not found in graphs of metrics', async () => {
    const text = `@prefix dqv: <http://www.w3.org/ns/dqv#> .
<g:m> { <a:m> a dqv:QualityMetadata . <a:1> a dcat:Dataset } <g:1> { <a:1> a dcat:Dataset ; dct:title "x" }`
    expect(await cut(text)).toEqual({ 'a:1': 2 })
  })

  it('get once what a body says of a shared node a thousand times', async () => {
    const text = Array.from(
      { length: 1000 },
      (_, n) => `<a:${n}> a dcat:Dataset ; dct:publisher <a:p> . <a:p> foaf:name "P" .`,
    )
    const sizes = Object.values(await cut(text.join('\n')))
    expect(sizes).toHaveLength(1000)
    expect(Math.max(...sizes)).toBeLessThan(70)
  })
})

describe('many groups that land together', () => {
  const groups = ['a', 'b'].map((resource, n) => ({
    result: resource,
    group: { changes: [], marks: [{ resource, version: n }] },
  }))
  const told = async (writeEach: () => Promise<readonly CommitResult[]>) => {
    const heard: string[] = []
    const results = await commitBatch(
      {
        store: { writeEach },
        idLists: { apply: () => undefined, forget: () => void heard.push('forget') },
        onCommitted: (marks) => void heard.push(...marks.map(({ resource }) => resource)),
        onOutcomeUnknown: () => void heard.push('unsure'),
      },
      groups,
    )
    return { results, heard }
  }

  it('are told of one by one: who failed has no mark, and the store is asked what became of it', async () => {
    const failure = new Error('no')
    const { results, heard } = await told(() => Promise.resolve([{ failure }, { written: [] }]))
    expect(results).toEqual([{ failure }, { result: 'b' }])
    expect(heard).toEqual(['forget', 'unsure', 'b'])
  })

  it('have all failed when the store could not be asked', async () => {
    const failure = new Error('away')
    const { results, heard } = await told(() => Promise.reject(failure))
    expect(results).toEqual([{ failure }, { failure }])
    expect(heard).toEqual(['forget', 'unsure'])
  })
})
