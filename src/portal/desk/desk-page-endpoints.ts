/** Endpoints of the desk itself, of its list of datasets, and of the page on which a dataset is begun. */

import { pageEndpoint } from '../../http/endpoint.ts'
import { readForm, readFormData } from '../../http/form.ts'
import type { PageContext, StewardContext } from '../context.ts'
import type { MaybePage } from '../layout.ts'
import type { PortalServices } from '../portal-services.ts'
import { actionContext, stewardContext, withSession } from '../steward-endpoints.ts'
import { beginDraft, beginPage } from './begin-page.ts'
import { type BulkResult, runBulk } from './bulk-actions.ts'
import { deskDatasetsPage, deskPage } from './desk-page.ts'
import { keptForm, withUnsaved } from './unsaved.ts'
import { deskWaitingPage } from './waiting-page.ts'

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

/** Endpoint of the form below a list; its answer is the list with the result. */
const bulk = (
  path: `/${string}`,
  operation: string,
  summary: string,
  page: (context: StewardContext, result: BulkResult) => MaybePage,
) =>
  pageEndpoint<PortalServices>({
    ...common,
    method: 'post',
    path: `/:language${path}`,
    operation,
    summary,
    page: async (c, services) => {
      const result = await runBulk(await actionContext(c, services), await readFormData(c))
      const make = (context: PageContext) => page(stewardContext(context), result)
      return services.respond(c, make, result.refusal === undefined ? 200 : 400)
    },
  })

/** Endpoints of the desk, its lists, and its first step. */
export const deskPageEndpoints = [
  show('/desk', 'deskPage', 'What waits for a person, and the drafts and datasets', deskPage),
  show('/desk/datasets', 'deskDatasets', 'Drafts, or published datasets', deskDatasetsPage),
  bulk(
    '/desk/datasets',
    'changeDatasets',
    'Take an action on the records of a list that are ticked',
    deskDatasetsPage,
  ),
  show('/desk/waiting', 'deskWaiting', 'All that waits for a person', deskWaitingPage),
  bulk(
    '/desk/waiting',
    'decideReviews',
    'Publish or send back the reviews that are ticked',
    deskWaitingPage,
  ),
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
