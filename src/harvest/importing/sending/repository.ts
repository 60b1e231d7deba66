/** What an import asks of a repository, and its answers in the import's own words. */
import type { Answer, Send } from './connection.ts'
import type { Destination } from '../cutting/destination.ts'

export type Outcome = 'created' | 'updated' | 'unchanged'

/** What the repository said to one dataset; `reason` is fit to be shown. */
export type Verdict = { readonly outcome: Outcome } | { readonly reason: string }

/** The key is unknown or may not write here, or the catalogue is refused: the whole import ends. */
export class Refused extends Error {}

const outcomes: Readonly<Record<number, Outcome>> = {
  201: 'created',
  204: 'updated',
  304: 'unchanged',
}

export type DatasetWrite = {
  readonly catalogue: string
  readonly originalId: string
  readonly body: string
}

/** Writes one dataset without waiting for the index. Throws `Refused` when the key is the reason. */
export async function putDataset(
  send: Send,
  { catalogue, originalId, body }: DatasetWrite,
  signal: AbortSignal,
): Promise<Verdict> {
  const path = `/catalogues/${catalogue}/datasets/origin?originalId=${encodeURIComponent(originalId)}`
  const headers = { Prefer: 'respond-async' }
  const answer = await send({ method: 'PUT', path, headers, body }, signal)
  refuseByKey(answer, `catalogue ${catalogue}`)
  return verdictOf(answer.status, jsonIn(answer.text))
}

/** What a status of a dataset's PUT means; `problem` is its RFC 9457 document, if there is one. */
export function verdictOf(status: number, problem: unknown): Verdict {
  const outcome = outcomes[status]
  return outcome ? { outcome } : { reason: reasonOf(status, problem) }
}

/**
 * Makes sure that a catalogue exists: created when new; replaced when `update`, else left as it is. Throws `Refused`
 * with the repository's reason.
 */
export async function putCatalogue(
  send: Send,
  { id, body, update }: Destination & { readonly update: boolean },
  signal: AbortSignal,
): Promise<Outcome> {
  const path = `/catalogues/${id}`
  if (!update) {
    const known = await send({ method: 'HEAD', path }, signal)
    if (known.status === 200) return 'unchanged'
  }
  const onlyNew = { 'If-None-Match': '*' }
  const headers = { Prefer: 'respond-async', ...(update ? {} : onlyNew) }
  const answer = await send({ method: 'PUT', path, headers, body }, signal)
  // Somebody else may have made it between the two questions.
  const outcome = answer.status === 412 && !update ? 'unchanged' : outcomes[answer.status]
  if (outcome) return outcome
  refuseByKey(answer, `catalogue ${id}`)
  throw new Refused(`catalogue ${id}: ${reasonOf(answer.status, jsonIn(answer.text))}`)
}

/** Throws `Refused` when the key is the reason. */
export function refuseByKey({ status }: Answer, what: string): void {
  if (status === 401) throw new Refused(`${what}: the API key is missing or unknown (--key)`)
  if (status === 403)
    throw new Refused(`${what}: the API key has no permission to write it (--key)`)
}

/** The problem's words (RFC 9457): slug, detail and the first place that it names. */
export function reasonOf(status: number, told: unknown): string {
  const problem = isRecord(told) ? told : {}
  const slug = /^urn:cartulary:problem:(.+)$/.exec(textOf(problem['type']))?.[1] ?? `HTTP ${status}`
  const detail = textOf(problem['detail']) || textOf(problem['title'])
  const [first] = Array.isArray(problem['errors']) ? problem['errors'] : []
  const place = isRecord(first) && typeof first['line'] === 'number' ? placeOf(first) : ''
  return [slug, detail].filter((part) => part !== '').join(': ') + place
}

const placeOf = ({ line, column }: Readonly<Record<string, unknown>>) =>
  ` (${[`line ${String(line)}`, ...(typeof column === 'number' ? [`column ${column}`] : [])].join(', ')})`

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The JSON of an answer; `undefined` when a proxy in between answers in its own words. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The status has to do.
    return undefined
  }
}
