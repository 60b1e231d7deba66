/** The segments of this process for others: a message of a pipe in, the run's id out. */

import { may, type ApiKeys } from '../../http/api-key.ts'
import { newApp, type App, type AppContext, type AppOptions } from '../../http/app.ts'
import { readBody } from '../../http/body.ts'
import { Failure, shown } from '../../errors.ts'
import type { Pipe } from '../document.ts'
import { shapedPipe } from '../documents/shape.ts'
import { readText } from '../documents/text.ts'
import { normalName } from '../naming.ts'
import type { SegmentKind } from '../segment.ts'
import type { Capability } from './capability.ts'
import { describeSegments, type Contract } from './contract.ts'
import { ownSegment } from './messages/envelope.ts'
import { payloadOf, type Returns } from './returns.ts'
import { ownKind } from './working/plan.ts'
import type { Worker } from './working/worker.ts'

export type SegmentsDeps = {
  readonly kinds: readonly SegmentKind[]
  readonly worker: Pick<Worker, 'take'>
  readonly returns: Returns
  readonly capability: Capability
  readonly keys: ApiKeys
  /** Bytes of a message. */
  readonly bodyBytes: number
  readonly http: Omit<AppOptions, 'name'>
} & Omit<Contract, 'kinds'>

/**
 * `POST` or `PUT /{name}/pipe` with an API key; the same at `/r/{token}/pipe` for what a run waits for, where the token
 * is all that is asked; `GET /{name}/config/schema`; `GET /health` and `/{name}/health`; the contract at `/` and
 * `/openapi.json`.
 */
export function segmentsApp(deps: SegmentsDeps): App {
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
function admit(c: AppContext, { keys }: SegmentsDeps): void {
  if (may(keys.require(c), { method: c.req.method, path: c.req.path })) return
  throw new Failure('forbidden', 'the key has no permission for this')
}

/**
 * Takes what a foreign segment gives back; the run's id. Whoever has the token waits for no answer worth reading: what is
 * refused is told to the run.
 */
async function returned(c: AppContext, token: string, deps: SegmentsDeps): Promise<string> {
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
    await place.take(payloadOf(own))
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
