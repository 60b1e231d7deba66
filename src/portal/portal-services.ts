/** Dependencies of the portal's endpoints. */

import type { AppContext } from '../http/app.ts'
import type { PageContext } from './context.ts'
import type { MaybePage, PageStatus } from './layout.ts'
import type { PageShell } from './page-shell.ts'
import type { RenderQueue } from './render-queue.ts'
import type { Sessions } from './sessions.ts'

/** Makes the content of a page; `undefined` is answered with 404. */
export type MakePage = (context: PageContext) => MaybePage

/** Functions and resources that the endpoints of the portal use; `portalApp` makes them. */
export type PortalServices = Pick<PageShell, 'config' | 'assets' | 'theme'> & {
  /** Makes the context of the page at `/{language}/…`. Rejects with `not-found` where the portal does not have the language. */
  readonly contextOf: (c: AppContext) => Promise<PageContext>
  /** Makes the context of a page in a language, whatever its path is. */
  readonly contextIn: (c: AppContext, language: string) => Promise<PageContext>
  /** Waits in the render queue, makes the page and resolves with the answer, 304 if the client has it. Rejects with `Failure`. */
  readonly respond: (c: AppContext, make: MakePage, status?: PageStatus) => Promise<Response>
  /** Limits the pages and files that are made at the same time. */
  readonly renders: RenderQueue
  /** Absent where sign-in is switched off. */
  readonly sessions?: Sessions | undefined
}
