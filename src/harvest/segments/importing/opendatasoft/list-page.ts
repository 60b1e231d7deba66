/** One page of the list of datasets, as either generation of the API tells it. */
import { Failure } from '../../../../errors.ts'
import type { Finding } from '../../../../pipe/message.ts'
import type { ImportContext } from '../../importer.ts'
import { shownUrl } from '../../gathering/reading.ts'
import { fieldsOf, listOf, plainText } from '../../../../vocabularies/loose-values.ts'
import type { Source } from '../../source.ts'
import { countOf, envelopeFailure } from '../documents/envelope.ts'

export type ListPage = {
  readonly url: string
  readonly total: number | undefined
  readonly entries: readonly unknown[]
  /** Link to the next page, where pages have links. */
  readonly next: string | undefined
  /** The page has links, and none leads further. */
  readonly isLast: boolean
  readonly findings: readonly Finding[]
}

type Answer = Awaited<ReturnType<Source['json']>>

/** Throws `source-error-envelope` and `source-malformed`. */
export function listIn({ value, url, findings }: Answer): ListPage {
  const fields = fieldsOf(value)
  const total = countOf(fields['total_count'])
  if (Array.isArray(fields['results']))
    return { url, total, entries: fields['results'], next: undefined, isLast: false, findings }
  if (!Array.isArray(fields['datasets'])) throw envelopeFailure(value, url)
  const entries = fields['datasets'].map((one: unknown) => fieldsOf(one)['dataset'])
  const link = listOf(fields['links'])
    .map(fieldsOf)
    .find((one) => one['rel'] === 'next')
  const next = plainText(link?.['href'])
  return { url, total, entries, next, isLast: next === undefined, findings }
}

type Asking = {
  readonly source: Source
  readonly context: ImportContext
  /** A question for the total alone, which may come again. */
  readonly isCount?: boolean
}

/** Domains have a daily quota and say in the body when it begins anew. */
const mostWaits = 3

/** Throws what `Source.json` throws; `source-throttled` names the time at which the quota begins anew. */
export async function askPatiently(
  { source, context, isCount = false }: Asking,
  url: string,
  signal: AbortSignal,
): Promise<Answer> {
  for (let waits = 0; ; waits += 1) {
    const paged = waits === 0 && !isCount
    const answer = await source.json(url, { accepts: [429], paged })
    if (answer.status !== 429) return answer
    const wait = waitIn(answer, context.now())
    if (wait > context.limits.retryAfterMaxMs || waits === mostWaits) throw throttled(answer, wait)
    await context.pause(wait, signal)
  }
}

/** Milliseconds until the quota begins anew; without end when nobody tells. */
function waitIn({ value }: Answer, now: number): number {
  const reset = Date.parse(plainText(fieldsOf(value)['reset_time']) ?? '')
  return Number.isNaN(reset) ? Infinity : Math.max(0, reset - now)
}

function throttled({ value, url, headers }: Answer, wait: number): Failure {
  const time = plainText(fieldsOf(value)['reset_time'])?.slice(0, 40)
  const later = wait === Infinity ? Number(headers.get('retry-after') ?? Number.NaN) : wait / 1000
  const when = wait === Infinity ? '' : ` and asks us to come back at ${time}`
  return new Failure('source-throttled', `${shownUrl(url)} answered 429${when}.`, {
    ...(Number.isFinite(later) && { retryAfter: Math.ceil(later) }),
  })
}
