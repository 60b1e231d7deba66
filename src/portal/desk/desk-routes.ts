/** Endpoints of the desk with a session: pages, and forms of pages. */

import type { AppContext } from '../../http/app.ts'
import { pageEndpoint } from '../../http/endpoint.ts'
import type { PageContext, StewardContext } from '../context.ts'
import type { MaybePage, PageStatus } from '../layout.ts'
import type { PortalServices } from '../portal-services.ts'
import { actionContext, stewardContext, withSession } from '../steward-endpoints.ts'

/** Function that makes a page of the desk. */
type Make = (context: StewardContext, c: AppContext) => MaybePage

/** Request of a form. */
export type Sent = {
  readonly context: StewardContext
  readonly c: AppContext
  /** Answers with a page instead of leading on. */
  readonly show: (make: Make, status?: PageStatus) => Promise<Response>
}

type Path = `/${string}` | ''

const common = (path: Path, operation: string, summary: string) => ({
  path: `/:language/desk${path}` as const,
  operation,
  tag: 'desk',
  summary,
  auth: withSession,
})

/** Defines the endpoint of a page; its path begins after `/desk`. */
export const deskGet = (path: Path, operation: string, summary: string, make: Make) =>
  pageEndpoint<PortalServices>({
    ...common(path, operation, summary),
    page: (c, { respond }) => respond(c, async (page) => make(stewardContext(page), c)),
  })

/** Defines the endpoint of a form; its path begins after `/desk`. */
export const deskPost = (
  path: Path,
  operation: string,
  summary: string,
  answer: (sent: Sent) => Promise<Response>,
) =>
  pageEndpoint<PortalServices>({
    ...common(path, operation, summary),
    method: 'post',
    page: async (c, services) => {
      const show: Sent['show'] = (make, status) =>
        services.respond(c, async (page: PageContext) => make(stewardContext(page), c), status)
      return answer({ context: await actionContext(c, services), c, show })
    },
  })
