/** The records of a site (OGC API - Records, part 1), page by page in the order in which they were made. */
import { Failure } from '../../../../errors.ts'
import type { Found } from '../../found.ts'
import { fieldsOf, plainText, type Fields } from '../../../../vocabularies/loose-values.ts'
import { foundEntry, type Entry } from '../documents/entry.ts'
import { countOf, envelopeFailure } from '../documents/envelope.ts'
import { recordsAddress } from './addresses.ts'
import { mapFeature } from './feature-mapping.ts'
import type { Site, Travel } from './site.ts'

/** How many records the site has; `undefined` when it does not tell. */
export async function recordCount({ source, config }: Travel): Promise<number | undefined> {
  try {
    const { value } = await source.json(recordsAddress(config, 0), { paged: false })
    return countOf(fieldsOf(value)['numberMatched'])
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Only a short page is the last: a total that is too low must not hide what lies behind it. */
export async function* recordPages({
  source,
  config,
  context,
  site,
}: Travel): AsyncGenerator<Found, void> {
  const read = featureReader(site)
  const { output } = context
  for (let from = 1; ;) {
    const url = recordsAddress(config, config.pageSize, from)
    const { value, findings } = await source.json(url, { accept })
    const { features, numberMatched } = fieldsOf(value)
    if (!Array.isArray(features)) throw envelopeFailure(value, url)
    const total = countOf(numberMatched)
    if (total !== undefined) yield { kind: 'total', total }
    for (const one of features) yield foundEntry(one, { output, read, findings })
    yield { kind: 'page' }
    from += features.length
    const isShort = features.length < config.pageSize && from > (total ?? Infinity)
    if (features.length === 0 || isShort) return
  }
}

const accept = 'application/geo+json, application/json;q=0.9'

const featureReader =
  (site: Site) =>
  (fields: Fields): Entry => {
    const sourceId = plainText(fields['id']) ?? ''
    const { properties } = fields
    const isWhole = typeof properties === 'object' && properties !== null
    return {
      sourceId,
      aliases: [],
      sourceUrl: `${site.root}/datasets/${encodeURIComponent(sourceId)}`,
      flaw: isWhole ? undefined : 'The record has no properties.',
      lasting: lasting(fields),
      map: () => mapFeature(fields, site, sourceId),
    }
  }

/** Counts of visitors change without the record, links with the request. */
function lasting({ properties, links: _links, ...rest }: Fields): unknown {
  const {
    numViews: _views,
    avgRating: _rating,
    numRatings: _ratings,
    ...lasts
  } = fieldsOf(properties)
  return { ...rest, properties: lasts }
}
