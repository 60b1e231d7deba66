/** A JSON document, unless it is what the last complete run saw. */

import { conditionsOf } from '../../validators.ts'
import { documentOrStatus, type JsonDocument, type Opening } from './json-document.ts'

type Asked = {
  readonly url: string
  /** Statuses that say that there is no such document. */
  readonly absent?: readonly number[]
}

/** As `openJsonDocument`; what is unchanged is vouched for as it was. The caller closes the document. */
export async function openUnlessSame(
  opening: Opening,
  { url, absent = [] }: Asked,
  signal: AbortSignal,
): Promise<JsonDocument | 'unchanged' | 'absent'> {
  const { context } = opening
  const known = context.validators.find((validator) => validator.url === url)
  const request = known
    ? { accepts: [...absent, 304], headers: conditionsOf(known) }
    : { accepts: absent }
  const found = await documentOrStatus(opening, url, request, signal)
  const isDocument = typeof found !== 'number'
  const isSame = isDocument ? found.hash === known?.bodyHash : !absent.includes(found)
  if (!known || !isSame) return isDocument ? found : 'absent'
  if (isDocument) await found.close()
  context.validate(known)
  return 'unchanged'
}
