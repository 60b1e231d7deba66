/** Answers of a repository to a write: as the outcome of an item, as its problem, as the reason to end a run. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { jsonIn, type RepositoryAnswer, type RepositoryClient } from './repository-client.ts'

/** The status of a PUT, and its RFC 9457 document. */
export type WriteVerdict = {
  readonly status: number
  readonly platformId?: string
  readonly problem?: unknown
}

/** Outcome of a dataset that the repository has taken. */
export type DatasetOutcome = 'created' | 'updated' | 'unchanged'

const outcomes: Readonly<Record<number, DatasetOutcome>> = {
  200: 'updated',
  201: 'created',
  204: 'updated',
  304: 'unchanged',
}

/** `undefined` when it did not take it. */
export const outcomeOf = ({ status }: Pick<WriteVerdict, 'status'>): DatasetOutcome | undefined =>
  outcomes[status]

/** An answer to a PUT; the platform's id is the end of the address that it names. */
export function verdictOf({ status, headers, text }: RepositoryAnswer): WriteVerdict {
  const iri = headers.get('location') ?? headers.get('content-location') ?? ''
  const platformId = /\/([A-Za-z0-9_~-]+)$/.exec(iri)?.[1]
  return { status, problem: jsonIn(text), platformId }
}

/** Whether the repository is the reason and not the record: another record may be luckier. */
export const isServerFault = ({ status }: Pick<WriteVerdict, 'status'>): boolean =>
  status === 429 || status >= 500

const location = { line: z.number().optional(), column: z.number().optional() }
/** Whatever of it is missing or something else is left out. */
const problemSchema = z
  .object({
    type: z.string().catch(''),
    title: z.string().catch(''),
    detail: z.string().catch(''),
    errors: z.array(z.object({ detail: z.string(), ...location })).catch([]),
  })
  .catch({ type: '', title: '', detail: '', errors: [] })

/** A problem (RFC 9457) in one line: its slug, its detail and the first location that it names. */
export function reasonOf({ status, problem }: WriteVerdict): string {
  const { type, title, detail, errors } = problemSchema.parse(problem)
  const { line, column } = errors[0] ?? {}
  const slug = /^urn:cartulary:problem:(.+)$/.exec(type)?.[1] ?? `HTTP ${status}`
  const words = [slug, detail || title].filter((part) => part !== '').join(': ')
  if (line === undefined) return words
  return `${words} (line ${line}${column === undefined ? '' : `, column ${column}`})`
}

/** The verdict as the problem of an item, with the repository's words and locations. */
export function failureOf(verdict: WriteVerdict): Failure {
  const kind = isServerFault(verdict) ? 'export-failed' : 'export-refused'
  const { errors } = problemSchema.parse(verdict.problem)
  return new Failure(kind, reasonOf(verdict), { errors })
}

/** Throws `export-refused` when the key, not the record, is the reason: nothing of this run will be taken. */
export function refuseByKey(
  { status }: Pick<WriteVerdict, 'status'>,
  catalogue: string,
  { keyId }: RepositoryClient,
): void {
  if (status !== 401 && status !== 403) return
  const why = status === 401 ? 'does not know the key' : 'does not let the key write'
  const detail = `The repository ${why}: catalogue ${catalogue}, key id ${keyId}.`
  throw new Failure('export-refused', detail)
}
