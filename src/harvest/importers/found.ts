/** What an importer finds, before the run has counted, hashed and checked it. */

import { Failure } from '../../errors.ts'
import type { Finding } from '../../pipe/message.ts'

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

export type Whereabouts = {
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

/** A find that does not end the import. */
export type FoundItem = Exclude<Found, { kind: 'end' }>
