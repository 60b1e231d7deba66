/**
 * Shared by the importers of JSON sources: the portal as the mapping sees it, entries as records, addresses and licences, and answers
 * with status 200 that are errors all the same.
 */

import { Failure, jsonPointer } from '../../errors.ts'
import { type Fields, isJsonObject } from '../../text/json.ts'
import { type Authorities, shippedAuthorities } from '../../vocabularies/authorities.ts'
import type { LicenceNames } from '../../vocabularies/licences.ts'
import { fieldsOf, listOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import { shownUrl } from '../../secrets.ts'
import { type DatasetValues, writeDataset } from '../mapping/distribution.ts'
import { MappedRecord, type MappingConfig, type RecordOptions } from '../mapping/record.ts'
import type { ImportItem } from './import-recorder.ts'
import { canonicalJson, type ImportConfig } from './import-config.ts'
import type { ImportContext, ImportRun } from './importer.ts'
import type { ImportSource, SourceRequest } from './source.ts'

/** Facts that are the same for all records of a run. */
export type Portal<Config = object> = {
  /** Without a slash at its end. */
  readonly root: string
  readonly config: Config & ImportConfig & MappingConfig
  readonly authorities: Authorities
}

/** An import from a portal. */
export type PortalRun<Config = object> = ImportRun<Config & MappingConfig> & Portal<Config>

/** With the controlled vocabularies, which are read once for all runs of the process. */
export const portalOf = async <Config>(
  run: ImportRun<Config & MappingConfig>,
  root: string,
): Promise<PortalRun<Config>> => ({ ...run, root, authorities: await shippedAuthorities() })

/** An entry as DCAT-AP. */
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

/** The root of a site without a slash at its end, and without what comes after the root in addresses of its pages. */
export function siteRoot(address: string, below: RegExp): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname.replace(below, '').replace(/\/+$/, '')
}

/** An address with parameters; those without a value are left out. */
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
 * The licences that a portal knows: title and address for the ids that its records name. `learn` asks for the list once, when a record
 * of the page needs it (it names a licence and does not say enough of it). The list is a convenience: a portal that does not give it is
 * harvested without.
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

/** An entry of the list as a record. */
export type PortalEntry = {
  /** Empty when the source tells none. */
  readonly sourceId: string
  /** As the source writes it, to find the record by when it is refused. */
  readonly title: unknown
  /** Other ids; blank ones do not count. */
  readonly aliases?: readonly (string | undefined)[]
  readonly sourceUrl?: string
  /** Why the entry is not for us. */
  readonly skipped?: string
  /** Why the entry is left out although it is there: what is stored of it stays. */
  readonly omitted?: string
  /** Why the entry cannot be read. */
  readonly flaw?: Failure | string
  /** The entry without what changes by itself, for the source hash. */
  readonly stableFields: unknown
  /** The IRI of the dataset where the source has none, and what else is not as in every record of the portal. */
  readonly record: Pick<RecordOptions, 'fallbackIri'> & Partial<RecordOptions>
  /** Maps the entry; the same entry gives the same values. Repairs and losses are noted in the record. */
  readonly values: (record: MappedRecord) => DatasetValues
}

/** `key`: the name or the number of the entry in its list. */
export type EntryReader = (fields: Fields, key?: string) => PortalEntry

/** Options of reading an entry, and facts about it beside its fields. */
type EntryOptions = {
  readonly read: EntryReader
  /** Where the entry stands in its document (RFC 6901). */
  readonly pointer?: string
  readonly key?: string
}

/** An entry of a JSON source as a find: a record, one that is not for us, or one that cannot be read. */
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
  const title = saidText(textIn(entry.title))
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
    // The stack ends before the nesting does.
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

