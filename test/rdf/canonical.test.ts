import * as fc from 'fast-check'
import { isomorphic } from 'rdf-isomorphic'
import { describe, expect, test } from 'vitest'
import type { Quad } from '@rdfjs/types'
import { canonicalHash, canonicalise, canonicalLabels } from '../../src/rdf/canonical.ts'
import { toLine, toLines } from '../../src/rdf/lines.ts'
import { dct } from '../../src/rdf/namespaces.ts'
import { parse } from '../../src/rdf/parse.ts'
import { skolemise } from '../../src/rdf/skolem.ts'
import { blankNode, literal, namedNode, quad } from '../../src/rdf/terms.ts'
import { disguised, graph, knot, triple } from './graphs.ts'

const distinct = (quads: readonly Quad[]) => [
  ...new Map(quads.map((one) => [toLine(one), one])).values(),
]
const turtle = (text: string) =>
  parse(`@prefix : <http://e/> . ${text}`, 'turtle', { baseIri: 'http://e/base' })
const hashOf = async (text: string) => (await canonicalise(await turtle(text))).hash
const grounded = async (quads: readonly Quad[]) => {
  const { labels } = await canonicalise(quads)
  return toLines(skolemise(quads, { genid: 'http://e/genid/', labels }))
}

describe('the hash', () => {
  test('does not depend on order and labels, and neither do the labels', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(graph, knot), fc.nat(1000), async (quads, seed) => {
        const other = disguised(quads, seed)
        expect((await canonicalise(other)).hash).toBe((await canonicalise(quads)).hash)
        expect(await grounded(other)).toBe(await grounded(quads))
        expect(await canonicalHash(toLines(other))).toBe((await canonicalise(quads)).hash)
      }),
      { numRuns: 300 },
    )
  })

  test('stays the same from one version of the platform to the next, because it is stored', async () => {
    const text =
      ':d :p "1", "1"@de, _:a ; :q [ :r "x" ; :s [ :r :d ] ], [ :r "x" ; :s [ :r :d ] ] . <http://e/d/2> :p _:a . _:a :knows _:b . _:b :knows _:a .'
    const { hash, labels } = await canonicalise(await turtle(text))
    expect(hash).toBe('3cde19a93310e679f3f597cc6995a87f21345fa8cde5be7fed44e89048df0d53')
    expect([...labels.values()]).toContain('ad1bf3b7d091abc6-2')
    expect(await canonicalLabels(await turtle(text))).toHaveProperty('size', labels.size)
  })

  test('changes with every triple', async () => {
    await fc.assert(
      fc.asyncProperty(graph, triple, fc.nat(), async (quads, extra, pick) => {
        const all = distinct(quads)
        const { hash } = await canonicalise(all)
        const more = distinct([...all, extra])
        const grown = more.length > all.length
        expect((await canonicalise(more)).hash === hash).toBe(!grown)
        fc.pre(all.length > 0)
        const fewer = all.toSpliced(pick % all.length, 1)
        expect((await canonicalise(fewer)).hash).not.toBe(hash)
      }),
      { numRuns: 200 },
    )
  })

  test('is equal exactly for isomorphic graphs, however alike their nodes are', async () => {
    await fc.assert(
      fc.asyncProperty(knot, knot, async (one, other) => {
        const [a, b] = [distinct(one), distinct(other)]
        const equal = (await canonicalise(a)).hash === (await canonicalise(b)).hash
        expect(equal).toBe(isomorphic(a, b))
      }),
      { numRuns: 500 },
    )
  })

  test('ignores doubles and the names of graphs', async () => {
    const one = quad(blankNode('x'), dct('title'), literal('t'))
    const named = quad(one.subject, one.predicate, one.object, namedNode('http://e/g'))
    expect(await canonicalise([one, named, one])).toEqual(await canonicalise([one]))
  })

  test('tells two equal blank nodes from one', async () => {
    expect(await hashOf(':a :p [ :q 1 ], [ :q 1 ] .')).not.toBe(await hashOf(':a :p [ :q 1 ] .'))
  })
})

describe('labels', () => {
  test('are 16 hex digits, equal twins get -2 and -3', async () => {
    const { labels } = await canonicalise(await turtle(':a :p [ :q 1 ], [ :q 1 ], [ :q 1 ], [] .'))
    const found = [...labels.values()].sort()
    expect(found.every((label) => /^[0-9a-f]{16}(-[23])?$/.test(label))).toBe(true)
    expect(found.map((label) => label.slice(16)).sort()).toEqual(['', '', '-2', '-3'])
    expect(new Set(found).size).toBe(4)
  })

  test('of other nodes stay when a node is inserted', async () => {
    const before = await turtle(':a :p [ :q [ :r 1 ] ], [ :q 2 ] . :b :p [ :s _:x ] . :c :p _:x .')
    const labels = new Set((await canonicalise(before)).labels.values())
    const inserted = await turtle(
      ':a :p [ :q [ :r 1 ] ], [ :q 2 ], [ :q 0 ] . :b :p [ :s _:x ] . :c :p _:x .',
    )
    const after = new Set((await canonicalise(inserted)).labels.values())
    expect(after.size).toBe(labels.size + 1)
    expect(labels.isSubsetOf(after)).toBe(true)
  })

  test('of a changed node change with it', async () => {
    const one = (await canonicalise(await turtle(':a :p [ :q 1 ] .'))).labels
    const two = (await canonicalise(await turtle(':a :p [ :q 2 ] .'))).labels
    expect([...one.values()]).not.toEqual([...two.values()])
  })
})

const at = (index: number) => blankNode(`x${index}`)
const p = namedNode('http://e/p')
const ring = (size: number) =>
  Array.from({ length: size }, (_, index) => quad(at(index), p, at((index + 1) % size)))
const clique = (size: number) =>
  Array.from({ length: size * size }, (_, index) =>
    quad(at(index % size), p, at(Math.floor(index / size))),
  ).filter(({ subject, object }) => !subject.equals(object))

describe('[T12] hostile graphs', () => {
  test('a chain of 20000 blank nodes is labelled without recursion', async () => {
    const chain = Array.from({ length: 20_000 }, (_, index) => quad(at(index), p, at(index + 1)))
    expect((await canonicalise(chain)).labels.size).toBe(20_001)
  })

  test.each([
    ['a ring of 20000', ring(20_000)],
    ['a ring of 1000', ring(1_000)],
    ['a clique of 12', clique(12)],
    ['a clique of 150', clique(150)],
    ['a chain of 20000 that ends in a shared node', [...ring(20_000), quad(p, p, at(7))]],
  ])('%s ends as too complex', async (_, quads) => {
    await expect(canonicalise(quads)).rejects.toMatchObject({ kind: 'too-complex' })
  })

  test('the budget is the caller’s', async () => {
    expect((await canonicalise(ring(8))).labels.size).toBe(8)
    await expect(canonicalise(ring(8), { work: 20 })).rejects.toMatchObject({ kind: 'too-complex' })
  })
})
