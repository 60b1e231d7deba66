/** Binds the routes of triggers. */

import { createRoute, z } from '@hono/zod-openapi'
import { Failure, shown } from '../errors.ts'
import type { App } from '../http/app.ts'
import { triggerAnswer } from './trigger-json.ts'
import type { SchedulerContext } from './scheduler-context.ts'
import {
  allSets,
  type TriggerEntry,
  oneEntry,
  oneSet,
  readJsonBody,
  tooMany,
} from './trigger-input.ts'
import {
  accepted,
  answer,
  jsonBody,
  linkHeaders,
  linkRuns,
  pipePath,
  responses,
  run,
  runHeaders,
  security,
  trigger,
  triggerPath,
  triggers,
  triggersByPipe,
} from './scheduler-contract.ts'
import {
  conflicting,
  launchAll,
  leavesAll,
  unknownPipes,
  type TriggerChange,
  triggerChanges,
} from './trigger-changes.ts'
import type { Status } from './trigger.ts'

export function bindTriggers(app: App, deps: SchedulerContext): void {
  bindAll(app, deps)
  bindPipe(app, deps)
  bindOne(app, deps)
}

function bindAll(app: App, deps: SchedulerContext): void {
  const { triggers } = deps
  const all = () =>
    Object.fromEntries([...triggers.all()].map(([pipe, list]) => [pipe, list.map(triggerAnswer)]))
  app.openapi(triggerRoutes.all, (c) => c.json(all()))
  app.openapi(triggerRoutes.replaceAll, async (c) => {
    const wished = triggerChanges(
      deps,
      allSets(await readJsonBody(c, deps.pipeBytes), boundsOf(deps)),
    )
    const sets = wished.filter(({ kept }) => kept.length > 0)
    if (!leavesAll(wished)) triggers.replaceAll(new Map(sets.map(({ pipe, kept }) => [pipe, kept])))
    linkRuns(c, launchAll(deps, wished))
    return c.json(all())
  })
}

const boundsOf = ({ now, triggersPerPipe }: SchedulerContext) => ({
  now: now(),
  most: triggersPerPipe,
})

function bindPipe(app: App, deps: SchedulerContext): void {
  const { triggers } = deps
  app.openapi(triggerRoutes.ofPipe, (c) => {
    const name = nameOf(deps, c.req.valid('param').pipeId)
    return c.json(someOf(deps, name).map(triggerAnswer))
  })
  app.openapi(triggerRoutes.replace, async (c) => {
    const { pipeId } = c.req.valid('param')
    demandPipe(deps, pipeId)
    const wish = wishFor(
      deps,
      pipeId,
      oneSet(await readJsonBody(c, deps.pipeBytes), boundsOf(deps)),
    )
    const isFirst = triggers.of(wish.pipe).length === 0 && wish.kept.length > 0
    if (!leavesAll([wish])) triggers.replace(wish.pipe, wish.kept)
    linkRuns(c, launchAll(deps, [wish]))
    return c.json(triggers.of(wish.pipe).map(triggerAnswer), isFirst ? 201 : 200)
  })
  app.openapi(triggerRoutes.clear, (c) => {
    const name = nameOf(deps, c.req.valid('param').pipeId)
    const removed = someOf(deps, name)
    triggers.replace(name, [])
    return c.json(removed.map(triggerAnswer))
  })
}