/** JSON for a report; empty for what nests deeper than the stack. */
function excerptOf(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

/** One page of a list. */
type ListPage = {
  /** A list, or an object that has the entries under their keys. */
  readonly entries: readonly unknown[] | Fields
  /** Where these are in the answer (RFC 6901). */
  readonly pointer: string
  /** Number of entries of the whole list, where the source tells it. */
  readonly total?: number
  /** A key from which a later run can go on. */
  readonly cursor?: string
  /** Where the source says whether there is another page. */
  readonly isLast?: boolean
}

/** Options of requesting the pages of a list and reading their entries. */
type ListOptions = {
  readonly read: EntryReader
  /** Entries of a full page, where the source never cuts pages. */
  readonly size?: number
  /** Pages begin wherever it is asked for: each is asked for from the last entry of the one before, so that nothing slips between. */
  readonly overlaps?: boolean
  /** The list does not change between its pages. */
  readonly isFixed?: boolean
  readonly ask: (place: ListPlace) => Promise<ListPage>
}

/** `page`: its number, from 1; `met`: entries before it; `extra`: how many it should have beside those of a page. */
export type ListPlace = { readonly page: number; readonly met: number; readonly extra: number }

/** Steps back to an entry that is known, when others before it have gone meanwhile. */
const mostSteps = 4

/**
 * The page behind a single entry. A page that begins with that entry would be the first one again, which a source must not send
 * twice; it is joined when nothing follows and the source still counts one.
 */
async function pageBehindOne({ ask }: ListOptions, page: number) {
  const answer = await ask({ page, met: 1, extra: 0 })
  const entries = Object.entries(answer.entries)
  const isJoined = entries.length === 0 && (answer.total ?? 1) === 1
  return { answer, entries, met: 1 + entries.length, isJoined }
}

/** The page that begins with an entry of the page before, and where it begins; `isJoined` is false when none does. */
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
 * The entries of a list, page by page. Where the source does not say which page is the last, it is an empty one, or a short one (of
 * less than `size`, or than earlier pages had) after as many entries as there are to be: a total that is too low must not hide what
 * comes after it.
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
    // An empty page tells nothing but the total, which the first one told.
    if (total !== undefined && (all.length > 0 || page === 1)) yield { kind: 'total', total }
    for (const [key, value] of all) {
      yield entryItem(portal, value, { read, pointer: `${pointer}${jsonPointer(key)}`, key })
    }
    met = joined?.met ?? met + all.length
    largest = Math.max(largest, all.length)
    const isEnd = all.length === 0 || (met >= (total ?? Infinity) && all.length < (size ?? largest))
    const isOver = isLast ?? isEnd
    const isJoined = isFixed ?? joined?.isJoined
    // An empty page at the end is none, unless records have moved before it.
    if (all.length > 0 || !isOver || isJoined === false) yield { kind: 'page', cursor, isJoined }
    if (isOver) return
  }
}

/**
 * The list that a JSON answer has under a name, or is when the name is empty, as a page. Throws what `ImportSource.json` throws,
 * `source-error-envelope` and `source-malformed` when there is none.
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
  // A status that is no failure for the caller has no entries.
  const entries: unknown = status >= 400 ? [] : given
  if (!Array.isArray(entries)) throw envelopeFailure(value, answer.url)
  const list: readonly unknown[] = entries
  return { entries: list, pointer: name && `/${name}`, fields, hash, status }
}

/** The fields without the volatile ones, in the record itself and in its resources. */
export function withoutVolatile(fields: Fields, volatile: readonly string[]): Fields {
  const without = (one: unknown): unknown =>
    typeof one === 'object' && one !== null
      ? Object.fromEntries(Object.entries(one).filter(([key]) => !volatile.includes(key)))
      : one
  const { resources } = fields
  const files = Array.isArray(resources) && { resources: resources.map(without) }
  return { ...fieldsOf(without(fields)), ...files }
}

/** Why a JSON value is not what was asked for: an error that says so, or something else altogether. */
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

/** The failure that a document is in fact, recognised by its beginning. */
export function documentFailure({ start, url }: { readonly start: string; readonly url: string }) {
  try {
    return envelopeFailure(JSON.parse(start), url)
  } catch {
    return envelopeFailure({}, url)
  }
}

/** A number of records as JSON tells it, perhaps in quotes. */
export function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}
