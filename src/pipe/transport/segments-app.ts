/** The segments of this process for others: a message of a pipe in, the run's id out. */

import { Failure, shown } from '../../errors.ts'
import { type ApiKeys, may } from '../../http/api-key.ts'
import { type App, type AppContext, type AppOptions, newApp } from '../../http/app.ts'
import { readBody } from '../../http/body.ts'
import { problem } from '../../http/contract/problem.ts'
import { docs } from '../../http/docs-page.ts'
import type { Pipe } from '../document.ts'
import { normalName } from '../naming.ts'
import { shapedPipe } from '../pipe-schema.ts'
import { readText } from '../pipe-text.ts'
import type { SegmentKind } from '../segment.ts'
import { ownSegment, payloadIn } from './envelope.ts'
import type { Capability, ReturnPlaces } from './returns.ts'
import { ownKind, type SegmentWorker } from './segment-worker.ts'

export type SegmentsContext = {
  readonly kinds: readonly SegmentKind[]
  readonly worker: Pick<SegmentWorker, 'take'>
  readonly returns: ReturnPlaces
  readonly capability: Capability
  readonly keys: ApiKeys
  /** Bytes of a message. */
  readonly bodyBytes: number
  readonly http: Omit<AppOptions, 'name'>
  readonly version: string
}

/**
 * `POST` or `PUT /{name}/pipe` with an API key; the same at `/r/{token}/pipe` for what a run waits for, where the token
 * is all that is asked; `GET /{name}/config/schema`; `GET /health` and `/{name}/health`; the contract at `/` and
 * `/openapi.json`.
 */
export function segmentsApp(deps: SegmentsContext): App {
  const app = newApp({ ...deps.http, name: 'segments' })
  app.on(['POST', 'PUT'], '/:name/pipe', async (c) => {
    admit(c, deps)
    demandJson(c)
    const message = await messageOf(c, deps.bodyBytes)
    const own = ownSegment(message)
    if (!own) throw new Failure('invalid-parameter', 'all segments of the pipe are done')
    const name = c.req.param('name')
    if (normalName(own.header.name) !== normalName(name)) {
      const detail = `the next segment of the pipe is ${shown(own.header.name)}, not ${shown(name)}`
      throw new Failure('unknown-segment', detail)
    }
    return c.text(deps.worker.take(message), 202, { 'Cache-Control': 'no-store' })
  })
  app.on(['POST', 'PUT'], '/r/:token/pipe', async (c) =>
    c.text(await returned(c, c.req.param('token'), deps), 202, { 'Cache-Control': 'no-store' }),
  )
  app.get('/:name/config/schema', (c) => {
    const schema = ownKind(deps.kinds, c.req.param('name')).schema()
    if (Object.keys(schema).length === 0) {
      throw new Failure('not-found', 'the segment has no schema of its config')
    }
    return c.body(JSON.stringify(schema), 200, { 'Content-Type': 'application/schema+json' })
  })
  app.get('/health', (c) => c.json({ status: 'up' }))
  app.get('/:name/health', (c) => {
    ownKind(deps.kinds, c.req.param('name'))
    return c.json({ status: 'up' })
  })
  describeSegments(app, deps)
  return app
}

/** Throws `unauthorized` and `forbidden`. */
function admit(c: AppContext, { keys }: SegmentsContext): void {
  if (may(keys.require(c), { method: c.req.method, path: c.req.path })) return
  throw new Failure('forbidden', 'the key has no permission for this')
}

/**
 * Takes what a foreign segment gives back; the run's id. Whoever has the token waits for no answer worth reading: what is
 * refused is told to the run.
 */
async function returned(c: AppContext, token: string, deps: SegmentsContext): Promise<string> {
  const nobody = () => new Failure('not-found', 'no run waits for a message here')
  const permitted = deps.capability.read(token)
  if (!permitted) throw nobody()
  const { runId, segmentNumber } = permitted
  const place = deps.returns.at(permitted)
  try {
    // The segment's own input stays beside its result.
    const message = await messageOf(c, 2 * deps.bodyBytes)
    const own = message.body.segments.find(({ header }) => header.segmentNumber === segmentNumber)
    if (message.header.runId !== runId || !own) throw nobody()
    await place.take(payloadIn(own))
    return runId
  } catch (error) {
    if (error instanceof Failure) place.refused(error)
    throw error
  }
}

