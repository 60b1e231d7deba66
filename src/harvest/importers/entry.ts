/** One entry of a JSON source as a find: a record, one that is not for us, or one that cannot be read. */

import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import { type Fields, fieldsOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import type { MappedRecord } from '../mapping/record.ts'
import { shownUrl } from './answers.ts'
import type { Found } from './found.ts'
import { canonicalJson } from './import-config.ts'
import type { ImportContext } from './importer.ts'

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
  readonly output: ImportContext['output']
  readonly read: (fields: Fields) => Entry
  /** What is to be said of every record. */
  readonly findings?: readonly Finding[]
  /** Where the entry stands in its document (RFC 6901). */
  readonly pointer?: string
}

export function foundEntry(value: unknown, ground: EntryOptions): Exclude<Found, { kind: 'end' }> {
  const nameless = (detail: string) =>
    refusal(value, { slug: 'item-no-identifier', detail, pointer: ground.pointer })
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return nameless('The entry is no JSON object.')
  const entry = ground.read(fieldsOf(value))
  const { sourceId, skipped, flaw } = entry
  if (sourceId === '') return nameless('The entry has no identifier.')
  if (skipped !== undefined) return { kind: 'skipped', sourceId, reason: skipped }
  if (flaw !== undefined) return refusal(value, { slug: 'item-malformed', detail: flaw, entry })
  try {
    return record(value, entry, ground)
  } catch (error) {
    // The stack ends before the nesting does.
    if (!(error instanceof RangeError)) throw error
    return refusal(value, {
      slug: 'item-malformed',
      detail: 'The entry is nested too deep.',
      entry,
    })
  }
}

function record(value: unknown, entry: Entry, { output, findings = [] }: EntryOptions) {
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

type Refusing = {
  readonly slug: 'item-no-identifier' | 'item-malformed'
  readonly detail: string
  readonly entry?: Entry
  readonly pointer?: string | undefined
}

function refusal(value: unknown, { slug, detail, entry, pointer }: Refusing) {
  return {
    kind: 'refused',
    problem: new Failure(slug, detail),
    excerpt: excerptOf(value),
    ...(slug === 'item-no-identifier' && { whereabouts: whereaboutsOf(value, pointer) }),
    ...(entry && { sourceId: entry.sourceId }),
    ...(entry?.sourceUrl !== undefined && { sourceUrl: entry.sourceUrl }),
  } as const
}

/** Under the names that sources give to titles. */
function whereaboutsOf(value: unknown, pointer: string | undefined) {
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

// A record without what changes by itself: visits, scores, views.

/** The fields without the volatile ones, in the record itself and in its resources. */
export function lasting(fields: Fields, volatile: ReadonlySet<string>): unknown {
  const { resources } = fields
  const kept = keptOf(fields, volatile)
  if (!Array.isArray(resources)) return kept
  const files: readonly unknown[] = resources
  return {
    ...kept,
    resources: files.map((one) =>
      typeof one === 'object' && one !== null ? keptOf(fieldsOf(one), volatile) : one,
    ),
  }
}

const keptOf = (fields: Fields, volatile: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => !volatile.has(key)))

// Answers with status 200 that are errors all the same, or no answer to what was asked.

const longestMessage = 500

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
  const message = said.slice(0, longestMessage)
  return new Failure('source-error-envelope', `${shownUrl(url)} answered with an error: ${message}`)
}

/** A number of records as JSON tells it, perhaps in quotes. */
export function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}
