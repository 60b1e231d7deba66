/** Which page is at which address behind `/{language}`. */

import { Failure } from '../errors.ts'
import { failures } from '../http/api-key.ts'
import { readBody } from '../http/body.ts'
import type { App, AppContext } from '../http/app.ts'
import { notAhead } from '../http/headers.ts'
import type { PageContext } from './context.ts'
import { textOr } from '../text/json.ts'
import { html } from './html.ts'
import type { MaybePage, PageStatus } from './page.ts'
import {
  cataloguePage,
  cataloguesPage,
  publisherPage,
  publishersPage,
} from './pages/catalogue-pages.ts'
import { longestOfSteward, longestOfStranger, openChecker } from './check/checker.ts'
import { checkPage, shapeModelOf } from './pages/check-page.ts'
import { datasetPage } from './pages/dataset-page.ts'
import { homePage } from './pages/home-page.ts'
import { previewAddress, previewPage } from './pages/preview-page.ts'
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

/** The form, empty or with the Turtle of a dataset that somebody wants to correct. */
async function checkOf(context: PageContext) {
  const id = context.query.get('dataset') ?? ''
  if (id === '') return checkPage(context, {})
  const asTurtle = { headers: { Accept: 'text/turtle' } }
  const rdf = await context.ask('repository', `/datasets/${encodeURIComponent(id)}`, asTurtle)
  return checkPage(context, { rdf: textOr(rdf) ?? '' })
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
  '/check': checkOf,
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

/** Binds all pages behind a prefix; without `previews` nothing is fetched for them. */
export function addPageRoutes(app: App, prefix: string, answers: Answers, previews?: Previews) {
  const { respond } = answers
  const bind = (path: string, page: Page) =>
    app.get(`${prefix}/:language${path}`, (c) =>
      respond(c, (context) => page(context, (name) => c.req.param(name) ?? '')),
    )
  for (const [path, page] of Object.entries(pages)) bind(path, page)
  if (previews) addPreview(app, answers, previews)
}

/** No place in the queue of pages is held while a file comes from the host of a stranger. */
function addPreview(app: App, { contextOf, respond, renders }: Answers, previews: Previews): void {
  const path = '/:language/datasets/:id/distributions/:distribution/preview' as const
  // A browser that fetches ahead must not make us fetch from others.
  app.use(path, notAhead)
  app.get(path, async (c) => {
    const { id, distribution } = c.req.param()
    const context = await contextOf(c)
    const [signal, client] = [c.get('signal'), c.get('client')]
    const record = await renders.run(
      () => context.readRecord('datasets', id, Infinity),
      signal,
      client,
    )
    const address = previewAddress(record, distribution)
    const result = address && (await previews.of(address.href, client))
    return respond(c, async (page) => result && previewPage(page, record, result))
  })
}

/** Texts that one client may have checked in a minute: each is parsed and validated. */
const checksPerMinute = 20

/** Bytes of a form with a text of somebody who is signed in, in which each byte may be three. */
const longestCheck = 8 * 2 ** 20

/** Binds the form that checks a description: outside of the turn of pages, because it takes longer than a page may. */
export function addCheck(app: App, { contextOf, respond }: Answers): void {
  const checker = openChecker()
  const checks = failures({ perMinute: checksPerMinute, now: Date.now })
  const clients = new Set<string>()
  const checked = async (c: AppContext, rdf: string, level: string) => {
    const context = { ...(await contextOf(c)), signal: c.get('signal') }
    const most = context.steward ? longestOfSteward : longestOfStranger
    if (Buffer.byteLength(rdf) > most) {
      const further = context.steward ? '' : `; who is signed in, ${longestOfSteward}`
      throw new Failure('too-large', `at most ${most} bytes are checked at once${further}`)
    }
    return rdf.trim() === '' ? undefined : checker.check(context, rdf, shapeModelOf(level))
  }
  app.post('/:language/check', async (c) => {
    const client = c.get('client')
    const retryAfter = clients.has(client) ? 2 : checks.blocked(client)
    const detail = `one text at a time is checked, and at most ${checksPerMinute} in a minute`
    if (retryAfter !== undefined) throw new Failure('too-many-requests', detail, { retryAfter })
    checks.count(client)
    clients.add(client)
    try {
      const field = await formFields(c, longestCheck)
      const form = { rdf: field('rdf'), level: field('level') }
      const outcome = await checked(c, form.rdf, form.level)
      return await respond(c, async (context) =>
        checkPage(context, { ...form, ...(outcome && { outcome }) }),
      )
    } finally {
      clients.delete(client)
    }
  })
}

/** Bytes of a form. */
const longestForm = 2 ** 20

/**
 * Reads the fields of a form by name; one that is absent, or a file, is empty. Rejects with `too-large` and
 * `unsupported-media-type`.
 */
export async function formFields(
  c: AppContext,
  bytes = longestForm,
): Promise<(name: string) => string> {
  const body = await readBody(c.req.raw, { bytes, name: '' }, c.get('signal'))
  const headers = { 'Content-Type': c.req.header('Content-Type') ?? '' }
  const fields = await new Response(body, { headers }).formData().catch((cause: unknown) => {
    const detail =
      'send the fields of a form: application/x-www-form-urlencoded or multipart/form-data'
    throw new Failure('unsupported-media-type', detail, { cause })
  })
  return (name) => {
    const value = fields.get(name)
    return typeof value === 'string' ? value : ''
  }
}
