/** The datasets of a DKAN site as Project Open Data describes them (DCAT-US 1.1). */
import type { Found } from '../../found.ts'
import { textTag } from '../../mapping/authority/languages.ts'
import { listOf, type Fields } from '../../mapping/values/json.ts'
import { foundEntry, type Entry } from '../documents/entry.ts'
import { envelopeFailure } from '../documents/envelope.ts'
import type { JsonDocument } from '../documents/json-document.ts'
import { mapPod, podIdentifier, podRestriction } from '../documents/pod.ts'
import type { Site } from './site.ts'

/** The whole of a `data.json`: an object with a list of datasets, or the list itself (POD 1.0). */
export async function* datasetsOf(document: JsonDocument, site: Site): AsyncGenerator<Found, void> {
  let isList = document.start.trimStart().startsWith('[')
  for await (const { list, value } of document.members()) {
    if (list !== '' && list !== 'dataset') continue
    isList = true
    yield foundDataset(value, site)
  }
  if (!isList && !/"dataset"\s*:/.test(document.start)) throw envelopeFailure({}, document.url)
  yield { kind: 'page' }
}

/** One dataset of the document or of a page of search results; `key` is the id that the page files it under. */
export const foundDataset = (
  value: unknown,
  site: Site,
  key = '',
): Exclude<Found, { kind: 'end' }> =>
  foundEntry(value, {
    output: site.context.output,
    read: (fields) => entryOf(fields, site, key),
  })

function entryOf(fields: Fields, { root, config, authorities }: Site, key: string): Entry {
  const sourceId = podIdentifier(fields) || key
  const { language, timezone, dateOrder } = config
  const page = `${root}/dataset/${encodeURIComponent(key || sourceId)}`
  return {
    sourceId,
    aliases: key === '' ? [] : [key],
    sourceUrl: page,
    skipped: podRestriction(fields),
    lasting: fields,
    map: () =>
      mapPod(fields, {
        authorities,
        iri: sourceId,
        fallbackIri: page,
        base: `${root}/`,
        language: textTag(listOf(fields['language'])) ?? language,
        timezone,
        dateOrder,
      }),
  }
}
