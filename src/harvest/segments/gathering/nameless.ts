/** What is told of a record without identifier, so that somebody can find it in the source. */
import { Failure } from '../../../errors.ts'

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
