/** The contract of the segments of this process: what others may send them, as OpenAPI. */

import type { App } from '../../http/app.ts'
import { docs } from '../../http/docs-page.ts'
import { problem } from '../../http/contract/problem.ts'
import type { SegmentKind } from '../segment.ts'

export type Contract = {
  readonly kinds: readonly Pick<SegmentKind, 'names' | 'job'>[]
  readonly version: string
}

type Path = Parameters<App['openAPIRegistry']['registerPath']>[0]

const text = { 'text/plain': { schema: { type: 'string' as const } } }
const state = {
  'application/json': {
    schema: { type: 'object' as const, properties: { status: { type: 'string' as const } } },
  },
}
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
export function describeSegments(app: App, { kinds, version }: Contract): void {
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

type PathParameters = NonNullable<Path['parameters']>

function paths(names: readonly string[]): readonly Path[] {
  const parameters: PathParameters = [
    {
      name: 'name',
      in: 'path',
      required: true,
      description: 'Normal form, an alias, or either with a known prefix',
      schema: { type: 'string', examples: [...names] },
    },
  ]
  return [
    taking('post', 'Hand a message over to a segment', parameters),
    taking('put', 'As POST, for senders that use PUT', parameters),
    returning('post', 'Give back what a run of this process waits for'),
    returning('put', 'As POST, for senders that use PUT'),
    {
      method: 'get',
      path: '/{name}/config/schema',
      summary: 'The JSON Schema of the config of a segment',
      parameters,
      responses: {
        200: {
          description: 'JSON Schema',
          content: { 'application/schema+json': { schema: { type: 'object' } } },
        },
        default: problem(),
      },
    },
    {
      method: 'get',
      path: '/{name}/health',
      summary: 'Whether a segment is there',
      parameters,
      responses: { 200: { description: 'It is', content: state }, default: problem() },
    },
    {
      method: 'get',
      path: '/health',
      summary: 'Whether the segments of this process are up',
      responses: { 200: { description: 'They are', content: state }, default: problem() },
    },
  ]
}

const token: PathParameters = [
  {
    name: 'token',
    in: 'path',
    required: true,
    description: 'Opens one place of one run; it stands in the pipe that the segment was sent',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{20,200}$' },
  },
]

/** With the token in the path no key is asked for. */
const returning = (method: 'post' | 'put', summary: string): Path => ({
  ...taking(method, summary, token),
  path: '/r/{token}/pipe',
  security: [],
})

const taking = (method: 'post' | 'put', summary: string, parameters: PathParameters): Path => ({
  method,
  path: '/{name}/pipe',
  summary,
  security: [{ ApiKey: [] }, { Bearer: [] }],
  parameters,
  request: {
    body: {
      required: true,
      content: { 'application/json': { schema: { type: 'object' }, example } },
    },
  },
  responses: {
    202: { description: 'Taken; the id of the run', content: text },
    default: problem(),
  },
})
