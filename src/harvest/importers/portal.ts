/**
 * Shared by importers of JSON sources: mapping context, entries as records, addresses, licences, and detection of errors sent
 * with status 200.
 */

import { Failure, jsonPointer } from '../../errors.ts'
import { type Fields, isJsonObject } from '../../text/json.ts'
import { type Authorities, shippedAuthorities } from '../../vocabularies/authorities.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import { fieldsOf, listOf, plainText, meaningfulText } from '../../vocabularies/loose-values.ts'
import { shownUrl } from '../../secrets.ts'
import { type DatasetValues, writeDataset } from '../mapping/distribution.ts'
import { MappedRecord, type MappingConfig, type RecordOptions } from '../mapping/record.ts'
import type { ImportItem } from './import-recorder.ts'
import { canonicalJson, type ImportConfig } from './import-config.ts'
import type { ImportContext, ImportRun } from './importer.ts'
import type { ImportSource, SourceRequest } from './source.ts'

/** Portal as its entries are mapped: constant during a run. */
export type Portal<Config = object> = {
  /** Root URL without trailing slash. */
  readonly root: string
  readonly config: Config & ImportConfig & MappingConfig
  readonly authorities: Authorities
}

/** An import from a portal. */
export type PortalRun<Config = object> = ImportRun<Config & MappingConfig> & Portal<Config>

/** Extends a run by the root of its portal and the controlled vocabularies, which are read once per process. */
export const portalOf = async <Config>(
  run: ImportRun<Config & MappingConfig>,
  root: string,
): Promise<PortalRun<Config>> => ({ ...run, root, authorities: await shippedAuthorities() })

/** Maps an entry to DCAT-AP. */
export function mappedEntry(
  { root, config, authorities }: Portal,
  { recordOptions, values }: PortalEntry,
): MappedRecord {
  const { timezone, dateOrder, language } = config
  const defaults = { timezone, dateOrder, language, authorities, base: `${root}/` }
  const record = new MappedRecord({ ...defaults, ...recordOptions })
  writeDataset(record.dataset, values(record))
  return record
}

/** Root URL of a site, without trailing slash; `pagePath` matches the part of its addresses that is cut off. */
export function siteRoot(address: string, pagePath: RegExp): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname.replace(pagePath, '').replace(/\/+$/, '')
}

/** Adds parameters to an address; those without a value are left out. */
export function addressWith(
  address: string,
  parameters: Readonly<Record<string, string | number | undefined>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) query.append(name, String(value))
  return query.size === 0 ? address : `${address}?${query.toString()}`
}

/**
 * Licences of a portal: title and address by id. `register` requests the list once, as soon as a record `needsList`, because
 * it names a licence by its id alone. A portal without a list is harvested without.
 */
export function licenceList(
  needsList: (record: unknown) => boolean,
  fetchList: () => Promise<unknown>,
) {
  let namesById: ReadonlyMap<unknown, LicenceNames> | undefined
  return {
    find: (id: string): LicenceNames | undefined => namesById?.get(id),
    register: async (records: readonly unknown[]): Promise<void> => {
      if (namesById || !records.some(needsList)) return
      const list = await fetchList().catch((error: unknown) => {
        if (error instanceof Failure) return []
        throw error
      })
      const fields = listOf(list).map(fieldsOf)
      namesById = new Map(fields.map(({ id, url, title }) => [id, { id, url, title }]))
    },
  }
}

/** An entry of a list, before mapping. */
export type PortalEntry = {
  /** Empty if the source has none. */
  readonly sourceId: string
  /** Title as written by the source, for reports of refused records. */
  readonly title: unknown
  /** Other ids; blank ones are ignored. */
  readonly aliases?: readonly (string | undefined)[]
  readonly sourceUrl?: string
  /** Reason to skip the entry; a stored record counts as removed. */
  readonly skipReason?: string
  /** Reason to leave the entry out although it exists; a stored record is kept. */
  readonly omitReason?: string
  /** Reason why the entry cannot be read. */
  readonly flaw?: Failure | string
  /** Entry without volatile fields, for the source hash. */
  readonly stableFields: unknown
  /** Fallback IRI of the dataset, and options that differ from the portal's defaults. */
  readonly recordOptions: Pick<RecordOptions, 'fallbackIri'> & Partial<RecordOptions>
  /** Maps the entry, deterministically. Repairs and losses are noted in the record. */
  readonly values: (record: MappedRecord) => DatasetValues
}

/** Reads an entry; `key` is its name or index in the list. */
export type EntryReader = (fields: Fields, key?: string) => PortalEntry

/** Options and context of an entry. */
type EntryOptions = {
  readonly read: EntryReader
  /** JSON Pointer (RFC 6901) of the entry. */
  readonly pointer?: string
  readonly key?: string
}

