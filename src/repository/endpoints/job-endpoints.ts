/** Endpoints that list, read and cancel background jobs. */

import { z } from '@hono/zod-openapi'
import { Failure, shown } from '../../errors.ts'
import { endpointsFor, mayCall } from '../../http/endpoint.ts'
import { problem, problemMembers } from '../../http/problem.ts'
import { type Job, jobStates } from '../../jobs/job.ts'
import type { JobRunner } from '../../jobs/job-runner.ts'

const jobEndpoint = endpointsFor<{ readonly jobs: JobRunner }>({
  400: problem('A parameter is wrong'),
  414: problem('The address is longer than a limit'),
  429: problem('Too many wrong keys'),
  431: problem('The header is longer than a limit'),
  503: problem('The time limit is reached'),
  default: problem(),
})

const notFound = { 404: problem('No such job') }

const instant = z.iso.datetime()
const count = z.int().min(0)

const jobSchema = z
  .object({
    id: z.string(),
    kind: z
      .string()
      .describe(
        'What is done: delete-catalogue, restore-catalogue, project-again, project-catalogues, reindex, reconcile, compare, purge-tombstones, run-pipe',
      ),
    key: z.string().describe('What it is done to; of the jobs with a key one runs at a time'),
    payload: z.unknown(),
    state: z.enum(jobStates),
    progress: z
      .object({ done: z.number(), of: z.number().optional(), note: z.string().optional() })
      .optional(),
    runAt: instant.describe('It does not start earlier'),
    attempts: count.describe('How often it was begun'),
    problem: z.looseObject(problemMembers).optional().describe('Why the last attempt failed'),
    result: z.unknown().optional().describe('What the work found, such as the drift of an index'),
    createdBy: z.string().describe('Id of the API key, or name of the service'),
    createdAt: instant,
    startedAt: instant.optional(),
    endedAt: instant.optional(),
  })
  .openapi('Job')

const answer = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema } },
})

const isoOf = (ms: number) => new Date(ms).toISOString()

/** JSON of a job, with times in ISO 8601. */
function jobDocument(job: Job) {
  const { id, kind, key, payload, state, progress, attempts, problem: failure, createdBy } = job
  const { result, runAt, createdAt, startedAt, endedAt } = job
  return {
    id,
    kind,
    key,
    payload,
    state,
    attempts,
    createdBy,
    progress,
    problem: failure,
    result,
    runAt: isoOf(runAt),
    createdAt: isoOf(createdAt),
    ...(startedAt !== undefined && { startedAt: isoOf(startedAt) }),
    ...(endedAt !== undefined && { endedAt: isoOf(endedAt) }),
  }
}

const jobPath = z.object({
  jobId: z.string().max(100).openapi({ example: '6f1c8a52-0c4e-4b6e-9a55-0d1f6f0c9f10' }),
})
const path = '/jobs/{jobId}'

const listJobs = jobEndpoint({
  method: 'get',
  path: '/jobs',
  operation: 'getJobs',
  summary:
    'List background jobs and runs of pipes, newest first: those that wait or run, and the newest that ended',
  auth: mayCall,
  query: z.object({
    kind: z.string().max(100).optional(),
    state: z.enum(jobStates).optional(),
    limit: z.coerce.number().int().min(1).max(1000).default(100),
    offset: z.coerce.number().int().min(0).max(10_000).default(0),
  }),
  answers: { 200: answer('Jobs', z.array(jobSchema)) },
  handle: ({ query }, { jobs }) => jobs.list(query).map(jobDocument),
})

const readJob = jobEndpoint({
  method: 'get',
  path,
  operation: 'getJobsByJobId',
  summary: 'Read a background job and its progress',
  auth: mayCall,
  params: jobPath,
  answers: { 200: answer('The job', jobSchema), ...notFound },
  handle: ({ params: { jobId } }, { jobs }) => {
    const job = jobs.get(jobId)
    if (!job) throw new Failure('unknown-job', `there is no job ${shown(jobId)}`)
    return jobDocument(job)
  },
})

const cancelJob = jobEndpoint({
  method: 'delete',
  path,
  operation: 'deleteJobsByJobId',
  summary: 'Cancel a background job',
  description:
    'Jobs that delete or restore a catalogue, project again or fill an index go to their end: the answer is 409.',
  auth: mayCall,
  params: jobPath,
  answers: {
    200: answer('The job has ended as cancelled', jobSchema),
    202: answer('The job runs and ends at its next step', jobSchema),
    ...notFound,
    409: problem('The job has ended, or goes to its end'),
  },
  handle: ({ c, params: { jobId } }, { jobs }) => {
    const job = jobs.cancel(jobId)
    return c.json(jobDocument(job), job.endedAt === undefined ? 202 : 200)
  },
})

/** All endpoints of jobs. */
export const jobEndpoints = [listJobs, readJob, cancelJob]
