/** Asks the source whether anything has changed since the last complete run. */
import { conditionsOf } from '../../validators.ts'
import type { SourceRequest } from '../../source.ts'
import type { Document } from './document.ts'
import { otherDocument, type Fetching } from './fetch-document.ts'

/**
 * `not-modified`: every page answered 304, or the only document is byte for byte the known one. A document that came in
 * place of a 304 is handed back, so that it is not fetched twice; `undefined`: there is nothing to compare with, or one of
 * several pages has changed.
 */
export async function unchangedSince(
  fetching: Fetching,
  request: SourceRequest,
  signal: AbortSignal,
): Promise<'not-modified' | Document | undefined> {
  const { source, context, config } = fetching
  const { validators } = context
  const [only] = validators
  if (!only || only.url !== config.address) return undefined
  const isSingle = validators.length === 1
  for (const validator of validators) {
    const headers = conditionsOf(validator)
    if (!isSingle && Object.keys(headers).length === 0) return undefined
    const conditional = { ...request, headers, accepts: [304], paged: isSingle }
    const document = await source.read(validator.url, conditional, async (answer) => {
      if (answer.status === 304) return undefined
      return isSingle ? otherDocument(fetching, answer, only.bodyHash, signal) : 'changed'
    })
    if (document === 'changed') return undefined
    if (document !== undefined && document !== 'same') return document
  }
  for (const validator of validators) context.validate(validator)
  return 'not-modified'
}