function bindOne(app: App, deps: SchedulerContext): void {
  const { triggers } = deps
  app.openapi(triggerRoutes.turn, (c) => {
    const { pipeId, triggerId, status } = c.req.valid('param')
    const turned = triggers.turn(nameOf(deps, pipeId), triggerId, statusOf(status))
    return c.json(triggerAnswer(turned))
  })
  app.openapi(triggerRoutes.one, (c) => {
    const { pipeId, triggerId } = c.req.valid('param')
    return c.json(triggerAnswer(known(deps, nameOf(deps, pipeId), triggerId)))
  })
  app.openapi(triggerRoutes.put, async (c) => {
    const { pipeId, triggerId } = c.req.valid('param')
    demandPipe(deps, pipeId)
    const entry = oneEntry(await readJsonBody(c, deps.pipeBytes), triggerId, deps.now())
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
  app.openapi(triggerRoutes.remove, (c) => {
    const { pipeId, triggerId } = c.req.valid('param')
    return c.json(triggerAnswer(triggers.remove(nameOf(deps, pipeId), triggerId)))
  })
}

function wishFor(
  deps: SchedulerContext,
  pipe: string,
  entries: readonly TriggerEntry[],
): TriggerChange {
  const [wish] = triggerChanges(deps, new Map([[pipe, entries]]))
  return wish ?? { pipe, kept: [], launches: [] }
}

/** Triggers outlive their pipe: where it is gone its name still finds them. */
const nameOf = ({ pipes }: SchedulerContext, pipeId: string): string =>
  pipes.find(pipeId)?.pipe.header.name ?? pipeId

/** Before the body is looked at. */
function demandPipe({ pipes }: SchedulerContext, pipeId: string): void {
  if (!pipes.find(pipeId)) throw unknownPipes([pipeId])
}

function someOf(deps: SchedulerContext, name: string) {
  const found = deps.triggers.of(name)
  if (found.length > 0) return found
  demandPipe(deps, name)
  throw new Failure('unknown-trigger', `the pipe ${shown(name)} has no triggers`)
}

function known(deps: SchedulerContext, pipe: string, id: string) {
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

// The contract of triggers.

const example = {
  id: 'daily',
  status: 'enabled',
  interval: { unit: 'DAY', value: 1 },
  next: '2027-01-01T04:00:00Z',
}
const ref = { $ref: '#/components/schemas/Trigger' }
const array = { type: 'array', items: ref }
const started = linkHeaders('rel="run": each run that was started at once')

const path = '/triggers/{pipeId}'
const one = '/pipes/{pipeId}/triggers/{triggerId}'

const triggerRoutes = {
  all: createRoute({
    method: 'get',
    path: '/triggers',
    summary: 'The triggers of all pipes that have some, with their coming and last firing',
    responses: responses({ 200: answer('Triggers by pipe', triggersByPipe) }),
  }),
  replaceAll: createRoute({
    method: 'put',
    path: '/triggers',
    summary: 'Replace all triggers; those that start at once are started and not kept',
    security,
    request: jsonBody(
      {
        oneOf: [
          { ...array, description: 'The id of each trigger names its pipe' },
          { type: 'object', additionalProperties: array, description: 'By pipe' },
        ],
      },
      { city: [example] },
    ),
    responses: responses({
      200: { ...answer('Triggers by pipe', triggersByPipe), headers: started },
    }),
  }),
  ofPipe: createRoute({
    method: 'get',
    path,
    summary: 'The triggers of a pipe',
    request: { params: pipePath },
    responses: responses({ 200: answer('Triggers', triggers) }),
  }),
  replace: createRoute({
    method: 'put',
    path,
    summary: 'Replace the triggers of a pipe; those that start at once are started and not kept',
    security,
    request: { params: pipePath, ...jsonBody({ oneOf: [array, ref] }, [example]) },
    responses: responses({
      200: { ...answer('Triggers', triggers), headers: started },
      201: { ...answer('The first triggers of the pipe', triggers), headers: started },
    }),
  }),
  clear: createRoute({
    method: 'delete',
    path,
    summary: 'Delete the triggers of a pipe',
    security,
    request: { params: pipePath },
    responses: responses({ 200: answer('What was deleted', triggers) }),
  }),
  turn: createRoute({
    method: 'get',
    path: '/triggers/{pipeId}/{triggerId}/{status}',
    summary: 'Switch a trigger on or off; a GET that changes something and needs a key',
    security,
    request: {
      params: triggerPath.extend({
        status: z.string().describe('enabled or disabled; enable and disable mean the same'),
      }),
    },
    responses: responses({ 200: answer('The trigger', trigger) }),
  }),
  one: createRoute({
    method: 'get',
    path: one,
    summary: 'One trigger',
    request: { params: triggerPath },
    responses: responses({ 200: answer('The trigger', trigger) }),
  }),
  put: createRoute({
    method: 'put',
    path: one,
    summary: 'Set one trigger; one that starts at once is started and not kept',
    security,
    request: { params: triggerPath, ...jsonBody(ref, example) },
    responses: responses({
      200: answer('The trigger in place of the one before', trigger),
      201: answer('The new trigger', trigger),
      202: { ...answer('The run that was started', run), headers: runHeaders },
    }),
  }),
  remove: createRoute({
    method: 'delete',
    path: one,
    summary: 'Delete one trigger',
    security,
    request: { params: triggerPath },
    responses: responses({ 200: answer('What was deleted', trigger) }),
  }),
}
