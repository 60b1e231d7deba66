/** Binds the routes of vocabularies. */

import type { AppContext } from '../../http/app.ts'
import type { Limits } from '../../http/limits.ts'
import { longAnswer } from '../../http/shell/flow.ts'
import { receivePieces } from '../../http/rdf.ts'
import { splitSuffix } from '../../rdf/media-types.ts'
import { parseStream } from '../../rdf/reading/parse-stream.ts'
import { answerDelete, answerWrite, answering } from '../answering/answers.ts'
import type { Bound } from '../bound.ts'
import { demandId } from '../answering/guard.ts'
import { routes } from '../routes.ts'
import { unknownVocabulary } from '../vocabularies.ts'
import { answerVocabulary } from '../vocabulary/answering.ts'

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
    return longAnswer(c, () => answerVocabulary(c, { ...found, id, suffix }, bound))
  })
  app.openapi(routes.putVocabulary, async (c) => {
    const renew = () => c.get('deadline').extend(limits.longRequestMs)
    renew()
    const id = c.req.valid('param').vocabularyId
    const parse = arriving(c, limits)
    const request = { id, parse, precondition: expected(c), arrived: renew }
    return answerWrite(c, await vocabularies.put(request, c.get('signal')), concepts)
  })
  app.openapi(routes.deleteVocabulary, async (c) => {
    c.get('deadline').extend(limits.longRequestMs)
    const id = c.req.valid('param').vocabularyId
    return answerDelete(c, await vocabularies.remove(id, expected(c), c.get('signal')), concepts)
  })
}

/** The body, parsed while it arrives. JSON-LD is read as a whole and has the limit of bodies that are. */
function arriving(c: AppContext, limits: Limits) {
  const { format, pieces } = receivePieces(c, (one) => {
    const name = one === 'jsonld' ? 'bodyBytes' : 'vocabularyBytes'
    return { bytes: limits[name], name, ratio: limits.bodyRatio, idleMs: limits.bodyIdleMs }
  })
  return (baseIri: string) => parseStream(pieces, format, { baseIri, limits })
}
