/** Binds the creation of datasets that have no id at an origin: they get a random one, or the one that an alias wishes. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { answerWrite, answering } from '../answering/answers.ts'
import { receivedBody } from '../answering/received.ts'
import { demandId, demandOriginalId } from '../answering/guard.ts'
import type { Bound } from '../bound.ts'
import type { Outcome } from '../deps.ts'
import { cameByAlias } from '../resource-aliases.ts'
import { routes } from '../routes.ts'

export function bindPosts(bound: Bound): void {
  const { app } = bound
  bound.guard({
    methods: ['POST'],
    paths: ['/catalogues/:catalogueId/datasets'],
    permission: 'catalogue',
  })
  bound.guard({
    methods: ['POST'],
    paths: ['/datasets'],
    permission: (c) => Promise.resolve(c.req.query('catalogue')),
  })
  app.openapi(routes.postCatalogueDataset, (c) =>
    create(c, bound, c.req.valid('param').catalogueId),
  )
  app.openapi(routes.postDataset, (c) =>
    create(c, bound, demandId('catalogue', c.req.valid('query').catalogue)),
  )
}

async function create(c: AppContext, bound: Bound, catalogue: string): Promise<Response> {
  const { datasets, limits, expected } = bound
  const wish = cameByAlias(c.req.url) ? c.req.query('resourceId') : undefined
  const wished = wish === undefined ? undefined : demandOriginalId('resourceId', wish)
  const body = await receivedBody(c, limits)
  const under = (originalId: string): Promise<Outcome> => {
    const precondition = (hash: string | undefined) => {
      if (hash !== undefined) throw taken(originalId)
      expected(c)(hash)
    }
    return datasets.put({ catalogue, originalId, body, precondition }, c.get('signal'))
  }
  const outcome = await (wished === undefined
    ? under(bound.uuid())
    : under(wished).catch((error: unknown) => {
        if (isTaken(error)) return under(bound.uuid())
        throw error
      }))
  return answerWrite(c, outcome, answering(bound, limits))
}

const taken = (originalId: string) =>
  new Failure('already-exists', `the catalogue has a dataset "${originalId}" already`)

const isTaken = (error: unknown): boolean =>
  error instanceof Failure && error.kind === 'already-exists'
