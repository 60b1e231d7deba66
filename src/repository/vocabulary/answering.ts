/** Answers a vocabulary: whole where it is small, else part by part while it is sent. */

import type { AppContext } from '../../http/app.ts'
import { entityTag, isFresh } from '../../http/conditions.ts'
import { answerFlow } from '../../http/shell/flow.ts'
import type { Limits } from '../../http/limits.ts'
import { answerFormat, contentType, disposition } from '../../http/rdf.ts'
import { addVary } from '../../http/shell/headers.ts'
import type { Log } from '../../log.ts'
import type { Format } from '../../rdf/media-types.ts'
import { unskolemiseLines } from '../../rdf/skolem.ts'
import { documentWriter } from '../../rdf/writing/document.ts'
import { answerResource, linksOf } from '../answering/resource.ts'
import type { StoredVocabulary } from '../vocabularies.ts'

export type Answering = {
  readonly names: { readonly genidPrefix: string }
  readonly limits: Pick<Limits, 'longRequestMs'>
  readonly log: Log
  /** UTF-16 units of N-Triples up to which it is sent as one text. */
  readonly whole?: number
}

type Asked = StoredVocabulary & { readonly id: string; readonly suffix: Format | undefined }

const usualWhole = 16 * 1024 * 1024

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

/**
 * 200 or 304 in the format of the suffix or of `Accept`; `not-acceptable` when there is none. What RDF/XML cannot express of a
 * large one is left out with a comment (decision 0033).
 */
export async function answerVocabulary(
  c: AppContext,
  { id, scheme, hash, chunks, suffix }: Asked,
  answering: Answering,
): Promise<Response> {
  const resource = { id, iri: scheme, graph: scheme, path: `/vocabularies/${id}` }
  if (isFresh(c.req.raw.headers, hash)) {
    return answerResource(
      c,
      { ...resource, lines: '', hash, modified: undefined },
      answering,
      suffix,
    )
  }
  // A store may have to put all of it in order first.
  c.get('deadline').extend(answering.limits.longRequestMs)
  const { first, rest } = await begun(chunks, answering.whole ?? usualWhole)
  if (!rest) {
    const lines = first.join('')
    return answerResource(c, { ...resource, lines, hash, modified: undefined }, answering, suffix)
  }
  try {
    return await streamed(c, { ...resource, hash, suffix, first, rest }, answering)
  } catch (error) {
    await rest.return?.()
    throw error
  }
}

type Begun = Pick<Asked, 'id' | 'hash' | 'suffix'> & {
  readonly iri: string
  readonly graph: string
  readonly path: string
  readonly first: string[]
  readonly rest: AsyncIterator<string>
}

async function streamed(c: AppContext, begun: Begun, answering: Answering): Promise<Response> {
  const { format, mediaType } = answerFormat(c, begun.suffix)
  const { names, log, limits } = answering
  const headers = {
    ETag: entityTag(begun.hash),
    Link: linksOf(begun, c.get('address')),
    'Content-Disposition': disposition(begun.id, format),
    'Content-Type': contentType(mediaType),
  }
  const text = pieces(format, begun, { graph: begun.graph, prefix: names.genidPrefix })
  const answer = await answerFlow(c, text, { log, pieceMs: limits.longRequestMs, headers })
  addVary(answer.headers, 'Accept')
  return answer
}
