/** Redirects to the addresses of pages: from the root, from older addresses, and from those of a CKAN that was replaced. */

import type { MiddlewareHandler } from 'hono'
import type { PortalConfig } from '../config/portal.ts'
import { Failure } from '../errors.ts'
import { type AppContext, type AppEnv, pathOf } from '../http/context.ts'
import { anyone, pageEndpoint } from '../http/endpoint.ts'
import { addVary } from '../http/headers.ts'
import { recordPath, searchPath } from './addresses.ts'
import type { PageContext } from './context.ts'
import { preferredLanguage } from './negotiation.ts'
import { rootPath } from './page-shell.ts'
import type { PortalServices } from './portal-services.ts'

/** Says that there is nothing at the address of a request. */
export const notFoundAt = (c: AppContext): Failure =>
  new Failure('not-found', `there is nothing at ${pathOf(c.req.url)}`)

/** Redirects a page to its one address: its language in small letters, no slash at its end. */
export const redirectToCanonical =
  ({ languages }: PortalConfig): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const { pathname, search } = new URL(c.req.url)
    const [, step = '', rest = ''] = /^\/([a-z]{2})(?:\/(.*?))?\/*$/i.exec(pathname) ?? []
    const language = languages.find((one) => one === step.toLowerCase())
    const path = `${language}/${rest}`
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (!isRead || language === undefined || pathname === `/${path}`) return next()
    return c.redirect(rootPath(c) + path + search, 301)
  }

/** The language that the address names, if it has one of the portal, else the one that the client wants. */
const languageOf = (c: AppContext, config: PortalConfig, named?: string): string =>
  config.languages.find((one) => one === named?.slice(0, 2)) ?? preferredLanguage(c, config)

type Redirect = (c: AppContext, services: PortalServices) => Response | Promise<Response>

/** Defines an endpoint that redirects. */
const redirectFrom = (path: `/${string}`, operation: string, page: Redirect) =>
  pageEndpoint<PortalServices>({
    path,
    operation,
    tag: 'redirects',
    summary: `Redirects from ${path}`,
    auth: anyone,
    page,
  })

const fromRoot = redirectFrom('/', 'redirectToHome', (c, { config }) => {
  addVary(c.res.headers, 'Accept, Accept-Language')
  return c.redirect(`${rootPath(c)}${preferredLanguage(c, config)}/`, 303)
})

/** Addresses of records in older feeds and sitemaps. */
const fromRecords = (['dataset', 'catalogue'] as const).map((kind) =>
  redirectFrom(`/${kind}s/:id`, `redirectTo.${kind}`, (c, { config }) => {
    const language = languageOf(c, config, c.req.query('locale'))
    return c.redirect(rootPath(c) + recordPath(kind, c.req.param('id') ?? '', language), 301)
  }),
)

/** Pages that have an address without a language too. */
const pageNames = 'datasets catalogues publishers vocabularies quality check'.split(' ')

/** Pages of CKAN by the first step of their path, and ours in their place. */
const ckanPages: Readonly<Record<string, string>> = {
  dataset: 'datasets',
  organization: 'catalogues',
  group: 'datasets',
}

/** Parameters of a search in CKAN, and ours in their place. */
const ckanParameters = new Map(
  Object.entries({
    organization: 'catalog',
    groups: 'categories',
    tags: 'keywords',
    res_format: 'format',
    license_id: 'license',
  }),
)

/** The query of an address with the names that the search form has. */
function searchOf(address: string): string {
  const query = new URLSearchParams()
  for (const [name, value] of new URL(address).searchParams)
    query.append(ckanParameters.get(name) ?? name, name === 'groups' ? value.toUpperCase() : value)
  return query.size > 0 ? `?${query.toString()}` : ''
}

/** Defines the redirect from a list to the search, or to another list, with the parameters of the search form. */
const fromList = (path: `/${string}`, name: string) =>
  redirectFrom(path, `redirectToList.${path.slice(1)}`, (c, { config }) => {
    const language = languageOf(c, config, c.req.param('language'))
    return c.redirect(`${rootPath(c)}${language}/${name}${searchOf(c.req.url)}`, 301)
  })

/** A record of CKAN, its tabs, and its resources, which are on its page here. */
const ckanRecords = [':id', ':view{about|activity|groups}/:id', ':id/resource/*']

const fromCkan = Object.entries(ckanPages).flatMap(([kind, name]) =>
  (['', '/:language{[a-z][a-z](?:_[A-Za-z]+)*}'] as const).flatMap((prefix) => [
    fromList(`${prefix}/${kind}`, name),
    ...ckanRecords.map((rest) =>
      redirectFrom(`${prefix}/${kind}/${rest}`, `redirectFromCkan.${kind}`, async (c, services) => {
        const language = languageOf(c, services.config, c.req.param('language'))
        const context = await services.contextIn(c, language)
        const path = await pageOfCkanRecord(context, kind, c.req.param('id') ?? '')
        if (path === undefined) throw notFoundAt(c)
        return c.redirect(rootPath(c) + path, 301)
      }),
    ),
  ]),
)

/** The endpoints that redirect. */
export const redirectEndpoints = [
  fromRoot,
  ...fromRecords,
  ...pageNames.map((name) => fromList(`/${name}`, name)),
  ...fromCkan,
]

/** The page for a record of a CKAN: of a dataset, of the catalogue of an organization, or a search in a theme. */
async function pageOfCkanRecord(context: PageContext, kind: string, id: string) {
  const { language, find, readRecord } = context
  if (kind === 'group') {
    const theme = id.toUpperCase()
    const found = await find({ filters: 'dataset', limit: 0, facets: { categories: [theme] } })
    return found.count > 0 ? searchPath(language, [['categories', theme]]) : undefined
  }
  const own = kind === 'organization' ? 'catalogue' : 'dataset'
  await readRecord(`${own}s`, id)
  return recordPath(own, id, language)
}
