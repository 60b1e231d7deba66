/** What the scheduler answers, as schemas of its contract. */

import { z } from '@hono/zod-openapi'
import { countNames, runOutcomes, runStatuses, starters, startModes } from '../../pipe/runs/run.ts'
import { units } from '../trigger.ts'

const instant = z.iso.datetime()
const configs = z
  .record(z.string(), z.looseObject({}))
  .describe('By segment name: values in place of those of the pipe; arrays are replaced whole')

export const trigger = z
  .object({
    id: z.string(),
    status: z.enum(['enabled', 'disabled']),
    interval: z.object({ unit: z.enum(units), value: z.int().min(1) }).optional(),
    next: instant.optional().describe('The coming firing; sent: the first one'),
    last: instant.optional().describe('The last firing; ignored when sent'),
    problem: z
      .enum(['pipe missing'])
      .optional()
      .describe('Why the trigger never fires as things are; ignored when sent'),
    cron: z.string().optional().describe('Five fields as on Unix, six or seven as in Quartz'),
    timeZone: z.string().optional().describe('IANA name, for cron only; UTC when absent'),
    specific: z.array(instant).optional(),
    startMode: z.enum(startModes).optional(),
    configs: configs.optional(),
  })
  .openapi('Trigger')

export const triggers = z.array(trigger)
export const triggersByPipe = z.record(z.string(), triggers)

const complaint = z.looseObject({ detail: z.string() })

export const listedPipe = z
  .object({
    name: z.string().optional(),
    id: z.string().optional(),
    title: z.string().optional(),
    source: z.string(),
    file: z.string(),
    segments: z.array(z.string()),
    problems: z.array(complaint),
  })
  .openapi('ListedPipe')

export const pipe = z
  .looseObject({ header: z.looseObject({ name: z.string() }), body: z.looseObject({}) })
  .openapi('Pipe')

const counts = z.object(Object.fromEntries(countNames.map((name) => [name, z.int()])))

export const problemOfRun = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
})

export const run = z
  .object({
    id: z.string(),
    pipe: z.string(),
    trigger: z.string().optional(),
    startedBy: z.enum(starters),
    catalogue: z.string().optional(),
    status: z.enum(runStatuses),
    outcome: z.enum(runOutcomes).optional(),
    created: instant,
    startTime: instant.optional(),
    endTime: instant.optional(),
    counts,
    progress: z.looseObject({ pages: z.int(), bytes: z.int(), total: z.int().optional() }),
    segments: z.array(
      z.object({ name: z.string(), segmentNumber: z.int(), processed: z.boolean() }),
    ),
    problem: problemOfRun.nullable(),
    notes: z
      .array(
        z.object({
          action: z.enum(['confirm', 'restore']),
          time: instant,
          done: z.int(),
          failed: z.int(),
        }),
      )
      .optional()
      .describe('What was done about the run after its end: removals confirmed, records restored'),
  })
  .openapi('Run')
