/** Redirects resource IRIs to their descriptions (303, Cool URIs for the Semantic Web). */

import type { MiddlewareHandler } from 'hono'
import type { AppContext, AppEnv } from '../http/context.ts'
import { addVary } from '../http/headers.ts'
import type { Names, ResourceKind } from '../rdf/names.ts'
import { formats, negotiate, splitSuffix } from '../rdf/media-types.ts'
import { keysOf } from '../text/records.ts'

/** Path of the description of each kind of resource in the repository; the id includes the suffix, if any. */
const descriptionPaths: Readonly<
  Record<Exclude<ResourceKind, 'resource'>, (id: string) => string>
> = {
  dataset: (id) => `/datasets/${id}`,
  record: (id) => `/datasets/${id}/record`,
  metrics: (id) => `/datasets/${id}/metrics`,
  distribution: (id) => `/distributions/${id}`,
  catalogue: (id) => `/catalogues/${id}`,
  vocabulary: (id) => `/vocabularies/${id}`,
}

const kinds = keysOf(descriptionPaths)

/** Function that returns the address of the portal's page about a resource; `resource_{type}` is the kind of a declared type. */
type PageAddress = (kind: string, id: string, c: AppContext) => string

/** Kinds of resources with pages for people, besides resources of declared types. */
const kindsWithPages = new Set<ResourceKind>(['dataset', 'catalogue'])

/** Media types for negotiation. RDF formats are first: a client that accepts both equally gets the description. */
const offeredTypes = [...Object.values(formats).map(({ mediaType }) => mediaType), 'text/html']

/**
 * Makes the middleware that answers resource IRIs under the base of `names`; `repository` is the path of the repository service.
 * `Location` has only a path, so that a client stays on the host that it used. With `pageAddress`, clients that prefer
 * `text/html` are redirected to the page, unless the IRI has a suffix. It is not an endpoint, because then every path below the
 * base would exist.
 */
export const redirectToDescriptions = (
  names: Names,
  repository: string,
  pageAddress?: PageAddress,
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
    const declared = declaredResourceOf(names, iri)
    const pageOf = (kind: string, id: string): string | undefined => {
      if (!pageAddress || suffix !== '') return undefined
      addVary(c.res.headers, 'Accept')
      addVary(c.res.headers, 'Accept-Language')
      const mediaType = negotiate(c.req.header('Accept'), offeredTypes)
      return mediaType === 'text/html' ? pageAddress(kind, id, c) : undefined
    }
    if (declared) {
      const rdf = `${service}/customresources/${declared.type}/${declared.id}${suffix}`
      return c.redirect(pageOf(`resource_${declared.type}`, declared.id) ?? rdf, 303)
    }
    for (const kind of kinds) {
      const id = names.idOf(kind, iri)
      if (id === undefined) continue
      const page = kindsWithPages.has(kind) ? pageOf(kind, id) : undefined
      return c.redirect(page ?? service + descriptionPaths[kind](id + suffix), 303)
    }
    return next()
  }
}

/** Returns type and id of a resource of a declared type by its IRI or by that of its catalogue record, which is part of it. */
const declaredResourceOf = (names: Names, iri: string) => {
  const records = names.record('')
  if (!iri.startsWith(records)) return names.typedIdOf(iri)
  const [type = '', id = '', ...furtherParts] = iri.slice(records.length).split('/')
  return furtherParts.length === 0 ? names.typedIdOf(names.resource(type, id)) : undefined
}
