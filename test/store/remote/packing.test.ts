/** Which groups of edits share a request: any order that is chosen does what the order of asking would have done. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { logger } from '../../../src/log.ts'
import { ctl } from '../../../src/rdf/namespaces.ts'
import type { Dialect, Edit, Size, StoreEndpoint } from '../../../src/store/remote/dialect.ts'
import { UpdateQueue } from '../../../src/store/remote/update-queue.ts'
import { fuseki } from '../../../src/store/remote/fuseki.ts'
import { virtuoso } from '../../../src/store/virtuoso/virtuoso.ts'
import { system } from '../graphs.ts'

type Lines = Readonly<Partial<Record<'remove' | 'add', readonly string[]>>>
const edit = (graph: string, { remove = [], add = [] }: Lines): Edit => ({
  graph,
  clear: false,
  remove: new Set(remove.filter((line) => !add.includes(line))),
  add: new Set(add),
})
const many = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`)
const written = (name: string, lines = 85) => [edit(name, { add: many(lines) })]
const cleared = (name: string) => [edit(system, { remove: [name] })]
const version = (n: number) => `<${system}> <${ctl('indexed').value}> "${n}" .`
/** The mark `n` is removed, and the version that is indexed moves from `n` to the next. */
const indexed = (n: number) => [
  edit(system, { remove: [`mark ${n}`, version(n)], add: [version(n + 1)] }),
]

/** What a queue sends for groups that are there at once; those that may wait have their time in the end. */
async function sent(
  groups: readonly (readonly Edit[])[],
  dialect: Dialect,
): Promise<(readonly Edit[])[]> {
  const requests: (readonly Edit[])[] = []
  const ripe = Promise.withResolvers<void>()
  const queue = new UpdateQueue({
    dialect: { ...dialect, commit: async (edits) => void requests.push(edits) },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that a queue asks of it
    endpoint: { pause: () => ripe.promise } as unknown as StoreEndpoint,
    log: logger('silent'),
  })
  const all = groups.map((edits) => queue.commit(edits))
  await new Promise((resolve) => setImmediate(resolve))
  ripe.resolve()
  await Promise.all(all)
  return requests
}

const named = (requests: readonly (readonly Edit[])[]) =>
  requests.map((edits) =>
    edits.map(({ graph, remove }) => (graph === system ? [...remove].join('+') : graph)).join(' '),
  )

describe('a pack', () => {
  it('takes along what may wait, and what waits goes together in the end', async () => {
    const all = [cleared('a'), written('b'), cleared('c'), written('d')]
    expect(named(await sent(all, fuseki))).toEqual(['a+c b d'])
    expect(named(await sent([cleared('a'), cleared('b')], fuseki))).toEqual(['a+b'])
  })

  it('takes along the version that is indexed with the marks of its records', async () => {
    const all = [indexed(1), written('b'), indexed(2)]
    const [request = [], ...others] = await sent(all, fuseki)
    expect(others).toEqual([])
    expect(request.map(({ graph }) => graph)).toEqual([system, 'b'])
    expect([...(request[0]?.remove ?? [])].sort()).toEqual(
      [version(1), version(2), 'mark 1', 'mark 2'].sort(),
    )
    expect([...(request[0]?.add ?? [])]).toEqual([version(3)])
    expect(named(await sent(all, virtuoso))[0]).toBe('b')
  })

  it('waits for other writes as long as they come, but not for ever', async () => {
    const pauses: PromiseWithResolvers<void>[] = []
    const requests: (readonly Edit[])[] = []
    const queue = new UpdateQueue({
      dialect: {
        ...virtuoso,
        defer: { idleMs: 10, mostMs: 30 },
        commit: async (edits) => void requests.push(edits),
      },
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that a queue asks of it
      endpoint: {
        pause: () => {
          const pause = Promise.withResolvers<void>()
          pauses.push(pause)
          return pause.promise
        },
      } as unknown as StoreEndpoint,
      log: logger('silent'),
    })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const gone = queue.commit(indexed(1))
    for (const name of ['b', 'c', 'd']) {
      expect(named(requests)).not.toContain(`mark 1+${version(1)}`)
      await queue.commit(written(name))
      pauses.at(-1)?.resolve()
      await turn()
    }
    await gone
    expect(pauses).toHaveLength(3)
    expect(named(requests)).toEqual(['b', 'c', 'd', `mark 1+${version(1)}`])
  })

  it('does not make a template of an insert on Virtuoso: what may wait lets it pass', async () => {
    const all = [cleared('a'), written('b'), cleared('c'), written('d')]
    expect(named(await sent(all, virtuoso))).toEqual(['b d', 'a+c'])
  })

  it('holds a hundred new records of ordinary size, as one transaction of the bulk endpoint does', async () => {
    const record = (at: number) =>
      Array.from({ length: 90 }, (_, n) => `<http://localhost/${at}> <p${n}> "${'x'.repeat(80)}" .`)
    const all = Array.from({ length: 100 }, (_, at) => [
      edit(`g${at}`, { add: record(at) }),
      edit('catalogue', { add: [`link ${at}`, `record ${at}`] }),
      edit(system, { add: [`mark ${at}`] }),
    ])
    expect(await sent(all, virtuoso)).toHaveLength(1)
  })
})

describe('packs one after the other', () => {
  const lines = fc.uniqueArray(fc.constantFrom('a', 'b', version(1)), { maxLength: 2 })
  const plain = fc
    .record({ remove: lines, add: lines, other: lines })
    .map(({ remove, add, other }) => [edit(system, { remove, add }), edit('g', { add: other })])
  const versions = fc.uniqueArray(fc.constantFrom(version(1), version(2)), { maxLength: 2 })
  const idle = fc
    .record({ remove: lines, old: versions, add: versions })
    .map(({ remove, old, add }) => [edit(system, { remove: [...remove, ...old], add })])
  const groups = fc.array(fc.oneof(plain, idle), { maxLength: 8 })
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

  it('do what the groups do in the order of asking', async () => {
    await fc.assert(
      fc.asyncProperty(groups, lines, fc.nat({ max: 5 }), async (all, before, most) => {
        const [slow, quick] = [1, 2].map(() => new Map([[system, new Set(before)]]))
        if (!slow || !quick) throw new Error('two stores')
        for (const edits of all) apply(slow, edits)
        const fitsOneRequest = ({ removed, added }: Size) =>
          removed > 0 && added > 0 ? removed + added <= most : removed + added <= 2 * most
        for (const edits of await sent(all, { ...fuseki, fitsOneRequest })) apply(quick, edits)
        expect(sorted(quick)).toEqual(sorted(slow))
      }),
      { numRuns: 300 },
    )
  })
})
