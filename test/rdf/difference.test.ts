import type { Quad } from '@rdfjs/types'
import * as fc from 'fast-check'
import { isomorphic } from 'rdf-isomorphic'
import { describe, expect, test } from 'vitest'
import { difference, linesOf, merge } from '../../src/rdf/difference.ts'
import { toLine } from '../../src/rdf/lines.ts'
import { parse } from '../../src/rdf/parse.ts'
import { applyPatch, parsePatch, toPatch } from '../../src/rdf/patch.ts'
import { blankNode, literal, namedNode, quad } from '../../src/rdf/terms.ts'
import { disguised, graph, knot } from './graphs.ts'

const distinct = (quads: readonly Quad[]) => [...linesOf(quads).values()]
const turtle = (text: string) =>
  parse(`@prefix : <http://e/> . ${text}`, 'turtle', { baseIri: 'http://e/base' })
const any = fc.oneof(graph, knot).map(distinct)
const maxLines = 1000

describe('the difference of two graphs', () => {
  test('applied to the first gives the second, also as a patch', async () => {
    await fc.assert(
      fc.asyncProperty(any, any, fc.nat(1000), async (base, other, seed) => {
        const change = await difference(base, disguised(other, seed))
        const patch = await parsePatch(toPatch(change), { maxLines })
        expect(isomorphic(applyPatch(base, patch), other)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('is empty for isomorphic graphs, whatever their labels', async () => {
    await fc.assert(
      fc.asyncProperty(any, fc.nat(1000), async (base, seed) => {
        expect(await difference(base, disguised(base, seed))).toEqual({ removed: [], added: [] })
      }),
      { numRuns: 100 },
    )
  })

  test('of a changed text in a nested node is that text', async () => {
    const from = await turtle(
      ':d :contact [ :name "Office" ; :mail "a" ; :at [ :city "Wil" ] ] , [ :name "Desk" ] .',
    )
    const to = await turtle(
      ':d :contact [ :name "Desk" ] , [ :name "Office" ; :mail "b" ; :at [ :city "Wil" ] ] .',
    )
    const { removed, added } = await difference(from, to)
    expect([...removed, ...added].map(({ object }) => object.value)).toEqual(['a', 'b'])
  })

  test('keeps to the limit of the canonical form for graphs made to be slow', async () => {
    const nodes = Array.from({ length: 40 }, (_, at) => blankNode(`x${at}`))
    const tied = nodes.flatMap((one) =>
      nodes.map((other) => quad(one, namedNode('http://e/p'), other)),
    )
    await expect(difference(tied, tied.slice(1), { work: 1000 })).rejects.toMatchObject({
      kind: 'too-complex',
    })
  })
})

// A base whose units are edited by two people: nodes with properties of one value and of many.

const subjects = ['d', 'e', 'f'].map((name) => namedNode(`http://e/${name}`))
const [single, many] = [namedNode('http://e/single'), namedNode('http://e/many')]
const isSingle = (iri: string) => iri === single.value
const base = subjects.flatMap((subject) => [
  quad(subject, single, literal('one', 'en')),
  quad(subject, single, literal('eins', 'de')),
  quad(subject, many, literal('a')),
  quad(subject, many, literal('b')),
  quad(subject, namedNode('http://e/nested'), blankNode(`${subject.value.at(-1)}1`)),
  quad(blankNode(`${subject.value.at(-1)}1`), single, literal('inner')),
])

type Edit = { readonly unit: string; readonly apply: (quads: readonly Quad[]) => Quad[] }

const edit: fc.Arbitrary<Edit> = fc
  .record({
    subject: fc.oneof(
      fc.constantFrom(...subjects),
      fc.constantFrom('d1', 'e1', 'f1').map((label) => blankNode(label)),
    ),
    predicate: fc.constantFrom(single, many),
    language: fc.constantFrom('', 'en', 'de'),
    values: fc.array(fc.constantFrom('a', 'b', 'c', 'x'), { maxLength: 3 }),
  })
  .map(({ subject, predicate, language, values }) => {
    const isUnit = (q: Quad) =>
      q.subject.equals(subject) &&
      q.predicate.equals(predicate) &&
      q.object.termType === 'Literal' &&
      q.object.language === language
    const added = values
      .slice(0, predicate === single ? 1 : 3)
      .map((value) => quad(subject, predicate, literal(value, language || undefined)))
    return {
      unit: `${toLine(quad(subject, predicate, literal('')))} ${language}`,
      apply: (quads) => distinct([...quads.filter((q) => !isUnit(q)), ...added]),
    }
  })

describe('a merge', () => {
  test('of edits of different units has both, in either order, without conflicts', async () => {
    await fc.assert(
      fc.asyncProperty(edit, edit, fc.nat(1000), async (one, other, seed) => {
        fc.pre(one.unit !== other.unit)
        const both = other.apply(one.apply(base))
        // An edit that empties a nested node removes it, which is more than one unit.
        fc.pre(['d1', 'e1', 'f1'].every((label) => both.some((q) => q.subject.value === label)))
        const [a, b] = [one.apply(base), other.apply(base)]
        const there = await merge(base, a, disguised(b, seed), { isSingle })
        const back = await merge(base, disguised(b, seed), a, { isSingle })
        expect(there.conflicts).toEqual([])
        expect(back.conflicts).toEqual([])
        expect(isomorphic([...there.graph], both)).toBe(true)
        expect(isomorphic([...back.graph], both)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('takes additions and removals of both where a property has many values', async () => {
    const from = await turtle(':d :word "a", "b", "c" .')
    const { graph, conflicts } = await merge(
      from,
      await turtle(':d :word "b", "c", "x" .'),
      await turtle(':d :word "a", "c", "y" .'),
    )
    expect(conflicts).toEqual([])
    expect(graph.map(({ object }) => object.value).sort()).toEqual(['c', 'x', 'y'])
  })

  test('asks when both set a single value differently, and not when they agree', async () => {
    const from = await turtle(':d :title "old"@en, "alt"@de .')
    const theirs = await turtle(':d :title "theirs"@en, "neu"@de .')
    const mine = await turtle(':d :title "mine"@en, "neu"@de .')
    const { graph, conflicts } = await merge(from, theirs, mine, { isSingle: () => true })
    expect(graph.map(({ object }) => object.value).sort()).toEqual(['neu', 'theirs'])
    expect(conflicts).toHaveLength(1)
    expect(conflicts[0]).toMatchObject({ language: 'en', mine: [{ object: { value: 'mine' } }] })
  })

  test('asks when one side removed a node that the other changed', async () => {
    const from = await turtle(':d :contact [ :name "Office" ; :mail "a", "b" ] .')
    const mine = await turtle(':d :contact [ :name "Office" ; :mail "a", "c" ] .')
    const { conflicts } = await merge(from, [], mine)
    expect(conflicts.map(({ predicate }) => predicate.value)).toEqual(['http://e/mail'])
  })

  test('decides about such a node as a whole, with what leads to it and all below it', async () => {
    const from = await turtle(
      ':d :file [ :name "All" ; :at [ :city "Wil" ; :zip "1" ] ] , [ :name "Few" ] .',
    )
    const without = await turtle(':d :file [ :name "Few" ] ; :title "t" .')
    const changed = await turtle(
      ':d :file [ :name "All" ; :at [ :city "Uzwil" ; :zip "1" ] ] , [ :name "Few" ] .',
    )
    for (const [theirs, mine] of [
      [without, changed],
      [changed, without],
    ] as const) {
      const { graph, conflicts } = await merge(from, theirs, mine)
      expect(conflicts.map(({ predicate }) => predicate.value)).toEqual(['http://e/file'])
      const { base = [], current = [], mine: own = [] } = conflicts[0] ?? {}
      const [gone, kept] = theirs === without ? [current, own] : [own, current]
      expect([base.length, gone.length, kept.length]).toEqual([5, 0, 5])
      const values = graph.map(({ object }) => object.value)
      expect([values.includes('Uzwil'), values.includes('t')]).toEqual([theirs === changed, true])
      const decided = [...graph.filter((q) => !current.includes(q)), ...own]
      expect(
        isomorphic(
          decided,
          theirs === without ? [...changed, ...(await turtle(':d :title "t" .'))] : without,
        ),
      ).toBe(true)
    }
  })

  test('says what each side changed', async () => {
    const from = await turtle(':d :title "t" ; :word "a" .')
    const theirs = await turtle(':d :title "t" ; :word "b" .')
    const mine = await turtle(':d :title "u" ; :word "a" .')
    const merged = await merge(from, theirs, mine)
    const values = (quads: readonly Quad[]) => quads.map(({ object }) => object.value)
    expect(values(merged.theirs.removed.concat(merged.theirs.added))).toEqual(['a', 'b'])
    expect(values(merged.own.removed.concat(merged.own.added))).toEqual(['t', 'u'])
  })

  test('adds once what both added alike', async () => {
    const from = await turtle(':d :title "t" .')
    const more = ':d :title "t" ; :contact [ :name "Office" ] .'
    const { graph } = await merge(from, await turtle(more), await turtle(more))
    expect(graph).toHaveLength(3)
  })
})

describe('a patch', () => {
  test.each([
    ['A <http://e/a> <http://e/b> "c"', 2],
    ['X <http://e/a> <http://e/b> "c" .', 2],
    ['PA "e" "http://e/" .', 2],
    ['A <http://e/a> <http://e/b> "c" . <http://e/a> <http://e/b> "d" .', 2],
    ['A <http://e/a> <not an iri> "c" .', 2],
    ['A', 2],
  ])('%s is refused with its line', async (line, at) => {
    await expect(parsePatch(`TX .\n${line}\nTC .\n`, { maxLines })).rejects.toMatchObject({
      kind: 'malformed-rdf',
      errors: [{ line: at }],
    })
  })

  test('that removes what is not there is refused with the lines', async () => {
    const text =
      'D <http://e/a> <http://e/b> _:c .\n\n# a note\nD <http://e/a> <http://e/b> "x" .\n'
    const patch = await parsePatch(text, { maxLines })
    const there = [quad(namedNode('http://e/a'), namedNode('http://e/b'), blankNode('c'))]
    expect(() => applyPatch(there, patch)).toThrow('line 4 removes a statement that is not there')
  })

  test('may have only so many statements', async () => {
    const text = 'A <http://e/a> <http://e/b> "c" .\n'.repeat(3)
    await expect(parsePatch(text, { maxLines: 2 })).rejects.toMatchObject({ kind: 'too-large' })
  })
})
