/** Projects again what uses a resource, when a fact has changed that it embeds: the members of a catalogue, the users of a vocabulary. */

import type { Log } from '../log.ts'
import { literal, namedNode } from '../rdf/terms.ts'
import type { GraphStore } from '../store/graph-store.ts'
import { type Mark, systemChange } from '../store/marks.ts'
import { bind, loadQuery, paged } from '../store/queries.ts'
import { feed } from './feed.ts'
import { clearingCascade, readCascades } from './marks.ts'
import type { Projector } from './projector.ts'

/** Resources per page. */
export const page = 200
/** Marks read at a time. */
const mostMarks = 100
/** Milliseconds after a failure. */
const pauseMs = 1000

/** Whom a cascade mark means. */
export type Users = {
  /** The next `page` resources behind `after`, in an order of its own; '' = from the beginning; fewer = the end. */
  page(mark: Mark, after: string, signal: AbortSignal): Promise<readonly string[]>
  /** Lines of the system graph that go together with the mark, when all users are indexed. */
  lines?(mark: Mark, signal: AbortSignal): readonly string[] | Promise<readonly string[]>
}

type CascadeDeps = {
  readonly store: GraphStore
  readonly projector: Pick<Projector, 'again'>
  readonly log: Log
  readonly users: Users
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

type Cascades = {
  /** Looks for marks in the store; what an earlier process left is found at the first call. */
  wake(): void
  stop(): Promise<void>
}

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
  const { store, projector, log, users, pause } = deps
  const { resource } = mark
  const again = {
    take: (one: string) => projector.again(one),
    pause,
    progress: (done: number) => log.info({ resource, done }, 'cascade.progress'),
  }
  const records = await feed(usersOf(users, mark, signal), again, signal)
  const lines = (await users.lines?.(mark, signal)) ?? []
  await store.write([clearingCascade(mark), systemChange({ remove: lines })], signal)
  log.info({ resource, records }, 'cascade.finished')
}

async function* usersOf(
  users: Users,
  mark: Mark,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  let after = ''
  for (;;) {
    const found = await users.page(mark, after, signal)
    if (found.length > 0) yield found
    if (found.length < page) return
    after = found.at(-1) ?? after
  }
}

/** Each mark's own users. */
export const usersBy = (of: (mark: Mark) => Users): Users => ({
  page: (mark, after, signal) => of(mark).page(mark, after, signal),
  lines: (mark, signal) => of(mark).lines?.(mark, signal) ?? [],
})

// What is in a catalogue: its datasets and its resources of declared types.

const membersQuery = loadQuery('catalogue-members-after')

/** Members per query: each has all the members behind it put in order, and some stores do not sort more. */
const mostMembers = 5000

/** Keeps what it has read of one catalogue for the next pages. What goes meanwhile may still be named. */
export function members(store: GraphStore): Users {
  let [of, waiting, isAll]: [string, readonly string[], boolean] = ['', [], false]

  const read = async (resource: string, after: string, signal: AbortSignal) => {
    const bound = bind(membersQuery, { catalogue: namedNode(resource), after: literal(after) })
    const rows = await store.select(paged(bound, { limit: mostMembers }), signal)
    return rows.flatMap((row) => row['resource']?.value ?? [])
  }
  return {
    page: async (mark, after, signal) => {
      const key = `${mark.version} ${mark.resource}`
      const at = waiting.indexOf(after)
      if (of !== key || at < 0) [of, waiting, isAll] = [key, [], false]
      else waiting = waiting.slice(at + 1)
      if (waiting.length < page && !isAll) {
        const more = await read(mark.resource, waiting.at(-1) ?? after, signal)
        isAll = more.length < mostMembers
        waiting = [...waiting, ...more]
      }
      return waiting.slice(0, page)
    },
  }
}
