/** HTTP app (`/api/segments`) that offers the segments of this process to others and accepts messages returned to its runs. */

import { z } from '@hono/zod-openapi'
import { Failure, shown } from '../../errors.ts'
import { type App, type AppContext, newApp } from '../../http/app.ts'
import { problem } from '../../http/problem.ts'
import { mountContract } from '../../http/docs-page.ts'
import { anyone, type Endpoint, endpointsFor, mayCall, mount } from '../../http/endpoint.ts'
import type { Pipe } from '../document.ts'
import { normalName } from '../segment-resolver.ts'
import { readJsonBody } from '../pipe-text.ts'
import { parseMessage, targetSegment, returnedPayload } from './envelope.ts'
import type { ReturnPlaces } from './return-places.ts'
import type { SegmentKind } from '../segment.ts'
import type { JsonObject } from '../../text/json.ts'
import { builtInKind, type SegmentWorker } from './segment-worker.ts'
import type { TransportContext } from './transport-limits.ts'

/**
 * Creates the app: `POST` or `PUT /{name}/pipe` with an API key; `/r/{token}/pipe` for returned messages, where the token is
 * the permission; `GET /{name}/config/schema`; `GET /health` and `/{name}/health`; the OpenAPI document and its page
 * (`mountContract`).
 */
export function segmentsApp(
  context: TransportContext,
  worker: SegmentWorker,
  returns: ReturnPlaces,
): App {
  const { kinds, keys, bodyBytes, http, version } = context
  const app = newApp({ ...http, name: 'segments' })
  const endpoints = segmentEndpoints(kinds.flatMap(({ names }) => names.slice(0, 1)))
  const services = { kinds, bodyBytes, worker, returns, schemaOf: schemaCache() }
  mount(app, endpoints, services, { keys })
  mountContract(app, { title: 'Segments', version, description })
  return app
}

type SegmentServices = Pick<TransportContext, 'kinds' | 'bodyBytes'> & {
  readonly worker: SegmentWorker
  readonly returns: ReturnPlaces
  readonly schemaOf: (kind: SegmentKind) => JsonObject
}

const accept = (c: AppContext, runId: string): Response =>
  c.text(runId, 202, { 'Cache-Control': 'no-store' })

/** Passes a message to the worker of its segment; answers the id of the run. */
async function handOver(
  c: AppContext,
  name: string,
  { bodyBytes, worker }: SegmentServices,
): Promise<Response> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')) {
    throw new Failure('unsupported-media-type', 'the Content-Type must be application/json')
  }
  const message = await messageOf(c, bodyBytes)
  const target = targetSegment(message)
  if (!target)
    throw new Failure('invalid-parameter', 'all segments of the pipe are marked as processed')
  if (normalName(target.header.name) !== normalName(name)) {
    const detail = `the next segment of the pipe is ${shown(target.header.name)}, not ${shown(name)}`
    throw new Failure('unknown-segment', detail)
  }
  return accept(c, worker.take(message))
}

/**
 * Accepts a returned message; answers the id of the run. Refusals are also reported to the run, because foreign segments
 * ignore the answer.
 */
async function acceptReturned(
  c: AppContext,
  token: string,
  bytes: number,
  returns: ReturnPlaces,
): Promise<string> {
  const { runId, segmentNumber, place } = returns.find(token)
  try {
    const message = await messageOf(c, bytes)
    const target = message.body.segments.find(
      ({ header }) => header.segmentNumber === segmentNumber,
    )
    if (message.header.runId !== runId || !target) {
      throw new Failure('not-found', 'no run waits for a message here')
    }
    await place.take(returnedPayload(message, target))
    return runId
  } catch (error) {
    if (error instanceof Failure) place.onRefused(error)
    throw error
  }
}

async function messageOf(c: AppContext, bytes: number): Promise<Pipe> {
  const body = await readJsonBody(c, { bytes })
  if (body === undefined) throw new Failure('empty-body', 'the body must be a pipe')
  return parseMessage(body)
}

/** Caches the config schemas of segments, which take many milliseconds to create. */
function schemaCache(): (kind: SegmentKind) => JsonObject {
  const schemas = new Map<SegmentKind, JsonObject>()
  return (kind) => {
    const schema = schemas.get(kind) ?? kind.schema()
    schemas.set(kind, schema)
    return schema
  }
}

// API description.

const description =
  'The segments of this process: importers, transformers, the exporter, and those that measure. A message is a whole pipe; the ' +
  'segment that is to work is the first one that is not processed. A key needs the permission * or a pattern; what a run waits ' +
  'for is given back at the address that stands in the message.'

