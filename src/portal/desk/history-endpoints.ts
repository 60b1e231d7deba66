/** Endpoints of the page of versions: the page, and the form by which a version is taken back or gone back to. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { pageEndpoint } from '../../http/endpoint.ts'
import { readForm } from '../../http/form.ts'
import type { PortalServices } from '../portal-services.ts'
import { actionContext, stewardContext, withSession } from '../steward-endpoints.ts'
import { historyPage, repositoryPath, type VersionPlace } from './history-page.ts'

const placeOf = (c: AppContext): VersionPlace => ({
  type: c.req.param('type') ?? '',
  id: c.req.param('id') ?? '',
})

const path = '/:language/desk/:type/:id/history'
const common = {
  path,
  tag: 'desk',
  auth: withSession,
  example: '/en/desk/datasets/levels/history',
} as const

const showHistory = pageEndpoint<PortalServices>({
  ...common,
  operation: 'getDeskHistory',
  summary: 'The versions of a record',
  page: (c, { respond }) =>
    respond(c, (context) => historyPage(stewardContext(context), placeOf(c))),
})

const goBack = pageEndpoint<PortalServices>({
  ...common,
  method: 'post',
  operation: 'postDeskHistory',
  summary: 'Take a version back, or go back to one',
  page: async (c, services) => {
    const context = await actionContext(c, services)
    const field = await readForm(c)
    const place = placeOf(c)
    const did = field('do') === 'undo' ? 'undo' : 'restore'
    const number = encodeURIComponent(field(did === 'undo' ? 'version' : 'former'))
    const next = (result: string) =>
      c.redirect(`${context.pathTo('desk', place.type, place.id, 'history')}?did=${result}`, 303)
    try {
      const request = { method: 'POST' }
      await context.ask(
        'deskRepository',
        `${repositoryPath(place)}/versions/${number}/${did}`,
        request,
      )
      return next(did)
    } catch (error) {
      if (error instanceof Failure && error.kind === 'conflict') return next('later')
      throw error
    }
  },
})

/** Endpoints of the page of versions. */
export const historyEndpoints = [showHistory, goBack]
