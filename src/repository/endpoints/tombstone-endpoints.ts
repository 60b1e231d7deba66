/** The list of deleted resources, and 410 in place of 404 for those that can be restored; the resources have the endpoints that restore. */

import { z } from '@hono/zod-openapi'
import { Failure, type Kind } from '../../errors.ts'
import type { App, AppContext } from '../../http/app.ts'
import { mayCallFor } from '../../http/endpoint.ts'
import { splitSuffix } from '../../rdf/media-types.ts'
import { isPresent } from '../deleting/members.ts'
import type { Tombstone } from '../deleting/tombstones.ts'
import { listTombstones } from '../deleting/upkeep.ts'
import type { RepositoryContext } from '../context.ts'
import { contract, repositoryEndpoint } from './contract.ts'
import { demandId } from './requests.ts'

const { answers, parameters } = contract

const tombstone = z
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

const list = repositoryEndpoint({
  method: 'get',
  path: '/tombstones',
  operation: 'getTombstones',
  summary: 'List what was deleted and can be restored, newest first',
  auth: mayCallFor((c) => {
    const catalogue = c.req.query('catalogue')
    return catalogue === undefined ? undefined : demandId('catalogue', catalogue)
  }),
  query: parameters.tombstones,
  answers: {
    200: {
      description: 'Deleted datasets, catalogues and resources of declared types',
      content: { 'application/json': { schema: z.array(tombstone) } },
    },
    ...answers.refused,
  },
  handle: ({ query: { catalogue, ...page }, signal }, context) =>
    listTombstones(context, { catalogue, ...page }, signal),
})

/** The endpoints of deleted resources. */
export const tombstoneEndpoints = [list]

const lists = { dataset: '/datasets', catalogue: '/catalogues', resource: '/customresources' }

/** Says when a resource was deleted, until when it can be restored, and what it was. */
function gone({ kind, id, catalogue, originalId, ...times }: Tombstone): Failure {
  const { deletedAt, restorableUntil } = times
  const detail = `the ${kind} "${id}" was deleted at ${deletedAt}; POST ${lists[kind]}/${id}/restore brings it back until ${restorableUntil}`
  const members = {
    deletedAt,
    restorableUntil,
    ...(catalogue !== '' && { catalogue }),
    ...(originalId !== undefined && { originalId }),
  }
  return new Failure('gone', detail, { members })
}

/** Failures that may mean a deleted dataset: a part of it cannot be found either. */
const missing: ReadonlySet<Kind> = new Set([
  'unknown-dataset',
  'unknown-record',
  'unknown-metrics',
  'unknown-distribution',
])

/** The path of a catalogue, of the list of its datasets or of its dump; and that of a dataset. */
const wholeCatalogue = /^\/catalogues\/[^/]+(\/datasets|\/dump(\.\w+)?)?$/
const wholeDataset = /^\/datasets\/[^/]+$/

/** Paths of what may have been deleted, and of its parts. */
const places = [
  '/datasets/:id/*',
  '/records/:id',
  '/catalogues/:id/*',
  '/customresources/:type/:id',
] as const

/** Answers 410 for what endpoints cannot find because it was deleted; call it before they are mounted. */
export function answerWhatIsGone(app: App, context: RepositoryContext): void {
  for (const place of places)
    app.use(place, async (c, next) => {
      // Asked before the route runs: afterwards the parameters are those of the route.
      const { id, type }: { id: string; type?: string } = c.req.param()
      await next()
      if (!(c.error instanceof Failure)) return
      const found = tombstoneOf(c, context, { kind: c.error.kind, id, type })
      if (!found || (await isPresent(context, found, c.get('signal')))) return
      c.res = undefined
      throw gone(found)
    })
}

/** What a request could not find: the kind of its failure, and the parameters of its path. */
type Missed = { readonly kind: Kind; readonly id: string; readonly type: string | undefined }

/** The tombstone of what a request could not find. A PUT by the id at the origin creates what is not there. */
function tombstoneOf(
  c: AppContext,
  { tombstones }: RepositoryContext,
  { kind, id, type }: Missed,
): Tombstone | undefined {
  const { path, method } = c.req
  const plain = splitSuffix(id).id
  const byOrigin = (catalogue: string, originalId: string) =>
    (kind === 'unknown-dataset' || kind === 'unknown-catalogue') && method !== 'PUT'
      ? tombstones.ofOrigin(catalogue, originalId)
      : undefined
  if (type !== undefined)
    return kind === 'unknown-resource' && method !== 'PUT'
      ? tombstones.find('resource', `${type}/${plain}`)
      : undefined
  if (path.endsWith('/datasets/origin')) return byOrigin(id, c.req.query('originalId') ?? '')
  if (path.startsWith('/catalogues/'))
    return kind === 'unknown-catalogue' && wholeCatalogue.test(path)
      ? tombstones.find('catalogue', plain)
      : undefined
  const catalogue = c.req.query('catalogue')
  // The deprecated form names the id at the origin.
  if (catalogue !== undefined && wholeDataset.test(path)) return byOrigin(catalogue, id)
  return missing.has(kind) ? tombstones.find('dataset', plain) : undefined
}
