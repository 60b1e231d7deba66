/** Redirects resource IRIs to their descriptions (303, Cool URIs for the Semantic Web). */

import type { MiddlewareHandler } from 'hono'
import type { AppContext, AppEnv } from '../http/context.ts'
import { addVary } from '../http/headers.ts'
import type { Names, ResourceKind } from '../rdf/names.ts'
import { formats, negotiate, splitSuffix } from '../rdf/media-types.ts'
import { keysOf } from '../text/records.ts'

/** Where the repository describes each kind of resource; the id carries the suffix. */
const described: Readonly<Record<Exclude<ResourceKind, 'resource'>, (id: string) => string>> = {
  dataset: (id) => `/datasets/${id}`,
  record: (id) => `/datasets/${id}/record`,
  metrics: (id) => `/datasets/${id}/metrics`,
  distribution: (id) => `/distributions/${id}`,
  catalogue: (id) => `/catalogues/${id}`,
  vocabulary: (id) => `/vocabularies/${id}`,
}

const kinds = keysOf(described)

/** Address of the page that people read about a resource. */
type Pages = (kind: string, id: string, c: AppContext) => string

/** Kinds of resources with pages for people. */
const shown = new Set<ResourceKind>(['dataset', 'catalogue'])

/** The formats come first: a client that accepts pages and descriptions equally gets the description. */
const offered = [...Object.values(formats).map(({ mediaType }) => mediaType), 'text/html']

/**
 * Makes the middleware that answers resource IRIs under the base of `names`; `repository` is the path of the repository service.
 * The answer names the path only, so that a client stays on the host that it came by. Where there are `pages`, clients that
 * prefer `text/html` are led to them, unless the IRI has a suffix. It is no endpoint: every path below the base would exist.
 */
export const leadToDescriptions = (
  names: Names,
  repository: string,
  pages?: Pages,
): MiddlewareHandler<AppEnv> => {
  const root = new URL(names.base).pathname
  return async (c, next) => {
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return next()
    const { pathname } = new URL(c.req.url)
    const service = new URL(c.get('root')).pathname.slice(0, -1) + repository
    // A proxy may have removed the base's path.
    const path = pathname.startsWith(root) ? pathname.slice(root.length) : pathname.slice(1)
    const { id: iri, format } = splitSuffix(names.base + path)
    const suffix = format === undefined ? '' : path.slice(path.lastIndexOf('.'))
    const typed = typedIdOf(names, iri)
    const pageOf = (kind: string, id: string): string | undefined => {
      if (!pages || suffix !== '') return undefined
      addVary(c.res.headers, 'Accept')
      addVary(c.res.headers, 'Accept-Language')
      const wanted = negotiate(c.req.header('Accept'), offered)
      return wanted === 'text/html' ? pages(kind, id, c) : undefined
    }
    if (typed) {
      const rdf = `${service}/customresources/${typed.type}/${typed.id}${suffix}`
      return c.redirect(pageOf(`resource_${typed.type}`, typed.id) ?? rdf, 303)
    }
    for (const kind of kinds) {
      const id = names.idOf(kind, iri)
      if (id === undefined) continue
      const page = shown.has(kind) ? pageOf(kind, id) : undefined
      return c.redirect(page ?? service + described[kind](id + suffix), 303)
    }
    return next()
  }
}

/** Finds a resource of a declared type, or the resource of a record, which is described with it. */
const typedIdOf = (names: Names, iri: string) => {
  const records = names.record('')
  if (!iri.startsWith(records)) return names.typedIdOf(iri)
  const [type = '', id = '', ...rest] = iri.slice(records.length).split('/')
  return rest.length === 0 ? names.typedIdOf(names.resource(type, id)) : undefined
}
