/** Importer of `data.json`: Project Open Data (DCAT-US 1.1) and DCAT-US 3, as a catalogue or (POD 1.0) a plain list. */

import { z } from 'zod'
import { valueFinding } from '../../pipe/message.ts'
import { shownUrl } from '../../secrets.ts'
import { fieldsOf, listOf, plainText } from '../../vocabularies/loose-values.ts'
import { mappingKeys } from '../mapping/record.ts'
import { keywordsIn, unprefixed, type PodOptions, podReader } from './datajson-mapping.ts'
import { type JsonDocument, openJsonDocument } from './documents.ts'
import type { ImportEvent } from './import-recorder.ts'
import type { ImporterKind, ImportRun } from './importer.ts'
import { documentFailure, entryItem, portalOf, type PortalRun } from './portal.ts'
import { noDataset, reportServices } from './rdf-document.ts'
import { validatorOf } from './source.ts'

const dataJsonConfig = z.object(mappingKeys)
type DataJsonConfig = z.infer<typeof dataJsonConfig>

/** Importer of a single document, without pages or total. */
export const dataJsonImporter: ImporterKind<DataJsonConfig> = {
  names: ['importing-datajson', 'importing-pod', 'importing-dcatus'],
  version: 1,
  config: dataJsonConfig,
  import: importDataJson,
}

/** Statuses of a missing document. */
const absent = [400, 404, 405, 406, 410]

/** Tries `{address}/data.json`, then the address itself, unless the address names a document. */
async function* importDataJson(run: ImportRun<DataJsonConfig>): AsyncGenerator<ImportEvent, void> {
  const { address } = run.config
  const { origin, pathname, search } = new URL(address)
  // An address without suffix and query may be a site or a document.
  const isDocument = search !== '' || /\.[A-Za-z][A-Za-z0-9]*$/.test(pathname)
  const siteDocument = `${origin}${pathname.replace(/\/+$/, '')}/data.json`
  let url = isDocument ? address : siteDocument
  let document = await openJsonDocument(run, url, isDocument ? [] : absent)
  if (document === 'absent' && !isDocument) {
    url = address
    document = await openJsonDocument(run, url)
  }
  if (document === 'unchanged') yield { kind: 'end', outcome: 'not-modified' }
  if (typeof document === 'string') return
  const documentUrl = document.url.replace(/#.*$/s, '')
  const pageOf = (id: string) => `${documentUrl}#${encodeURIComponent(id.toWellFormed())}`
  const portal = await portalOf<DataJsonConfig>(run, '')
  yield* datasetsOf(portal, { base: document.url, pageOf }, { document, url })
}

/** `url` is the requested address; the document has the one after redirects. */
type OpenedDocument = { readonly document: JsonDocument; readonly url: string }

/**
 * Yields the datasets of a document and closes it. Services and catalogue records are no datasets; the number of services is
 * reported. Throws `source-error-envelope` or `source-malformed` if the document is no catalogue.
 */
export async function* datasetsOf(
  portal: PortalRun,
  options: PodOptions,
  { document, url }: OpenedDocument,
): AsyncGenerator<ImportEvent, void> {
  const { sink, addValidator } = portal
  const { headers, hash, start } = document
  try {
    const commonWords = await commonKeywords(document)
    for (const word of commonWords)
      sink.finding(
        { slug: 'unmapped-value', ...valueFinding('dcat:keyword', word, 'on every record') },
        { sourceUrl: document.url },
      )
    const read = podReader(portal, options, commonWords)
    const isCatalogue = /"(?:dcat:)?(?:dataset|service|catalog)"\s*:/.test(start)
    let [services, members] = [0, 0]
    for await (const { kind, value, pointer } of membersIn(document)) {
      members += 1
      if (kind === 'service') services += 1
      else yield entryItem(portal, value, { read, pointer })
    }
    if (members === 0 && !isCatalogue && !/^\s*\[/.test(start)) throw documentFailure(document)
    addValidator(validatorOf(url, headers, hash))
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
  /** JSON Pointer (RFC 6901) of the member. */
  readonly pointer: string
}

/** Datasets and services of a document, with or without prefixes: in lists, as single values, or as nodes of a graph. */
async function* membersIn(document: JsonDocument): AsyncGenerator<Member, void> {
  // A single value is parsed member by member.
  const single = new Map<string, Record<string, unknown>>()
  for await (const { list, key, value } of document.members()) {
    const name = unprefixed(list)
    if (typeof key === 'number')
      yield* entriesIn(
        name === '@graph' ? kindOfNode(value) : name || 'dataset',
        value,
        list === '' ? `/${key}` : `/${list}/${key}`,
      )
    else if (listNames.has(name)) single.set(list, { ...single.get(list), [key]: value })
  }
  for (const [list, value] of single) yield* entriesIn(unprefixed(list), value, `/${list}`)
}

const listNames: ReadonlySet<string> = new Set(['dataset', 'service', 'catalog'])

/** Kind of a graph node; dataset by default. */
const kindOfNode = (value: unknown): string => {
  const types = listOf(fieldsOf(value)['@type']).map((type) => unprefixed(plainText(type) ?? ''))
  return types.includes('DataService') ? 'service' : 'dataset'
}

/** Maximum nesting of catalogues. */
const maxDepth = 8

/** Yields the entry, or the entries of a nested catalogue. */
function* entriesIn(
  kind: string,
  value: unknown,
  pointer: string,
  depth = 0,
): Generator<Member, void> {
  if (kind === 'dataset' || kind === 'service') yield { kind, value, pointer }
  if (kind !== 'catalog' || depth === maxDepth) return
  for (const [name, members] of Object.entries(fieldsOf(value)))
    if (listNames.has(unprefixed(name)))
      for (const [index, member] of listOf(members).entries()) {
        const step = Array.isArray(members) ? `/${index}` : ''
        yield* entriesIn(unprefixed(name), member, `${pointer}/${name}${step}`, depth + 1)
      }
}

/** Number of records above which a keyword of all records counts as meaningless. */
const manyRecords = 20

/** Keywords that each record of the document has; only for many records. */
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
