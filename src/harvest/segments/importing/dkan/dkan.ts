/** The DKAN importer: the metastore of version 2, and the CKAN-like calls of version 1. */
import type { Found } from '../../found.ts'
import type { ImportConfig } from '../../import-config.ts'
import type { ImportContext, ImporterKind } from '../../importer.ts'
import { shippedAuthorities } from '../../mapping/authority/authorities.ts'
import { fieldsOf } from '../../mapping/values/json.ts'
import type { Source } from '../../source.ts'
import { portalRoot } from '../ckan/action-api.ts'
import { openJsonDocument, type JsonDocument } from '../documents/json-document.ts'
import { dkanConfig, type DkanConfig } from './config.ts'
import { datasetsOf } from './data-json.ts'
import { packageLists } from './package-lists.ts'
import { searchPages } from './search-pages.ts'
import type { Site } from './site.ts'

export const dkanImporter: ImporterKind<DkanConfig> = {
  names: ['importing-dkan', 'importing-drupal'],
  version: 1,
  config: dkanConfig,
  import: (config, source, context, signal) => importDkan(config, { source, context }, signal),
}

type Ground = { readonly source: Source; readonly context: ImportContext }

export async function* importDkan(
  config: DkanConfig & ImportConfig,
  { source, context }: Ground,
  signal: AbortSignal,
): AsyncGenerator<Found, void> {
  const root = portalRoot(config.address)
  const authorities = await shippedAuthorities()
  const site: Site = { root, config, source, context, authorities }
  const hasSearch = config.version === 'auto' ? await answersSearch(site) : config.version === '2'
  const document = config.version === '1' ? undefined : await dataJson(site, signal)
  if (!document) {
    yield* hasSearch ? searchPages(site) : packageLists(site)
    return
  }
  try {
    yield* datasetsOf(document, site)
  } finally {
    await document.close()
  }
}

/** Statuses that say that there is no such thing here. */
const absent = [400, 404, 405, 406, 410, 501]

async function answersSearch({ root, source }: Site): Promise<boolean> {
  const url = `${root}/api/1/search?page-size=1`
  const { value, status } = await source.json(url, { accepts: absent, paged: false })
  return status < 400 && fieldsOf(value)['total'] !== undefined
}

/** One document with everything that is published; nothing counts against it but its absence. */
const dataJson = (
  { root, source, context }: Site,
  signal: AbortSignal,
): Promise<JsonDocument | undefined> =>
  openJsonDocument({ source, context }, `${root}/data.json`, { accepts: absent }, signal)
