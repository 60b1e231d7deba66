/** Binds the routes of triggers. */

import { Failure, shown } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import { accepted, linkRuns } from '../answering/answers.ts'
import { triggerAnswer } from '../answering/scheduled.ts'
import type { SchedulerDeps } from '../deps.ts'
import { jsonBody } from '../reading/json.ts'
import { allSets, oneEntry, oneSet, tooMany } from '../reading/sets.ts'
import type { Entry } from '../reading/trigger.ts'
import { triggerRoutes as routes } from '../routes/triggers.ts'
import { conflicting, launchAll, leavesAll, unknownPipes, wishes, type Wish } from '../setting.ts'
import type { Status } from '../trigger.ts'

export function bindTriggers(app: App, deps: SchedulerDeps): void {
  bindAll(app, deps)
  bindPipe(app, deps)
  bindOne(app, deps)
}

function bindAll(app: App, deps: SchedulerDeps): void {
  const { triggers } = deps
  const all = () =>
    Object.fromEntries([...triggers.all()].map(([pipe, list]) => [pipe, list.map(triggerAnswer)]))
  app.openapi(routes.all, (c) => c.json(all()))
  app.openapi(routes.replaceAll, async (c) => {
    const wished = wishes(deps, allSets(await jsonBody(c, deps.pipeBytes), boundsOf(deps)))
    const sets = wished.filter(({ kept }) => kept.length > 0)
    if (!leavesAll(wished)) triggers.replaceAll(new Map(sets.map(({ pipe, kept }) => [pipe, kept])))
    linkRuns(c, launchAll(deps, wished))
    return c.json(all())
  })
}

const boundsOf = ({ now, triggersPerPipe }: SchedulerDeps) => ({
  now: now(),
  most: triggersPerPipe,
})

function bindPipe(app: App, deps: SchedulerDeps): void {
  const { triggers } = deps
  app.openapi(routes.ofPipe, (c) => {
    const name = nameOf(deps, c.req.valid('param').pipeId)
    return c.json(someOf(deps, name).map(triggerAnswer))
  })
  app.openapi(routes.replace, async (c) => {
    const { pipeId } = c.req.valid('param')
    demandPipe(deps, pipeId)
    const wish = wishFor(deps, pipeId, oneSet(await jsonBody(c, deps.pipeBytes), boundsOf(deps)))
    const isFirst = triggers.of(wish.pipe).length === 0 && wish.kept.length > 0
    if (!leavesAll([wish])) triggers.replace(wish.pipe, wish.kept)
    linkRuns(c, launchAll(deps, [wish]))
    return c.json(triggers.of(wish.pipe).map(triggerAnswer), isFirst ? 201 : 200)
  })
  app.openapi(routes.clear, (c) => {
    const name = nameOf(deps, c.req.valid('param').pipeId)
    const removed = someOf(deps, name)
    triggers.replace(name, [])
    return c.json(removed.map(triggerAnswer))
  })
}

function bindOne(app: App, deps: SchedulerDeps): void {
  const { triggers } = deps
  app.openapi(routes.turn, (c) => {
    const { pipeId, triggerId, status } = c.req.valid('param')
    const turned = triggers.turn(nameOf(deps, pipeId), triggerId, statusOf(status))
    return c.json(triggerAnswer(turned))
  })
  app.openapi(routes.one, (c) => {
    const { pipeId, triggerId } = c.req.valid('param')
    return c.json(triggerAnswer(known(deps, nameOf(deps, pipeId), triggerId)))
  })
  app.openapi(routes.put, async (c) => {
    const { pipeId, triggerId } = c.req.valid('param')
    demandPipe(deps, pipeId)
    const entry = oneEntry(await jsonBody(c, deps.pipeBytes), triggerId, deps.now())
    const wish = wishFor(deps, pipeId, [entry])
    const [trigger] = wish.kept
    if (trigger) {
      const before = triggers.of(wish.pipe)
      const isNew = !before.some(({ id }) => id === triggerId)
      if (isNew && before.length >= deps.triggersPerPipe)
        throw tooMany(before.length + 1, deps.triggersPerPipe)
      triggers.put(wish.pipe, trigger)
      return c.json(triggerAnswer(known(deps, wish.pipe, triggerId)), isNew ? 201 : 200)
    }
    const [run] = launchAll(deps, [wish])
    if (run) return accepted(c, run)
    throw conflicting(wish.pipe)
  })
  app.openapi(routes.remove, (c) => {
    const { pipeId, triggerId } = c.req.valid('param')
    return c.json(triggerAnswer(triggers.remove(nameOf(deps, pipeId), triggerId)))
  })
}

function wishFor(deps: SchedulerDeps, pipe: string, entries: readonly Entry[]): Wish {
  const [wish] = wishes(deps, new Map([[pipe, entries]]))
  return wish ?? { pipe, kept: [], launches: [] }
}

/** Triggers outlive their pipe: where it is gone its name still finds them. */
const nameOf = ({ pipes }: SchedulerDeps, pipeId: string): string =>
  pipes.find(pipeId)?.pipe.header.name ?? pipeId

/** Before the body is looked at. */
function demandPipe({ pipes }: SchedulerDeps, pipeId: string): void {
  if (!pipes.find(pipeId)) throw unknownPipes([pipeId])
}

function someOf(deps: SchedulerDeps, name: string) {
  const found = deps.triggers.of(name)
  if (found.length > 0) return found
  demandPipe(deps, name)
  throw new Failure('unknown-trigger', `the pipe ${shown(name)} has no triggers`)
}

function known(deps: SchedulerDeps, pipe: string, id: string) {
  const trigger = deps.triggers.of(pipe).find((one) => one.id === id)
  if (trigger) return trigger
  demandPipe(deps, pipe)
  throw new Failure('unknown-trigger', `the pipe ${shown(pipe)} has no trigger ${shown(id)}`)
}

const words: ReadonlyMap<string, Status> = new Map([
  ['enabled', 'enabled'],
  ['enable', 'enabled'],
  ['disabled', 'disabled'],
  ['disable', 'disabled'],
])

function statusOf(word: string): Status {
  const status = words.get(word.toLowerCase())
  if (status) return status
  const detail = `the status is enabled or disabled, got ${shown(word)}`
  throw new Failure('invalid-parameter', detail, { errors: [{ parameter: 'status', detail }] })
}
