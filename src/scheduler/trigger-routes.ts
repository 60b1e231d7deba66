/** Triggers over HTTP: of all pipes, of one pipe, and single ones. */

import { z } from '@hono/zod-openapi'
import { Failure, shown, invalidParameter } from '../errors.ts'
import type { App } from '../http/app.ts'
import {
  accepted,
  answer,
  jsonBody,
  linkHeaders,
  linkRuns,
  pipePath,
  route,
  run,
  runHeaders,
  trigger,
  triggerPath,
  triggers,
  triggersByPipe,
} from './scheduler-contract.ts'
import type { SchedulerContext } from './scheduler-context.ts'
import {
  conflicting,
  launchAll,
  leavesAll,
  type TriggerChange,
  triggerChanges,
  unknownPipes,
} from './trigger-changes.ts'
import {
  allSets,
  oneEntry,
  oneSet,
  readJsonBody,
  tooMany,
  triggerAnswer,
  type TriggerEntry,
} from './trigger-input.ts'
import type { Status } from './trigger.ts'

const example = {
  id: 'daily',
  status: 'enabled',
  interval: { unit: 'DAY', value: 1 },
  next: '2027-01-01T04:00:00Z',
}
const ref = { $ref: '#/components/schemas/Trigger' }
const array = { type: 'array', items: ref }
const setsSchema = {
  oneOf: [
    { ...array, description: 'The id of each trigger names its pipe' },
    { type: 'object', additionalProperties: array, description: 'By pipe' },
  ],
}
const headers = linkHeaders('rel="run": each run that was started at once')
const ofPipe = { params: pipePath }
const ofOne = { params: triggerPath }
const statusPath = triggerPath.extend({
  status: z.string().describe('enabled or disabled; enable and disable mean the same'),
})

/** Binds the routes of triggers. */
export function bindTriggers(app: App, context: SchedulerContext): void {
  bindAll(app, context)
  bindPipe(app, context)
  bindStatus(app, context)
  bindOne(app, context)
  bindPut(app, context)
}

function bindAll(app: App, context: SchedulerContext): void {
  const { triggers } = context
  const all = () =>
    Object.fromEntries([...triggers.all()].map(([pipe, list]) => [pipe, list.map(triggerAnswer)]))
  app.openapi(
    route(
      'get',
      '/triggers',
      'The triggers of all pipes that have some, with their coming and last firing',
      {
        good: { 200: answer('Triggers by pipe', triggersByPipe) },
      },
    ),
    (c) => c.json(all()),
  )
  app.openapi(
    route(
      'put',
      '/triggers',
      'Replace all triggers; those that start at once are started and not kept',
      {
        request: jsonBody(setsSchema, { city: [example] }),
        good: { 200: { ...answer('Triggers by pipe', triggersByPipe), headers } },
      },
    ),
    async (c) => {
      const sets = allSets(await readJsonBody(c, context.pipeBytes), boundsOf(context))
      const changes = triggerChanges(context, sets)
      const kept = changes.filter((one) => one.kept.length > 0)
      if (!leavesAll(changes)) triggers.replaceAll(new Map(kept.map((one) => [one.pipe, one.kept])))
      linkRuns(c, launchAll(context, changes))
      return c.json(all())
    },
  )
}

function bindPipe(app: App, context: SchedulerContext): void {
  const { triggers: known } = context
  const path = '/triggers/{pipeId}'
  app.openapi(
    route('get', path, 'The triggers of a pipe', {
      request: ofPipe,
      good: { 200: answer('Triggers', triggers) },
    }),
    (c) => c.json(someOf(context, nameOf(context, c.req.param('pipeId'))).map(triggerAnswer)),
  )
  app.openapi(
    route(
      'put',
      path,
      'Replace the triggers of a pipe; those that start at once are started and not kept',
      {
        request: { ...ofPipe, ...jsonBody({ oneOf: [array, ref] }, [example]) },
        good: {
          200: { ...answer('Triggers', triggers), headers },
          201: { ...answer('The first triggers of the pipe', triggers), headers },
        },
      },
    ),
    async (c) => {
      const pipeId = c.req.param('pipeId')
      demandPipe(context, pipeId)
      const entries = oneSet(await readJsonBody(c, context.pipeBytes), boundsOf(context))
      const change = changeFor(context, pipeId, entries)
      const isFirst = known.of(change.pipe).length === 0 && change.kept.length > 0
      if (!leavesAll([change])) known.replace(change.pipe, change.kept)
      linkRuns(c, launchAll(context, [change]))
      return c.json(known.of(change.pipe).map(triggerAnswer), isFirst ? 201 : 200)
    },
  )
  app.openapi(
    route('delete', path, 'Delete the triggers of a pipe', {
      request: ofPipe,
      good: { 200: answer('What was deleted', triggers) },
    }),
    (c) => {
      const name = nameOf(context, c.req.param('pipeId'))
      const removed = someOf(context, name)
      known.replace(name, [])
      return c.json(removed.map(triggerAnswer))
    },
  )
}

