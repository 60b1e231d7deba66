/** What Socrata sites without the discovery API have: `data.json`, else a list of views. Both leave assets out. */
import { Failure } from '../../../../errors.ts'
import type { Found } from '../../found.ts'
import { plainText, type Fields } from '../../../../vocabularies/loose-values.ts'
import { foundEntry, type Entry } from '../documents/entry.ts'
import { openJsonDocument } from '../documents/json-document.ts'
import { mapPod, podIdentifier, podRestriction } from '../documents/pod.ts'
import { tellCounted } from '../rdf/losses.ts'
import type { AssetPage } from './catalogue.ts'
import { metadataPages } from './metadata-list.ts'
import type { Site, Travel } from './site.ts'

type Finds = AsyncGenerator<Found, void>

/** Never complete: a site that has its discovery API back would seem to have lost what these lists do not have. */
export async function* otherLists(
  travel: Travel,
  finds: (page: AssetPage) => Finds,
  signal: AbortSignal,
): Finds {
  const isThere = yield* fromDataJson(travel, signal)
  if (!isThere) {
    const { source, site, config } = travel
    for await (const page of metadataPages(source, site.origin, config.pageSize)) {
      yield* finds(page)
      yield { kind: 'page' }
    }
  }
  const detail = 'The site has no discovery API; the list that it has in its place is not whole.'
  yield { kind: 'end', as: 'incomplete', problem: new Failure('source-error', detail) }
}

async function* fromDataJson(travel: Travel, signal: AbortSignal): AsyncGenerator<Found, boolean> {
  const { context, site } = travel
  const url = `${site.origin}/data.json`
  const document = await openJsonDocument(travel, url, { accepts: [404, 410] }, signal)
  if (!document) return false
  const read = podReader(site)
  const { output } = context
  const { findings } = document
  try {
    let services = 0
    for await (const { list, value } of document.members())
      if (list === 'dataset' || list === '') yield foundEntry(value, { output, read, findings })
      else if (list === 'service') services += 1
    tellCounted(context.sink, { count: services, first: [] }, url)
  } finally {
    await document.close()
  }
  yield { kind: 'page' }
  return true
}

const podReader =
  ({ config, authorities, origin }: Site) =>
  (fields: Fields): Entry => {
    const identifier = podIdentifier(fields)
    // `https://{host}/api/views/{id}`: the id is the same as in the discovery API.
    const sourceId = /\/([a-z0-9]{4}-[a-z0-9]{4})$/.exec(identifier)?.[1] ?? identifier
    const sourceUrl = plainText(fields['landingPage'])
    const fallbackIri = `${origin}/d/${encodeURIComponent(sourceId)}`
    return {
      sourceId,
      aliases: identifier === sourceId ? [] : [identifier],
      ...(sourceUrl !== undefined && { sourceUrl }),
      skipped: podRestriction(fields),
      lasting: fields,
      map: () => mapPod(fields, { ...config, authorities, fallbackIri, base: `${origin}/` }),
    }
  }
