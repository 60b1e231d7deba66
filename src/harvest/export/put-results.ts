/** Interprets the repository's answers to writes: outcome of an item, problem, reason to end the run. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { jsonIn, type RepositoryAnswer, type RepositoryClient } from './repository-client.ts'

/** Status of a write, the id of the written resource, and the problem document (RFC 9457) or other JSON of the answer. */
export type PutResult = {
  readonly status: number
  readonly platformId?: string
  readonly problem?: unknown
}

/** Outcome of a successful write. */
export type DatasetOutcome = 'created' | 'updated' | 'unchanged'

const outcomes: Readonly<Record<number, DatasetOutcome>> = {
  200: 'updated',
  201: 'created',
  204: 'updated',
  304: 'unchanged',
}

/** Outcome of a write; `undefined` if it failed. */
export const outcomeOf = ({ status }: Pick<PutResult, 'status'>): DatasetOutcome | undefined =>
  outcomes[status]

/** Parses the response to a write; the platform id is the last part of its `Location`, else `Content-Location`. */
export function putResultOf({ status, headers, text }: RepositoryAnswer): PutResult {
  const iri = headers.get('location') ?? headers.get('content-location') ?? ''
  const platformId = /\/([A-Za-z0-9_~-]+)$/.exec(iri)?.[1]
  return { status, problem: jsonIn(text), platformId }
}

/** Whether the failure is caused by the repository, not by the record. */
export const isServerFault = ({ status }: Pick<PutResult, 'status'>): boolean =>
  status === 429 || status >= 500

/** Place in the sent body; both numbers from 1. */
const location = { line: z.number().optional(), column: z.number().optional() }
/** Problem document with optional members. */
const problemSchema = z
  .object({
    type: z.string().catch(''),
    title: z.string().catch(''),
    detail: z.string().catch(''),
    errors: z.array(z.object({ detail: z.string(), ...location })).catch([]),
  })
  .catch({ type: '', title: '', detail: '', errors: [] })

/** Problem in one line: its slug (else the status), its detail or title, and the first location. */
export function reasonOf({ status, problem }: PutResult): string {
  const { type, title, detail, errors } = problemSchema.parse(problem)
  const { line, column } = errors[0] ?? {}
  const slug = /^urn:cartulary:problem:(.+)$/.exec(type)?.[1] ?? `HTTP ${status}`
  const message = [slug, detail || title].filter((part) => part !== '').join(': ')
  if (line === undefined) return message
  return `${message} (line ${line}${column === undefined ? '' : `, column ${column}`})`
}

/** Converts a failed result to the problem of an item, with the repository's message and locations. */
export function failureOf(result: PutResult): Failure {
  const kind = isServerFault(result) ? 'export-failed' : 'export-refused'
  const { errors } = problemSchema.parse(result.problem)
  return new Failure(kind, reasonOf(result), { errors })
}

/** Throws `export-refused` if the key was refused, because every other record would fail too. */
export function throwIfKeyRefused(
  { status }: Pick<PutResult, 'status'>,
  catalogue: string,
  { keyId }: RepositoryClient,
): void {
  if (status !== 401 && status !== 403) return
  const reason = status === 401 ? 'does not know the key' : 'does not let the key write'
  const detail = `The repository ${reason}: catalogue ${catalogue}, key id ${keyId}.`
  throw new Failure('export-refused', detail)
}
