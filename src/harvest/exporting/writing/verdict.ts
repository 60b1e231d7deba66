/** What the repository said to one record. */

import { Failure } from '../../../errors.ts'
import { isRecord, reasonOf } from '../../importing/sending/repository.ts'
import type { Door } from '../door/door.ts'

/** `status` is that of the single PUT; `problem` its RFC 9457 document. */
export type Verdict = {
  readonly status: number
  readonly platformId?: string
  readonly problem?: unknown
}

export type Outcome = 'created' | 'updated' | 'unchanged'

const outcomes: Readonly<Record<number, Outcome>> = {
  200: 'updated',
  201: 'created',
  204: 'updated',
  304: 'unchanged',
}

export const outcomeOf = ({ status }: Verdict): Outcome | undefined => outcomes[status]

/** Not the record's fault: another record may be luckier. */
export const isTransient = ({ status }: Verdict): boolean => status === 429 || status >= 500

/** The verdict as the problem of an item: the repository's words, and its places. */
export function failureOf({ status, problem }: Verdict): Failure {
  const kind = status >= 500 || status === 429 ? 'export-failed' : 'export-refused'
  const errors = isRecord(problem) && Array.isArray(problem['errors']) ? problem['errors'] : []
  return new Failure(kind, reasonOf(status, problem), {
    errors: errors.flatMap((one: unknown) => {
      if (!isRecord(one) || typeof one['detail'] !== 'string') return []
      const { line, column, detail } = one
      return [
        {
          detail,
          ...(typeof line === 'number' && { line }),
          ...(typeof column === 'number' && { column }),
        },
      ]
    }),
  })
}

/** Throws when the key, not the record, is the reason: nothing of this run will be taken. */
export function refuseByKey(
  status: number,
  catalogue: string,
  { keyId }: Pick<Door, 'keyId'>,
): void {
  if (status !== 401 && status !== 403) return
  const why = status === 401 ? 'does not know the key' : 'does not let the key write'
  throw new Failure(
    'export-refused',
    `The repository ${why}: catalogue ${catalogue}, key id ${keyId}.`,
  )
}
