/** Which groups of edits share a request: any order that is chosen does what the order of asking would have done. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Edit, Size } from '../../../src/store/remote/dialect.ts'
import { packOf, type Packable } from '../../../src/store/remote/update-queue.ts'
import { editsSize, sumOf } from '../../../src/store/remote/edits.ts'
import { virtuoso } from '../../../src/store/virtuoso/virtuoso.ts'
import { system } from '../graphs.ts'

type Lines = Readonly<Partial<Record<'remove' | 'add', readonly string[]>>>
const edit = (graph: string, { remove = [], add = [] }: Lines): Edit => ({
  graph,
  clear: false,
  remove: new Set(remove.filter((line) => !add.includes(line))),
  add: new Set(add),
})

type Group = Omit<Packable, 'idle'> & { readonly name: string; idle: Packable['idle'] }
const group = (name: string, edits: readonly Edit[], idle: Packable['idle'] = false): Group => ({
  name,
  edits,
  size: editsSize(edits),
  idle,
})
const many = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`)
const written = (name: string, lines = 85) => group(name, [edit(name, { add: many(lines) })])
const cleared = (name: string, idle: Packable['idle'] = 'waits') =>
  group(name, [edit(system, { remove: [name] })], idle)
const names = (groups: readonly Group[]) => groups.map(({ name }) => name)
const everything = () => true

describe('a pack', () => {
  it('is nothing while all that waits may wait', () => {
    expect(packOf([cleared('a'), cleared('b')], everything)).toEqual([])
    expect(names(packOf([cleared('a', 'ripe'), cleared('b')], everything))).toEqual(['a', 'b'])
  })

  it('takes along what may wait, in the order of asking', () => {
    const all = [cleared('a'), written('b'), cleared('c'), written('d')]
    expect(names(packOf(all, everything))).toEqual(['a', 'b', 'c', 'd'])
  })

  it('does not make a template of an insert on Virtuoso: what may wait lets it pass', () => {
    const all = [cleared('a'), written('b'), cleared('c'), written('d')]
    expect(names(packOf(all, virtuoso.fits))).toEqual(['b', 'd'])
    const ripe = [cleared('a', 'ripe'), written('b'), cleared('c', 'ripe')]
    expect(names(packOf(ripe, virtuoso.fits))).toEqual(['a', 'c'])
  })

  it('holds a hundred new records of ordinary size, as one transaction of the bulk endpoint does', () => {
    const record = (at: number) =>
      Array.from({ length: 90 }, (_, n) => `<http://localhost/${at}> <p${n}> "${'x'.repeat(80)}" .`)
    const all = Array.from({ length: 100 }, (_, at) =>
      group(String(at), [
        edit(`g${at}`, { add: record(at) }),
        edit('catalogue', { add: [`link ${at}`, `record ${at}`] }),
        edit(system, { add: [`mark ${at}`] }),
      ]),
    )
    expect(packOf(all, virtuoso.fits)).toHaveLength(100)
  })

  it('lets nobody pass who brings what another one takes away', () => {
    const bringing = group('b', [edit(system, { add: ['a', ...many(70)] })])
    expect(names(packOf([cleared('a'), bringing], virtuoso.fits))).toEqual(['a'])
    const first = group('a', [edit(system, { add: ['c', ...many(9000)] })])
    expect(names(packOf([first, cleared('c', 'ripe')], virtuoso.fits))).toEqual(['a'])
    const others = [written('x', 9000), first, cleared('c', 'ripe'), cleared('d', 'ripe')]
    const small = ({ removed, added }: Size) => removed === 0 || added > 8999
    expect(names(packOf(others, small))).toEqual(['x', 'a', 'c', 'd'])
    const few = ({ graphs }: Size) => graphs <= 2
    expect(names(packOf(others, few))).toEqual(['x', 'a'])
    expect(names(packOf([written('x'), first, written('y'), cleared('c')], few))).toEqual([
      'x',
      'a',
    ])
  })
})

describe('packs one after the other', () => {
  const lines = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 })
  const plain = fc
    .record({ remove: lines, add: lines, other: lines })
    .map(({ remove, add, other }) => [edit(system, { remove, add }), edit('g', { add: other })])
  const idle = lines.map((remove) => [edit(system, { remove })])
  const groups = fc.array(
    fc.oneof(
      plain.map((edits) => ({ edits, idle: false as const })),
      idle.map((edits) => ({ edits, idle: 'waits' as const })),
    ),
    { maxLength: 8 },
  )
  const apply = (store: Map<string, Set<string>>, edits: readonly Edit[]) => {
    for (const { graph, remove, add } of edits) {
      const held = store.get(graph) ?? new Set<string>()
      for (const line of remove) held.delete(line)
      for (const line of add) held.add(line)
      store.set(graph, held)
    }
  }
  const sorted = (store: Map<string, Set<string>>) =>
    ['g', system].map((graph) => [...(store.get(graph) ?? [])].sort())

  it('do what the groups do in the order of asking', () => {
    fc.assert(
      fc.property(groups, lines, fc.integer({ min: 0, max: 5 }), (all, before, most) => {
        const [slow, quick] = [1, 2].map(() => new Map([[system, new Set(before)]]))
        if (!slow || !quick) throw new Error('two stores')
        for (const { edits } of all) apply(slow, edits)
        let waiting = all.map((one, at) => group(String(at), one.edits, one.idle))
        const fits = ({ removed, added }: Size) =>
          removed > 0 && added > 0 ? removed + added <= most : removed + added <= 2 * most
        while (waiting.length > 0) {
          const pack = packOf(waiting, fits)
          if (pack.length === 0) for (const one of waiting) one.idle = 'ripe'
          apply(quick, sumOf(pack.map(({ edits }) => edits)))
          waiting = waiting.filter((one) => !pack.includes(one))
        }
        expect(sorted(quick)).toEqual(sorted(slow))
      }),
      { numRuns: 500 },
    )
  })
})
