/** Endpoint that lists deleted resources, and middleware that answers 410 in place of 404 for those that can be restored. */

import { z } from '@hono/zod-openapi'
import { Failure, type Kind } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { mayCallFor } from '../../http/endpoint.ts'
import { splitSuffix } from '../../rdf/media-types.ts'
import { isPresent } from '../deleting/members.ts'
import type { Tombstone } from '../deleting/tombstones.ts'
import { listTombstones } from '../deleting/deletion-maintenance.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { contract, repositoryEndpoint } from './contract.ts'
import { requireId } from './requests.ts'

const { answers, parameters } = contract

const tombstoneSchema = z
  .object({
    kind: z.enum(['dataset', 'catalogue', 'resource']),
    id: z.string(),
    title: z
      .record(z.string(), z.string())
      .meta({ description: 'Titles by language, an empty one for a title without language' }),
    originalId: z.string().optional(),
    catalogue: z.string(),
    deletedAt: z.iso.datetime(),
    restorableUntil: z.iso.datetime(),
  })
  .openapi('Tombstone')

const listDeleted = repositoryEndpoint({
  method: 'get',
  path: '/tombstones',
  operation: 'getTombstones',
  summary: 'List what was deleted and can be restored, newest first',
  auth: mayCallFor((c) => {
    const catalogue = c.req.query('catalogue')
    return catalogue === undefined ? undefined : requireId('catalogue', catalogue)
  }),
  query: parameters.tombstones,
  answers: {
    200: {
      description: 'Deleted datasets, catalogues and resources of declared types',
      content: { 'application/json': { schema: z.array(tombstoneSchema) } },
    },
    ...answers.writeRefusals,
  },
  handle: ({ query: { catalogue, ...page }, signal }, context) =>
    listTombstones(context, { catalogue, ...page }, signal),
})

/** Endpoints of deleted resources. */
export const tombstoneEndpoints = [listDeleted]

const pathsByKind = { dataset: '/datasets', catalogue: '/catalogues', resource: '/customresources' }

/** Failure `gone` with the times of deletion and expiry, the ids of the resource, and why it was withdrawn. */
function goneFailure(
  { kind, id, catalogue, originalId, ...times }: Tombstone,
  { drafts }: RepositoryContext,
): Failure {
  const { deletedAt, restorableUntil } = times
  const detail = `the ${kind} "${id}" was deleted at ${deletedAt}; POST ${pathsByKind[kind]}/${id}/restore brings it back until ${restorableUntil}`
  const members = {
    deletedAt,
    restorableUntil,
    ...withdrawalOf(drafts, { kind, id }),
    ...(catalogue !== '' && { catalogue }),
    ...(originalId !== undefined && { originalId }),
  }
  return new Failure('gone', detail, { members })
}

function withdrawalOf(
  drafts: RepositoryContext['drafts'],
  { kind, id }: Pick<Tombstone, 'kind' | 'id'>,
): { readonly reason?: string; readonly replacement?: string } {
  const [type = '', ownId = ''] = kind === 'resource' ? id.split('/') : [`${kind}s`, id]
  const { reason, replacement } = drafts.withdrawal(type, ownId) ?? {}
  return {
    ...(reason !== undefined && { reason }),
    ...(replacement !== undefined && { replacement }),
  }
}

/** Kinds of failures of requests for a dataset or its parts, which may be due to its deletion. */
const partKinds: ReadonlySet<Kind> = new Set([
  'unknown-dataset',
  'unknown-record',
  'unknown-metrics',
  'unknown-distribution',
])

/** Paths of a catalogue, of the list of its datasets and of its dump. */
const cataloguePath = /^\/catalogues\/[^/]+(\/datasets|\/dump(\.\w+)?)?$/
/** Path of a dataset. */
const datasetPath = /^\/datasets\/[^/]+$/

/** Paths of resources that can be restored, and of their parts. */
const restorablePaths = [
  '/datasets/:id/*',
  '/records/:id',
  '/catalogues/:id/*',
  '/customresources/:type/:id',
] as const

/** Adds middleware that answers 410 for deleted resources; to be called before endpoints are mounted. */
export function answerGone(app: App, context: RepositoryContext): void {
  for (const path of restorablePaths)
    app.use(path, async (c, next) => {
      // Read before `next`, because afterwards the parameters are those of the route.
      const { id, type }: { id: string; type?: string } = c.req.param()
      await next()
      if (!(c.error instanceof Failure)) return
      const deleted = tombstoneOf(c, context, { kind: c.error.kind, id, type })
      if (!deleted || (await isPresent(context, deleted, c.get('signal')))) return
      c.res = undefined
      throw goneFailure(deleted, context)
    })
}

/** Kind of the failure of a request, and its path parameters. */
type UnknownResource = {
  readonly kind: Kind
  readonly id: string
  readonly type: string | undefined
}

/** Tombstone of the resource that a request did not find; none for a PUT that creates it. */
function tombstoneOf(
  c: AppContext,
  { tombstones }: RepositoryContext,
  { kind, id, type }: UnknownResource,
): Tombstone | undefined {
  const { path, method } = c.req
  const withoutSuffix = splitSuffix(id).id
  const tombstoneByOriginalId = (catalogue: string, originalId: string) =>
    (kind === 'unknown-dataset' || kind === 'unknown-catalogue') && method !== 'PUT'
      ? tombstones.findByOriginalId(catalogue, originalId)
      : undefined
  if (type !== undefined)
    return kind === 'unknown-resource' && method !== 'PUT'
      ? tombstones.find('resource', `${type}/${withoutSuffix}`)
      : undefined
  if (path.endsWith('/datasets/origin'))
    return tombstoneByOriginalId(id, c.req.query('originalId') ?? '')
  if (path.startsWith('/catalogues/'))
    return kind === 'unknown-catalogue' && cataloguePath.test(path)
      ? tombstones.find('catalogue', withoutSuffix)
      : undefined
  const catalogue = c.req.query('catalogue')
  // With the deprecated query parameter the path has an original id.
  if (catalogue !== undefined && datasetPath.test(path)) return tombstoneByOriginalId(catalogue, id)
  return partKinds.has(kind) ? tombstones.find('dataset', withoutSuffix) : undefined
}
