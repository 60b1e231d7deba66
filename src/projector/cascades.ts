/**
 * Projects again what uses a resource, when a fact has changed that it embeds: the members of a catalogue, the records that
 * mention a concept of a vocabulary. A mark in the store stands for the whole work: it goes when all of it is indexed, so a
 * crash or a failure on the way means that the work begins anew.
 */

import type { Log } from '../log.ts'
import { literal, namedNode } from '../rdf/terms.ts'
import type { GraphStore } from '../store/graph-store.ts'
import { type Mark, markLine, systemChange } from '../store/marks.ts'
import { bind, loadQuery, paged, type Query, type QueryValues } from '../store/queries.ts'
import type { Pause } from '../workers/retry.ts'
import { feed } from './feed.ts'
import { readCascades } from './marks.ts'
import type { Projector } from './projector.ts'

/** Marks read at a time. */
const mostMarks = 100
/** Milliseconds after a failure. */
const pauseMs = 1000
/** Rows per query: some stores do not sort more. */
const mostRows = 5000

/** Whom a cascade mark means. */
export type Affected = {
  readonly pages: AsyncIterable<readonly string[]>
  /** Lines of the system graph that go together with the mark, when all of them are indexed. */
  readonly lines?: readonly string[]
}

export type Affects = (mark: Mark, signal: AbortSignal) => Promise<Affected>

type CascadeContext = {
  readonly store: GraphStore
  readonly projector: Pick<Projector, 'again'>
  readonly log: Log
  readonly affected: Affects
  readonly pause: Pause
}

/**
 * Works off cascade marks, one after the other, until it is stopped. `wake` looks for marks in the store; what an earlier process
 * left is found at the start.
 */
export function cascades({ store, projector, log, affected, pause }: CascadeContext) {
  const stopping = new AbortController()
  const { signal } = stopping
  let awake = Promise.withResolvers<void>()
  const run = async (mark: Mark) => {
    const { resource } = mark
    const { pages, lines = [] } = await affected(mark, signal)
    const take = (one: string) => projector.again(one)
    const progress = (done: number) => log.info({ resource, done }, 'cascade.progress')
    const records = await feed(pages, { take, pause, progress }, signal)
    await store.write([systemChange({ remove: [markLine('cascade', mark), ...lines] })], signal)
    log.info({ resource, records }, 'cascade.finished')
  }
  const work = async () => {
    while (!signal.aborted) {
      try {
        const marks = await readCascades(store, mostMarks, signal)
        for (const mark of marks) await run(mark)
        if (marks.length > 0) continue
        await awake.promise
        awake = Promise.withResolvers<void>()
      } catch (error) {
        if (signal.aborted) return
        log.error({ err: error, retryInMs: pauseMs }, 'cascade.failed')
        await pause(pauseMs, signal)
      }
    }
  }
  const running = work()
  return {
    wake: () => awake.resolve(),
    stop: async () => {
      stopping.abort()
      awake.resolve()
      await running
    },
  }
}

const membersQuery = loadQuery('catalogue-members-after')

/** What is in a catalogue: its datasets and its resources of declared types. What goes meanwhile may still be named. */
export const catalogueMembers = (store: GraphStore, catalogue: string, signal: AbortSignal) =>
  keyedPages(store, { query: membersQuery, values: { catalogue: namedNode(catalogue) } }, signal)

/**
 * The values of the only column of a query in its own order, page by page; each page begins after the last value (`$after`) of
 * the one before, so that none is left out when others go meanwhile.
 */
export async function* keyedPages(
  store: Pick<GraphStore, 'select'>,
  { query, values }: { readonly query: Query; readonly values: QueryValues },
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  for (let after = ''; ;) {
    const text = paged(bind(query, { ...values, after: literal(after) }), { limit: mostRows })
    const rows = await store.select(text, signal)
    const page = rows.flatMap((row) => Object.values(row)[0]?.value ?? [])
    if (page.length > 0) yield page
    if (rows.length < mostRows) return
    after = page.at(-1) ?? after
  }
}
