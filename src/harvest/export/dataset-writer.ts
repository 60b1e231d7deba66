/**
 * Writes datasets under their ids at the origin: up to some hundred with one bulk request (N-Quads with a graph for each) or,
 * into the repository of this process, without any; what does not go that way goes by a PUT of its own.
 */

import { Failure } from '../../errors.ts'
import { quoted, termText } from '../../rdf/lines.ts'
import { dcat, dct, foaf, rdf } from '../../rdf/namespaces.ts'
import {
  jsonIn,
  type BulkVerdict,
  type RepositoryAnswer,
  type RepositoryClient,
} from './repository-client.ts'

export type DatasetWrite = {
  readonly originalId: string
  readonly mediaType: string
  readonly text: string
  /** The dataset's node as N-Triples when the text is plain N-Triples about it; else it is sent by itself. */
  readonly node: string | undefined
  readonly requestId?: string
}

/** What the repository said to one dataset: the status of a PUT, and its RFC 9457 document. */
export type WriteVerdict = {
  readonly status: number
  readonly platformId?: string
  readonly problem?: unknown
}

export type DatasetOutcome = 'created' | 'updated' | 'unchanged'

const outcomes: Readonly<Record<number, DatasetOutcome>> = {
  200: 'updated',
  201: 'created',
  204: 'updated',
  304: 'unchanged',
}

export const outcomeOf = ({ status }: Pick<WriteVerdict, 'status'>): DatasetOutcome | undefined =>
  outcomes[status]

/** Whether the repository is the reason and not the record: another record may be luckier. */
export const isServerFault = ({ status }: WriteVerdict): boolean => status === 429 || status >= 500

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** A problem (RFC 9457) in one line: its slug, its detail and the first location that it names. */
export function reasonOf({ status, problem: told }: WriteVerdict): string {
  const problem = isRecord(told) ? told : {}
  const slug = /^urn:cartulary:problem:(.+)$/.exec(textOf(problem['type']))?.[1] ?? `HTTP ${status}`
  const detail = textOf(problem['detail']) || textOf(problem['title'])
  const [first] = Array.isArray(problem['errors']) ? problem['errors'] : []
  const { line, column } = isRecord(first) ? first : {}
  const where =
    typeof column === 'number' ? `line ${String(line)}, column ${column}` : `line ${String(line)}`
  const words = [slug, detail].filter((part) => part !== '').join(': ')
  return typeof line === 'number' ? `${words} (${where})` : words
}

/** The verdict as the problem of an item, with the repository's words and locations. */
export function failureOf(verdict: WriteVerdict): Failure {
  const { problem } = verdict
  const errors = isRecord(problem) && Array.isArray(problem['errors']) ? problem['errors'] : []
  return new Failure(
    isServerFault(verdict) ? 'export-failed' : 'export-refused',
    reasonOf(verdict),
    {
      errors: errors.flatMap((one: unknown) => {
        if (!isRecord(one) || typeof one['detail'] !== 'string') return []
        const { line, column, detail } = one
        const at = typeof line === 'number' ? { line } : {}
        return [{ detail, ...at, ...(typeof column === 'number' && { column }) }]
      }),
    },
  )
}

/** Throws when the key, not the record, is the reason: nothing of this run will be taken. */
export function refuseByKey(
  { status }: { readonly status: number },
  catalogue: string,
  { keyId }: RepositoryClient,
): void {
  if (status !== 401 && status !== 403) return
  const why = status === 401 ? 'does not know the key' : 'does not let the key write'
  throw new Failure(
    'export-refused',
    `The repository ${why}: catalogue ${catalogue}, key id ${keyId}.`,
  )
}

/** Path of a dataset by its id at the origin. */
export const originPath = (catalogue: string, originalId: string): string =>
  `/catalogues/${catalogue}/datasets/origin?originalId=${encodeURIComponent(originalId)}`

/** Datasets with what the repository said to them. */
export type LandedWrites<Write> = readonly {
  readonly write: Write
  readonly verdict: WriteVerdict
}[]

/** Writes of a catalogue; `landed` is told of their verdicts as they come, and what it throws ends the writing. */
export type WriteOptions<Write> = {
  readonly catalogue: string
  readonly writes: readonly Write[]
  readonly landed: (some: LandedWrites<Write>) => void
}

type BulkWrite = DatasetWrite & { readonly node: string }
type Bulk = (
  catalogue: string,
  writes: readonly BulkWrite[],
  signal: AbortSignal,
) => Promise<readonly (WriteVerdict | undefined)[] | undefined>

export class DatasetWriter {
  readonly #client: RepositoryClient
  #bulk: Bulk | undefined

  private constructor(client: RepositoryClient, bulk: Bulk | undefined) {
    this.#client = client
    this.#bulk = bulk
  }

  /** Asks the repository whether it takes many at once. */
  static async open(client: RepositoryClient, signal: AbortSignal): Promise<DatasetWriter> {
    return new DatasetWriter(client, await bulkOf(client, signal))
  }

  get takesMany(): boolean {
    return this.#bulk !== undefined
  }

