/**
 * Projects again what uses a resource, when a fact has changed that it embeds: the members of a catalogue, the records that
 * mention a concept of a vocabulary. A mark in the store stands for the whole work: it goes when all of it is indexed, so a
 * crash or a failure on the way means that the work begins anew.
 */

import type { Log } from '../log.ts'
import { literal, namedNode } from '../rdf/terms.ts'
import type { GraphStore } from '../store/graph-store.ts'
import { type Mark, systemChange } from '../store/marks.ts'
import { bind, loadQuery, paged, type Query, type QueryValues } from '../store/queries.ts'
import { feed } from './feed.ts'
import { clearingCascade, readCascades } from './marks.ts'
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

type CascadeDeps = {
  readonly store: GraphStore
  readonly projector: Pick<Projector, 'again'>
  readonly log: Log
  readonly affected: (mark: Mark, signal: AbortSignal) => Promise<Affected>
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

type Cascades = {
  /** Looks for marks in the store; what an earlier process left is found at the first call. */
  wake(): void
  stop(): Promise<void>
}

/** Works off cascade marks, one after the other, until it is stopped. */
export function cascades(deps: CascadeDeps): Cascades {
  const stopping = new AbortController()
  const { signal } = stopping
  let awake = Promise.withResolvers<void>()

  const work = async () => {
    while (!signal.aborted) {
      try {
        const marks = await readCascades(deps.store, mostMarks, signal)
        for (const mark of marks) await run(deps, mark, signal)
        if (marks.length > 0) continue
        await awake.promise
        awake = Promise.withResolvers<void>()
      } catch (error) {
        if (signal.aborted) return
        deps.log.error({ err: error, retryInMs: pauseMs }, 'cascade.failed')
        await deps.pause(pauseMs, signal)
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

async function run(deps: CascadeDeps, mark: Mark, signal: AbortSignal): Promise<void> {
  const { store, projector, log, affected, pause } = deps
  const { resource } = mark
  const again = {
    take: (one: string) => projector.again(one),
    pause,
    progress: (done: number) => log.info({ resource, done }, 'cascade.progress'),
  }
  const { pages, lines = [] } = await affected(mark, signal)
  const records = await feed(pages, again, signal)
  await store.write([clearingCascade(mark), systemChange({ remove: lines })], signal)
  log.info({ resource, records }, 'cascade.finished')
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