/** Converts an entry to an import item: a record, a skipped one, or an unreadable one. */
export function entryItem(
  portal: Portal & Pick<ImportContext, 'output'>,
  value: unknown,
  { read, pointer, key }: EntryOptions,
): ImportItem {
  const refused = (problem: Failure, fields: object = { pointer }) =>
    ({ kind: 'refused', problem, excerpt: excerptOf(value), ...fields }) as const
  if (!isJsonObject(value))
    return refused(new Failure('item-no-identifier', 'The entry is not a JSON object.'))
  const entry = read(fieldsOf(value), key)
  const { sourceId, sourceUrl, aliases = [], skipReason, omitReason, flaw } = entry
  const title = meaningfulText(textIn(entry.title))
  const names = { sourceId: sourceId || undefined, sourceUrl, title, pointer }
  if (sourceId === '')
    return refused(new Failure('item-no-identifier', 'The entry has no identifier.'), names)
  if (skipReason !== undefined) return { kind: 'skipped', sourceId, reason: skipReason }
  if (omitReason !== undefined)
    return { kind: 'skipped', sourceId, reason: omitReason, isKept: true }
  if (flaw !== undefined)
    return refused(typeof flaw === 'string' ? new Failure('item-malformed', flaw) : flaw, names)
  try {
    const definedAliases = aliases.filter((alias) => alias !== undefined)
    const fields = {
      ...names,
      sourceId,
      aliases: definedAliases,
      hashed: canonicalJson(entry.stableFields),
    }
    if (portal.output === 'source')
      return {
        ...fields,
        kind: 'record',
        mediaType: 'application/json',
        text: canonicalJson(value),
      }
    return mappedEntry(portal, entry).toRecord(fields)
  } catch (error) {
    // Deep nesting overflows the stack.
    if (!(error instanceof RangeError)) throw error
    return refused(new Failure('item-malformed', 'The entry is nested too deeply.'), names)
  }
}

/** First text of a title, which may be a list or texts by language. */
const textIn = (title: unknown): unknown =>
  isJsonObject(title)
    ? textIn(Object.values(title))
    : Array.isArray(title)
      ? title.flat()[0]
      : title

