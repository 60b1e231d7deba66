/** Endpoints of vocabularies and their concepts. */

import { z } from '@hono/zod-openapi'
import { Failure } from '../errors.ts'
import { anyone } from '../http/endpoint.ts'
import { sendPieces, longAnswer } from '../http/long-answers.ts'
import type { IndexSettings } from '../search-index/index-settings.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import { fingerprint } from '../text/fingerprint.ts'
import type { AnswerSchemas } from './answer-schemas.ts'
import { allRecords, recordFields } from './record-values.ts'
import {
  idsAnswer,
  jsonType,
  recordAnswer,
  recordId,
  requiredParameter,
  requiredQuery,
  searchEndpoint,
  stateAnswers,
} from './search-answers.ts'
import { jsonMember } from './search-envelope.ts'

const listVocabularies = searchEndpoint({
  method: 'get',
  path: '/vocabularies',
  operation: 'getVocabularies',
  summary: 'Ids of all indexed vocabularies',
  auth: anyone,
  answers: idsAnswer,
  handle: ({ c, signal }, { index, withEntityTag }) =>
    withEntityTag(c, async () => c.json(await vocabularyIds(index, signal))),
})

/** Endpoints of vocabularies: their ids, whole vocabularies in pieces, and concepts by id or IRI. */
export function vocabularyEndpoints(schemas: AnswerSchemas) {
  const readVocabulary = searchEndpoint({
    method: 'get',
    path: '/vocabularies/{id}',
    operation: 'getVocabulariesById',
    summary: 'One vocabulary with all its concepts, ascending by id',
    auth: anyone,
    params: z.object({ id: recordId }),
    answers: stateAnswers('The concepts', schemas.vocabulary),
    handle: ({ c, params, signal }, { index, http, withEntityTag }) =>
      withEntityTag(c, () => {
        const pieces = vocabularyText(index, params.id, signal)
        const { log, requestMs: pieceMs = 60_000 } = http
        const flow = { log, pieceMs, headers: { 'Content-Type': jsonType } }
        return longAnswer(c, () => sendPieces(c, pieces, flow))
      }),
  })
  const answers = stateAnswers('The concept', schemas.concept)
  const readConceptByIri = searchEndpoint({
    method: 'get',
    path: '/vocabularies/{vocabulary}/vocable',
    operation: 'getVocabulariesByVocabularyVocable',
    summary: 'The concept with an IRI',
    auth: anyone,
    parameters: [requiredQuery('resource', 'IRI of the concept')],
    params: z.object({ vocabulary: recordId }),
    answers,
    handle: async ({ c, params: { vocabulary }, signal }, { index, settings }) => {
      const iri = requiredParameter(c, 'resource')
      const text = await conceptByIri(index, { vocabulary, iri, settings: settings() }, signal)
      if (text !== undefined) return recordAnswer(c, { text })
      throw await missingConcept(index, vocabulary, `<${iri}>`)
    },
  })
  const readConcept = searchEndpoint({
    method: 'get',
    path: '/vocabularies/{vocabulary}/{id}',
    operation: 'getVocabulariesByVocabularyById',
    summary: 'One concept',
    auth: anyone,
    params: z.object({ vocabulary: recordId, id: z.string() }),
    answers,
    handle: async ({ c, params: { vocabulary, id }, signal }, { index }) => {
      const text = await index.get('vocabulary', `${vocabulary}/${id}`, signal)
      if (text !== undefined) return recordAnswer(c, { text })
      throw await missingConcept(index, vocabulary, id)
    },
  })
  return [listVocabularies, readVocabulary, readConceptByIri, readConcept]
}

/** Lists the ids of the vocabularies that have concepts, ascending. */
async function vocabularyIds(index: SearchIndex, signal?: AbortSignal): Promise<string[]> {
  const items = await index.facetValues('vocabulary', 'vocabulary', signal)
  return items.map(({ id }) => id)
}

/** Concepts read at a time. */
const conceptsPerRead = 500

/**
 * Yields `{"result": {id, results, count}}` with all concepts in pieces, because a vocabulary may be larger than memory. Throws
 * `unknown-vocabulary` before the first piece.
 */
async function* vocabularyText(
  index: SearchIndex,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const prefix = `${id}/`
  let text = `{"result":{${jsonMember('id', id)},"results":[`
  let count = 0
  for (let after = prefix; ;) {
    const entries = await index.entries('vocabulary', after, conceptsPerRead, signal)
    const end = entries.findIndex((entry) => !entry.id.startsWith(prefix))
    const ids = entries.slice(0, end < 0 ? undefined : end).map((entry) => entry.id)
    if (after === prefix && ids.length === 0) throw unknownVocabulary(id)
    const texts = await Promise.all(
      ids.map((conceptId) => index.get('vocabulary', conceptId, signal)),
    )
    // Concepts deleted meanwhile are left out.
    const concepts = texts.filter((text) => text !== undefined)
    yield text + (count > 0 && concepts.length > 0 ? ',' : '') + concepts.join(',')
    text = ''
    count += concepts.length
    if (ids.length < conceptsPerRead) break
    after = ids.at(-1) ?? after
  }
  yield `],${jsonMember('count', count)}}}`
}

/** Address of a concept; `settings` are the current ones of the index. */
type ConceptAddress = {
  readonly vocabulary: string
  readonly iri: string
  readonly settings: readonly IndexSettings[]
}

/** Number field with the fingerprints of the concepts' IRIs. */
const fingerprintField = 'resource'

/** Returns the JSON text of the concept with an IRI. */
async function conceptByIri(
  index: SearchIndex,
  { vocabulary, iri, settings }: ConceptAddress,
  signal: AbortSignal,
): Promise<string | undefined> {
  const hasIri = (text: string) => recordFields(text)['resource'] === iri
  // Most concepts have the last segment of their IRI as id, the others the whole IRI.
  const lastSegment = iri.split(/[/#]/).findLast((part) => part !== '') ?? ''
  for (const name of [lastSegment, encodeURIComponent(iri)]) {
    const text = await index.get('vocabulary', `${vocabulary}/${name}`, signal)
    if (text !== undefined && hasIri(text)) return text
  }
  // An index built by an older version has no fingerprints.
  const indexSettings = settings.find((entry) => entry.index === 'vocabulary')
  if (!indexSettings?.numbers.includes(fingerprintField)) return undefined
  const number = fingerprint(iri)
  const tree = { kind: 'range', name: fingerprintField, from: number, to: number } as const
  const { hits } = await index.search({ ...allRecords('vocabulary'), tree, limit: 10 }, signal)
  return hits.find(({ id, record }) => id.startsWith(`${vocabulary}/`) && hasIri(record))?.record
}

/** Makes the failure `unknown-concept`, or `unknown-vocabulary`. */
async function missingConcept(
  index: SearchIndex,
  vocabulary: string,
  concept: string,
): Promise<Failure> {
  const existing = await vocabularyIds(index)
  const detail = `vocabulary ${vocabulary} has no concept ${concept}`
  return existing.includes(vocabulary)
    ? new Failure('unknown-concept', detail)
    : unknownVocabulary(vocabulary)
}

const unknownVocabulary = (id: string): Failure =>
  new Failure('unknown-vocabulary', `there is no vocabulary ${id}`)
