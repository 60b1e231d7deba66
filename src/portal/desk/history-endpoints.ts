/** Endpoints of the page of versions: the page, and the form that makes a draft which takes one back, or goes back to one. */

import { Failure } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { pageEndpoint } from '../../http/endpoint.ts'
import { readForm } from '../../http/form.ts'
import { textAt } from '../../text/json.ts'
import type { PortalServices } from '../portal-services.ts'
import { actionContext, stewardContext, withSession } from '../steward-endpoints.ts'
import type { VersionPlace } from './drafts.ts'
import { historyPage } from './history-page.ts'

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
  summary: 'Make a draft that takes a version back, or goes back to one',
  page: async (c, services) => {
    const context = await actionContext(c, services)
    const field = await readForm(c)
    const place = placeOf(c)
    const did = field('do') === 'undo' ? 'undo' : 'restore'
    const number = field(did === 'undo' ? 'version' : 'former')
    const pathOf = (step: string) => context.pathTo('desk', place.type, place.id, step)
    const query = new URLSearchParams({ of: place.id, [did]: number })
    const path = `/drafts/${encodeURIComponent(place.type)}?${query.toString()}`
    try {
      const draft = await context.ask('deskRepository', path, { method: 'POST' })
      // Later versions changed the same: the person decides first.
      const isOpen = textAt(draft, 'baseTag')?.startsWith('version-') === true
      const words = did === 'undo' ? did : 'version'
      return c.redirect(`${pathOf(isOpen ? 'merge' : 'check')}?did=${words}`, 303)
    } catch (error) {
      if (error instanceof Failure && error.kind === 'conflict')
        return c.redirect(`${pathOf('history')}?did=draft`, 303)
      throw error
    }
  },
})

/** Endpoints of the page of versions. */
export const historyEndpoints = [showHistory, goBack]
