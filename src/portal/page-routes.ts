/** Which page is at which address behind `/{language}`. */

import { Failure } from '../errors.ts'
import { failures } from '../http/api-key.ts'
import type { App, AppContext } from '../http/app.ts'
import { notAhead } from '../http/headers.ts'
import type { PageContext } from './context.ts'
import { html } from './html.ts'
import type { MaybePage, PageStatus } from './page.ts'
import {
  cataloguePage,
  cataloguesPage,
  publisherPage,
  publishersPage,
} from './pages/catalogue-pages.ts'
import { checkPage } from './pages/check-page.ts'
import { datasetPage } from './pages/dataset-page.ts'
import { homePage } from './pages/home-page.ts'
import { previewPage } from './pages/preview-page.ts'
import { catalogueReportPage, qualityPage, reportsPage } from './pages/quality-pages.ts'
import { resourcePage, resourcesPage } from './pages/resource-pages.ts'
import { facetPage, searchPage } from './pages/search-page.ts'
import { sparqlPage } from './pages/sparql-page.ts'
import { conceptPage, vocabulariesPage, vocabularyPage } from './pages/vocabulary-pages.ts'
import { operatorPage } from './parts/prose.ts'
import type { Previews } from './preview/previews.ts'
import type { RenderQueue } from './render-queue.ts'

export type MakePage = (context: PageContext) => MaybePage

type Page = (context: PageContext, param: (name: string) => string) => MaybePage

/** A page of the operator, in the language of the reader where there is one. */
const ownPage: Page = async ({ config, language }, param) => {
  const found = config.pages.filter(({ name }) => name === param('name'))
  const own = found.find((one) => one.language === language) ?? found[0]
  if (!own) return undefined
  const body = html`<article class="prose stack"><h1>${own.title}</h1> ${operatorPage(own.text)}</article>`
  return { title: own.title, body }
}

const pages: Readonly<Record<string, Page>> = {
  '': homePage,
  '/datasets': searchPage,
  '/datasets/facets/:facet': (context, param) => facetPage(context, param('facet')),
  '/datasets/:id': (context, param) => datasetPage(context, param('id')),
  '/datasets/:id/quality': (context, param) => qualityPage(context, param('id')),
  '/quality': reportsPage,
  '/quality/catalogues/:id': (context, param) => catalogueReportPage(context, param('id')),
  '/catalogues': cataloguesPage,
  '/catalogues/:id': (context, param) => cataloguePage(context, param('id')),
  '/publishers': publishersPage,
  '/publishers/:id': (context, param) => publisherPage(context, param('id')),
  '/vocabularies': vocabulariesPage,
  '/vocabularies/:id': (context, param) => vocabularyPage(context, param('id')),
  '/vocabularies/:vocabulary/:id': (context, param) =>
    conceptPage(context, param('vocabulary'), param('id')),
  '/resources/:type': (context, param) => resourcesPage(context, param('type')),
  '/resources/:type/:id': (context, param) => resourcePage(context, param('type'), param('id')),
  '/sparql': sparqlPage,
  '/check': (context) => checkPage(context, {}),
  '/pages/:name': ownPage,
}

/** What routes need to answer with pages. */
export type Answers = {
  /** The context of a page. Rejects with `not-found` where its language is none of ours. */
  readonly contextOf: (c: AppContext) => Promise<PageContext>
  /** Answers a page in its turn. Rejects with `Failure`. */
  readonly respond: (c: AppContext, make: MakePage, status?: PageStatus) => Promise<Response>
  /** In which each page and file is made. */
  readonly renders: RenderQueue
}

type Respond = Answers['respond']

/** Binds all pages behind a prefix; without `previews` nothing is fetched for them. */
export function addPageRoutes(app: App, prefix: string, respond: Respond, previews?: Previews) {
  const bind = (path: string, page: Page) =>
    app.get(`${prefix}/:language${path}`, (c) =>
      respond(c, (context) => page(context, (name) => c.req.param(name) ?? '')),
    )
  for (const [path, page] of Object.entries(pages)) bind(path, page)
  if (previews) {
    const path = '/datasets/:id/distributions/:distribution/preview'
    // A browser that fetches ahead must not make us fetch from others.
    app.use(`/:language${path}`, notAhead)
    bind(path, (context, param) =>
      previewPage(context, previews, { dataset: param('id'), distribution: param('distribution') }),
    )
  }
  if (prefix === '') addCheck(app, respond)
}

/** Texts that one client may have checked in a minute: each is parsed and validated. */
const checksPerMinute = 20

function addCheck(app: App, respond: Respond): void {
  const checks = failures({ perMinute: checksPerMinute, now: Date.now })
  app.post('/:language/check', async (c) => {
    const retryAfter = checks.blocked(c.get('client'))
    const detail = `at most ${checksPerMinute} texts are checked in a minute`
    if (retryAfter !== undefined) throw new Failure('too-many-requests', detail, { retryAfter })
    checks.count(c.get('client'))
    const field = await formFields(c)
    const form = { rdf: field('rdf'), level: field('level') }
    // A long description takes longer to validate than a page may take.
    const signal = c.get('signal')
    return respond(c, (context) => checkPage({ ...context, signal }, form))
  })
}

/** Reads the fields of a form by name; one that is absent, or a file, is empty. */
export async function formFields(c: AppContext): Promise<(name: string) => string> {
  const fields = await c.req.parseBody()
  return (name) => (typeof fields[name] === 'string' ? fields[name] : '')
}