const segmentEndpoint = endpointsFor<SegmentServices>({ default: problem() })

const example = {
  header: { name: 'city', transport: 'payload', version: '2.0.0', runId: 'e3b0…' },
  body: {
    segments: [
      {
        header: { name: 'exporting-hub', segmentNumber: 2, processed: false },
        body: { payload: { header: { seqNumber: 1, dataType: 'text' }, body: { data: '…' } } },
      },
    ],
  },
}
const pipeSchema = {
  type: 'object' as const,
  required: ['header', 'body'],
  properties: { header: { type: 'object' as const }, body: { type: 'object' as const } },
}
const messageBody = {
  required: true,
  content: { 'application/json': { schema: pipeSchema, example } },
}

const answers = (description: string, type: string, schema: z.ZodType, status = 200) => ({
  [status]: { description, content: { [type]: { schema } } },
})
const acceptedAnswers = answers('Taken; the id of the run', 'text/plain', z.string(), 202)
const healthAnswers = answers('JSON', 'application/json', z.object({ status: z.string() }))

/** Parameter for the description only: any unknown token is refused in the same way. */
const tokenParameter = {
  name: 'token',
  in: 'path' as const,
  required: true,
  description: 'Opens one place of one run; it stands in the pipe that the segment was sent',
  schema: { type: 'string' as const, pattern: '^[A-Za-z0-9_-]{20,200}$' },
}

type SegmentPath = z.ZodObject<{ name: z.ZodString }>

const asPost = 'As POST, for senders that use PUT'

const handOverBy = (method: 'post' | 'put', params: SegmentPath) =>
  segmentEndpoint({
    method,
    path: '/{name}/pipe',
    operation: `${method}ByNamePipe`,
    summary: method === 'post' ? 'Hand a message over to a segment' : asPost,
    auth: mayCall,
    params,
    body: messageBody,
    answers: acceptedAnswers,
    handle: ({ c, params: { name } }, services) => handOver(c, name, services),
  })

const returnBy = (method: 'post' | 'put') =>
  segmentEndpoint({
    method,
    path: '/r/{token}/pipe',
    operation: `${method}RByTokenPipe`,
    summary: method === 'post' ? 'Give back what a run of this process waits for' : asPost,
    // The token is the permission.
    auth: anyone,
    parameters: [tokenParameter],
    body: messageBody,
    answers: acceptedAnswers,
    // The message may contain the segment's input beside its result.
    handle: async ({ c }, { bodyBytes, returns }) =>
      accept(c, await acceptReturned(c, c.req.param('token') ?? '', 2 * bodyBytes, returns)),
  })

const readSchema = (params: SegmentPath) =>
  segmentEndpoint({
    method: 'get',
    path: '/{name}/config/schema',
    operation: 'getByNameConfigSchema',
    summary: 'The JSON Schema of the config of a segment',
    auth: anyone,
    params,
    answers: answers('JSON', 'application/schema+json', z.looseObject({})),
    handle: ({ c, params: { name } }, { kinds, schemaOf }) => {
      const schema = schemaOf(builtInKind(kinds, name))
      if (Object.keys(schema).length === 0)
        throw new Failure('not-found', 'there is no schema for the config of this segment')
      return c.body(JSON.stringify(schema), 200, { 'Content-Type': 'application/schema+json' })
    },
  })

const readSegmentHealth = (params: SegmentPath) =>
  segmentEndpoint({
    method: 'get',
    path: '/{name}/health',
    operation: 'getByNameHealth',
    summary: 'Whether it is up',
    auth: anyone,
    params,
    answers: healthAnswers,
    handle: ({ params: { name } }, { kinds }) => {
      builtInKind(kinds, name)
      return { status: 'up' }
    },
  })

const readHealth = segmentEndpoint({
  method: 'get',
  path: '/health',
  operation: 'getHealth',
  summary: 'Whether the segments here are up',
  auth: anyone,
  answers: healthAnswers,
  handle: () => ({ status: 'up' }),
})

/** Endpoints of the app; `names` are the example segments in descriptions. `POST` and `PUT` of a message are equivalent. */
export function segmentEndpoints(names: readonly string[]): readonly Endpoint<SegmentServices>[] {
  const spelling = `A segment, such as ${names.join(', ')}; aliases and known prefixes too`
  const params = z.object({ name: z.string().describe(spelling) })
  const sending = (['post', 'put'] as const).flatMap((method) => [
    handOverBy(method, params),
    returnBy(method),
  ])
  return [...sending, readSchema(params), readSegmentHealth(params), readHealth]
}
