/** Vocabularies and their concepts. */

import type { App } from '../http/shell/context.ts'
import type { SearchDeps } from './search-deps.ts'
import {
  type AnswerContext,
  jsonType,
  required,
  recordAnswer,
  idsAnswer,
  recordId,
  requiredQuery,
  stateAnswers,
} from './search-answers.ts'
import { longAnswer, answerFlow } from '../http/shell/flow.ts'
import { createRoute, z } from '@hono/zod-openapi'
import { Failure } from '../errors.ts'
import type { Hit, SearchIndex } from '../search-index/search-index.ts'
import type { IndexSettings } from '../search-index/index-settings.ts'
import { fingerprint } from '../text/fingerprint.ts'
import type { AnswerSchemas } from './answer-schemas.ts'
import { member } from './search-envelope.ts'

/** Vocabularies with their concepts, and single concepts. */
export function bindVocabularyReads(
  app: App,
  deps: SearchDeps,
  { schemas, tagged }: AnswerContext,
): void {
  const { index } = deps
  const routes = vocabularyRoutes(schemas)
  app.openapi(routes.vocabularies, (c) =>
    tagged(c, async () => c.json(await vocabularyIds(index, c.var.signal))),
  )
  app.openapi(routes.vocabulary, (c) =>
    tagged(c, () => {
      const pieces = vocabulary(index, c.req.valid('param').id, c.var.signal)
      const { log, requestMs: pieceMs = 60_000 } = deps.http
      const flow = { log, pieceMs, headers: { 'Content-Type': jsonType } }
      return longAnswer(c, () => answerFlow(c, pieces, flow))
    }),
  )
  app.openapi(routes.vocable, async (c) => {
    const wanted = {
      ...c.req.valid('param'),
      iri: required(c, 'resource'),
      settings: deps.settings(),
    }
    return recordAnswer(c, { text: await conceptByIri(index, wanted, c.var.signal) })
  })
  app.openapi(routes.concept, async (c) =>
    recordAnswer(c, { text: await concept(index, c.req.valid('param'), c.var.signal) }),
  )
}

/** Ids of the vocabularies that have concepts, ascending. */
async function vocabularyIds(index: SearchIndex, signal?: AbortSignal): Promise<string[]> {
  const items = await index.values('vocabulary', 'vocabulary', signal)
  return items.map(({ id }) => id)
}

/**
 * `{"result": {id, results, count}}` with all concepts, in pieces: a vocabulary may be larger than memory. Throws
 * `unknown-vocabulary` before the first piece.
 */
async function* vocabulary(
  index: SearchIndex,
  id: string,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const start = `${id}/`
  let ids = await page(index, start, start, signal)
  if (ids.length === 0) throw unknownVocabulary(id)
  let count = 0
  yield `{"result":{${member('id', id)},"results":[`
  while (ids.length > 0) {
    const texts = await Promise.all(ids.map((one) => index.get('vocabulary', one, signal)))
    // One that went meanwhile is no concept of the vocabulary any more.
    const there = texts.filter((text) => text !== undefined)
    if (there.length > 0) yield `${count > 0 ? ',' : ''}${there.join(',')}`
    count += there.length
    ids = await page(index, start, ids.at(-1) ?? start, signal)
  }
  yield `],${member('count', count)}}}`
}

const step = 500

/** Ids of documents that begin with a text, after one of them. */
async function page(
  index: SearchIndex,
  start: string,
  after: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const entries = await index.entries('vocabulary', after, step, signal)
  const strange = entries.findIndex(({ id }) => !id.startsWith(start))
  return entries.slice(0, strange < 0 ? undefined : strange).map(({ id }) => id)
}

/** JSON text of one concept. Throws `unknown-vocabulary`, `unknown-concept`. */
async function concept(
  index: SearchIndex,
  { vocabulary, id }: { readonly vocabulary: string; readonly id: string },
  signal?: AbortSignal,
): Promise<string> {
  const text = await index.get('vocabulary', `${vocabulary}/${id}`, signal)
  if (text !== undefined) return text
  throw await missing(index, vocabulary, `vocabulary ${vocabulary} has no concept ${id}`)
}

/** Which concept; `settings` are those that the index answers with. */
type ConceptWanted = {
  readonly vocabulary: string
  readonly iri: string
  readonly settings: readonly IndexSettings[]
}

/** JSON text of the concept with an IRI. Throws `unknown-vocabulary`, `unknown-concept`. */
async function conceptByIri(
  index: SearchIndex,
  { vocabulary, iri, settings }: ConceptWanted,
  signal?: AbortSignal,
): Promise<string> {
  // Nearly every concept is called like the last step of its IRI; one whose name was taken, by the whole IRI.
  const step = iri.split(/[/#]/).findLast((part) => part !== '') ?? ''
  for (const name of [step, encodeURIComponent(iri)]) {
    const guess = await index.get('vocabulary', `${vocabulary}/${name}`, signal)
    if (guess !== undefined && resourceOf(guess) === iri) return guess
  }
  const found = await numbered(index, { vocabulary, iri, settings }, signal)
  if (found !== undefined) return found
  throw await missing(index, vocabulary, `vocabulary ${vocabulary} has no concept <${iri}>`)
}

/** The column with the fingerprints of the concepts' IRIs. */
const column = 'resource'

/** Finds by the fingerprint of the IRI; an index that was built without it has no such column. */
async function numbered(
  index: SearchIndex,
  { vocabulary, iri, settings }: ConceptWanted,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const has = settings.some(
    ({ index: name, numbers }) => name === 'vocabulary' && numbers.includes(column),
  )
  if (!has) return undefined
  const number = fingerprint(iri)
  const { hits } = await index.search(
    {
      indices: ['vocabulary'],
      tree: { kind: 'range', name: column, from: number, to: number },
      filter: {},
      order: [{ by: 'relevance', direction: 'desc' }],
      boosts: {},
      offset: 0,
      limit: 10,
      score: false,
    },
    signal,
  )
  const isMeant = ({ id, record }: Hit) =>
    id.startsWith(`${vocabulary}/`) && resourceOf(record) === iri
  return hits.find(isMeant)?.record
}

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

// The contract of vocabularies and their concepts.

const vocabularyRoutes = (schemas: AnswerSchemas) => ({
  vocabularies: createRoute({
    method: 'get',
    path: '/vocabularies',
    summary: 'Ids of all indexed vocabularies',
    responses: idsAnswer,
  }),
  vocabulary: createRoute({
    method: 'get',
    path: '/vocabularies/{id}',
    summary: 'One vocabulary with all its concepts, ascending by id',
    request: { params: z.object({ id: recordId }) },
    responses: stateAnswers('The concepts', schemas.vocabulary),
  }),
  vocable: createRoute({
    method: 'get',
    path: '/vocabularies/{vocabulary}/vocable',
    summary: 'The concept with an IRI',
    parameters: [requiredQuery('resource', 'IRI of the concept')],
    request: { params: z.object({ vocabulary: recordId }) },
    responses: stateAnswers('The concept', schemas.concept),
  }),
  concept: createRoute({
    method: 'get',
    path: '/vocabularies/{vocabulary}/{id}',
    summary: 'One concept',
    request: { params: z.object({ vocabulary: recordId, id: z.string() }) },
    responses: stateAnswers('The concept', schemas.concept),
  }),
})
