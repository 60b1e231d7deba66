/** Redirects to pages: from the root, from paths of older versions, and from paths of a CKAN that the portal replaces. */

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

/** Makes the failure for a path without a page. */
export const notFoundAt = (c: AppContext): Failure =>
  new Failure('not-found', `there is nothing at ${pathOf(c.req.url)}`)

/**
 * Middleware that redirects to the canonical path of a page: language in lower case, a slash at the end of the home page alone.
 */
export const redirectToCanonical =
  ({ languages }: PortalConfig): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const { pathname, search } = new URL(c.req.url)
    const [, step = '', remainder = ''] = /^\/([a-z]{2})(?:\/(.*?))?\/*$/i.exec(pathname) ?? []
    const language = languages.find((code) => code === step.toLowerCase())
    const path = `${language}/${remainder}`
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    if (!isRead || language === undefined || pathname === `/${path}`) return next()
    return c.redirect(rootPath(c) + path + search, 301)
  }

/** Language that the address names, where the portal has it; else the preferred language of the client. */
const languageOf = (c: AppContext, config: PortalConfig, named?: string): string =>
  config.languages.find((code) => code === named?.slice(0, 2)) ?? preferredLanguage(c, config)

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
  // `Accept`, because clients that do not prefer HTML get the list of services at this address.
  addVary(c.res.headers, 'Accept, Accept-Language')
  return c.redirect(`${rootPath(c)}${preferredLanguage(c, config)}/`, 303)
})

/** Redirects from the paths of records in older feeds and sitemaps. */
const fromRecords = (['dataset', 'catalogue'] as const).map((kind) =>
  redirectFrom(`/${kind}s/:id`, `redirectTo.${kind}`, (c, { config }) => {
    const language = languageOf(c, config, c.req.query('locale'))
    return c.redirect(rootPath(c) + recordPath(kind, c.req.param('id') ?? '', language), 301)
  }),
)

/** Pages that can also be requested without a language. */
const pageNames = 'datasets catalogues publishers vocabularies quality check'.split(' ')

/** First segment of a path of CKAN → list of the portal. */
const ckanPages: Readonly<Record<string, string>> = {
  dataset: 'datasets',
  organization: 'catalogues',
  group: 'datasets',
}

/** Parameter of a search in CKAN → field of the search form. */
const ckanParameters = new Map(
  Object.entries({
    organization: 'catalog',
    groups: 'categories',
    tags: 'keywords',
    res_format: 'format',
    license_id: 'license',
  }),
)

/** Query string of a URL with the names of the search form; groups of CKAN become themes, whose codes are in upper case. */
function searchOf(address: string): string {
  const query = new URLSearchParams()
  for (const [name, value] of new URL(address).searchParams)
    query.append(ckanParameters.get(name) ?? name, name === 'groups' ? value.toUpperCase() : value)
  return query.size > 0 ? `?${query.toString()}` : ''
}

/** Defines the redirect from a list to a list of the portal, with the search as fields of the search form. */
const fromList = (path: `/${string}`, name: string) =>
  redirectFrom(path, `redirectToList.${path.slice(1)}`, (c, { config }) => {
    const language = languageOf(c, config, c.req.param('language'))
    return c.redirect(`${rootPath(c)}${language}/${name}${searchOf(c.req.url)}`, 301)
  })

/** Path of a record of CKAN, of its tabs, and of its resources, which the portal shows on the page of the record. */
const ckanSuffixes = [':id', ':view{about|activity|groups}/:id', ':id/resource/*']

const fromCkan = Object.entries(ckanPages).flatMap(([kind, name]) =>
  (['', '/:language{[a-z][a-z](?:_[A-Za-z]+)*}'] as const).flatMap((prefix) => [
    fromList(`${prefix}/${kind}`, name),
    ...ckanSuffixes.map((end) =>
      redirectFrom(`${prefix}/${kind}/${end}`, `redirectFromCkan.${kind}`, async (c, services) => {
        const language = languageOf(c, services.config, c.req.param('language'))
        const context = await services.contextIn(c, language)
        const path = await pageOfCkanRecord(context, kind, c.req.param('id') ?? '')
        if (path === undefined) throw notFoundAt(c)
        return c.redirect(rootPath(c) + path, 301)
      }),
    ),
  ]),
)

/** All redirects. */
export const redirectEndpoints = [
  fromRoot,
  ...fromRecords,
  ...pageNames.map((name) => fromList(`/${name}`, name)),
  ...fromCkan,
]

/**
 * Path of the page for a record of CKAN: a dataset, the catalogue of an organization, or the search in the theme of a group;
 * `undefined` where that has no datasets. Rejects with the `Failure` of a record that cannot be read.
 */
async function pageOfCkanRecord(context: PageContext, kind: string, id: string) {
  const { language, find, readRecord } = context
  if (kind === 'group') {
    const theme = id.toUpperCase()
    const { count } = await find({ filters: 'dataset', limit: 0, facets: { categories: [theme] } })
    return count > 0 ? searchPath(language, [['categories', theme]]) : undefined
  }
  const recordKind = kind === 'organization' ? 'catalogue' : 'dataset'
  await readRecord(`${recordKind}s`, id)
  return recordPath(recordKind, id, language)
}
