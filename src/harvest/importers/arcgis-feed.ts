/** A feed of a site as a JSON document: its datasets, whichever of the two vocabularies it speaks. */
import type { Found } from './found.ts'
import { fieldsOf, listOf, plainText, type Fields } from '../../vocabularies/loose-values.ts'
import { type Entry, envelopeFailure, foundEntry } from './entry.ts'
import type { JsonDocument } from './json-document.ts'
import { mapPod, podIdentifier, podRestriction } from './datajson-mapping.ts'
import { tellCounted } from './rdf-losses.ts'
import { mapEntry } from './arcgis-mapping.ts'
import { itemIn, mappingOf, type Site, type Travel } from './arcgis-site.ts'
import { contextOf, plain, type TermContext } from './arcgis-terms.ts'

/** DCAT-AP feeds have the first, or the second when somebody has reordered them; DCAT-US has the last. */
const lists = new Set(['dcat:dataset', '@graph', 'dataset'])
const serviceLists = new Set(['dcat:service', 'service'])

/** The document, if it has datasets or services or says that it has none. Closes it and throws what it is otherwise. */
export async function withDatasets(document: JsonDocument): Promise<JsonDocument> {
  for await (const { list } of document.members())
    if (lists.has(list) || serviceLists.has(list)) return document
  if (/"(?:dcat:dataset|@graph|dataset)"\s*:/.test(document.start)) return document
  await document.close()
  throw envelopeFailure(valueOf(document.start), document.url)
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function* feedFinds(
  { site, context }: Travel,
  document: JsonDocument,
): AsyncGenerator<Found, void> {
  const { output } = context
  const { findings } = document
  const terms: Record<string, unknown> = {}
  let only: Record<string, unknown> | undefined
  const readers = { ap: entryReader(site, contextOf(terms)), pod: podReader(site) }
  const found = (list: string, value: unknown) => {
    const read = list === 'dataset' ? readers.pod : readers.ap
    return foundEntry(value, { output, read, findings })
  }
  const services = new Set<string>()
  for await (const { list, key, value } of document.members()) {
    if (serviceLists.has(list)) {
      // A single one may be written without being a list: its members come one by one.
      services.add(typeof key === 'number' ? `${list} ${key}` : list)
    } else if (list === '@context') {
      terms[key] = value
      readers.ap = entryReader(site, contextOf(terms))
    } else if (lists.has(list)) {
      if (list === '@graph' && isService(value)) services.add(`${list} ${key}`)
      else if (typeof key === 'number') yield found(list, value)
      // A list of one may be written without being a list.
      else only = { ...only, [key]: value }
    }
  }
  if (only) yield found('dcat:dataset', only)
  tellCounted(context.sink, { count: services.size, first: [] }, document.url)
}

/** Among the nodes of a graph there are others than datasets. */
const isService = (value: unknown) =>
  listOf(fieldsOf(value)['@type']).some((type) => plainText(type) === 'dcat:DataService')

const entryReader =
  (site: Site, terms: TermContext) =>
  (fields: Fields): Entry => {
    const iri = plainText(fields['@id'])
    const identifier = [fields['dct:identifier']]
      .flat()
      .map(plain)
      .find((text) => text !== undefined)
    const ids = [identifier, iri].filter((id) => id !== undefined)
    const sourceId = ids.map(itemIn).find((id) => id !== undefined) ?? ids[0] ?? ''
    const page = [fields['dcat:landingPage']].flat().map(plain)[0]
    return {
      sourceId,
      aliases: ids.filter((id) => id !== sourceId),
      ...(page !== undefined && { sourceUrl: page }),
      lasting: fields,
      map: () => mapEntry(fields, { site, sourceId, terms }),
    }
  }

const podReader =
  (site: Site) =>
  (fields: Fields): Entry => {
    const identifier = podIdentifier(fields)
    const sourceId = itemIn(identifier) ?? identifier
    const page = plainText(fields['landingPage'])
    return {
      sourceId,
      aliases: identifier === sourceId ? [] : [identifier],
      ...(page !== undefined && { sourceUrl: page }),
      skipped: podRestriction(fields),
      lasting: fields,
      map: () => mapPod(fieldsOf(fields), mappingOf(site, sourceId)),
    }
  }
