/**
 * Writes datasets under their ids at the origin: up to some hundred with one bulk request (N-Quads with a graph for each); what
 * does not go that way goes by a PUT of its own.
 */

import { z } from 'zod'
import { defined } from '../../pipe/defined.ts'
import { quoted, termText } from '../../rdf/lines.ts'
import { dcat, dct, foaf, rdf } from '../../rdf/namespaces.ts'
import { jsonIn, type RepositoryClient } from './repository-client.ts'
import { verdictOf, type WriteVerdict } from './verdicts.ts'

export type DatasetWrite = {
  readonly originalId: string
  readonly mediaType: string
  readonly text: string
  /** The dataset's node as N-Triples when the text is plain N-Triples about it; else it is sent by itself. */
  readonly node: string | undefined
  readonly requestId?: string
}

/** Path of a dataset by its id at the origin. */
export const originPath = (catalogue: string, originalId: string): string =>
  `/catalogues/${catalogue}/datasets/origin?originalId=${encodeURIComponent(originalId)}`

/** Datasets with what the repository said to them. */
export type LandedWrites<Write> = readonly {
  readonly write: Write
  readonly verdict: WriteVerdict
}[]

/** Writes of a catalogue; `landed` gets their verdicts as they come, and what it throws ends the writing. */
type WriteOptions<Write> = {
  readonly catalogue: string
  readonly writes: readonly Write[]
  readonly landed: (some: LandedWrites<Write>) => void
}

export type DatasetWriter = {
  /** Whether the repository takes many at once. */
  readonly takesMany: boolean
  readonly write: <Write extends DatasetWrite>(
    options: WriteOptions<Write>,
    signal: AbortSignal,
  ) => Promise<void>
}

type BulkWrite = DatasetWrite & { readonly node: string }
/** A verdict per dataset, or none where it has to be sent by itself; `undefined` when there is no such route. */
type Bulk = (
  catalogue: string,
  writes: readonly BulkWrite[],
  signal: AbortSignal,
) => Promise<readonly (WriteVerdict | undefined)[] | undefined>

/** Asks the repository whether it takes many at once. */
export async function openDatasetWriter(
  client: RepositoryClient,
  opening: AbortSignal,
): Promise<DatasetWriter> {
  let bulk = await bulkOf(client, opening)
  return {
    takesMany: bulk !== undefined,
    write: async ({ catalogue, writes, landed }, signal) => {
      const { many, alone } = sorted(writes, bulk !== undefined)
      const verdicts = many.length < 2 ? [] : await bulk?.(catalogue, many, signal)
      if (!verdicts) bulk = undefined
      const answered = many.flatMap((write, at) => {
        const verdict = verdicts?.[at]
        return verdict ? [{ write, verdict }] : []
      })
      if (answered.length > 0) landed(answered)
      for (const write of [...alone, ...many.filter((_, at) => !verdicts?.[at])])
        landed([{ write, verdict: await putDataset(client, catalogue, write, signal) }])
    },
  }
}

/** A node may be described once in a body. */
function sorted<Write extends DatasetWrite>(writes: readonly Write[], takesMany: boolean) {
  const many = new Map<string, Write & BulkWrite>()
  const alone: Write[] = []
  for (const write of writes) {
    const { node } = write
    if (!takesMany || node === undefined || many.has(node)) alone.push(write)
    else many.set(node, { ...write, node })
  }
  return { many: [...many.values()], alone }
}

/** By a request of its own; once more when somebody else wrote it at the same time. */
async function putDataset(
  client: RepositoryClient,
  catalogue: string,
  { originalId, text: body, mediaType, requestId }: DatasetWrite,
  signal: AbortSignal,
): Promise<WriteVerdict> {
  const path = originPath(catalogue, originalId)
  const headers = { Prefer: 'respond-async', ...defined({ 'X-Request-Id': requestId }) }
  const put = async () =>
    verdictOf(await client.ask({ method: 'PUT', path, body, mediaType, headers }, signal))
  const first = await put()
  return first.status === 409 || first.status === 412 ? put() : first
}

/** Nothing where the repository takes datasets one by one only. */
async function bulkOf(client: RepositoryClient, opening: AbortSignal): Promise<Bulk | undefined> {
  const records = await recordBase(client, opening)
  if (records === undefined) return undefined
  return async (catalogue, writes, signal) => {
    const path = `/catalogues/${catalogue}/datasets/bulk`
    const body = writes.map((write, at) => graphOf(write, at, records)).join('')
    const mediaType = 'application/n-quads'
    const headers = {
      Accept: 'application/json',
      ...defined({ 'X-Request-Id': writes[0]?.requestId }),
    }
    const answer = await client.ask({ method: 'PUT', path, body, mediaType, headers }, signal)
    return bulkVerdicts(verdictOf(answer), answer.text, writes)
  }
}

type Item = {
  readonly status: number
  readonly id?: string | undefined
  readonly problem?: unknown
}
const item = { status: z.number(), id: z.string().optional(), problem: z.unknown().optional() }
const bulkSchema = z.array(z.object({ originalId: z.string(), ...item }))

function bulkVerdicts(
  { status, problem }: WriteVerdict,
  text: string,
  writes: readonly BulkWrite[],
): Awaited<ReturnType<Bulk>> {
  if (status === 404 || status === 405 || status === 410) return undefined
  if (status === 401 || status === 403 || status === 429 || status >= 500)
    return writes.map(() => ({ status, problem }))
  const { data: items = [] } = bulkSchema.safeParse(status === 200 ? jsonIn(text) : [])
  // Whoever reads the body otherwise than it was meant gets the datasets one by one.
  return writes.map(({ originalId }, at) => {
    const told = items.length === writes.length ? items[at] : undefined
    return told?.originalId === originalId ? itemVerdict(told) : undefined
  })
}

/** Nothing for what may be different when it is sent by itself. */
function itemVerdict(item: Item): WriteVerdict | undefined {
  const { status, id: platformId, problem } = item
  if (status === 429 || status >= 500 || status === 409 || status === 412) return undefined
  return { status, problem, ...defined({ platformId }) }
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
