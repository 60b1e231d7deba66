/** Endpoints of triggers: all pipes, one pipe, single triggers. */

import { z } from '@hono/zod-openapi'
import { Failure, shown, invalidParameter } from '../errors.ts'
import { anyone, mayCall } from '../http/endpoint.ts'
import {
  accepted,
  answer,
  jsonBody,
  linkHeaders,
  linkRuns,
  reloadUnknownPipe,
  pipePath,
  runHeaders,
  trigger,
  triggerPath,
  triggers,
  triggersByPipe,
  bodyOf,
  type SchedulerContext,
  schedulerEndpoint,
} from './scheduler-contract.ts'
import { runSchema } from '../pipe/runs/run.ts'
import {
  pipeActive,
  triggersToStore,
  launchAll,
  isLaunchOnly,
  type TriggerChange,
  triggerChanges,
  unknownPipes,
} from './trigger-changes.ts'
import {
  parseTriggerSets,
  parseTrigger,
  parseTriggers,
  tooManyTriggers,
  triggerAnswer,
  type TriggerEntry,
} from './trigger-input.ts'
import type { TriggerStatus } from './trigger.ts'
import type { ScheduledTrigger } from './triggers.ts'

const example = {
  id: 'daily',
  status: 'enabled',
  interval: { unit: 'DAY', value: 1 },
  next: '2027-01-01T04:00:00Z',
}
const ref = { $ref: '#/components/schemas/Trigger' }
const array = { type: 'array', items: ref }
/** Schema of the body in two forms: the array of older platforms, and the object that `GET` answers. */
const setsSchema = {
  oneOf: [
    { ...array, description: 'The id of each trigger names its pipe' },
    { type: 'object', additionalProperties: array, description: 'By pipe' },
  ],
}
const statusPath = triggerPath.extend({
  status: z.string().describe('enabled or disabled; enable and disable mean the same'),
})
// Declared answers.

const oneTrigger = (description: string) => ({ 200: answer(description, trigger) })
const pipeTriggers = (description: string) => ({ 200: answer(description, triggers) })
const headers = linkHeaders('rel="run": each run that was started at once')
/** Answer of a change that may have started runs. */
const changedTriggers = (description: string, schema: z.ZodType = triggers) => ({
  ...answer(description, schema),
  headers,
})
const startsAtOnce = 'those that start at once are started and not kept'

const allTriggers = ({ triggers: all }: SchedulerContext) =>
  Object.fromEntries([...all.all()].map(([pipe, list]) => [pipe, list.map(triggerAnswer)]))

const listTriggers = schedulerEndpoint({
  method: 'get',
  path: '/triggers',
  operation: 'getTriggers',
  summary: 'The triggers of all pipes that have some, with their coming and last firing',
  auth: anyone,
  answers: { 200: answer('Triggers by pipe', triggersByPipe) },
  handle: (_, context) => allTriggers(context),
})

/**
 * Replaces all triggers, for example to restore a saved schedule. A body that only starts runs leaves the stored ones as they
 * are.
 */
const replaceTriggers = schedulerEndpoint({
  method: 'put',
  path: '/triggers',
  operation: 'putTriggers',
  summary: `Replace all triggers; ${startsAtOnce}`,
  auth: mayCall,
  body: jsonBody(setsSchema, { city: [example] }),
  answers: { 200: changedTriggers('Triggers by pipe', triggersByPipe) },
  handle: async ({ c }, context) => {
    const sets = parseTriggerSets(await bodyOf(c, context), boundsOf(context))
    const changes = triggerChanges(context, sets)
    const stored = new Map(changes.map((change) => [change.pipe, triggersToStore(change)]))
    if (!isLaunchOnly(changes)) context.triggers.replaceAll(stored)
    linkRuns(c, launchAll(context, changes))
    return allTriggers(context)
  },
})

