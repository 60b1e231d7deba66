/** The repository and the search service as this client asks them. */

import { integrity, type Finding } from '../../vocabularies/skos-integrity.ts'
import type { VocabularyDocument } from './vocabulary-documents.ts'

/** The platform cannot be asked, or says no; the message is its own. */
export class RequestRefused extends Error {}

export type ServiceAddresses = {
  readonly repository: string
  readonly search?: string
  /** What asks them; the runtime's own where none is given. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** How a PUT ended. */
export type PutOutcome = 'created' | 'replaced' | 'unchanged'

const outcomes: Readonly<Record<number, PutOutcome>> = {
  200: 'replaced',
  201: 'created',
  204: 'replaced',
  304: 'unchanged',
}

/** Sends the document as it is read. Throws `Refused`. */
export async function putVocabulary(
  platform: ServiceAddresses,
  vocabulary: { readonly id: string; readonly key: string; readonly document: VocabularyDocument },
  signal: AbortSignal,
): Promise<{ readonly outcome: PutOutcome; readonly pending: boolean }> {
  const { id, key, document } = vocabulary
  const answer = await ask(
    { ...platform, path: `/vocabularies/${id}` },
    {
      method: 'PUT',
      headers: { 'X-API-Key': key, 'Content-Type': document.mediaType },
      body: ReadableStream.from(document.bytes),
      duplex: 'half',
    },
    signal,
  )
  await answer.body?.cancel()
  const outcome = outcomes[answer.status] ?? 'replaced'
  return { outcome, pending: answer.headers.get('Index-Status') === 'pending' }
}

/** Ids of the stored vocabularies, ascending. Throws `Refused`. */
export async function storedIds(
  platform: ServiceAddresses,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ids: string[] = []
  const limit = 5000
  for (;;) {
    const query = `valueType=identifiers&limit=${limit}&offset=${ids.length}`
    const answer = await ask(
      { ...platform, path: `/vocabularies?${query}` },
      { headers: { Accept: 'application/json' } },
      signal,
    )
    const page: unknown = await answer.json()
    if (!Array.isArray(page))
      throw new RequestRefused(`${platform.repository}: the list is no array`)
    ids.push(...page.map(String))
    if (page.length < limit) return ids.sort()
  }
}

/** Number of indexed concepts of a vocabulary; `undefined` when the search service is elsewhere. Throws `Refused`. */
export async function conceptCount(
  { search, ...platform }: ServiceAddresses,
  id: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (search === undefined) return undefined
  const query = new URLSearchParams({ filters: 'vocabulary', vocabulary: id, countOnly: 'true' })
  const place = { ...platform, repository: search, path: `/search?${query.toString()}` }
  const answer = await ask(place, {}, signal)
  const body: unknown = await answer.json()
  const count = memberOf(memberOf(body, 'result'), 'count')
  return typeof count === 'number' ? count : undefined
}

/**
 * What of SKOS's integrity conditions a vocabulary breaks. It is read as often as the check goes through it, so that none of
 * any size has to be kept. Throws `Refused`.
 */
export const findingsOf = (
  platform: ServiceAddresses,
  id: string,
  signal: AbortSignal,
): Promise<readonly Finding[]> =>
  integrity(() => linesAt({ ...platform, path: `/vocabularies/${id}.nt` }, signal))

/** Chunks of whole lines; those of one subject come together, because the repository keeps them in order. */
async function* linesAt(place: Place, signal: AbortSignal): AsyncGenerator<string> {
  const { body } = await ask(place, {}, signal)
  let rest = ''
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const all = rest + text
    const end = all.lastIndexOf('\n') + 1
    rest = all.slice(end)
    if (end > 0) yield all.slice(0, end)
  }
  if (rest !== '') yield `${rest}\n`
}

type Asked = RequestInit & { readonly duplex?: 'half' }

/** The path begins behind the address of the service. */
type Place = ServiceAddresses & { readonly path: string }

async function ask(
  { repository, path, fetch: exchange = fetch }: Place,
  asked: Asked,
  signal: AbortSignal,
): Promise<Response> {
  const request = new Request(repository + path, { ...asked, signal })
  const answer = await exchange(request).catch((cause: unknown) => {
    const late = signal.aborted ? 'no answer in time' : 'no answer: is the platform running there?'
    throw new RequestRefused(`${new URL(repository).origin}: ${late}`, { cause })
  })
  if (answer.ok || answer.status === 304) return answer
  throw new RequestRefused(await reasonOf(answer))
}

/** The words of a problem document, else the status. */
async function reasonOf(answer: Response): Promise<string> {
  const text = (await answer.text()).slice(0, 10_000)
  try {
    const body: unknown = JSON.parse(text)
    const words = [memberOf(body, 'detail'), memberOf(body, 'title')].find(
      (word) => typeof word === 'string',
    )
    return words === undefined ? `answered ${answer.status}` : `${words} (${answer.status})`
  } catch {
    return `answered ${answer.status}`
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
