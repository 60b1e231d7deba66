/** The Socrata discovery API: the assets of a domain in the order of their ids. */

import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import { type Fields, fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import { countOf, envelopeFailure } from './entry.ts'
import { pageGuard } from './open-source.ts'
import type { Source } from './source.ts'

export type Discovery = {
  readonly source: Source
  /** Where the API is, without a slash at its end. */
  readonly root: string
  /** Host whose assets are wanted. */
  readonly host: string
  readonly filters: Readonly<Record<string, string>>
}

export type AssetPage = {
  readonly results: readonly unknown[]
  readonly findings: readonly Finding[]
}

/** `after`: id of an asset, `''` = from the beginning. */
type AssetQuery = { readonly type: string; readonly size: number; readonly after: string }

function discoveryAddress(
  { root, host, filters }: Discovery,
  { type, size, after }: AssetQuery,
): string {
  const query = new URLSearchParams({
    domains: host,
    search_context: host,
    only: type,
    published: 'true',
    audience: 'public',
    ...filters,
    limit: String(size),
    scroll_id: after,
  })
  return `${root}/api/catalog/v1?${query.toString()}`
}

/** How many assets of these types there are; `undefined` when the API does not tell. Throws what `Source.json` throws. */
export async function assetCount(
  discovery: Discovery,
  types: readonly string[],
): Promise<number | undefined> {
  let sum = 0
  for (const type of types) {
    const url = discoveryAddress(discovery, { type, size: 1, after: '' })
    const { value } = await discovery.source.json(url, { paged: false })
    const count = countOf(fieldsOf(value)['resultSetSize'])
    if (count === undefined) {
      if (!Array.isArray(fieldsOf(value)['results'])) throw envelopeFailure(value, url)
      return undefined
    }
    sum += count
  }
  return sum
}

/**
 * The assets of one type behind an id. Each page begins behind the last id of the one before, so that nothing that comes or goes moves
 * the others; only an empty page is the end, because the service cuts pages silently. Throws `page-loop`,
 * `page-repeated` and what `Source.json` throws.
 */
export async function* assetPages(
  discovery: Discovery,
  { type, size, after: first }: AssetQuery,
): AsyncGenerator<
  AssetPage & { /** Id behind which the next page begins. */ readonly last: string },
  void
> {
  const guard = pageGuard()
  for (let after = first; ;) {
    const url = discoveryAddress(discovery, { type, size, after })
    guard.visit(url)
    const { value, hash, findings } = await discovery.source.json(url, { paged: false })
    const { results } = fieldsOf(value)
    if (!Array.isArray(results)) throw envelopeFailure(value, url)
    if (results.length === 0) return
    guard.body(hash)
    const last = results.map(idOf).findLast((id) => id !== undefined)
    yield { results, findings, last: last ?? '' }
    if (last === undefined)
      throw new Failure('source-malformed', 'A page has no id behind which the next one begins.')
    after = last
  }
}

const idOf = (result: unknown) => plainText(fieldsOf(fieldsOf(result)['resource'])['id'])

// The list of assets that older Socrata sites have beside the discovery API, in the words of that API.

/** Pages until an empty one. Throws what `Source.json` throws. */
export async function* metadataPages(
  source: Source,
  origin: string,
  size: number,
): AsyncGenerator<AssetPage, void> {
  for (let page = 1; ; page += 1) {
    const url = `${origin}/api/views/metadata/v1?page=${page}&limit=${size}`
    const { value, findings } = await source.json(url)
    if (!Array.isArray(value)) throw envelopeFailure(value, url)
    if (value.length === 0) return
    yield { results: value.map((one) => assetOf(fieldsOf(one))), findings }
  }
}

function assetOf(view: Fields): unknown {
  const id = plainText(view['id'])
  const custom = Object.entries(fieldsOf(view['customFields'])).flatMap(([set, fields]) =>
    Object.entries(fieldsOf(fields)).map(([field, value]) => ({
      key: `${set}_${field}`.replaceAll(' ', '-'),
      value,
    })),
  )
  return {
    resource: {
      id,
      type: 'dataset',
      name: view['name'],
      description: view['description'],
      attribution: view['attribution'],
      attribution_link: view['attributionLink'],
      provenance: view['provenance'],
      createdAt: view['createdAt'],
      updatedAt: view['updatedAt'],
      data_updated_at: view['dataUpdatedAt'],
      metadata_updated_at: view['metadataUpdatedAt'],
    },
    classification: {
      domain_category: view['category'],
      domain_tags: listOf(view['tags']),
      domain_metadata: custom,
    },
    metadata: { license: view['license'] },
    permalink: view['webUri'],
  }
}
