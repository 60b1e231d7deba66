/** Vocabularies and their concepts. */

import { Failure } from '../../errors.ts'
import type { SearchIndex } from '../../indices/search-index.ts'
import { member } from '../envelope.ts'
import { eachHit, hitsWith, valuesOf } from './selection.ts'

/** Ids of the vocabularies that have concepts, ascending. */
export async function vocabularyIds(index: SearchIndex, signal?: AbortSignal): Promise<string[]> {
  const items = await valuesOf(index, 'vocabulary', 'vocabulary', signal)
  return items.map(({ id }) => id).sort()
}

/** JSON text with `id`, `count` and all concepts as `results`. Throws `unknown-vocabulary`. */
export async function vocabulary(
  index: SearchIndex,
  id: string,
  signal?: AbortSignal,
): Promise<string> {
  const concepts = await eachHit(conceptsOf(index, id, signal), ({ record }) => record)
  if (concepts.length === 0) throw unknownVocabulary(id)
  const members = [member('id', id), member('count', concepts.length)]
  return `{${members.join(',')},"results":[${concepts.join(',')}]}`
}

/** JSON text of one concept. Throws `unknown-vocabulary`, `unknown-concept`. */
export async function concept(
  index: SearchIndex,
  { vocabulary, id }: { readonly vocabulary: string; readonly id: string },
  signal?: AbortSignal,
): Promise<string> {
  const text = await index.get('vocabulary', `${vocabulary}/${id}`, signal)
  if (text !== undefined) return text
  throw await missing(index, vocabulary, `vocabulary ${vocabulary} has no concept ${id}`)
}

/** JSON text of the concept with an IRI. Throws `unknown-vocabulary`, `unknown-concept`. */
export async function conceptByIri(
  index: SearchIndex,
  { vocabulary, iri }: { readonly vocabulary: string; readonly iri: string },
  signal?: AbortSignal,
): Promise<string> {
  // Nearly every concept is called like the last step of its IRI.
  const step = iri.split(/[/#]/).findLast((part) => part !== '') ?? ''
  const guess = await index.get('vocabulary', `${vocabulary}/${step}`, signal)
  if (guess !== undefined && resourceOf(guess) === iri) return guess
  for await (const { id, record } of conceptsOf(index, vocabulary, signal, ['resource'])) {
    const found = resourceOf(record) === iri && (await index.get('vocabulary', id, signal))
    if (found) return found
  }
  throw await missing(index, vocabulary, `vocabulary ${vocabulary} has no concept <${iri}>`)
}

const conceptsOf = (
  index: SearchIndex,
  id: string,
  signal?: AbortSignal,
  include?: readonly string[],
) =>
  hitsWith(
    index,
    { index: 'vocabulary', facet: 'vocabulary', value: id, ...(include && { include }) },
    signal,
  )

async function missing(index: SearchIndex, vocabulary: string, detail: string): Promise<Failure> {
  const known = await vocabularyIds(index)
  return known.includes(vocabulary)
    ? new Failure('unknown-concept', detail)
    : unknownVocabulary(vocabulary)
}

const unknownVocabulary = (id: string): Failure =>
  new Failure('unknown-vocabulary', `there is no vocabulary ${id}`)

const resourceOf = (text: string): unknown => {
  const record: unknown = JSON.parse(text)
  return typeof record === 'object' && record !== null && 'resource' in record
    ? record.resource
    : undefined
}