  async write<Write extends DatasetWrite>(
    { catalogue, writes, landed }: WriteOptions<Write>,
    signal: AbortSignal,
  ): Promise<void> {
    const [many, alone] = this.#sorted(writes)
    const verdicts = many.length < 2 ? [] : await this.#bulk?.(catalogue, many, signal)
    if (!verdicts) this.#bulk = undefined
    const answered = many.flatMap((write, at) => {
      const verdict = verdicts?.[at]
      return verdict ? [{ write, verdict }] : []
    })
    if (answered.length > 0) landed(answered)
    for (const write of [...alone, ...many.filter((_, at) => !verdicts?.[at])])
      landed([{ write, verdict: await putDataset(this.#client, catalogue, write, signal) }])
  }

  /** A node may be described once in a body. */
  #sorted<Write extends DatasetWrite>(
    writes: readonly Write[],
  ): [many: (Write & BulkWrite)[], alone: Write[]] {
    const many = new Map<string, Write & BulkWrite>()
    const alone: Write[] = []
    for (const write of writes) {
      const { node } = write
      if (!this.#bulk || node === undefined || many.has(node)) alone.push(write)
      else many.set(node, { ...write, node })
    }
    return [[...many.values()], alone]
  }
}

/** By a request of its own; once more when somebody else wrote it at the same time. */
async function putDataset(
  client: RepositoryClient,
  catalogue: string,
  { originalId, text: body, mediaType, requestId }: DatasetWrite,
  signal: AbortSignal,
): Promise<WriteVerdict> {
  const path = originPath(catalogue, originalId)
  const named = requestId === undefined ? {} : { 'X-Request-Id': requestId }
  const headers = { Prefer: 'respond-async', ...named }
  const put = async () =>
    verdictOf(await client.ask({ method: 'PUT', path, body, mediaType, headers }, signal))
  const first = await put()
  return first.status === 409 || first.status === 412 ? put() : first
}

/** An answer to a PUT; the platform's id is the end of the address that it names. */
export function verdictOf({ status, headers, text }: RepositoryAnswer): WriteVerdict {
  const iri = headers.get('location') ?? headers.get('content-location') ?? ''
  const platformId = /\/([A-Za-z0-9_~-]+)$/.exec(iri)?.[1]
  return { status, problem: jsonIn(text), ...(platformId !== undefined && { platformId }) }
}

/** Nothing where the repository takes datasets one by one only. */
async function bulkOf(client: RepositoryClient, signal: AbortSignal): Promise<Bulk | undefined> {
  const { putDatasets } = client
  if (putDatasets)
    return async (catalogue, writes, bound) => {
      const texts = writes.map(({ originalId, node, text }) => ({
        originalId,
        iri: node.slice(1, -1),
        text,
      }))
      return (await putDatasets(catalogue, texts, bound)).map(itemVerdict)
    }
  const records = await recordBase(client, signal)
  return records === undefined
    ? undefined
    : (catalogue, writes, bound) => putBulk({ client, catalogue, records }, writes, bound)
}

/** Where a platform like this one has its catalogues and records, below its base. */
const [cataloguePath, recordPath] = ['id/catalogue/', 'set/record/']

/**
 * What the IRIs of the platform's records begin with, derived from those of its catalogues. Records are how a body says under
 * which original id a dataset is to be written.
 */
async function recordBase(
  client: RepositoryClient,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = '/catalogues?valueType=uriRefs&limit=1'
  const { status, text } = await client.ask({ method: 'GET', path }, signal)
  const list = status === 200 ? jsonIn(text) : undefined
  const iri: unknown = Array.isArray(list) ? list[0] : undefined
  const base = typeof iri === 'string' ? iri.split(cataloguePath)[0] : undefined
  return base === undefined || base === iri ? undefined : `${base}${recordPath}`
}

type BulkTarget = {
  readonly client: RepositoryClient
  readonly catalogue: string
  readonly records: string
}

/** A verdict per dataset, or none where it has to be sent by itself; `undefined` when there is no such route. */
async function putBulk(
  { client, catalogue, records }: BulkTarget,
  writes: readonly BulkWrite[],
  signal: AbortSignal,
): ReturnType<Bulk> {
  const requestId = writes[0]?.requestId
  const { status, text } = await client.ask(
    {
      method: 'PUT',
      path: `/catalogues/${catalogue}/datasets/bulk`,
      body: writes.map((write, at) => graphOf(write, at, records)).join(''),
      mediaType: 'application/n-quads',
      headers: {
        Accept: 'application/json',
        ...(requestId !== undefined && { 'X-Request-Id': requestId }),
      },
    },
    signal,
  )
  if (status === 404 || status === 405 || status === 410) return undefined
  if (status === 401 || status === 403 || status === 429 || status >= 500)
    return writes.map(() => ({ status, problem: jsonIn(text) }))
  const told = status === 200 ? jsonIn(text) : undefined
  // Whoever reads the body otherwise than it was meant gets the datasets one by one.
  if (!Array.isArray(told) || told.length !== writes.length) return writes.map(() => undefined)
  return writes.map(({ originalId }, at) => {
    const one: unknown = told[at]
    if (!isRecord(one) || one['originalId'] !== originalId) return undefined
    const { status: code, id, problem } = one
    if (typeof code !== 'number') return undefined
    return itemVerdict({ status: code, problem, ...(typeof id === 'string' && { id }) })
  })
}

/** Nothing for what may be different when it is sent by itself. */
function itemVerdict({ status, id, problem }: BulkVerdict): WriteVerdict | undefined {
  if (status === 429 || status >= 500 || status === 409 || status === 412) return undefined
  return { status, problem, ...(id !== undefined && { platformId: id }) }
}

const [type, catalogueRecord] = [rdf('type'), dcat('CatalogRecord')].map((term) => termText(term))
const [topic, identifier] = [foaf('primaryTopic'), dct('identifier')].map((term) => termText(term))

/** The graph of one dataset: its triples, and a record with its original id, which the repository reads and drops. */
function graphOf({ node, originalId, text }: BulkWrite, at: number, records: string): string {
  const end = ` <urn:${at}> .\n`
  const record = `<${records}${at}>`
  return (
    text.replaceAll(' .\n', end) +
    `${record} ${type} ${catalogueRecord}${end}` +
    `${record} ${topic} ${node}${end}` +
    `${record} ${identifier} ${quoted(originalId)}${end}`
  )
}
