/** The datasets of a `data.json`: a catalogue with lists of datasets and catalogues, or a bare list (POD 1.0). */
import type { SegmentContext } from '../../pipe/segment.ts'
import type { Found } from './found.ts'
import type { ImportConfig } from './import-config.ts'
import type { ImportContext } from './importer.ts'
import type { Authorities } from '../../vocabularies/authorities.ts'
import { textTag } from '../../vocabularies/coded-values.ts'
import type { MappingConfig } from '../mapping/record-options.ts'
import { fieldsOf, listOf, plainText, type Fields } from '../../vocabularies/loose-values.ts'
import { isUsableIri } from '../mapping/addresses.ts'
import { tellCounted } from './rdf-losses.ts'
import { type Entry, envelopeFailure, foundEntry } from './entry.ts'
import type { JsonDocument } from './json-document.ts'
import { mapPod, podIdentifier, podRestriction } from './datajson-mapping.ts'

/** How the datasets of one source are read. */
export type PodSource = {
  readonly config: Pick<ImportConfig, 'language'> & MappingConfig
  readonly output: ImportContext['output']
  readonly authorities: Authorities
  /** What relative addresses are relative to. */
  readonly base: string
  /** The page of a dataset, by its id; absolute. */
  readonly pageOf: (id: string) => string
}

/** Everything that the document holds. Services and catalogue records are no datasets; the run says how many services there are. */
export async function* datasetsOf(
  document: JsonDocument,
  source: PodSource,
  sink: SegmentContext['sink'],
): AsyncGenerator<Found, void> {
  const everywhere = await commonKeywords(document)
  for (const word of everywhere)
    sink.finding(
      { slug: 'unmapped-value', detail: `dcat:keyword: ${word}, on every record` },
      { sourceUrl: document.url },
    )
  let isCatalogue = /^\s*\[|"(?:dataset|service|catalog)"\s*:/.test(document.start)
  let services = 0
  const { findings } = document
  for await (const { kind, value, pointer } of membersIn(document)) {
    isCatalogue = true
    if (kind === 'service') services += 1
    else yield foundDataset(withoutKeywords(value, everywhere), source, { findings, pointer })
  }
  if (!isCatalogue) throw envelopeFailure({}, document.url)
  tellCounted(sink, { count: services, first: [] }, document.url)
  yield { kind: 'page' }
}

type Origin = {
  readonly findings?: JsonDocument['findings']
  /** The id that a page of search results files it under. */
  readonly key?: string
  /** Where it stands in a document (RFC 6901). */
  readonly pointer?: string
}

/** One dataset of a document or of a page of search results. */
export function foundDataset(
  value: unknown,
  source: PodSource,
  { findings = [], key = '', pointer }: Origin = {},
): Exclude<Found, { kind: 'end' }> {
  const read = (fields: Fields) => entryOf(fields, source, key)
  const place = pointer === undefined ? {} : { pointer }
  return foundEntry(value, { output: source.output, read, findings, ...place })
}

function entryOf(fields: Fields, source: PodSource, key: string): Entry {
  const sourceId = podIdentifier(fields) || key
  const { language, timezone, dateOrder } = source.config
  const page = source.pageOf(key || sourceId)
  return {
    sourceId,
    aliases: key === '' ? [] : [key],
    sourceUrl: page,
    skipped: podRestriction(fields),
    lasting: fields,
    map: () =>
      mapPod(fields, {
        authorities: source.authorities,
        iri: isUsableIri(fields['@id']) ? fields['@id'] : sourceId,
        fallbackIri: page,
        base: source.base,
        language: textTag(listOf(fields['language'])) ?? language,
        timezone,
        dateOrder,
      }),
  }
}

type Member = {
  readonly kind: 'dataset' | 'service'
  readonly value: unknown
  readonly pointer: string
}

async function* membersIn(document: JsonDocument): AsyncGenerator<Member, void> {
  for await (const { list, key, value } of document.members()) {
    const pointer = list === '' ? `/${key}` : `/${list}/${key}`
    if (list === '' || list === 'dataset') yield { kind: 'dataset', value, pointer }
    else if (list === 'service') yield { kind: 'service', value, pointer }
    else if (list === 'catalog') yield* insideOf({ value, pointer })
  }
}

const deepest = 8

type Placed = Pick<Member, 'value' | 'pointer'>

function* insideOf(catalogue: Placed, depth = 1): Generator<Member, void> {
  for (const one of placedIn(catalogue, 'dataset')) yield { kind: 'dataset', ...one }
  for (const one of placedIn(catalogue, 'service')) yield { kind: 'service', ...one }
  if (depth < deepest)
    for (const inner of placedIn(catalogue, 'catalog')) yield* insideOf(inner, depth + 1)
}

function placedIn({ value, pointer }: Placed, name: string): readonly Placed[] {
  const held = fieldsOf(value)[name]
  const place = `${pointer}/${name}`
  // A single one may be written without being a list.
  if (!Array.isArray(held)) return listOf(held).map((one) => ({ value: one, pointer: place }))
  return held.map((one: unknown, at) => ({ value: one, pointer: `${place}/${at}` }))
}

/** A keyword that more than so many records carry, all of them, tells none apart. */
const manyRecords = 20

/** Keywords of every record of the document, if it has many. */
async function commonKeywords(document: JsonDocument): Promise<ReadonlySet<string>> {
  let common: Set<string> | undefined
  let records = 0
  for await (const { kind, value } of membersIn(document)) {
    if (kind === 'service') continue
    records += 1
    const words = new Set(keywordsOf(value))
    common = common ? common.intersection(words) : words
    if (common.size === 0) return common
  }
  return records > manyRecords && common ? common : new Set()
}

const keywordsOf = (value: unknown): readonly string[] =>
  listOf(fieldsOf(value)['keyword'])
    .map(plainText)
    .filter((word) => word !== undefined)

function withoutKeywords(value: unknown, dropped: ReadonlySet<string>): unknown {
  if (dropped.size === 0) return value
  const keyword = listOf(fieldsOf(value)['keyword']).filter(
    (word) => !dropped.has(plainText(word) ?? ''),
  )
  return { ...fieldsOf(value), keyword }
}