function bindStatus(app: App, context: SchedulerContext): void {
  app.openapi(
    route(
      'get',
      '/triggers/{pipeId}/{triggerId}/{status}',
      'Switch a trigger on or off; a GET that changes something and needs a key',
      {
        request: { params: statusPath },
        good: { 200: answer('The trigger', trigger) },
        needsKey: true,
      },
    ),
    (c) => {
      const { pipeId, triggerId, status } = c.req.valid('param')
      const name = nameOf(context, pipeId)
      return c.json(triggerAnswer(context.triggers.turn(name, triggerId, statusOf(status))))
    },
  )
}

const path = '/pipes/{pipeId}/triggers/{triggerId}'

function bindPut(app: App, context: SchedulerContext): void {
  const { triggers, triggersPerPipe } = context
  app.openapi(
    route('put', path, 'Set one trigger; one that starts at once is started and not kept', {
      request: { ...ofOne, ...jsonBody(ref, example) },
      good: {
        200: answer('The trigger in place of the one before', trigger),
        201: answer('The new trigger', trigger),
        202: { ...answer('The run that was started', run), headers: runHeaders },
      },
    }),
    async (c) => {
      const { pipeId, triggerId } = c.req.valid('param')
      demandPipe(context, pipeId)
      const body = await readJsonBody(c, context.pipeBytes)
      const change = changeFor(context, pipeId, [oneEntry(body, triggerId, context.now())])
      const [kept] = change.kept
      if (kept) {
        const before = triggers.of(change.pipe)
        const isNew = before.every(({ id }) => id !== triggerId)
        if (isNew && before.length >= triggersPerPipe) {
          throw tooMany(before.length + 1, triggersPerPipe)
        }
        triggers.put(change.pipe, kept)
        return c.json(triggerAnswer(known(context, change.pipe, triggerId)), isNew ? 201 : 200)
      }
      const [started] = launchAll(context, [change])
      if (started) return accepted(c, started)
      throw conflicting(change.pipe)
    },
  )
}

function bindOne(app: App, context: SchedulerContext): void {
  const { triggers } = context
  app.openapi(
    route('get', path, 'One trigger', {
      request: ofOne,
      good: { 200: answer('The trigger', trigger) },
    }),
    (c) => {
      const { pipeId, triggerId } = c.req.valid('param')
      return c.json(triggerAnswer(known(context, nameOf(context, pipeId), triggerId)))
    },
  )
  app.openapi(
    route('delete', path, 'Delete one trigger', {
      request: ofOne,
      good: { 200: answer('What was deleted', trigger) },
    }),
    (c) => {
      const { pipeId, triggerId } = c.req.valid('param')
      return c.json(triggerAnswer(triggers.remove(nameOf(context, pipeId), triggerId)))
    },
  )
}

const boundsOf = ({ now, triggersPerPipe }: SchedulerContext) => ({
  now: now(),
  most: triggersPerPipe,
})

const changeFor = (
  context: SchedulerContext,
  pipe: string,
  entries: readonly TriggerEntry[],
): TriggerChange =>
  triggerChanges(context, new Map([[pipe, entries]]))[0] ?? { pipe, kept: [], launches: [] }

/** Triggers outlive their pipe: where it is gone its name still finds them. */
const nameOf = ({ pipes }: SchedulerContext, pipeId: string): string =>
  pipes.find(pipeId)?.pipe.header.name ?? pipeId

/** Before the body is looked at. */
function demandPipe({ pipes }: SchedulerContext, pipeId: string): void {
  if (!pipes.find(pipeId)) throw unknownPipes([pipeId])
}

function someOf(context: SchedulerContext, name: string) {
  const found = context.triggers.of(name)
  if (found.length > 0) return found
  demandPipe(context, name)
  throw new Failure('unknown-trigger', `the pipe ${shown(name)} has no triggers`)
}

function known(context: SchedulerContext, pipe: string, id: string) {
  const found = context.triggers.of(pipe).find((one) => one.id === id)
  if (found) return found
  demandPipe(context, pipe)
  throw new Failure('unknown-trigger', `the pipe ${shown(pipe)} has no trigger ${shown(id)}`)
}

function statusOf(word: string): Status {
  const lower = word.toLowerCase()
  if (lower === 'enabled' || lower === 'enable') return 'enabled'
  if (lower === 'disabled' || lower === 'disable') return 'disabled'
  const detail = `the status is enabled or disabled, got ${shown(word)}`
  throw invalidParameter('status', detail)
}
