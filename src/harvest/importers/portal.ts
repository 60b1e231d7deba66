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

/** Properties of a portal, constant during a run. */
export type Portal<Config = object> = {
  /** Root URL without trailing slash. */
  readonly root: string
  readonly config: Config & ImportConfig & MappingConfig
  readonly authorities: Authorities
}

/** An import from a portal. */
export type PortalRun<Config = object> = ImportRun<Config & MappingConfig> & Portal<Config>

/** Creates the portal with the controlled vocabularies, which are read once per process. */
export const portalOf = async <Config>(
  run: ImportRun<Config & MappingConfig>,
  root: string,
): Promise<PortalRun<Config>> => ({ ...run, root, authorities: await shippedAuthorities() })

/** Maps an entry to DCAT-AP. */
export function mappedEntry(
  { root, config, authorities }: Portal,
  { record: own, values }: PortalEntry,
): MappedRecord {
  const { timezone, dateOrder, language } = config
  const given = { timezone, dateOrder, language, authorities, base: `${root}/` }
  const record = new MappedRecord({ ...given, ...own })
  writeDataset(record.dataset, values(record))
  return record
}

/** Root of a site without trailing slash and without the path of its pages. */
export function siteRoot(address: string, below: RegExp): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname.replace(below, '').replace(/\/+$/, '')
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
 * Licences of a portal: title and address by id. `register` requests the list once, when a record of the page names a licence
 * without details. If the portal has no list, it is harvested without.
 */
