/**
 * The importer of a `data.json`: Project Open Data (DCAT-US 1.1) and DCAT-US 3, as a catalogue with lists of datasets and catalogues, or
 * a bare list (POD 1.0).
 */

import { z } from 'zod'
import { valueFinding } from '../../pipe/message.ts'
import { shownUrl } from '../../secrets.ts'
import { fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import { mappingKeys } from '../mapping/record.ts'
import { keywordsIn, unprefixed, type PodOptions, podReader } from './datajson-mapping.ts'
import { type JsonDocument, openUnlessSame } from './documents.ts'
import type { ImportEvent } from './import-recorder.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import { documentFailure, entryItem, portalOf, type PortalRun } from './portal.ts'
import { noDataset, reportServices } from './rdf-document.ts'
import { validatorOf } from './source.ts'

const dataJsonConfig = z.object(mappingKeys)
type DataJsonConfig = z.infer<typeof dataJsonConfig>

/** One document with everything; it has no pages and declares no total, so that its last byte is the end. */
export const dataJsonImporter: ImporterKind<DataJsonConfig> = {
  names: ['importing-datajson', 'importing-pod', 'importing-dcatus'],
  version: 1,
  config: dataJsonConfig,
  import: importDataJson,
}

/** Statuses that say that there is no such document. */
const absent = [400, 404, 405, 406, 410]

/** Asks for `{address}/data.json`, then for the address itself, unless that names a document. */
async function* importDataJson(run: ImportRun<DataJsonConfig>): AsyncGenerator<ImportEvent, void> {
  const { address } = run.config
  const { origin, pathname, search } = new URL(address)
  // An address without a suffix or query is that of a site, or of a document all the same.
  const isDocument = search !== '' || /\.[A-Za-z][A-Za-z0-9]*$/.test(pathname)
  const below = `${origin}${pathname.replace(/\/+$/, '')}/data.json`
  let url = isDocument ? address : below
  let document = await openUnlessSame(run, url, isDocument ? [] : absent)
  if (document === 'absent' && !isDocument) {
    url = address
    document = await openUnlessSame(run, url)
  }
  if (document === 'unchanged') yield { kind: 'end', as: 'not-modified' }
  if (typeof document === 'string') return
  const own = document.url.replace(/#.*$/s, '')
  const pageOf = (id: string) => `${own}#${encodeURIComponent(id.toWellFormed())}`
  const portal = await portalOf<DataJsonConfig>(run, '')
  yield* datasetsOf(portal, { base: document.url, pageOf }, { document, url })
}

/** `url`: as it was asked for; the document knows where redirects led. */
type OpenedDocument = { readonly document: JsonDocument; readonly url: string }

/**
 * Everything that the document holds, which is closed. Services and catalogue records are no datasets; the run says how
 * many services there are. Throws `source-error-envelope` or `source-malformed` when the document is no catalogue.
 */
export async function* datasetsOf(
  portal: PortalRun,
  options: PodOptions,
  { document, url }: OpenedDocument,
): AsyncGenerator<ImportEvent, void> {
  const { sink, validate } = portal
  const { headers, hash, start } = document
  try {
    const everywhere = await commonKeywords(document)
    for (const word of everywhere)
      sink.finding(
        { slug: 'unmapped-value', ...valueFinding('dcat:keyword', word, 'on every record') },
        { sourceUrl: document.url },
      )
    const read = podReader(portal, options, everywhere)
    const isCatalogue = /"(?:dcat:)?(?:dataset|service|catalog)"\s*:/.test(start)
    let [services, members] = [0, 0]
    for await (const { kind, value, pointer } of membersIn(document)) {
      members += 1
      if (kind === 'service') services += 1
      else yield entryItem(portal, value, { read, pointer })
    }
    if (members === 0 && !isCatalogue && !/^\s*\[/.test(start)) throw documentFailure(document)
    validate(validatorOf(url, headers, hash))
    reportServices(sink, { count: services, first: [] }, document.url)
    yield { kind: 'page' }
    if (members === 0 && !/"(?:dcat:)?(?:dataset|service|catalog)"\s*:\s*\[/.test(start)) {
      const detail = `${shownUrl(document.url)}: no dataset found; expected a list under "dataset", or a list of datasets.`
      yield noDataset(portal, detail)
    }
  } finally {
    await document.close()
  }
}

type Member = {
  readonly kind: 'dataset' | 'service'
  readonly value: unknown
  /** Where it is in the document (RFC 6901). */
  readonly pointer: string
}

/** The datasets and services of a document, with or without prefixes: in lists, alone, or as nodes of a graph. */
async function* membersIn(document: JsonDocument): AsyncGenerator<Member, void> {
  // A single member may be written without a list: then its own members come one by one.
  const single = new Map<string, Record<string, unknown>>()
  for await (const { list, key, value } of document.members()) {
    const name = unprefixed(list)
    if (typeof key === 'number')
      yield* entriesIn(
        name === '@graph' ? kindOfNode(value) : name || 'dataset',
        value,
        list === '' ? `/${key}` : `/${list}/${key}`,
      )
    else if (kinds.has(name)) single.set(list, { ...single.get(list), [key]: value })
  }
  for (const [list, value] of single) yield* entriesIn(unprefixed(list), value, `/${list}`)
}

const kinds: ReadonlySet<string> = new Set(['dataset', 'service', 'catalog'])

/** A node of a graph is a dataset unless it says that it is something else. */
const kindOfNode = (value: unknown): string => {
  const types = listOf(fieldsOf(value)['@type']).map((type) => unprefixed(plainText(type) ?? ''))
  return types.includes('DataService') ? 'service' : 'dataset'
}

const deepest = 8

/** The entry itself, or those of a catalogue, which may hold catalogues. */
function* entriesIn(
  kind: string,
  value: unknown,
  pointer: string,
  depth = 0,
): Generator<Member, void> {
  if (kind === 'dataset' || kind === 'service') yield { kind, value, pointer }
  if (kind !== 'catalog' || depth === deepest) return
  for (const [name, members] of Object.entries(fieldsOf(value)))
    if (kinds.has(unprefixed(name)))
      for (const [at, one] of listOf(members).entries()) {
        const step = Array.isArray(members) ? `/${at}` : ''
        yield* entriesIn(unprefixed(name), one, `${pointer}/${name}${step}`, depth + 1)
      }
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
    const words = new Set(keywordsIn(fieldsOf(value)))
    common = common?.intersection(words) ?? words
    if (common.size === 0) return common
  }
  return records > manyRecords && common ? common : new Set()
}
