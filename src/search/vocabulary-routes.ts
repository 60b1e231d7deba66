/** Vocabularies with their concepts, and single concepts. */

import { z } from '@hono/zod-openapi'
import { Failure } from '../errors.ts'
import type { App } from '../http/context.ts'
import { answerFlow, longAnswer } from '../http/long-answers.ts'
import type { IndexSettings } from '../search-index/index-settings.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import { fingerprint } from '../text/fingerprint.ts'
import { everything, recordFields } from './record-values.ts'
import {
  type AnswerContext,
  getRoute,
  idsAnswer,
  jsonType,
  recordAnswer,
  recordId,
  required,
  requiredQuery,
  stateAnswers,
} from './search-answers.ts'
import type { SearchDeps } from './search-deps.ts'
import { member } from './search-envelope.ts'

/** Ids of vocabularies, whole vocabularies in pieces, and concepts by id or by IRI. */
export function bindVocabularyReads(
  app: App,
  deps: SearchDeps,
  { schemas, tagged }: AnswerContext,
): void {
  const { index, http } = deps
  app.openapi(
    getRoute('/vocabularies', 'Ids of all indexed vocabularies', { responses: idsAnswer }),
    (c) => tagged(c, async () => c.json(await vocabularyIds(index, c.var.signal))),
  )
  const whole = {
    request: { params: z.object({ id: recordId }) },
    responses: stateAnswers('The concepts', schemas.vocabulary),
  }
  app.openapi(
    getRoute('/vocabularies/{id}', 'One vocabulary with all its concepts, ascending by id', whole),
    (c) =>
      tagged(c, () => {
        const pieces = vocabularyText(index, c.req.valid('param').id, c.var.signal)
        const { log, requestMs: pieceMs = 60_000 } = http
        const flow = { log, pieceMs, headers: { 'Content-Type': jsonType } }
        return longAnswer(c, () => answerFlow(c, pieces, flow))
      }),
  )
  const responses = stateAnswers('The concept', schemas.concept)
  const byIri = {
    parameters: [requiredQuery('resource', 'IRI of the concept')],
    request: { params: z.object({ vocabulary: recordId }) },
    responses,
  }
  app.openapi(
    getRoute('/vocabularies/{vocabulary}/vocable', 'The concept with an IRI', byIri),
    async (c) => {
      const { vocabulary } = c.req.valid('param')
      const iri = required(c, 'resource')
      const wanted = { vocabulary, iri, settings: deps.settings() }
      const text = await conceptByIri(index, wanted, c.var.signal)
      if (text !== undefined) return recordAnswer(c, { text })
      throw await absence(index, vocabulary, `<${iri}>`)
    },
  )
  const params = z.object({ vocabulary: recordId, id: z.string() })
  const byId = { request: { params }, responses }
  app.openapi(getRoute('/vocabularies/{vocabulary}/{id}', 'One concept', byId), async (c) => {
    const { vocabulary, id } = c.req.valid('param')
    const text = await index.get('vocabulary', `${vocabulary}/${id}`, c.var.signal)
    if (text !== undefined) return recordAnswer(c, { text })
    throw await absence(index, vocabulary, id)
  })
}

/** Ids of the vocabularies that have concepts, ascending. */
async function vocabularyIds(index: SearchIndex, signal?: AbortSignal): Promise<string[]> {
  const items = await index.values('vocabulary', 'vocabulary', signal)
  return items.map(({ id }) => id)
}

/** Concepts read at a time. */
const step = 500

/**
 * `{"result": {id, results, count}}` with all concepts, in pieces: a vocabulary may be larger than memory. Throws
 * `unknown-vocabulary` before the first piece.
 */
async function* vocabularyText(
  index: SearchIndex,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const start = `${id}/`
  let text = `{"result":{${member('id', id)},"results":[`
  let count = 0
  for (let after = start; ;) {
    const entries = await index.entries('vocabulary', after, step, signal)
    const other = entries.findIndex((entry) => !entry.id.startsWith(start))
    const ids = entries.slice(0, other < 0 ? undefined : other).map((entry) => entry.id)
    if (after === start && ids.length === 0) throw unknownVocabulary(id)
    const read = await Promise.all(ids.map((one) => index.get('vocabulary', one, signal)))
    // One that went meanwhile is no concept of the vocabulary any more.
    const concepts = read.filter((one) => one !== undefined)
    yield text + (count > 0 && concepts.length > 0 ? ',' : '') + concepts.join(',')
    text = ''
    count += concepts.length
    if (ids.length < step) break
    after = ids.at(-1) ?? after
  }
  yield `],${member('count', count)}}}`
}

/** Which concept; `settings` are those that the index answers with. */
type ConceptWanted = {
  readonly vocabulary: string
  readonly iri: string
  readonly settings: readonly IndexSettings[]
}

/** The column with the fingerprints of the concepts' IRIs. */
const column = 'resource'

/** JSON text of the concept with an IRI. */
async function conceptByIri(
  index: SearchIndex,
  { vocabulary, iri, settings }: ConceptWanted,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isMeant = (text: string) => recordFields(text)['resource'] === iri
  // Nearly every concept is called like the last step of its IRI; one whose name was taken, by the whole IRI.
  const last = iri.split(/[/#]/).findLast((part) => part !== '') ?? ''
  for (const name of [last, encodeURIComponent(iri)]) {
    const guess = await index.get('vocabulary', `${vocabulary}/${name}`, signal)
    if (guess !== undefined && isMeant(guess)) return guess
  }
  // An index that was built without fingerprints has no such column.
  const own = settings.find((one) => one.index === 'vocabulary')
  if (!own?.numbers.includes(column)) return undefined
  const number = fingerprint(iri)
  const tree = { kind: 'range', name: column, from: number, to: number } as const
  const { hits } = await index.search({ ...everything('vocabulary'), tree, limit: 10 }, signal)
  return hits.find(({ id, record }) => id.startsWith(`${vocabulary}/`) && isMeant(record))?.record
}

/** `unknown-concept`, or `unknown-vocabulary`. */
async function absence(index: SearchIndex, vocabulary: string, concept: string): Promise<Failure> {
  const present = await vocabularyIds(index)
  const detail = `vocabulary ${vocabulary} has no concept ${concept}`
  return present.includes(vocabulary)
    ? new Failure('unknown-concept', detail)
    : unknownVocabulary(vocabulary)
}

const unknownVocabulary = (id: string): Failure =>
  new Failure('unknown-vocabulary', `there is no vocabulary ${id}`)