export function licenceList(needs: (record: unknown) => boolean, ask: () => Promise<unknown>) {
  let known: ReadonlyMap<unknown, LicenceNames> | undefined
  return {
    find: (id: string): LicenceNames | undefined => known?.get(id),
    register: async (records: readonly unknown[]): Promise<void> => {
      if (known || !records.some(needs)) return
      const all = await ask().catch((error: unknown) => {
        if (error instanceof Failure) return []
        throw error
      })
      const fields = listOf(all).map(fieldsOf)
      known = new Map(fields.map(({ id, url, title }) => [id, { id, url, title }]))
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
  readonly skipped?: string
  /** Reason to leave the entry out although it exists; a stored record is kept. */
  readonly omitted?: string
  /** Reason why the entry cannot be read. */
  readonly flaw?: Failure | string
  /** Entry without volatile fields, for the source hash. */
  readonly stableFields: unknown
  /** Fallback IRI of the dataset, and options that differ from the portal's defaults. */
  readonly record: Pick<RecordOptions, 'fallbackIri'> & Partial<RecordOptions>
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
  const refused = (problem: Failure, about: object = { pointer }) =>
    ({ kind: 'refused', problem, excerpt: excerptOf(value), ...about }) as const
  if (!isJsonObject(value))
    return refused(new Failure('item-no-identifier', 'The entry is not a JSON object.'))
  const entry = read(fieldsOf(value), key)
  const { sourceId, sourceUrl, aliases = [], skipped, omitted: leftOut, flaw } = entry
  const title = meaningfulText(textIn(entry.title))
  const names = { sourceId: sourceId || undefined, sourceUrl, title, pointer }
  if (sourceId === '')
    return refused(new Failure('item-no-identifier', 'The entry has no identifier.'), names)
  if (skipped !== undefined) return { kind: 'skipped', sourceId, reason: skipped }
  if (leftOut !== undefined) return { kind: 'skipped', sourceId, reason: leftOut, isKept: true }
  if (flaw !== undefined)
    return refused(typeof flaw === 'string' ? new Failure('item-malformed', flaw) : flaw, names)
  try {
    const given = aliases.filter((alias) => alias !== undefined)
    const about = { ...names, sourceId, aliases: given, hashed: canonicalJson(entry.stableFields) }
    if (portal.output === 'source')
      return {
        ...about,
        kind: 'record',
        mediaType: 'application/json',
        text: canonicalJson(value),
      }
    return mappedEntry(portal, entry).toRecord(about)
  } catch (error) {
    // Deep nesting overflows the stack.
    if (!(error instanceof RangeError)) throw error
    return refused(new Failure('item-malformed', 'The entry is nested too deeply.'), names)
  }
}

/** The first text of a title, which may be a list or texts by language. */
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
  /** Pages can begin anywhere: each begins at the last entry of the previous one, so that nothing is missed. */
  readonly overlaps?: boolean
  /** Whether the list cannot change between pages. */
  readonly isFixed?: boolean
  readonly ask: (place: ListPlace) => Promise<ListPage>
}

/** `page`: number from 1; `met`: entries before it; `extra`: entries to request beyond the page size. */
export type ListPlace = { readonly page: number; readonly met: number; readonly extra: number }

/** Maximum steps back to a known entry after others were removed. */
const mostSteps = 4

/**
 * Requests the page behind a single entry. A page that begins with that entry would repeat the first page, which is an error;
 * it counts as joined if nothing follows and the total is one.
 */
async function pageBehindOne({ ask }: ListOptions, page: number) {
  const answer = await ask({ page, met: 1, extra: 0 })
  const entries = Object.entries(answer.entries)
  const isJoined = entries.length === 0 && (answer.total ?? 1) === 1
  return { answer, entries, met: 1 + entries.length, isJoined }
}

/**
 * Requests the page that begins with an entry of the previous page, and where it begins; `isJoined` is `false` if there is
 * none.
 */
async function joinedPage(
  { ask, read }: ListOptions,
  {
    page,
    met,
    known,
  }: { readonly page: number; readonly met: number; readonly known: ReadonlySet<string> },
) {
  for (let [at, step] = [Math.max(0, met - 1), 1]; ; step += 1) {
    const answer = await ask({ page, met: at, extra: step })
    const isNew = (value: unknown) => !known.has(read(fieldsOf(value)).sourceId)
    const all = Object.entries(answer.entries)
    const entries = all.filter(([, value]) => isNew(value))
    const isJoined = entries.length < all.length
    if (isJoined || at === 0 || step > mostSteps)
      return { answer, entries, met: at + all.length, isJoined }
    at = Math.max(0, at - Math.max(known.size, step))
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
  let known: ReadonlySet<string> = new Set()
  for (let [page, met, largest] = [1, 0, 0]; ; page += 1) {
    const joined =
      known.size === 0
        ? undefined
        : met === 1
          ? await pageBehindOne(options, page)
          : await joinedPage(options, { page, met, known })
    const answer = joined?.answer ?? (await ask({ page, met, extra: 0 }))
    const { pointer, total, cursor, isLast } = answer
    const all = joined?.entries ?? Object.entries(answer.entries)
    if (overlaps && all.length > 0)
      known = new Set(all.map(([, value]) => read(fieldsOf(value)).sourceId))
    // An empty page later on adds no information about the total.
    if (total !== undefined && (all.length > 0 || page === 1)) yield { kind: 'total', total }
    for (const [key, value] of all) {
      yield entryItem(portal, value, { read, pointer: `${pointer}${jsonPointer(key)}`, key })
    }
    met = joined?.met ?? met + all.length
    largest = Math.max(largest, all.length)
    const isEnd = all.length === 0 || (met >= (total ?? Infinity) && all.length < (size ?? largest))
    const isOver = isLast ?? isEnd
    const isJoined = isFixed ?? joined?.isJoined
    // A final empty page is ignored, unless records before it have moved.
    if (all.length > 0 || !isOver || isJoined === false) yield { kind: 'page', cursor, isJoined }
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
  const given = name === '' ? value : fields[name]
  // An accepted error status has no entries.
  const entries: unknown = status >= 400 ? [] : given
  if (!Array.isArray(entries)) throw envelopeFailure(value, answer.url)
  const list: readonly unknown[] = entries
  return { entries: list, pointer: name && `/${name}`, fields, hash, status }
}

/** Removes volatile fields from a record and its resources. */
export function withoutVolatile(fields: Fields, volatile: readonly string[]): Fields {
  const without = (one: unknown): unknown =>
    typeof one === 'object' && one !== null
      ? Object.fromEntries(Object.entries(one).filter(([key]) => !volatile.includes(key)))
      : one
  const { resources } = fields
  const files = Array.isArray(resources) && { resources: resources.map(without) }
  return { ...fieldsOf(without(fields)), ...files }
}

/** Failure for a JSON value of unexpected form: an error message, or other content. */
export function envelopeFailure(value: unknown, url: string): Failure {
  const fields = fieldsOf(value)
  const said = ['message', 'error', 'error_message', 'error_code', 'errorcode', 'title']
    .map((name) => plainText(fields[name]) ?? plainText(fieldsOf(fields[name])['message']))
    .find((text) => text !== undefined)
  const place = shownUrl(url)
  if (said === undefined)
    return new Failure('source-malformed', `${place} did not answer with a list of records.`)
  const message = `${place} answered with an error: ${said.slice(0, 500)}`
  return new Failure('source-error-envelope', message)
}

/** Failure for a document that is an error message, detected by its beginning. */
export function documentFailure({ start, url }: { readonly start: string; readonly url: string }) {
  try {
    return envelopeFailure(JSON.parse(start), url)
  } catch {
    return envelopeFailure({}, url)
  }
}

/** Parses a number of records, possibly in quotes. */
export function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}
