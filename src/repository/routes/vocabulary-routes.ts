/** The routes of vocabularies, which may be large: they are read while they arrive and answered part by part. */

import type { AppContext } from '../../http/app.ts'
import { entityTag, isFresh } from '../../http/conditions.ts'
import { answerFormat, contentType, disposition, receivePieces } from '../../http/rdf.ts'
import { answerFlow, longAnswer } from '../../http/shell/flow.ts'
import { addVary } from '../../http/shell/headers.ts'
import type { Format } from '../../rdf/media-types.ts'
import { parseStream } from '../../rdf/reading/parse-stream.ts'
import { unskolemiseLines } from '../../rdf/skolem.ts'
import { documentWriter } from '../../rdf/writing/document.ts'
import { unknownVocabulary, type StoredVocabulary } from '../vocabularies.ts'
import { repositoryBodies as bodies, putRoute, readRoute, removeRoute } from './contract.ts'
import { repositoryParameters as parameters } from './parameters.ts'
import { answerDelete, answerResource, answerWrite, linksOf } from './responses.ts'
import { expectedState, suffixedId, type RouteContext } from './route-context.ts'

/** A vocabulary shall be searchable when its PUT returns, and a large one takes longer than a record. */
const waitMs = 60_000

const path = '/vocabularies/{vocabularyId}'

const read = readRoute(path, 'Read a vocabulary', { params: parameters.vocabulary })

const put = putRoute(path, 'Create or replace a vocabulary', {
  params: parameters.vocabulary,
  body: bodies.vocabulary,
})

const remove = removeRoute(path, 'Delete a vocabulary', { params: parameters.vocabulary })

export function addVocabularyRoutes(context: RouteContext): void {
  const { app, guard, indexing, limits, vocabularies } = context
  const methods = ['PUT', 'DELETE']
  guard({ methods, path: '/vocabularies/:vocabularyId', permission: 'platform' })

  app.openapi(read, async (c) => {
    const { id, suffix } = suffixedId(c, 'vocabularyId')
    const found = await vocabularies.read(id, c.get('signal'))
    if (!found) throw unknownVocabulary(id)
    return longAnswer(c, () => answerVocabulary(c, { ...found, id, suffix }, context))
  })
  app.openapi(put, async (c) => {
    const renew = () => c.get('deadline').extend(limits.longRequestMs)
    renew()
    const id = c.req.valid('param').vocabularyId
    // JSON-LD is read as a whole and has the limit of bodies that are.
    const { format, pieces } = receivePieces(c, (one) => {
      const name = one === 'jsonld' ? 'bodyBytes' : 'vocabularyBytes'
      return { bytes: limits[name], name, ratio: limits.bodyRatio, idleMs: limits.bodyIdleMs }
    })
    const parse = (baseIri: string) => parseStream(pieces, format, { baseIri, limits })
    const request = { id, parse, precondition: expectedState(c), arrived: renew }
    const outcome = await vocabularies.put(request, c.get('signal'))
    return answerWrite(c, outcome, { indexing, waitMs })
  })
  app.openapi(remove, async (c) => {
    c.get('deadline').extend(limits.longRequestMs)
    const id = c.req.valid('param').vocabularyId
    const mark = await vocabularies.remove(id, expectedState(c), c.get('signal'))
    return answerDelete(c, { mark }, { indexing, waitMs })
  })
}

type VocabularyAnswer = StoredVocabulary & {
  readonly id: string
  readonly suffix: Format | undefined
}

/** UTF-16 units of N-Triples up to which a vocabulary is sent as one text. */
const mostWhole = 16 * 1024 * 1024

/**
 * 200 or 304 in the format of the suffix or of `Accept`; `not-acceptable` when there is none. What RDF/XML cannot express of a
 * large one is left out with a comment (decision 0033).
 */
async function answerVocabulary(
  c: AppContext,
  { id, scheme, hash, chunks, suffix }: VocabularyAnswer,
  { names, limits, log }: RouteContext,
): Promise<Response> {
  const resource = { id, iri: scheme, graph: scheme, path: `/vocabularies/${id}` }
  const whole = (lines: string) =>
    answerResource(c, { ...resource, lines, hash, modified: undefined }, names, suffix)
  if (isFresh(c.req.raw.headers, hash)) return whole('')
  // A store may have to put all of it in order first.
  c.get('deadline').extend(limits.longRequestMs)
  const { first, rest } = await begun(chunks, mostWhole)
  if (!rest) return whole(first.join(''))
  try {
    const { format, mediaType } = answerFormat(c, suffix)
    const headers = {
      ETag: entityTag(hash),
      Link: linksOf(resource, c.get('address')),
      'Content-Disposition': disposition(id, format),
      'Content-Type': contentType(mediaType),
    }
    const text = pieces(format, { first, rest }, { graph: scheme, prefix: names.genidPrefix })
    const answer = await answerFlow(c, text, { log, pieceMs: limits.longRequestMs, headers })
    addVary(answer.headers, 'Accept')
    return answer
  } catch (error) {
    await rest.return?.()
    throw error
  }
}

/** The first chunks up to a size, and the rest if there is any. */
async function begun(chunks: AsyncIterable<string>, size: number) {
  const rest = chunks[Symbol.asyncIterator]()
  const first: string[] = []
  let length = 0
  while (length <= size) {
    const next = await rest.next()
    if (next.done === true) return { first, rest: undefined }
    first.push(next.value)
    length += next.value.length
  }
  return { first, rest }
}

async function* pieces(
  format: Format,
  { first, rest }: { first: string[]; rest: AsyncIterator<string> },
  { graph, prefix }: { readonly graph: string; readonly prefix: string },
): AsyncGenerator<string> {
  const writer = documentWriter(format, true)
  const part = (chunk: string) => writer.part({ graph, lines: unskolemiseLines(chunk, { prefix }) })
  try {
    yield writer.head
    for (let chunk = first.shift(); chunk !== undefined; chunk = first.shift()) yield part(chunk)
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      yield part(next.value)
    }
    yield writer.tail
  } finally {
    await rest.return?.()
  }
}
