/** Binds the routes of vocabularies. */

import { splitSuffix } from '../../rdf/media-types.ts'
import { answerDelete, answerWrite, answering } from '../answering/answers.ts'
import { receivedBody } from '../answering/received.ts'
import { answerResource } from '../answering/resource.ts'
import type { Bound } from '../bound.ts'
import { demandId } from '../answering/guard.ts'
import { routes } from '../routes.ts'
import { unknownVocabulary } from '../vocabularies.ts'

/** A vocabulary shall be searchable when its PUT returns, and a large one takes longer than a record. */
const waitMs = 60_000

export function bindVocabularies(bound: Bound): void {
  bound.guard({
    methods: ['PUT', 'DELETE'],
    paths: ['/vocabularies/:vocabularyId'],
    permission: 'platform',
  })
  const { app, vocabularies, limits, expected } = bound
  const concepts = answering(bound, { waitMs })

  app.openapi(routes.vocabulary, async (c) => {
    const { id, format: suffix } = splitSuffix(c.req.valid('param').vocabularyId)
    const found = await vocabularies.read(demandId('vocabularyId', id), c.get('signal'))
    if (!found) throw unknownVocabulary(id)
    const { lines, hash, scheme } = found
    const facts = {
      id,
      iri: scheme,
      graph: scheme,
      path: `/vocabularies/${id}`,
      modified: undefined,
    }
    return answerResource(c, { ...facts, lines, hash }, bound, suffix)
  })
  app.openapi(routes.putVocabulary, async (c) => {
    c.get('deadline').extend(limits.longRequestMs)
    const id = c.req.valid('param').vocabularyId
    const body = await receivedBody(c, limits, 'vocabularyBytes')
    const outcome = await vocabularies.put({ id, body, precondition: expected(c) }, c.get('signal'))
    return answerWrite(c, outcome, concepts)
  })
  app.openapi(routes.deleteVocabulary, async (c) => {
    const id = c.req.valid('param').vocabularyId
    return answerDelete(c, await vocabularies.remove(id, expected(c), c.get('signal')), concepts)
  })
}