const listPipeTriggers = schedulerEndpoint({
  method: 'get',
  path: '/triggers/{pipeId}',
  operation: 'getTriggersByPipeId',
  summary: 'The triggers of a pipe',
  auth: anyone,
  params: pipePath,
  answers: pipeTriggers('Triggers'),
  handle: ({ params }, context) => triggersOf(context, params.pipeId).map(triggerAnswer),
})

const deletePipeTriggers = schedulerEndpoint({
  method: 'delete',
  path: '/triggers/{pipeId}',
  operation: 'deleteTriggersByPipeId',
  summary: 'Delete the triggers of a pipe',
  auth: mayCall,
  params: pipePath,
  answers: pipeTriggers('What was deleted'),
  handle: ({ params: { pipeId } }, context) => {
    const deleted = triggersOf(context, pipeId)
    context.triggers.replace(nameOf(context, pipeId), [])
    return deleted.map(triggerAnswer)
  },
})

const replacePipeTriggers = schedulerEndpoint({
  method: 'put',
  path: '/triggers/{pipeId}',
  operation: 'putTriggersByPipeId',
  summary: `Replace the triggers of a pipe; ${startsAtOnce}`,
  auth: mayCall,
  params: pipePath,
  body: jsonBody({ oneOf: [array, ref] }, [example]),
  answers: {
    200: changedTriggers('Triggers'),
    201: changedTriggers('The first triggers of the pipe'),
  },
  handle: async ({ c, params: { pipeId }, signal }, context) => {
    const { triggers: all } = context
    await reloadUnknownPipe(context, pipeId, signal)
    checkPipe(context, pipeId)
    const entries = parseTriggers(await bodyOf(c, context), boundsOf(context))
    const change = changeFor(context, pipeId, entries)
    const stored = triggersToStore(change)
    const isFirst = all.of(change.pipe).length === 0 && stored.length > 0
    if (!isLaunchOnly([change])) all.replace(change.pipe, stored)
    linkRuns(c, launchAll(context, [change]))
    return c.json(all.of(change.pipe).map(triggerAnswer), isFirst ? 201 : 200)
  },
})

const path = '/pipes/{pipeId}/triggers/{triggerId}'

const putTrigger = schedulerEndpoint({
  method: 'put',
  path,
  operation: 'putPipesByPipeIdTriggersByTriggerId',
  summary: 'Set one trigger; one that starts at once is started and not kept',
  auth: mayCall,
  params: triggerPath,
  body: jsonBody(ref, example),
  answers: {
    ...oneTrigger('The trigger in place of the one before'),
    201: answer('The new trigger', trigger),
    202: { ...answer('The run that was started', runSchema), headers: runHeaders },
  },
  handle: async ({ c, params: { pipeId, triggerId }, signal }, context) => {
    const { triggers: all, triggersPerPipe } = context
    await reloadUnknownPipe(context, pipeId, signal)
    checkPipe(context, pipeId)
    const entry = parseTrigger(await bodyOf(c, context), triggerId, context.now())
    const change = changeFor(context, pipeId, [entry])
    const [stored] = triggersToStore(change)
    if (!stored) {
      const [started] = launchAll(context, [change])
      if (started) return accepted(c, started)
      throw pipeActive(change.pipe)
    }
    const before = all.of(change.pipe)
    const isNew = before.every(({ id }) => id !== triggerId)
    if (isNew && before.length >= triggersPerPipe)
      throw tooManyTriggers(before.length + 1, triggersPerPipe)
    all.put(change.pipe, stored)
    return c.json(triggerAnswer(triggerAt(context, change.pipe, triggerId)), isNew ? 201 : 200)
  },
})

const readTrigger = schedulerEndpoint({
  method: 'get',
  path,
  operation: 'getPipesByPipeIdTriggersByTriggerId',
  summary: 'One trigger',
  auth: anyone,
  params: triggerPath,
  answers: oneTrigger('The trigger'),
  handle: ({ params: { pipeId, triggerId } }, context) =>
    triggerAnswer(triggerAt(context, nameOf(context, pipeId), triggerId)),
})

