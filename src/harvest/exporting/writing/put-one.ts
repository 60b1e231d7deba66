/** Writes one record by its id at the origin. */

import { Failure } from '../../../errors.ts'
import { jsonIn } from '../../importing/sending/repository.ts'
import type { Account } from '../account/account.ts'
import type { Answer } from '../door/door.ts'
import { refuseByKey, type Verdict } from './verdict.ts'
import type { Ready } from './ready.ts'

/** Throws when the key or the catalogue is the reason. */
export async function putOne(
  account: Account,
  { message, originalId }: Ready,
  signal: AbortSignal,
): Promise<Verdict> {
  const { owner, door, context } = account
  const { catalogue } = owner
  const put = async (): Promise<Verdict> => {
    const answer = await door.ask(
      {
        method: 'PUT',
        path: originPath(catalogue, originalId),
        body: message.text,
        mediaType: message.mediaType,
        headers: {
          Prefer: 'respond-async',
          'X-Request-Id': `${context.runId}-${message.counter}`,
        },
      },
      signal,
    )
    const text = await answer.text()
    refuseByKey(answer.status, catalogue, door)
    if (answer.status === 404 || answer.status === 410)
      throw new Failure('unknown-catalogue', `The catalogue ${catalogue} is gone.`)
    return { status: answer.status, problem: jsonIn(text), ...idOf(answer) }
  }
  const first = await put()
  return first.status === 409 || first.status === 412 ? put() : first
}

export const originPath = (catalogue: string, originalId: string): string =>
  `/catalogues/${catalogue}/datasets/origin?originalId=${encodeURIComponent(originalId)}`

function idOf({ headers }: Answer): { readonly platformId?: string } {
  const iri = headers.get('location') ?? headers.get('content-location') ?? ''
  const platformId = /\/([A-Za-z0-9_~-]+)$/.exec(iri)?.[1]
  return platformId === undefined ? {} : { platformId }
}
