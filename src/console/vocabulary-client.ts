/** A client of a platform's vocabularies over HTTP, and the documents that it sends: bundled, official, a file, an address. */

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { refusalOf, ScriptFailure } from '../config/script.ts'
import { formats } from '../rdf/media-types.ts'
import type { OpenDocument } from '../rdf/open-document.ts'
import { integrity, type Finding } from '../vocabularies/skos-integrity.ts'

export type ServiceAddresses = {
  readonly repository: string
  readonly search?: string
  /** What asks them; the runtime's own where none is given. */
  readonly fetch?: (request: Request) => Promise<Response>
}

const outcomes: Readonly<Record<number, string>> = { 201: 'created', 304: 'unchanged' }

/** Sends the document as it is read: `created`, `replaced` or `unchanged`. Throws `ScriptFailure`. */
export async function putVocabulary(
  platform: ServiceAddresses,
  vocabulary: { readonly id: string; readonly key: string; readonly document: OpenDocument },
  signal: AbortSignal,
): Promise<{ readonly outcome: string; readonly pending: boolean }> {
  const { id, key, document } = vocabulary
  const answer = await ask(platform, `${platform.repository}/vocabularies/${id}`, {
    method: 'PUT',
    headers: { 'X-API-Key': key, 'Content-Type': formats[document.format].mediaType },
    body: ReadableStream.from(document.bytes),
    duplex: 'half',
    signal,
  })
  await answer.body?.cancel()
  const outcome = outcomes[answer.status] ?? 'replaced'
  return { outcome, pending: answer.headers.get('Index-Status') === 'pending' }
}

const idsSchema = z.array(z.coerce.string())

/** Ids of the stored vocabularies, ascending. Throws `ScriptFailure`. */
export async function storedIds(
  platform: ServiceAddresses,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ids: string[] = []
  const limit = 5000
  for (;;) {
    const query = `valueType=identifiers&limit=${limit}&offset=${ids.length}`
    const answer = await ask(platform, `${platform.repository}/vocabularies?${query}`, {
      headers: { Accept: 'application/json' },
      signal,
    })
    const { data: page } = idsSchema.safeParse(await answer.json())
    if (!page) throw new ScriptFailure(`${platform.repository}: the list is no array`)
    ids.push(...page)
    if (page.length < limit) return ids.sort()
  }
}

const countSchema = z.object({ result: z.object({ count: z.number() }) })

/** Indexed concepts of a vocabulary; `undefined` when the search service is elsewhere. Throws `ScriptFailure`. */
export async function conceptCount(
  platform: ServiceAddresses,
  id: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { search } = platform
  if (search === undefined) return undefined
  const query = new URLSearchParams({ filters: 'vocabulary', vocabulary: id, countOnly: 'true' })
  const answer = await ask(platform, `${search}/search?${query.toString()}`, { signal })
  return countSchema.safeParse(await answer.json()).data?.result.count
}

/** What of SKOS's integrity conditions a vocabulary breaks, found while it is read. Throws `ScriptFailure`. */
export const findingsOf = (
  platform: ServiceAddresses,
  id: string,
  signal: AbortSignal,
): Promise<readonly Finding[]> =>
  integrity(async function* lines() {
    const address = `${platform.repository}/vocabularies/${id}.nt`
    const { body } = await ask(platform, address, { signal })
    let rest = ''
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    yield rest
  })

async function ask(
  { fetch: exchange = fetch }: ServiceAddresses,
  address: string,
  init: RequestInit & { readonly duplex?: 'half'; readonly signal: AbortSignal },
): Promise<Response> {
  const answer = await exchange(new Request(address, init)).catch((cause: unknown) => {
    const isLate = init.signal.aborted
    const why = isLate ? 'no answer in time' : 'no answer: is the platform running there?'
    throw new ScriptFailure(`${new URL(address).origin}: ${why}`, { cause })
  })
  if (answer.ok || answer.status === 304) return answer
  throw new ScriptFailure(await refusalOf(answer))
}

// Where the documents of vocabularies are.

/** Ids of the vocabularies that come with the platform, ascending. */
export async function bundledIds(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder)
  return files.flatMap((file) => (file.endsWith('.ttl') ? [file.slice(0, -4)] : [])).sort()
}

export const bundledPlace = (folder: string, id: string): string => join(folder, `${id}.ttl`)

const authority = 'http://publications.europa.eu/resource'

/** Names of the SKOS files of tables that are not called like their table. */
const files: Readonly<Record<string, string>> = {
  'corporate-body': 'corporatebodies',
  country: 'countries',
  'file-type': 'filetypes',
  frequency: 'frequencies',
  language: 'languages',
  licence: 'licences',
  place: 'places',
  continent: 'continents',
}

/** Tables whose IRI answers with RDF when RDF is asked for. */
const byIri: ReadonlySet<string> = new Set([
  'access-right',
  'dataset-type',
  'distribution-status',
  'distribution-type',
  'planned-availability',
])

/** Ids of the tables that `officialPlace` knows. */
export const officialIds: readonly string[] = [...Object.keys(files), ...byIri, 'data-theme'].sort()

/** The address of the newest version of an EU authority table. */
export function officialPlace(id: string): string | undefined {
  if (byIri.has(id)) return `${authority}/authority/${id}`
  if (!officialIds.includes(id)) return undefined
  return `${authority}/distribution/${id}/rdf/skos_core/${files[id] ?? id}-skos.rdf`
}
