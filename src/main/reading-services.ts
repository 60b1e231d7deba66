/** Services that only read: search, SPARQL queries, and the addresses of pages; a reader has them as well as the process that writes. */

import type { Config } from '../config/config.ts'
import type { App, AppContext } from '../http/app.ts'
import { datasetOfDistribution } from '../metrics/figures/dataset-reader.ts'
import { recordPath } from '../portal/addresses.ts'
import { preferredLanguage } from '../portal/negotiation.ts'
import type { Names } from '../rdf/names.ts'
import { sparqlApp } from '../repository/sparql-app.ts'
import { openSitemap } from '../search/feeds/sitemap.ts'
import { searchApp } from '../search/search-app.ts'
import type { RecordPages, SearchServiceContext } from '../search/search-service-context.ts'
import type { GraphStore } from '../store/graph-store.ts'
import {
  httpAt,
  servicePaths,
  version,
  type HttpContext,
  type PlatformContext,
} from './platform-context.ts'
import { currentSettings } from './search-engine.ts'

/** Dependencies of the services that only read. */
type ReadingContext = Pick<
  PlatformContext,
  'config' | 'names' | 'index' | 'embedding' | 'profile' | 'keys'
> &
  HttpContext & { readonly store: Pick<GraphStore, 'select' | 'readAll'> }

/** Opens the search: its app, and the keeper of its sitemap. */
export function searchService(
  context: ReadingContext & Pick<SearchServiceContext, 'findings' | 'preview'>,
) {
  const { config, names, index, embedding, profile, store } = context
  const deps = {
    ...config.search,
    timeZone: config.portal.timeZone,
    index,
    profile,
    settings: () => currentSettings(index),
    findings: context.findings,
    preview: context.preview,
    keys: context.keys,
    ...(embedding && { meaningOf: embedding.meaningOf }),
    ownerOf: (id: string, signal: AbortSignal) =>
      datasetOfDistribution({ store, names }, id, signal),
    limits: config.limits,
    now: () => new Date(),
    recordPages: recordPagesOf(config, names),
    version,
    ...httpAt(context, servicePaths.search, ['POST']),
  }
  const sitemap = openSitemap(deps)
  return { app: searchApp({ ...deps, sitemap }), sitemap }
}

/** Addresses of pages: those of the configured foreign portal, else of ours, else of the descriptions of records. */
export function recordPagesOf({ search, portal, services }: Config, names: Names): RecordPages {
  const { portal: other } = search
  const isOwn = other === undefined && services.includes('portal')
  const { languages } = portal
  const [first = 'en'] = languages
  return {
    isPortal: isOwn || other !== undefined,
    isRooted: other === undefined,
    ...(isOwn && { languages }),
    address: (root, { kind, id }, language) => {
      const own = languages.find((code) => code === language) ?? first
      if (isOwn) return root + recordPath(kind, id, own)
      const iri = names[kind === 'catalogue' ? kind : 'dataset'](id)
      if (other === undefined) return root + iri.slice(names.base.length)
      const page = `${other}${kind}s/${encodeURIComponent(id)}`
      return language === undefined ? page : `${page}?locale=${encodeURIComponent(language)}`
    },
  }
}

/** Makes the address of the page for SPARQL queries in a language of the client; absent without the portal. */
const queryPage = ({ config }: Pick<ReadingContext, 'config'>) =>
  config.services.includes('portal')
    ? (c: AppContext) => `${c.get('root')}${preferredLanguage(c, config.portal)}/sparql`
    : undefined

/** Makes the app of public SPARQL queries. */
export const sparqlService = (
  context: Pick<ReadingContext, 'config' | 'keys'> &
    HttpContext & { readonly store: Pick<GraphStore, 'publicQuery'> },
): App =>
  sparqlApp({
    store: context.store,
    keys: context.keys,
    queryBytes: context.config.limits.sparqlQueryBytes,
    page: queryPage(context),
    ...httpAt(context, servicePaths.sparql, ['POST']),
  })
