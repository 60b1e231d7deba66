/** The DKAN importer: the metastore of version 2, and the CKAN-like calls of version 1. */
import { Failure } from '../../../../errors.ts'
import type { Found } from '../../found.ts'
import type { ImportConfig } from '../../import-config.ts'
import type { ImportContext, ImporterKind } from '../../importer.ts'
import { shippedAuthorities } from '../../../../vocabularies/authorities.ts'
import { fieldsOf } from '../../../../vocabularies/loose-values.ts'
import type { Source } from '../../source.ts'
import { validatorOf } from '../../validators.ts'
import { portalRoot } from '../ckan/action-api.ts'
import type { JsonDocument } from '../documents/json-document.ts'
import { datasetsOf } from '../documents/data-json.ts'
import { openUnlessSame } from '../documents/unless-same.ts'
import { dkanConfig, type DkanConfig } from './config.ts'
import { packageLists } from './package-lists.ts'
import { searchPages } from './search-pages.ts'
import { podSource, type Site } from './site.ts'

export const dkanImporter: ImporterKind<DkanConfig> = {
  names: ['importing-dkan', 'importing-drupal'],
  version: 2,
  config: dkanConfig,
  check: ({ version, filters }) =>
    version === '1' && isFiltered(filters)
      ? [{ key: 'filters', detail: 'is of no use: version 1 has no search that they could go to' }]
      : [],
  import: (config, source, context, signal) => importDkan(config, { source, context }, signal),
}

const isFiltered = (filters: ImportConfig['filters']) => Object.keys(filters ?? {}).length > 0

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
  if (isFiltered(config.filters)) {
    if (!hasSearch) throw unfiltered()
    yield* searchPages(site)
    return
  }
  // One document with everything that is published; nothing counts against it but its absence.
  const asked = { url: addressOf(site), absent }
  const document = config.version === '1' ? 'absent' : await openUnlessSame(site, asked, signal)
  if (document === 'unchanged') yield { kind: 'end', as: 'not-modified' }
  else if (document !== 'absent') yield* published(document, site)
  else yield* hasSearch ? searchPages(site) : packageLists(site)
}

/** Statuses that say that there is no such thing here. */
const absent = [400, 404, 405, 406, 410, 501]

async function answersSearch({ root, source }: Site): Promise<boolean> {
  const url = `${root}/api/1/search?page-size=1`
  const { value, status } = await source.json(url, { accepts: absent, paged: false })
  return status < 400 && fieldsOf(value)['total'] !== undefined
}

const unfiltered = () =>
  new Failure('invalid-pipe', 'The site has no search that the filters of the pipe could go to.')

const addressOf = ({ root }: Site) => `${root}/data.json`

async function* published(document: JsonDocument, site: Site): AsyncGenerator<Found, void> {
  try {
    site.context.validate(validatorOf(addressOf(site), document.headers, document.hash))
    yield* datasetsOf(document, podSource(site), site.context.sink)
  } finally {
    await document.close()
  }
}
