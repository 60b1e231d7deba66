/** RDF documents of any length as answers: written graph by graph while they are sent. */

import type { AppContext } from '../../http/app.ts'
import type { Limits } from '../../http/limits.ts'
import { answerFormat, contentType, disposition } from '../../http/rdf.ts'
import { addVary } from '../../http/shell/headers.ts'
import type { Log } from '../../log.ts'
import type { Format } from '../../rdf/media-types.ts'
import { documentWriter, type Part } from '../../rdf/writing/document.ts'
import { answerFlow } from '../../http/shell/flow.ts'
import { slicedPieces, type LongAnswers } from '../../http/shell/long-answers.ts'

export type DocumentOptions = {
  /** Format named by a suffix of the path. */
  readonly suffix?: Format | undefined
  /** Name for saving, without suffix. */
  readonly name?: string
  readonly log: Log
  readonly limits: Pick<Limits, 'requestMs'>
}

/**
 * 200 with the parts in the format asked for; `not-acceptable` when there is none. What is held in memory is one batch of
 * parts. What RDF/XML cannot express is left out with a comment (decision 0033).
 */
export async function answerDocument(
  c: AppContext,
  parts: AsyncGenerator<readonly Part[]>,
  { suffix, name, log, limits }: DocumentOptions,
): Promise<Response> {
  const { format, mediaType } = answerFormat(c, suffix)
  const headers = {
    'Content-Type': contentType(mediaType),
    ...(name !== undefined && { 'Content-Disposition': disposition(name, format) }),
  }
  const pieces = documentPieces(parts, format, c.get('longAnswers').turn)
  const answer = await answerFlow(c, pieces, { log, pieceMs: limits.requestMs, headers })
  addVary(answer.headers, 'Accept')
  return answer
}

async function* documentPieces(
  parts: AsyncGenerator<readonly Part[]>,
  format: Format,
  turn: LongAnswers['turn'],
): AsyncGenerator<string> {
  const { head, part, tail } = documentWriter(format)
  yield* slicedPieces({ head, steps: parts, write: part, tail }, turn)
}
