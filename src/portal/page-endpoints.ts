/** Endpoints of the public pages, by their paths after `/{language}`. */

import { anyone, type Endpoint, pageEndpoint } from '../http/endpoint.ts'
import { refusePrefetch } from '../http/headers.ts'
import { textOr } from '../text/json.ts'
import type { PageContext } from './context.ts'
import { html } from './html.ts'
import type { MaybePage, PageContent } from './layout.ts'
import {
  cataloguePage,
  cataloguesPage,
  publisherPage,
  publishersPage,
} from './pages/catalogue-pages.ts'
import { checkPage } from './pages/check-page.ts'
import { datasetPage } from './pages/dataset-page.ts'
import { homePage } from './pages/home-page.ts'
import { previewAddress, previewPage } from './pages/preview-page.ts'
import { qualityPage } from './pages/quality-page.ts'
import { catalogueReportPage, reportsPage } from './pages/quality-pages.ts'
import { resourcePage, resourcesPage } from './pages/resource-pages.ts'
import { aboutSearch, facetPage, searchPage } from './pages/search-page.ts'
import { sparqlPage } from './pages/sparql-page.ts'
import { conceptPage, vocabulariesPage, vocabularyPage } from './pages/vocabulary-pages.ts'
import { operatorProse } from './parts/prose.ts'
import type { PortalServices } from './portal-services.ts'
import type { Previews } from './preview/previews.ts'

/**
 * Page of the operator, in the language of the reader where it exists in that, else in any; `undefined` for an unknown name. Below
 * the page about the search, also below one of the operator, is whether queries are sent to another service.
 */
async function operatorPage(context: PageContext, name: string) {
  const { config, language } = context
  const pages = config.pages.filter((page) => page.name === name)
  const page = pages.find((page) => page.language === language) ?? pages[0]
  if (!page) return undefined
  const body = html`<article class="prose stack"><h1>${page.title}</h1> ${operatorProse(page.text)}
    ${name === aboutSearch && sentQueries(context)}</article>`
  return { title: page.title, body }
}

const sentQueries = ({ t, sendsQueries }: PageContext) =>
  html`<h2>${t('typed-heading')}</h2><p>${t(sendsQueries ? 'typed-is-sent' : 'typed-stays')}</p>`

/** Form that checks a description: with an example, or with the Turtle of a dataset (`?dataset={id}`) to correct. */
async function checkFormPage(context: PageContext): Promise<PageContent> {
  const id = context.query.get('dataset') ?? ''
  if (id === '') return checkPage(context, {})
  const asTurtle = { headers: { Accept: 'text/turtle' } }
  const rdf = await context.ask('repository', `/datasets/${encodeURIComponent(id)}`, asTurtle)
  return checkPage(context, { rdf: textOr(rdf) ?? '' })
}

/** Path after the language, summary, and function of a page, which takes the parameters of the path in their order. */
type Row = readonly [
  path: string,
  summary: string,
  page: (context: PageContext, ...parameters: readonly string[]) => MaybePage,
]

const rows: readonly Row[] = [
  ['', 'The home page', homePage],
  ['/datasets', 'The search for datasets', searchPage],
  ['/datasets/facets/:facet', 'All values of a facet', facetPage],
  ['/datasets/:id', 'A dataset', datasetPage],
  ['/datasets/:id/quality', 'The quality of a dataset', qualityPage],
  ['/quality', 'The quality of all catalogues', reportsPage],
  ['/quality/catalogues/:id', 'The quality of a catalogue', catalogueReportPage],
  ['/catalogues', 'The catalogues', cataloguesPage],
  ['/catalogues/:id', 'A catalogue', cataloguePage],
  ['/publishers', 'The publishers', publishersPage],
  ['/publishers/:id', 'A publisher', publisherPage],
  ['/vocabularies', 'The vocabularies', vocabulariesPage],
  ['/vocabularies/:id', 'A vocabulary', vocabularyPage],
  ['/vocabularies/:vocabulary/:id', 'A concept of a vocabulary', conceptPage],
  ['/resources/:type', 'The resources of a declared type', resourcesPage],
  ['/resources/:type/:id', 'A resource of a declared type', resourcePage],
  ['/sparql', 'The form of SPARQL queries', sparqlPage],
  ['/check', 'The form that checks a description', checkFormPage],
  ['/pages/:name', 'A page of the operator', operatorPage],
]

/** Makes the endpoints of the pages; those with the prefix `/embed` are for frames of other sites. */
export const pageEndpoints = (prefix: '' | '/embed' = ''): readonly Endpoint<PortalServices>[] =>
  rows.map(([ending, summary, page]) => {
    const path = `${prefix}/:language${ending}` as const
    const names = [...ending.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
    return pageEndpoint<PortalServices>({
      path,
      operation: prefix === '' ? page.name : `${page.name}Embedded`,
      tag: 'pages',
      summary,
      auth: anyone,
      page: (c, { respond }) =>
        respond(c, (context) => page(context, ...names.map((name) => c.req.param(name) ?? ''))),
    })
  })

/**
 * Preview of the first rows of a distribution. It holds no place in the queue of pages while the file is fetched from its host.
 */
export const showPreview = pageEndpoint<PortalServices & { readonly previews: Previews }>({
  path: '/:language/datasets/:id/distributions/:distribution/preview',
  operation: 'previewPage',
  tag: 'pages',
  summary: 'The first rows of a distribution',
  example: '/en/datasets/levels/distributions/csv/preview',
  // A browser that fetches ahead must not make the platform fetch from other hosts.
  auth: { ...anyone, check: refusePrefetch },
  page: async (c, { contextOf, respond, renders, previews }) => {
    const { id = '', distribution = '' } = c.req.param()
    const context = await contextOf(c)
    const [signal, client] = [c.get('signal'), c.get('client')]
    const read = () => context.readRecord('datasets', id, Infinity)
    const record = await renders.run(read, signal, client)
    const address = previewAddress(record, distribution)
    const result = address && (await previews.read(address.href, client))
    return respond(c, async (page) => result && previewPage(page, record, result))
  },
})
