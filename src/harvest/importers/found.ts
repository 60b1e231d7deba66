/** What an importer finds, before the run has counted, hashed and checked it, and how the entries of JSON sources become that. */

import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'
import { type Fields, fieldsOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import type { MappedRecord } from '../mapping/record.ts'
import { canonicalJson } from './import-config.ts'
import type { ImportContext } from './importer.ts'
import { shownUrl } from './source.ts'

/** One record as the importer hands it on. */
export type FoundRecord = {
  readonly kind: 'record'
  /** The most stable id that the source offers. Empty or blank: the record becomes `item-no-identifier`. */
  readonly sourceId: string
  /** Other ids under which it may be stored already, most likely one first. */
  readonly aliases?: readonly string[]
  /** `application/n-triples` when mapped, `application/json` as the source sent it. */
  readonly mediaType: string
  readonly text: string
  /**
   * What the source hash is made of: the record as the source sent it in canonical form, without the fields that change
   * by themselves. `text` when absent.
   */
  readonly hashed?: string
  readonly sourceUrl?: string
  /** To find a record without identifier by. */
  readonly whereabouts?: Whereabouts
  readonly findings?: readonly Finding[]
}

/**
 * An importer that has met its own end condition just returns; it throws a `Failure` when it cannot go on, whose kind
 * decides between a failed and an incomplete run. `end` is for what else there is to say: nothing changed, or the source
 * was read to its end and still cannot be vouched for.
 */
export type Found =
  | FoundRecord
  /** A declared total, as often as the source tells it. `before`: records in front of the place where a run resumed. */
  | { readonly kind: 'total'; readonly total: number; readonly before?: number }
  /** A record that was offered and cannot be read. */
  | {
      readonly kind: 'refused'
      readonly sourceId?: string
      readonly problem: Failure
      readonly sourceUrl?: string
      /** To find a record without identifier by. */
      readonly whereabouts?: Whereabouts
      /** What the source sent; cut to 64 KB on the way. */
      readonly excerpt?: string
    }
  /**
   * A record that is not for us: private, of another type, filtered. `isMentioned`: the source only speaks of it, so that
   * no total counts it.
   */
  | {
      readonly kind: 'skipped'
      readonly sourceId: string
      readonly reason: string
      readonly isMentioned?: true
    }
  | { readonly kind: 'deleted'; readonly sourceId: string }
  /** Everything of a page was given. `cursor` only when it is a key from which a later run can go on. */
  | { readonly kind: 'page'; readonly cursor?: string }
  | { readonly kind: 'end'; readonly as: 'not-modified' }
  | { readonly kind: 'end'; readonly as: 'incomplete'; readonly problem?: Failure }
  /** A page further on is not there: incomplete, unless the declared total is met all the same. */
  | { readonly kind: 'end'; readonly as: 'cut'; readonly problem: Failure }

// What is told of a record without identifier, so that somebody can find it in the source.

type Whereabouts = {
  readonly title?: string
  /** In the document of the source, counted from 1. */
  readonly line?: number
  /** In a JSON document of the source (RFC 6901). */
  readonly pointer?: string
}

const longestTitle = 200

/** `item-no-identifier` with the title, the position among the records of the run and, where it is known, the place. */
export function nameless(
  { title, line, pointer }: Whereabouts,
  position: number,
  reason = 'The record has no identifier.',
): Failure {
  const called = title === undefined ? 'It has no title either' : JSON.stringify(shortened(title))
  const places = [`record ${position} of the run`]
  if (line !== undefined) places.push(`line ${line}`)
  if (pointer !== undefined) places.push(pointer === '' ? 'the whole document' : pointer)
  const detail = `${reason} ${called}, ${places.join(', ')}.`
  return new Failure('item-no-identifier', detail, {
    ...(line !== undefined && { errors: [{ line, detail }] }),
    ...(pointer !== undefined && { errors: [{ pointer, detail }] }),
  })
}

const shortened = (title: string) =>
  title.length > longestTitle ? `${title.slice(0, longestTitle)}…` : title

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
  readonly pointer?: string | undefined
}

/** A find that does not end the import. */
export type FoundItem = Exclude<Found, { kind: 'end' }>

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
