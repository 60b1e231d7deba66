/** Binds the route of dumps. */

import type { AppContext } from '../../http/app.ts'
import { longAnswer } from '../../http/shell/flow.ts'
import { formats, splitSuffix } from '../../rdf/media-types.ts'
import { answerDocument } from '../answering/document.ts'
import { demandId } from '../answering/guard.ts'
import type { Bound } from '../bound.ts'
import { dumpOf } from '../listing/dump.ts'
import { routes } from '../routes.ts'

export function bindDump(bound: Bound): void {
  const { app, log, limits } = bound
  const answer = (c: AppContext) => {
    const id = demandId('catalogueId', c.req.param('catalogueId') ?? '')
    const { format: suffix } = splitSuffix(c.req.path)
    const options = { suffix, name: id, log, limits }
    return longAnswer(c, () => answerDocument(c, dumpOf(bound, id, c.get('signal')), options))
  }
  app.openapi(routes.dump, answer)
  // A suffix that is no part of an id is a route of its own to the router.
  for (const { suffix } of Object.values(formats)) {
    app.get(`/catalogues/:catalogueId/dump.${suffix}`, answer)
  }
}
