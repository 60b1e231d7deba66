/** Dependencies of the portal's endpoints, and the paths that stand as examples. */

import type { AppContext } from '../http/app.ts'
import type { PageContext } from './context.ts'
import type { MaybePage, PageStatus } from './page.ts'
import type { PageShell } from './page-shell.ts'
import type { RenderQueue } from './render-queue.ts'

/** Makes the content of a page. */
export type MakePage = (context: PageContext) => MaybePage

/** Dependencies that all endpoints of the portal have. */
export type PortalServices = Pick<PageShell, 'config' | 'assets' | 'theme'> & {
  /** The context of the page at `/{language}/…`. Rejects with `not-found` where the portal does not have the language. */
  readonly contextOf: (c: AppContext) => Promise<PageContext>
  /** The context of a page in a language. */
  readonly contextIn: (c: AppContext, language: string) => Promise<PageContext>
  /** Answers a page when its turn comes. Rejects with `Failure`. */
  readonly respond: (c: AppContext, make: MakePage, status?: PageStatus) => Promise<Response>
  /** Limits the pages and files that are made at once. */
  readonly renders: RenderQueue
}

/** Names of path parameters → example. */
const examples: Readonly<Record<string, string>> = {
  language: 'en',
  facet: 'publisher',
  type: 'data-service',
  vocabulary: 'file-type',
  name: 'imprint',
  kind: 'runs',
}

/** A path that the pattern of a route matches: `/:language/datasets/:id` → `/en/datasets/levels`. */
export const exampleOf = (pattern: string): string =>
  pattern.replace(/:(\w+)(?:\{[^/]*\})?/g, (_, name: string) => examples[name] ?? 'levels')
