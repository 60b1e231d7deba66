/** The segments of this process for others: a message of a pipe in, the run's id out. */

import { z } from '@hono/zod-openapi'
import { Failure, shown } from '../../errors.ts'
import { may } from '../../http/api-key.ts'
import { type App, type AppContext, newApp } from '../../http/app.ts'
import { problem } from '../../http/problem.ts'
import { docs } from '../../http/docs-page.ts'
import type { Pipe } from '../document.ts'
import { normalName } from '../discovery.ts'
import { readJsonBody } from '../pipe-text.ts'
import { messageIn, ownSegment, returnedIn } from './envelope.ts'
import type { ReturnPlaces } from './returns.ts'
import type { SegmentKind } from '../segment.ts'
import type { JsonObject } from '../../text/json.ts'
import { ownKind, type SegmentWorker } from './segment-worker.ts'
import type { TransportContext } from './transport-limits.ts'

/**
 * `POST` or `PUT /{name}/pipe` with an API key; the same at `/r/{token}/pipe` for what a run waits for, where the token
 * is all that is asked; `GET /{name}/config/schema`; `GET /health` and `/{name}/health`; the contract at `/` and
 * `/openapi.json`.
 */
export function segmentsApp(
  context: TransportContext,
  worker: SegmentWorker,
  returns: ReturnPlaces,
): App {
  const { kinds, keys, bodyBytes, http, version } = context
  const app = newApp({ ...http, name: 'segments' })
  const schemaOf = schemasOnce()
  const taken = (c: AppContext, runId: string) =>
    c.text(runId, 202, { 'Cache-Control': 'no-store' })
  app.on(['POST', 'PUT'], '/:name/pipe', async (c) => {
    if (!may(keys.require(c), { method: c.req.method, path: c.req.path })) {
      throw new Failure('forbidden', 'the key has no permission for this')
    }
    if (!/^application\/json\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')) {
      throw new Failure('unsupported-media-type', 'the Content-Type must be application/json')
    }
    const message = await messageOf(c, bodyBytes)
    const own = ownSegment(message)
    if (!own)
      throw new Failure('invalid-parameter', 'all segments of the pipe are marked as processed')
    const name = c.req.param('name')
    if (normalName(own.header.name) !== normalName(name)) {
      const detail = `the next segment of the pipe is ${shown(own.header.name)}, not ${shown(name)}`
      throw new Failure('unknown-segment', detail)
    }
    return taken(c, worker.take(message))
  })
  app.on(['POST', 'PUT'], '/r/:token/pipe', async (c) =>
    // The segment's own input stays beside its result.
    taken(c, await returned(c, c.req.param('token'), 2 * bodyBytes, returns)),
  )
  app.get('/:name/config/schema', (c) => {
    const schema = schemaOf(ownKind(kinds, c.req.param('name')))
    if (Object.keys(schema).length === 0) {
      throw new Failure('not-found', 'there is no schema for the config of this segment')
    }
    return c.body(JSON.stringify(schema), 200, { 'Content-Type': 'application/schema+json' })
  })
  app.get('/health', (c) => c.json({ status: 'up' }))
  app.get('/:name/health', (c) => {
    ownKind(kinds, c.req.param('name'))
    return c.json({ status: 'up' })
  })
  for (const path of paths(kinds.flatMap(({ names }) => names.slice(0, 1)))) {
    app.openAPIRegistry.registerPath(path)
  }
  docs(app, { title: 'Segments', version, description })
  return app
}

/**
 * Takes what a foreign segment gives back; the run's id. Whoever has the token waits for no answer worth reading: what is
 * refused is told to the run.
 */
async function returned(
  c: AppContext,
  token: string,
  bytes: number,
  returns: ReturnPlaces,
): Promise<string> {
  const { runId, segmentNumber, place } = returns.at(token)
  try {
    const message = await messageOf(c, bytes)
    const own = message.body.segments.find(({ header }) => header.segmentNumber === segmentNumber)
    if (message.header.runId !== runId || !own) {
      throw new Failure('not-found', 'no run waits for a message here')
    }
    await place.take(returnedIn(message, own))
    return runId
  } catch (error) {
    if (error instanceof Failure) place.refused(error)
    throw error
  }
}

async function messageOf(c: AppContext, bytes: number): Promise<Pipe> {
  const body = await readJsonBody(c, { bytes })
  if (body === undefined) throw new Failure('empty-body', 'the body must be a pipe')
  return messageIn(body)
}

/** Schemas of segments, each made once: that takes many milliseconds. */
function schemasOnce(): (kind: SegmentKind) => JsonObject {
  const schemas = new Map<SegmentKind, JsonObject>()
  return (kind) => {
    const schema = schemas.get(kind) ?? kind.schema()
    schemas.set(kind, schema)
    return schema
  }
}

// The contract, as OpenAPI.

type Path = Parameters<App['openAPIRegistry']['registerPath']>[0]

const description =
  'The segments of this process: importers, transformers, the exporter, and those that measure. A message is a whole pipe; the ' +
  'segment that is to work is the first one that is not processed. A key needs the permission * or a pattern; what a run waits ' +
  'for is given back at the address that stands in the message.'

const pipe = z.looseObject({ header: z.looseObject({}), body: z.looseObject({}) })
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

/** The routes, which are bound by hand: `POST` and `PUT` are one, and a message is checked only after key and size. */
function paths(names: readonly string[]): readonly Path[] {
  const spelling = `A segment, such as ${names.join(', ')}; aliases and known prefixes too`
  const name = { params: z.object({ name: z.string().describe(spelling) }) }
  const opening = 'Opens one place of one run; it stands in the pipe that the segment was sent'
  const token = z
    .string()
    .regex(/^[A-Za-z0-9_-]{20,200}$/)
    .describe(opening)
  const returned = { params: z.object({ token }) }
  const message = {
    body: { required: true, content: { 'application/json': { schema: pipe, example } } },
  }
  const answers = (description: string, type: string, schema: z.ZodType, status = 200) => ({
    responses: { [status]: { description, content: { [type]: { schema } } }, default: problem() },
  })
  const health = answers('JSON', 'application/json', z.object({ status: z.string() }))
  const schema = answers('JSON', 'application/schema+json', z.looseObject({}))
  const taken = answers('Taken; the id of the run', 'text/plain', z.string(), 202)
  const security = [{ ApiKey: [] }, { Bearer: [] }]
  const keyed = { path: '/{name}/pipe', request: { ...name, ...message }, ...taken, security }
  // With the token in the path no key is asked for.
  const open = {
    path: '/r/{token}/pipe',
    request: { ...returned, ...message },
    ...taken,
    security: [],
  }
  const asPost = 'As POST, for senders that use PUT'
  const config = 'The JSON Schema of the config of a segment'
  return [
    { method: 'post', summary: 'Hand a message over to a segment', ...keyed },
    { method: 'put', summary: asPost, ...keyed },
    { method: 'post', summary: 'Give back what a run of this process waits for', ...open },
    { method: 'put', summary: asPost, ...open },
    { path: '/{name}/config/schema', method: 'get', summary: config, request: name, ...schema },
    {
      path: '/{name}/health',
      method: 'get',
      summary: 'Whether it is up',
      request: name,
      ...health,
    },
    { path: '/health', method: 'get', summary: 'Whether the segments here are up', ...health },
  ]
}