/** JSON for a report; empty for values that are nested too deeply. */
function excerptOf(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

/** One page of a list. */
type ListPage = {
  /** List of entries, or object of entries by key. */
  readonly entries: readonly unknown[] | Fields
  /** JSON Pointer (RFC 6901) of the entries. */
  readonly pointer: string
  /** Number of entries of the whole list, if known. */
  readonly total?: number
  /** Key from which a later run can continue. */
  readonly cursor?: string
  /** Whether this is the last page, if the source says so. */
  readonly isLast?: boolean
}

/** Options of requesting the pages of a list and reading their entries. */
type ListOptions = {
  readonly read: EntryReader
  /** Entries of a full page, if the source never shortens pages. */
  readonly size?: number
  /** Whether pages can begin anywhere: then each begins at the last entry of the previous one, so that nothing is missed. */
  readonly overlaps?: boolean
  /** Whether the list cannot change between pages. */
  readonly isFixed?: boolean
  readonly ask: (place: ListPlace) => Promise<ListPage>
}

/** Page to request. `page`: number from 1; `offset`: entries before it; `extra`: entries to request beyond the page size. */
export type ListPlace = { readonly page: number; readonly offset: number; readonly extra: number }

/** Maximum steps back to an entry of the previous page, if others were removed from the list meanwhile. */
const mostSteps = 4

/**
 * Requests the page after a first page with one entry. It must not begin with that entry, because it would repeat the first
 * page, which is an error. It counts as joined if it is empty and the total is one or unknown.
 */
async function pageAfterSingleEntry({ ask }: ListOptions, page: number) {
  const answer = await ask({ page, offset: 1, extra: 0 })
  const entries = Object.entries(answer.entries)
  const isJoined = entries.length === 0 && (answer.total ?? 1) === 1
  return { answer, entries, nextOffset: 1 + entries.length, isJoined }
}

/**
 * Requests a page that begins with an entry of the previous one, so that none is missed between them. Returns its other
 * entries; `isJoined` is `false` if no such page was found.
 */
async function joinedPage(
  { ask, read }: ListOptions,
  {
    page,
    offset,
    previousIds,
  }: { readonly page: number; readonly offset: number; readonly previousIds: ReadonlySet<string> },
) {
  for (let [start, step] = [Math.max(0, offset - 1), 1]; ; step += 1) {
    const answer = await ask({ page, offset: start, extra: step })
    const isNew = (value: unknown) => !previousIds.has(read(fieldsOf(value)).sourceId)
    const pageEntries = Object.entries(answer.entries)
    const entries = pageEntries.filter(([, value]) => isNew(value))
    const isJoined = entries.length < pageEntries.length
    if (isJoined || start === 0 || step > mostSteps)
      return { answer, entries, nextOffset: start + pageEntries.length, isJoined }
    start = Math.max(0, start - Math.max(previousIds.size, step))
  }
}

/**
 * Yields the entries of a list page by page. If the source does not mark the last page, it is an empty one, or a short one
 * (fewer than `size`, or than earlier pages had) after the declared total, because a total may be too low.
 */
export async function* listPages(
  portal: Portal & Pick<ImportContext, 'output'>,
  options: ListOptions,
): AsyncGenerator<ImportItem, void> {
  const { ask, read, size, overlaps = false, isFixed } = options
  let previousIds: ReadonlySet<string> = new Set()
  for (let [page, offset, largest] = [1, 0, 0]; ; page += 1) {
    const joined =
      previousIds.size === 0
        ? undefined
        : offset === 1
          ? await pageAfterSingleEntry(options, page)
          : await joinedPage(options, { page, offset, previousIds })
    const answer = joined?.answer ?? (await ask({ page, offset, extra: 0 }))
    const { pointer, total, cursor, isLast } = answer
    const pageEntries = joined?.entries ?? Object.entries(answer.entries)
    if (overlaps && pageEntries.length > 0)
      previousIds = new Set(pageEntries.map(([, value]) => read(fieldsOf(value)).sourceId))
    // An empty page later on adds no information about the total.
    if (total !== undefined && (pageEntries.length > 0 || page === 1))
      yield { kind: 'total', total }
    for (const [key, value] of pageEntries) {
      yield entryItem(portal, value, { read, pointer: `${pointer}${jsonPointer(key)}`, key })
    }
    offset = joined?.nextOffset ?? offset + pageEntries.length
    largest = Math.max(largest, pageEntries.length)
    const isEnd =
      pageEntries.length === 0 ||
      (offset >= (total ?? Infinity) && pageEntries.length < (size ?? largest))
    const isOver = isLast ?? isEnd
    const isJoined = isFixed ?? joined?.isJoined
    // A final empty page is ignored, unless records before it have moved.
    if (pageEntries.length > 0 || !isOver || isJoined === false)
      yield { kind: 'page', cursor, isJoined }
    if (isOver) return
  }
}

/**
 * Requests a page whose list has a name, or is the whole answer if the name is empty. Throws the failures of
 * `ImportSource.json`, `source-error-envelope` and `source-malformed`.
 */
export async function askList(
  source: ImportSource,
  url: string,
  name = '',
  request?: SourceRequest,
) {
  const answer = await source.json(url, request)
  const { value, status, hash } = answer
  const fields = fieldsOf(value)
  const listValue = name === '' ? value : fields[name]
  // An accepted error status has no entries.
  const entries: unknown = status >= 400 ? [] : listValue
  if (!Array.isArray(entries)) throw envelopeFailure(value, answer.url)
  const list: readonly unknown[] = entries
  return { entries: list, pointer: name && `/${name}`, fields, hash, status }
}

/** Copies a record without volatile fields, such as numbers of downloads, in it and its resources. */
export function withoutVolatile(fields: Fields, volatile: readonly string[]): Fields {
  const stripped = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).filter(([key]) => !volatile.includes(key)))
      : value
  const { resources } = fields
  const strippedResources = Array.isArray(resources) && { resources: resources.map(stripped) }
  return { ...fieldsOf(stripped(fields)), ...strippedResources }
}

/** Failure for a JSON value of unexpected form: an error message, or other content. */
export function envelopeFailure(value: unknown, url: string): Failure {
  const fields = fieldsOf(value)
  const message = ['message', 'error', 'error_message', 'error_code', 'errorcode', 'title']
    .map((name) => plainText(fields[name]) ?? plainText(fieldsOf(fields[name])['message']))
    .find((text) => text !== undefined)
  const place = shownUrl(url)
  if (message === undefined)
    return new Failure('source-malformed', `${place} did not answer with a list of records.`)
  const detail = `${place} answered with an error: ${message.slice(0, 500)}`
  return new Failure('source-error-envelope', detail)
}

/** Failure for a document that is no catalogue: with its error message, if the beginning is the whole document. */
export function documentFailure({ start, url }: { readonly start: string; readonly url: string }) {
  try {
    return envelopeFailure(JSON.parse(start), url)
  } catch {
    return envelopeFailure({}, url)
  }
}

/** Parses a number of records, possibly in quotes; `undefined` for other values. */
export function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}
