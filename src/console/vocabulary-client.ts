/** Client for the vocabularies of a platform over HTTP, and addresses of vocabulary documents. */

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { refusalOf, ScriptFailure } from '../config/script.ts'
import { formats } from '../rdf/media-types.ts'
import type { OpenDocument } from '../rdf/open-document.ts'
import { checkIntegrity, type BrokenCondition } from '../vocabularies/skos-integrity.ts'

/** Addresses of the services of a platform, without a slash at their ends; `search` is absent where it is not known. */
export type ServiceAddresses = {
  readonly repository: string
  readonly search?: string
  /** Function that sends requests; by default `fetch` of the runtime. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** Milliseconds until the platform must have answered a request, for example with a document. */
const requestMs = 30 * 60_000

type VocabularyRequest = RequestInit & { readonly duplex?: 'half' }

/** Client for vocabularies; its requests throw `ScriptFailure`. */
export class VocabularyClient {
  readonly #platform: ServiceAddresses
  readonly #signal: AbortSignal

  constructor(platform: ServiceAddresses, signal: AbortSignal) {
    this.#platform = platform
    this.#signal = signal
  }

  async #request(address: string, init: VocabularyRequest = {}): Promise<Response> {
    const { fetch: exchange = fetch } = this.#platform
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(requestMs)])
    const answer = await exchange(new Request(address, { ...init, signal })).catch(
      (cause: unknown) => {
        const why = signal.aborted
          ? 'no answer in time'
          : 'no answer: is the platform running there?'
        throw new ScriptFailure(`${new URL(address).origin}: ${why}`, { cause })
      },
    )
    if (answer.ok || answer.status === 304) return answer
    throw new ScriptFailure(await refusalOf(answer))
  }

  /**
   * Sends a document while it is read; returns `created`, `replaced` or `unchanged`, with `, searchable soon` if it is not
   * yet.
   */
  async put(id: string, { bytes, format }: OpenDocument, key: string): Promise<string> {
    const answer = await this.#request(`${this.#platform.repository}/vocabularies/${id}`, {
      method: 'PUT',
      headers: { 'X-API-Key': key, 'Content-Type': formats[format].mediaType },
      body: ReadableStream.from(bytes),
      duplex: 'half',
    })
    await answer.body?.cancel()
    const isPending = answer.headers.get('Index-Status') === 'pending'
    return `${outcomes[answer.status] ?? 'replaced'}${isPending ? ', searchable soon' : ''}`
  }

  /** Ids of the stored vocabularies, ascending. */
  async storedIds(): Promise<readonly string[]> {
    const { repository } = this.#platform
    const headers = { Accept: 'application/json' }
    const ids: string[] = []
    for (;;) {
      const query = `valueType=identifiers&limit=${idsPerPage}&offset=${ids.length}`
      const answer = await this.#request(`${repository}/vocabularies?${query}`, { headers })
      const { data: page } = idsSchema.safeParse(await answer.json())
      if (!page) throw new ScriptFailure(`${repository}: the list is no array`)
      ids.push(...page)
      if (page.length < idsPerPage) return ids.sort()
    }
  }

  /** Number of indexed concepts of a vocabulary; `undefined` without the search service or a number in its answer. */
  async conceptCount(id: string): Promise<number | undefined> {
    const { search } = this.#platform
    if (search === undefined) return undefined
    const query = new URLSearchParams({ filters: 'vocabulary', vocabulary: id, countOnly: 'true' })
    const answer = await this.#request(`${search}/search?${query.toString()}`)
    return countSchema.safeParse(await answer.json()).data?.result.count
  }

  /** Integrity conditions of SKOS that a vocabulary breaks. */
  findings(id: string): Promise<readonly BrokenCondition[]> {
    return checkIntegrity(() => this.#lines(`${this.#platform.repository}/vocabularies/${id}.nt`))
  }

  async *#lines(address: string): AsyncGenerator<string> {
    const { body } = await this.#request(address)
    let lineStart = ''
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (lineStart + text).split('\n')
      lineStart = lines.pop() ?? ''
      yield* lines
    }
    yield lineStart
  }
}

const outcomes: Readonly<Record<number, string>> = { 201: 'created', 304: 'unchanged' }
const idsPerPage = 5000
const idsSchema = z.array(z.coerce.string())
const countSchema = z.object({ result: z.object({ count: z.number() }) })

// Addresses of vocabulary documents.

/** Ids of the vocabularies that come with the platform, ascending. */
export async function bundledIds(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder)
  return names.flatMap((file) => (file.endsWith('.ttl') ? [file.slice(0, -4)] : [])).sort()
}

/** Path of a bundled vocabulary; the file may not exist. */
export const bundledPath = (folder: string, id: string): string => join(folder, `${id}.ttl`)

const authority = 'http://publications.europa.eu/resource'

/** SKOS files of tables, below `distribution/{table}/rdf/skos_core/`. */
const fileNames: Readonly<Record<string, string>> = {
  continent: 'continents',
  'corporate-body': 'corporatebodies',
  country: 'countries',
  'data-theme': 'data-theme',
  'file-type': 'filetypes',
  frequency: 'frequencies',
  language: 'languages',
  licence: 'licences',
  place: 'places',
}

/** Tables whose IRI serves RDF by content negotiation. */
const tablesByIri: ReadonlySet<string> = new Set([
  'access-right',
  'dataset-type',
  'distribution-status',
  'distribution-type',
  'planned-availability',
])

/** Ids of the tables that `officialAddress` knows. */
export const officialIds: readonly string[] = [...Object.keys(fileNames), ...tablesByIri].sort()

/** Address of the newest version of an EU authority table; `undefined` for an id that is not in `officialIds`. */
export function officialAddress(id: string): string | undefined {
  if (tablesByIri.has(id)) return `${authority}/authority/${id}`
  if (!officialIds.includes(id)) return undefined
  return `${authority}/distribution/${id}/rdf/skos_core/${fileNames[id]}-skos.rdf`
}
