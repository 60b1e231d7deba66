/** What can be asked of the history of runs. */

import { Failure } from '../../errors.ts'
import type { KeptRun } from './keeping/run-rows.ts'
import type { LiveDeps, LiveRun } from './living/live-run.ts'
import type { Run, RunItem } from './run.ts'
import type { Runs } from './runs.ts'
import type { Followers } from './telling/following.ts'
import { reportOf } from './telling/comparison.ts'

/** The runs of this process by id, and the file under all of them. */
export type RunRoom = {
  readonly deps: LiveDeps
  readonly lives: Map<string, LiveRun>
  readonly owner: string
  readonly makeId: () => string
  readonly isGone: (owner: string) => boolean
}

type Reading = Pick<
  Runs,
  | 'get'
  | 'list'
  | 'items'
  | 'report'
  | 'follow'
  | 'lastComplete'
  | 'failedIds'
  | 'resumption'
  | 'lastSign'
>

export function reading(room: RunRoom, watching: Followers): Reading {
  const { deps, lives } = room
  const { rows, items } = deps
  const get = (id: string): Run | undefined => lives.get(id)?.now() ?? rows.byId(id)?.run
  const written = (id: string): KeptRun => {
    lives.get(id)?.flush()
    return known(room, id)
  }
  return {
    get,
    list: (filter) => rows.list(filter).map((run) => lives.get(run.id)?.now() ?? run),
    items: (id, filter = {}) => items.read(written(id).serial, filter),
    report: (id) => reportOf(deps, written(id)),
    follow: (id, signal) => watching.follow(id, () => get(id) ?? missing(id), signal),
    lastComplete: (pipe) =>
      rows.before(pipe, Number.MAX_SAFE_INTEGER, ['complete', 'not-modified'])?.run,
    failedIds: (id) => idsOf(items.read(written(id).serial, { state: 'failed' })),
    resumption: (id) => {
      const { start, resumed, checkpoint } = known(room, id)
      return { start, times: resumed, ...(checkpoint && { cursor: checkpoint.cursor }) }
    },
    lastSign: (id) => lives.get(id)?.lastSign(),
  }
}

/** Throws `Failure` `unknown-run`. */
export const known = ({ deps }: RunRoom, id: string): KeptRun => deps.rows.byId(id) ?? missing(id)

function missing(id: string): never {
  throw new Failure('unknown-run', `there is no run ${id.slice(0, 100)}`)
}

function idsOf(items: Iterable<RunItem>): readonly string[] {
  const ids = new Set<string>()
  for (const { originalId, sourceId } of items) {
    if (originalId !== undefined) ids.add(originalId)
    if (sourceId !== undefined) ids.add(sourceId)
  }
  return [...ids]
}
