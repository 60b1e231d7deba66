/** What an asset of a Socrata domain is: its id, and whether it is for us. */
import {
  fieldsOf,
  listOf,
  plainText,
  saidText,
  type Fields,
} from '../../../../vocabularies/loose-values.ts'
import type { Entry } from '../documents/entry.ts'
import { mapAsset } from './mapping.ts'
import type { Site } from './site.ts'

export const assetIn = (value: unknown): Fields => fieldsOf(fieldsOf(value)['resource'])

/** A different view of the asset is fetched for these alone: they lead to files elsewhere. */
export function isLink(value: unknown, site: Site): boolean {
  const asset = assetIn(value)
  return asset['type'] === 'href' && reasonToSkip(fieldsOf(value), site) === undefined
}

export const entryReader =
  (site: Site) =>
  (fields: Fields): Entry => {
    const asset = assetIn(fields)
    const sourceId = plainText(asset['id']) ?? ''
    const page = pageOf(fields, site, sourceId)
    return {
      sourceId,
      aliases: [],
      sourceUrl: page,
      skipped: reasonToSkip(fields, site),
      flaw:
        saidText(asset['name']) === undefined
          ? 'The asset has no name (resource.name).'
          : undefined,
      lasting: { ...fields, resource: lasting(asset) },
      map: () => mapAsset(fields, { ...site, sourceId, page }),
    }
  }

function reasonToSkip(fields: Fields, { host, config }: Site): string | undefined {
  const domain = saidText(fieldsOf(fields['metadata'])['domain'])
  if (domain !== undefined && domain.toLowerCase() !== host.toLowerCase())
    return 'belongs to another domain'
  const parents = listOf(assetIn(fields)['parent_fxf'])
  return !config.derived && parents.length > 0 ? 'is derived from another asset' : undefined
}

/** Its permanent link, where that is one. */
function pageOf(fields: Fields, { origin }: Site, id: string): string {
  const told = saidText(fields['permalink']) ?? saidText(fields['link'])
  return told !== undefined && /^https?:/i.test(told)
    ? told
    : `${origin}/d/${encodeURIComponent(id)}`
}

/** Counts of visitors change without the asset. */
function lasting(asset: Fields): unknown {
  const { page_views: _views, download_count: _count, ...rest } = asset
  return rest
}
