/** How writes get on their way: in turn, together, and once more with care when nothing was heard of one. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { logger } from '../../../src/log.ts'
import { fuseki } from '../../../src/store/remote/fuseki.ts'
import type { Dialect, StoreEndpoint, Edit } from '../../../src/store/remote/dialect.ts'
import { mergeEdits } from '../../../src/store/remote/edits.ts'
import { UpdateQueue } from '../../../src/store/remote/update-queue.ts'
import { faultProxy } from '../../support/fault-proxy.ts'
import { graphName, linesOf, record, system } from '../graphs.ts'
import { protocolServer } from '../../support/protocol-server.ts'
import { openRemote } from '../opening.ts'

const edit = (
  graph: string,
  lines: Partial<Record<'remove' | 'add', string[]>>,
  clear = false,
): Edit => ({
  graph,
  clear,
  remove: new Set(lines.remove),
  add: new Set(lines.add),
})

function apply(store: Map<string, Set<string>>, edits: readonly Edit[]): void {
  for (const { graph, clear, remove, add } of edits) {
    const lines = clear ? new Set<string>() : (store.get(graph) ?? new Set<string>())
    for (const line of remove) lines.delete(line)
    for (const line of add) lines.add(line)
    store.set(graph, lines)
  }
}

describe('a sum of edits', () => {
  const lines = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 })
  const one = fc
    .record({ graph: fc.constantFrom('g', 'h'), remove: lines, add: lines, clear: fc.boolean() })
    .map(({ graph, remove, add, clear }) =>
      edit(graph, { remove: remove.filter((line) => !add.includes(line)), add }, clear),
    )

  it('does what its parts do one after the other', () => {
    const groups = fc.array(fc.array(one, { maxLength: 3 }), { minLength: 2, maxLength: 4 })
    fc.assert(
      fc.property(groups, lines, lines, (all, g, h) => {
        const start = () =>
          new Map([
            ['g', new Set(g)],
            ['h', new Set(h)],
          ])
        const [slow, quick] = [start(), start()]
        for (const edits of all) apply(slow, edits)
        apply(quick, mergeEdits(all))
        expect(quick).toEqual(slow)
      }),
    )
  })
})

/** A writer whose requests are kept; `answer` may refuse one. */
function writerWith(answer: (edits: readonly Edit[]) => void = () => undefined) {
  const requests: string[][] = []
  const pause = Promise.withResolvers<void>()
  const dialect: Dialect = {
    ...fuseki,
    fitsOneRequest: ({ graphs }) => graphs <= 3,
    commit: async (edits) => {
      requests.push(edits.map(({ graph }) => graph))
      await Promise.resolve()
      answer(edits)
    },
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this dialect opens no endpoint
  const endpoint = { pause: () => pause.promise } as Partial<StoreEndpoint> as StoreEndpoint
  return { requests, pause, writer: new UpdateQueue({ dialect, endpoint, log: logger('silent') }) }
}

describe('a writer', () => {
  const land = (writer: UpdateQueue, graph: string) => writer.commit([edit(graph, { add: ['x'] })])

  it('puts groups that wait into one request, as many as fit', async () => {
    const { requests, writer } = writerWith()
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((graph) => land(writer, graph)))
    expect(requests).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ])
  })

  it('tries the groups of a refused request one by one, so that a bad one fails alone', async () => {
    const refusal = new Failure('invalid-content', 'no')
    const { requests, writer } = writerWith((edits) => {
      if (edits.some(({ graph }) => graph === 'b')) throw refusal
    })
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((graph) => land(writer, graph)))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(requests).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']])
  })

  it('does not ask a store that is away for every group', async () => {
    const { requests, writer } = writerWith(() => {
      throw new Failure('store-unavailable', 'away')
    })
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((graph) => land(writer, graph)))
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    expect(requests).toHaveLength(1)
  })

  it('lets bookkeeping that only goes wait for a write to go with, in its order', async () => {
    const { requests, writer } = writerWith()
    const cleared = writer.commit([edit(system, { remove: ['mark'] })])
    await Promise.resolve()
    expect(requests).toEqual([])
    await Promise.all([land(writer, 'a'), cleared])
    expect(requests).toEqual([[system, 'a']])
  })

  it('lets it wait for a while only', async () => {
    const { requests, pause, writer } = writerWith()
    const cleared = writer.commit([edit(system, { remove: ['mark'] })])
    pause.resolve()
    await cleared
    expect(requests).toEqual([[system]])
    const other = writerWith()
    const last = other.writer.commit([edit(system, { remove: ['other'] })])
    await other.writer.close()
    await last
    expect(other.requests).toEqual([[system]])
  })

  it('finishes what it has when it is closed, and takes no more', async () => {
    const { requests, writer } = writerWith()
    const landed = land(writer, 'a')
    await writer.close()
    await landed
    expect(requests).toEqual([['a']])
    await expect(land(writer, 'b')).rejects.toMatchObject({ kind: 'store-unavailable' })
  })
})

describe('a write of which nothing was heard', () => {
  it('makes the next one look for itself what was there', async () => {
    const server = await protocolServer()
    const proxy = await faultProxy(server.url)
    const at = (path: string) => new URL(path, proxy.url).href
    const store = await openRemote({
      dialect: 'sparql11',
      queryEndpoint: at('/query'),
      updateEndpoint: at('/update'),
    })
    const graph = graphName()
    const [one, two, three] = [record(9, 'one'), record(9, 'two'), record(9, 'three')]
    await store.write([{ graph, content: one }])
    proxy.script.push(...Array.from({ length: 12 }, () => 'reset-after' as const))
    await expect(store.write([{ graph, content: two, before: one }])).rejects.toMatchObject({
      kind: 'store-unavailable',
    })
    proxy.script.length = 0
    // The writer believes that its write failed; it has landed.
    const again = () => store.write([{ graph, content: three, before: one }]).catch(() => undefined)
    await expect.poll(again, { timeout: 20_000 }).toEqual([{ graph, existed: true }])
    const text = await store.construct(
      `CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${graph}> { ?s ?p ?o } }`,
    )
    expect(linesOf(text)).toEqual(linesOf(three))
    await store.close()
    await proxy.close()
    await server.stop()
  })
})
