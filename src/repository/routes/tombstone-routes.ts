/** What was deleted: the list of it, and 410 in place of 404 for what can be restored. The ways back are routes of the resources themselves. */

import { z } from '@hono/zod-openapi'
import { Failure, type Kind } from '../../errors.ts'
import { splitSuffix } from '../../rdf/media-types.ts'
import { isPresent } from '../deleting/members.ts'
import type { Tombstone } from '../deleting/tombstones.ts'
import { listTombstones } from '../deleting/upkeep.ts'
import { contract } from './contract.ts'
import { demandId, demandPermission, type RouteContext } from './route-context.ts'

const { answers, guardedRead, parameters } = contract

const tombstone = z
  .object({
    kind: z.enum(['dataset', 'catalogue', 'resource']),
    id: z.string(),
    originalId: z.string().optional(),
    catalogue: z.string(),
    deletedAt: z.iso.datetime(),
    restorableUntil: z.iso.datetime(),
  })
  .openapi('Tombstone')

const list = guardedRead(
  '/tombstones',
  'List what was deleted and can be restored, newest first',
  { query: parameters.tombstones },
  {
    responses: {
      200: {
        description: 'Deleted datasets, catalogues and resources of declared types',
        content: { 'application/json': { schema: z.array(tombstone) } },
      },
      ...answers.refused,
    },
  },
)

export function addTombstoneRoute(context: RouteContext): void {
  const { app, guard, keys } = context
  guard('later', list)
  app.openapi(list, async (c) => {
    const { catalogue, ...page } = c.req.valid('query')
    demandPermission(
      c,
      keys,
      catalogue === undefined ? undefined : demandId('catalogue', catalogue),
    )
    const found = await listTombstones(context, { catalogue, ...page }, c.get('signal'))
    return c.json([...found])
  })
}

const places = { dataset: '/datasets', catalogue: '/catalogues', resource: '/customresources' }

/** Says when a resource was deleted, until when it can be restored, and what it was. */
function gone({ kind, id, catalogue, originalId, ...times }: Tombstone): Failure {
  const { deletedAt, restorableUntil } = times
  const detail = `the ${kind} "${id}" was deleted at ${deletedAt}; POST ${places[kind]}/${id}/restore brings it back until ${restorableUntil}`
  const members = {
    deletedAt,
    restorableUntil,
    ...(catalogue !== '' && { catalogue }),
    ...(originalId !== undefined && { originalId }),
  }
  return new Failure('gone', detail, { members })
}

/** A request that could not find something; ids and path are those of the request. */
type Missed = {
  readonly kind: Kind
  readonly id: string
  readonly type: string
  readonly path: string
  readonly isPut: boolean
  readonly query: (name: string) => string | undefined
}

/** The tombstone of what a request could not find. */
type Finding = (missed: Missed) => Tombstone | undefined

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

/** To be called before the routes are bound: looks at what they could not find. */
export function answerWhatIsGone(context: RouteContext): void {
  const { app, tombstones } = context
  const byOrigin = ({ kind, isPut }: Missed, catalogue: string, originalId: string) => {
    const isMissing = kind === 'unknown-dataset' || kind === 'unknown-catalogue'
    // A PUT creates what is not there.
    return isMissing && !isPut ? tombstones.ofOrigin(catalogue, originalId) : undefined
  }
  const ofDataset: Finding = (missed) => {
    const catalogue = missed.query('catalogue')
    // The deprecated form names the id at the origin.
    if (catalogue !== undefined && wholeDataset.test(missed.path))
      return byOrigin(missed, catalogue, missed.id)
    return missing.has(missed.kind)
      ? tombstones.find('dataset', splitSuffix(missed.id).id)
      : undefined
  }
  const findings: Readonly<Record<string, Finding>> = {
    '/datasets/:id/*': ofDataset,
    '/records/:id': ofDataset,
    '/catalogues/:id/*': ({ kind, id, path }) =>
      kind === 'unknown-catalogue' && wholeCatalogue.test(path)
        ? tombstones.find('catalogue', splitSuffix(id).id)
        : undefined,
    '/catalogues/:id/datasets/origin': (missed) =>
      byOrigin(missed, missed.id, missed.query('originalId') ?? ''),
    '/customresources/:type/:id': ({ kind, id, type, isPut }) =>
      kind === 'unknown-resource' && !isPut
        ? tombstones.find('resource', `${type}/${splitSuffix(id).id}`)
        : undefined,
  }
  for (const [route, find] of Object.entries(findings))
    app.use(route, async (c, next) => {
      // Asked before the route runs: afterwards the parameters are those of the route.
      const { id = '', type = '' }: { id?: string; type?: string } = c.req.param()
      await next()
      if (!(c.error instanceof Failure)) return
      const { kind } = c.error
      const isPut = c.req.method === 'PUT'
      const query = (name: string) => c.req.query(name)
      const found = find({ kind, id, type, path: c.req.path, isPut, query })
      if (!found || (await isPresent(context, found, c.get('signal')))) return
      c.res = undefined
      throw gone(found)
    })
}
