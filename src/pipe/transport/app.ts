/** The segments of this process for others: a message of a pipe in, the run's id out. */

import { may, type ApiKeys } from '../../http/api-key.ts'
import { newApp, type App, type AppContext, type AppOptions } from '../../http/app.ts'
import { readBody } from '../../http/body.ts'
import { shown } from '../../http/problem.ts'
import { Failure } from '../../errors.ts'
import type { Pipe } from '../document.ts'
import { shapedPipe } from '../documents/shape.ts'
import { readText } from '../documents/text.ts'
import { normalName } from '../naming.ts'
import type { SegmentKind } from '../segment.ts'
import { isToken, type Capability, type Permitted } from './capability.ts'
import { describeSegments, type Contract } from './contract.ts'
import { ownSegment } from './messages/envelope.ts'
import type { Returns } from './returns.ts'
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
 * `POST` or `PUT /{name}/pipe` with an API key, or with the token of a run that waits for the message; `GET
 * /{name}/config/schema`; `GET /health` and `/{name}/health`; the contract at `/` and `/openapi.json`.
 */
export function segmentsApp(deps: SegmentsDeps): App {
  const app = newApp({ ...deps.http, name: 'segments' })
  app.on(['POST', 'PUT'], '/:name/pipe', async (c) => {
    const permitted = admitted(c, deps)
    const message = await messageOf(c, deps.bodyBytes)
    const own = ownSegment(message)
    if (!own) throw new Failure('invalid-parameter', 'all segments of the pipe are done')
    const name = c.req.param('name')
    if (normalName(own.header.name) !== normalName(name)) {
      const detail = `the next segment of the pipe is ${shown(own.header.name)}, not ${shown(name)}`
      throw new Failure('unknown-segment', detail)
    }
    return c.text(taken(deps, message, permitted), 202, { 'Cache-Control': 'no-store' })
  })
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

/** What the token permits, or nothing for a key that may do everything here. Throws `unauthorized` and `forbidden`. */
function admitted(c: AppContext, { keys, capability }: SegmentsDeps): Permitted | undefined {
  const token = presented(c)
  if (token !== undefined) {
    const permitted = capability.read(token)
    if (permitted) return permitted
    throw new Failure('unauthorized', 'the token of the run is not valid')
  }
  const key = keys.require(c)
  if (may(key, { method: c.req.method, path: c.req.path })) return undefined
  throw new Failure('forbidden', 'the key has no permission for this')
}

function presented(c: AppContext): string | undefined {
  const authorization = c.req.header('Authorization')?.trim() ?? ''
  const [, scheme = '', rest = ''] = /^(\S+)\s+(\S+)$/.exec(authorization) ?? []
  const basic = /^basic$/i.test(scheme) ? Buffer.from(rest, 'base64').toString('utf8') : ''
  const shown = [
    c.req.header('X-API-Key')?.trim() ?? '',
    authorization,
    rest,
    basic.slice(basic.indexOf(':') + 1),
  ]
  return shown.find(isToken)
}

function taken(deps: SegmentsDeps, message: Pipe, permitted: Permitted | undefined): string {
  const { runId } = message.header
  if (permitted) {
    const number = ownSegment(message)?.header.segmentNumber
    if (permitted.runId !== runId || permitted.segmentNumber !== number) {
      throw new Failure('forbidden', 'the token is for another segment or another run')
    }
  }
  if (runId !== undefined && (permitted || deps.returns.awaits(message))) {
    deps.returns.take(message)
    return runId
  }
  return deps.worker.take(message)
}

async function messageOf(c: AppContext, bytes: number): Promise<Pipe> {
  const type = c.req.header('Content-Type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Failure('unsupported-media-type', 'a pipe is sent as application/json')
  }
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
