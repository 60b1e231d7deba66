/** Dependencies of the portal's endpoints. */

import type { AppContext } from '../http/app.ts'
import type { PageContext } from './context.ts'
import type { MaybePage, PageStatus } from './layout.ts'
import type { PageShell } from './page-shell.ts'
import type { RenderQueue } from './render-queue.ts'

/** Makes the content of a page; `undefined` where there is no such page. */
export type MakePage = (context: PageContext) => MaybePage

/** Dependencies that all endpoints of the portal have. */
export type PortalServices = Pick<PageShell, 'config' | 'assets' | 'theme'> & {
  /** The context of the page at `/{language}/…`. Rejects with `not-found` where the portal does not have the language. */
  readonly contextOf: (c: AppContext) => Promise<PageContext>
  /** The context of a page in a language. */
  readonly contextIn: (c: AppContext, language: string) => Promise<PageContext>
  /** Makes a page in its turn of the queue and answers it. Rejects with `Failure`. */
  readonly respond: (c: AppContext, make: MakePage, status?: PageStatus) => Promise<Response>
  /** Limits the pages and files that are made at the same time. */
  readonly renders: RenderQueue
}
