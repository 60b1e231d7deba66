/** The repository and the search service as this client asks them. */

import type { VocabularyDocument } from './documents.ts'

/** The platform cannot be asked, or says no; the message is its own. */
export class Refused extends Error {}

export type Finding = {
  /** Number of the SKOS condition: `S14`. */
  readonly condition: string
  readonly count: number
  readonly examples: readonly string[]
}

export type Addresses = { readonly repository: string; readonly search?: string }

/** How a PUT ended. */
export type Outcome = 'created' | 'replaced' | 'unchanged'

const outcomes: Readonly<Record<number, Outcome>> = {
  200: 'replaced',
  201: 'created',
  204: 'replaced',
  304: 'unchanged',
}

/** Sends the document as it is read. Throws `Refused`. */
export async function putVocabulary(
  { repository }: Addresses,
  vocabulary: { readonly id: string; readonly key: string; readonly document: VocabularyDocument },
  signal: AbortSignal,
): Promise<{ readonly outcome: Outcome; readonly pending: boolean }> {
  const { id, key, document } = vocabulary
  const answer = await ask(
    `${repository}/vocabularies/${id}`,
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
  { repository }: Addresses,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ids: string[] = []
  const limit = 5000
  for (;;) {
    const query = `valueType=identifiers&limit=${limit}&offset=${ids.length}`
    const answer = await ask(
      `${repository}/vocabularies?${query}`,
      { headers: { Accept: 'application/json' } },
      signal,
    )
    const page: unknown = await answer.json()
    if (!Array.isArray(page)) throw new Refused(`${repository}: the list is no array`)
    ids.push(...page.map(String))
    if (page.length < limit) return ids.sort()
  }
}

/** Number of indexed concepts of a vocabulary; `undefined` when the search service is elsewhere. Throws `Refused`. */
export async function conceptCount(
  { search }: Addresses,
  id: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (search === undefined) return undefined
  const query = new URLSearchParams({ filters: 'vocabulary', vocabulary: id, countOnly: 'true' })
  const answer = await ask(`${search}/search?${query.toString()}`, {}, signal)
  const body: unknown = await answer.json()
  const count = memberOf(memberOf(body, 'result'), 'count')
  return typeof count === 'number' ? count : undefined
}

/** What of SKOS's integrity conditions a vocabulary breaks. Throws `Refused`. */
export async function findingsOf(
  { repository }: Addresses,
  id: string,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const answer = await ask(`${repository}/vocabularies/${id}/findings`, {}, signal)
  const body: unknown = await answer.json()
  const findings = memberOf(body, 'findings')
  return Array.isArray(findings) ? findings.map(findingOf) : []
}

function findingOf(value: unknown): Finding {
  const examples = memberOf(value, 'examples')
  return {
    condition: String(memberOf(value, 'condition')),
    count: Number(memberOf(value, 'count')),
    examples: Array.isArray(examples) ? examples.map(String) : [],
  }
}

type Asked = RequestInit & { readonly duplex?: 'half' }

async function ask(address: string, asked: Asked, signal: AbortSignal): Promise<Response> {
  const answer = await fetch(address, { ...asked, signal }).catch((cause: unknown) => {
    const late = signal.aborted ? 'no answer in time' : 'no answer: is the platform running there?'
    throw new Refused(`${new URL(address).origin}: ${late}`, { cause })
  })
  if (answer.ok || answer.status === 304) return answer
  throw new Refused(await reasonOf(answer))
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
