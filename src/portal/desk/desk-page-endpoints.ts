/** Endpoints of the desk itself, of its list of datasets, and of the page on which a dataset is begun. */

import { pageEndpoint } from '../../http/endpoint.ts'
import { readForm, readFormData } from '../../http/form.ts'
import type { PageContext, StewardContext } from '../context.ts'
import type { MaybePage } from '../layout.ts'
import type { PortalServices } from '../portal-services.ts'
import { actionContext, stewardContext, withSession } from '../steward-endpoints.ts'
import { beginDraft, beginPage } from './begin-page.ts'
import { runBulk } from './bulk-actions.ts'
import { deskDatasetsPage, deskPage, waitingDraftsPage } from './desk-page.ts'
import { keptForm, withUnsaved } from './unsaved.ts'

const common = { tag: 'desk', auth: withSession }

const show = (
  path: `/${string}`,
  operation: string,
  summary: string,
  page: (context: StewardContext) => MaybePage,
) =>
  pageEndpoint<PortalServices>({
    ...common,
    path: `/:language${path}`,
    operation,
    summary,
    page: (c, { respond }) => respond(c, (context) => page(stewardContext(context))),
  })

/** Endpoints of the desk, its list, and its first step. */
export const deskPageEndpoints = [
  show('/desk', 'deskPage', 'What waits for a person, and the drafts and datasets', deskPage),
  show('/desk/datasets', 'deskDatasets', 'Drafts, or published datasets', deskDatasetsPage),
  pageEndpoint<PortalServices>({
    ...common,
    method: 'post',
    path: '/:language/desk/datasets',
    operation: 'changeDatasets',
    summary: 'Take an action on the records of a list that are ticked',
    page: async (c, services) => {
      const result = await runBulk(await actionContext(c, services), await readFormData(c))
      const make = (context: PageContext) => deskDatasetsPage(stewardContext(context), result)
      return services.respond(c, make, result.refusal === undefined ? 200 : 400)
    },
  }),
  show('/desk/waiting', 'deskWaiting', 'Drafts that wait for a person', waitingDraftsPage),
  show('/desk/new', 'beginPage', 'The ways to begin a dataset', async (context) => {
    const kept = keptForm(context)
    const field = (name: string) => kept?.fields.get(name) ?? ''
    return withUnsaved(context, await beginPage(context, kept && { field }), kept)
  }),
  pageEndpoint<PortalServices>({
    ...common,
    method: 'post',
    path: '/:language/desk/new',
    operation: 'beginDraft',
    summary: 'Begin a dataset, or the change of a published one',
    page: async (c, services) => {
      const result = await beginDraft(await actionContext(c, services), await readForm(c))
      if (typeof result === 'string') return c.redirect(result, 303)
      return services.respond(c, (context) => beginPage(stewardContext(context), result), 400)
    },
  }),
]
