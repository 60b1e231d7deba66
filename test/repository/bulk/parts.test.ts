/** The parts of a bulk write by themselves: what is cut out of a body, whose turn it is, what became of many groups. */

import { describe, expect, it } from 'vitest'
import { ManyDatasets } from '../../../src/repository/bulk/many-datasets.ts'
import { pieces } from '../../../src/repository/bulk/pieces.ts'
import { turns } from '../../../src/repository/bulk/turns.ts'
import { landEach } from '../../../src/repository/writing/landing.ts'
import type { Landing } from '../../../src/store/graph-store.ts'
import { names } from '../../../src/rdf/names.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { base, prefixes } from '../../support/repository.ts'

const never = new AbortController().signal

async function cut(text: string): Promise<Record<string, number>> {
  const body = new ManyDatasets(names(base))
  body.add(await parse(prefixes + text, 'trig', { baseIri: base }))
  const found = await pieces(body, () => undefined)
  return Object.fromEntries(found.map((piece) => [piece.node.value, piece.cut().length]))
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

describe('turns', () => {
  it('are taken in the order of coming, so many at a time', async () => {
    const line = turns(2)
    const ends = [await line.take(never), await line.take(never)]
    const seen: number[] = []
    const waiting = [1, 2].map(async (n) => {
      const end = await line.take(never)
      seen.push(n)
      return end
    })
    await Promise.resolve()
    expect(seen).toEqual([])
    ends[0]!()
    ends[0]!()
    await waiting[0]
    expect(seen).toEqual([1])
    ends[1]!()
    await waiting[1]
    expect(seen).toEqual([1, 2])
  })

  it('are not kept for who has left', async () => {
    const line = turns(1)
    const end = await line.take(never)
    const gone = new AbortController()
    const impatient = line.take(gone.signal)
    const patient = line.take(never)
    gone.abort(new Error('left'))
    await expect(impatient).rejects.toThrow('left')
    end()
    await patient
  })
})

describe('many groups that land together', () => {
  const groups = ['a', 'b'].map((resource, n) => ({
    changes: [],
    marks: [{ resource, version: n }],
  }))
  const told = async (writeEach: () => Promise<readonly Landing[]>) => {
    const heard: string[] = []
    const failures = await landEach(
      {
        store: { writeEach },
        changed: (marks) => void heard.push(...marks.map(({ resource }) => resource)),
        unsure: () => void heard.push('unsure'),
      },
      groups,
    )
    return { failures, heard }
  }

  it('are told of one by one: who failed has no mark, and the store is asked what became of it', async () => {
    const failure = new Error('no')
    const { failures, heard } = await told(() => Promise.resolve([{ failure }, { written: [] }]))
    expect(failures).toEqual([failure, undefined])
    expect(heard).toEqual(['unsure', 'b'])
  })

  it('have all failed when the store could not be asked', async () => {
    const { failures, heard } = await told(() => Promise.reject(new Error('away')))
    expect(failures.map(String)).toEqual(['Error: away', 'Error: away'])
    expect(heard).toEqual(['unsure'])
  })
})