const deleteTrigger = schedulerEndpoint({
  method: 'delete',
  path,
  operation: 'deletePipesByPipeIdTriggersByTriggerId',
  summary: 'Delete one trigger',
  auth: mayCall,
  params: triggerPath,
  answers: oneTrigger('What was deleted'),
  handle: ({ params: { pipeId, triggerId } }, context) =>
    triggerAnswer(context.triggers.remove(nameOf(context, pipeId), triggerId)),
})

const switchTrigger = schedulerEndpoint({
  method: 'get',
  path: '/triggers/{pipeId}/{triggerId}/{status}',
  operation: 'getTriggersByPipeIdByTriggerIdByStatus',
  summary: 'Switch a trigger on or off; a GET that changes something and needs a key',
  auth: mayCall,
  isChangingGet: true,
  params: statusPath,
  answers: oneTrigger('The trigger'),
  handle: ({ params: { pipeId, triggerId, status } }, context) => {
    const pipe = nameOf(context, pipeId)
    return triggerAnswer(context.triggers.setStatus(pipe, triggerId, statusOf(status)))
  },
})

export const triggerEndpoints = [
  listTriggers,
  replaceTriggers,
  listPipeTriggers,
  deletePipeTriggers,
  replacePipeTriggers,
  readTrigger,
  deleteTrigger,
  switchTrigger,
  putTrigger,
]

/** Bounds for parsing requests. */
const boundsOf = ({ now, triggersPerPipe }: SchedulerContext) => ({
  now: now(),
  mostTriggers: triggersPerPipe,
})

/** Validated change of one pipe. Throws the failures of `triggerChanges`. */
const changeFor = (
  context: SchedulerContext,
  pipe: string,
  entries: readonly TriggerEntry[],
): TriggerChange => triggerChanges(context, new Map([[pipe, entries]]))[0] ?? { pipe, entries: [] }

/** Name of a pipe by name or id. Triggers of a missing pipe are found by its name. */
const nameOf = ({ pipes }: SchedulerContext, pipeId: string): string =>
  pipes.find(pipeId)?.pipe.header.name ?? pipeId

/** Throws `unknown-pipe` if the pipe does not exist. */
function checkPipe({ pipes }: SchedulerContext, pipeId: string): void {
  if (!pipes.find(pipeId)) throw unknownPipes([pipeId])
}

/** Triggers of a pipe. Throws `unknown-pipe`, or `unknown-trigger` if the pipe has none. */
function triggersOf(context: SchedulerContext, pipeId: string): readonly ScheduledTrigger[] {
  const name = nameOf(context, pipeId)
  const triggers = context.triggers.of(name)
  if (triggers.length > 0) return triggers
  checkPipe(context, name)
  throw new Failure('unknown-trigger', `the pipe ${shown(name)} has no triggers`)
}

/** One trigger. Throws `unknown-pipe`, or `unknown-trigger` for an unknown id. */
function triggerAt(context: SchedulerContext, pipe: string, id: string): ScheduledTrigger {
  const trigger = context.triggers.of(pipe).find((stored) => stored.id === id)
  if (trigger) return trigger
  checkPipe(context, pipe)
  throw new Failure('unknown-trigger', `the pipe ${shown(pipe)} has no trigger ${shown(id)}`)
}

/** Parses a status in any case; `enable` and `disable` are the spellings of older clients. Throws `invalid-parameter`. */
function statusOf(word: string): TriggerStatus {
  const [status] = /^(?:enable|disable)(?=d?$)/i.exec(word) ?? []
  if (status !== undefined) return status.toLowerCase() === 'enable' ? 'enabled' : 'disabled'
  const detail = `the status must be enabled or disabled, not ${shown(word)}`
  throw invalidParameter('status', detail)
}
