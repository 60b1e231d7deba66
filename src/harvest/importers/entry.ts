/** The entries of JSON sources as finds, and answers that are no list of entries. */

import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import { fieldsOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import type { Fields } from '../../text/json.ts'
import type { MappedRecord } from '../mapping/record.ts'
import type { FoundItem, Whereabouts } from './found.ts'
import { canonicalJson } from './import-config.ts'
import { shownUrl } from './source.ts'

/** What an importer makes of an entry that is an object. */
export type Entry = {
  /** Empty when the source tells none. */
  readonly sourceId: string
  readonly aliases: readonly string[]
  readonly sourceUrl?: string
  /** Why the entry is not for us. */
  readonly skipped?: string | undefined
  /** Why the entry cannot be read. */
  readonly flaw?: string | undefined
  /** The entry without what changes by itself, for the source hash. */
  readonly lasting: unknown
  readonly map: () => MappedRecord
}

type EntryOptions = {
  readonly output: 'dcat-ap' | 'source'
  readonly read: (fields: Fields) => Entry
  /** What is to be said of every record. */
  readonly findings?: readonly Finding[]
  /** Where the entry stands in its document (RFC 6901). */
  readonly pointer?: string | undefined
}

/** An entry of a JSON source as a find: a record, one that is not for us, or one that cannot be read. */
export function foundEntry(value: unknown, options: EntryOptions): FoundItem {
  const { read, pointer } = options
  const nameless = (detail: string) => {
    const problem = new Failure('item-no-identifier', detail)
    const whereabouts = whereaboutsOf(value, pointer)
    return { kind: 'refused', problem, excerpt: excerptOf(value), whereabouts } as const
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return nameless('The entry is no JSON object.')
  const entry = read(fieldsOf(value))
  const { sourceId, sourceUrl, skipped, flaw } = entry
  if (sourceId === '') return nameless('The entry has no identifier.')
  if (skipped !== undefined) return { kind: 'skipped', sourceId, reason: skipped }
  const malformed = (detail: string) => {
    const problem = new Failure('item-malformed', detail)
    const where = sourceUrl === undefined ? {} : { sourceUrl }
    return { kind: 'refused', problem, excerpt: excerptOf(value), sourceId, ...where } as const
  }
  if (flaw !== undefined) return malformed(flaw)
  try {
    return recordOf(value, entry, options)
  } catch (error) {
    // The stack ends before the nesting does.
    if (error instanceof RangeError) return malformed('The entry is nested too deep.')
    throw error
  }
}

function recordOf(value: unknown, entry: Entry, { output, findings = [] }: EntryOptions) {
  const { sourceId, aliases, sourceUrl, lasting } = entry
  const where = sourceUrl === undefined ? {} : { sourceUrl }
  const names = { sourceId, aliases, hashed: canonicalJson(lasting), ...where }
  if (output === 'source') {
    const text = canonicalJson(value)
    return { kind: 'record', mediaType: 'application/json', text, findings, ...names } as const
  }
  const mapped = entry.map().found(names)
  return { ...mapped, findings: [...findings, ...(mapped.findings ?? [])] }
}

/** Under the names that sources give to titles. */
function whereaboutsOf(value: unknown, pointer: string | undefined): Whereabouts {
  const { title, name, label } = fieldsOf(value)
  const said = [title, name, label].map(saidText).find((text) => text !== undefined)
  return { ...(said !== undefined && { title: said }), ...(pointer !== undefined && { pointer }) }
}

function excerptOf(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

/** The fields without the volatile ones, in the record itself and in its resources. */
export function lasting(fields: Fields, volatile: readonly string[]): Fields {
  const without = (one: unknown): unknown =>
    typeof one === 'object' && one !== null
      ? Object.fromEntries(Object.entries(one).filter(([key]) => !volatile.includes(key)))
      : one
  const { resources } = fields
  const files = Array.isArray(resources) && { resources: resources.map(without) }
  return { ...fieldsOf(without(fields)), ...files }
}

// Answers with status 200 that are errors all the same, or no answer to what was asked.

/** Why a JSON value is not what was asked for: an error that says so, or something else altogether. */
export function envelopeFailure(value: unknown, url: string): Failure {
  const fields = fieldsOf(value)
  const said = ['message', 'error', 'error_message', 'error_code', 'errorcode', 'title']
    .map((name) => fields[name])
    .map((one) => plainText(one) ?? plainText(fieldsOf(one)['message']))
    .find((text) => text !== undefined)
  if (said === undefined)
    return new Failure(
      'source-malformed',
      `${shownUrl(url)} did not answer with a list of records.`,
    )
  const message = said.slice(0, 500)
  return new Failure('source-error-envelope', `${shownUrl(url)} answered with an error: ${message}`)
}

/** A number of records as JSON tells it, perhaps in quotes. */
export function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}