function demandJson(c: AppContext): void {
  const type = c.req.header('Content-Type') ?? ''
  if (/^application\/json\s*(;|$)/i.test(type)) return
  throw new Failure('unsupported-media-type', 'a pipe is sent as application/json')
}

async function messageOf(c: AppContext, bytes: number): Promise<Pipe> {
  const body = await readBody(c.req.raw, { bytes }, c.get('signal'))
  if (body.byteLength === 0) throw new Failure('empty-body', 'a pipe is sent in the body')
  const read = readText(new TextDecoder().decode(body), 'message.json')
  if (!read.ok) {
    const detail = read.problems[0]?.detail ?? 'cannot be read'
    throw new Failure('malformed-json', `the message ${detail}`, { errors: read.problems })
  }
  const shaped = shapedPipe(read.value)
  if ('pipe' in shaped) return shaped.pipe
  throw new Failure('invalid-parameter', 'the message is no pipe', { errors: shaped.problems })
}

// The contract of the segments of this process: what others may send them, as OpenAPI.

type Path = Parameters<App['openAPIRegistry']['registerPath']>[0]

const state = { type: 'object' as const, properties: { status: { type: 'string' as const } } }
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

/** Adds the document and its page; to be called after the last route. */
function describeSegments(app: App, { kinds, version }: SegmentsContext): void {
  const names = kinds.flatMap((kind) => kind.names.slice(0, 1))
  for (const path of paths(names)) app.openAPIRegistry.registerPath(path)
  docs(app, {
    title: 'Segments',
    version,
    description:
      'The segments of this process: importers, transformers, the exporter, and those that measure. A message is a whole pipe; the ' +
      'segment that is to work is the first one that is not processed. A key needs the permission * or a pattern; what a run waits ' +
      'for is given back at the address that stands in the message.',
  })
}

function paths(names: readonly string[]): readonly Path[] {
  const name = pathParameter('name', 'Normal form, an alias, or either with a known prefix', {
    examples: [...names],
  })
  const token = pathParameter(
    'token',
    'Opens one place of one run; it stands in the pipe that the segment was sent',
    { pattern: '^[A-Za-z0-9_-]{20,200}$' },
  )
  const security = [{ ApiKey: [] }, { Bearer: [] }]
  const returning = 'Give back what a run of this process waits for'
  const schemaType = 'application/schema+json'
  return [
    ...taking('/{name}/pipe', 'Hand a message over to a segment', { parameters: [name], security }),
    // With the token in the path no key is asked for.
    ...taking('/r/{token}/pipe', returning, { parameters: [token], security: [] }),
    {
      ...reading('/{name}/config/schema', 'The JSON Schema of the config of a segment', schemaType),
      parameters: [name],
    },
    { ...reading('/{name}/health', 'Whether a segment is there'), parameters: [name] },
    reading('/health', 'Whether the segments of this process are up'),
  ]
}

const pathParameter = (name: string, description: string, schema: object) => ({
  name,
  in: 'path' as const,
  required: true,
  description,
  schema: { type: 'string' as const, ...schema },
})

const reading = (path: string, summary: string, type = 'application/json'): Path => {
  const schema = type === 'application/json' ? state : { type: 'object' as const }
  const answer = { description: 'JSON', content: { [type]: { schema } } }
  return { method: 'get', path, summary, responses: { 200: answer, default: problem() } }
}

const taking = (
  path: string,
  summary: string,
  more: Pick<Path, 'parameters' | 'security'>,
): readonly Path[] =>
  (['post', 'put'] as const).map((method) => ({
    ...more,
    method,
    path,
    summary: method === 'post' ? summary : 'As POST, for senders that use PUT',
    request: {
      body: {
        required: true,
        content: { 'application/json': { schema: { type: 'object' }, example } },
      },
    },
    responses: {
      202: {
        description: 'Taken; the id of the run',
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
      default: problem(),
    },
  }))
