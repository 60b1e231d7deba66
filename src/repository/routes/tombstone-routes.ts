/** The route that lists what was deleted; the ways back are routes of the resources themselves. */

import { z } from '@hono/zod-openapi'
import { listTombstones } from '../deleting/upkeep.ts'
import { repositoryAnswers as answers, guardedRead } from './contract.ts'
import { repositoryParameters as parameters } from './parameters.ts'
import { demandId, demandPermission, type RouteContext } from './route-context.ts'

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
    if (catalogue === undefined) demandPermission(c, keys)
    else demandPermission(c, keys, demandId('catalogue', catalogue))
    const found = await listTombstones(context, { catalogue, ...page }, c.get('signal'))
    return c.json([...found])
  })
}
