/**
 * Writes datasets under their original ids: those in plain N-Triples with one bulk request (N-Quads, one graph each) if the
 * repository supports it, the others by one PUT each. Callers choose the number of datasets; harvests and imports use it.
 */

import { z } from 'zod'
import { quoteLiteral, termText } from '../../rdf/lines.ts'
import { dcat, dct, foaf, rdf } from '../../rdf/namespaces.ts'
import { jsonIn, type RepositoryClient } from './repository-client.ts'
import { isServerFault, putResultOf, type PutResult } from './put-results.ts'

/** A dataset to write. */
export type DatasetWrite = {
  readonly originalId: string
  readonly mediaType: string
  readonly text: string
  /** Node of the dataset if `text` is plain N-Triples about it; if `undefined`, the dataset is written individually. */
  readonly node: string | undefined
  /** Sent as `X-Request-Id`; a bulk request has that of its first dataset. */
  readonly requestId?: string
}

/** Path of a dataset by its original id, relative to the repository's address. */
export const originPath = (catalogue: string, originalId: string): string =>
  `/catalogues/${catalogue}/datasets/origin?originalId=${encodeURIComponent(originalId)}`

/** Datasets with the results of writing them. */
export type DatasetResults<Write> = readonly {
  readonly write: Write
  readonly result: PutResult
}[]

/** Datasets to write to a catalogue; `onResults` receives results as they arrive, and stops the writing by throwing. */
type WriteOptions<Write> = {
  readonly catalogue: string
  readonly writes: readonly Write[]
  readonly onResults: (results: DatasetResults<Write>) => void
}

/** Writer of datasets to any catalogue of a repository. */
export type DatasetWriter = {
  /** Whether the repository seemed to support bulk writes when the writer was opened. */
  readonly supportsBulk: boolean
  readonly write: <Write extends DatasetWrite>(
    options: WriteOptions<Write>,
    signal: AbortSignal,
  ) => Promise<void>
}

type BulkWrite = DatasetWrite & { readonly node: string }

/**
 * Opens the writer. Bulk writes are tried if the IRI of a catalogue shows that the repository is of this kind, until a bulk
 * request is answered as unknown.
 */
export async function openDatasetWriter(
  client: RepositoryClient,
  signal: AbortSignal,
): Promise<DatasetWriter> {
  let recordIriPrefix = await findRecordIriPrefix(client, signal)
  return {
    supportsBulk: recordIriPrefix !== undefined,
    write: async ({ catalogue, writes, onResults }, signal) => {
      const { many: bulkWrites, alone: singleWrites } = splitWrites(
        writes,
        recordIriPrefix !== undefined,
      )
      let results: BulkResults = []
      if (recordIriPrefix !== undefined && bulkWrites.length > 1)
        results = await putBulk({ client, catalogue, recordIriPrefix }, bulkWrites, signal)
      if (!results) recordIriPrefix = undefined
      const answered = bulkWrites.flatMap((write, index) => {
        const result = results?.[index]
        return result ? [{ write, result }] : []
      })
      if (answered.length > 0) onResults(answered)
      for (const write of [...singleWrites, ...bulkWrites.filter((_, index) => !results?.[index])])
        onResults([{ write, result: await putDataset(client, catalogue, write, signal) }])
    },
  }
}

/** Separates writes that can go into one bulk body from those that cannot; a node may occur once in a body. */
function splitWrites<Write extends DatasetWrite>(writes: readonly Write[], supportsBulk: boolean) {
  const bulkByNode = new Map<string, Write & BulkWrite>()
  const singles: Write[] = []
  for (const write of writes) {
    const { node } = write
    if (!supportsBulk || node === undefined || bulkByNode.has(node)) singles.push(write)
    else bulkByNode.set(node, { ...write, node })
  }
  return { many: [...bulkByNode.values()], alone: singles }
}

const requestIdHeader = (requestId?: string): Record<string, string> =>
  requestId === undefined ? {} : { 'X-Request-Id': requestId }

/** Writes one dataset; repeats the PUT once after 409 or 412, a concurrent write. */
async function putDataset(
  client: RepositoryClient,
  catalogue: string,
  { originalId, text: body, mediaType, requestId }: DatasetWrite,
  signal: AbortSignal,
): Promise<PutResult> {
  const path = originPath(catalogue, originalId)
  const headers = { Prefer: 'respond-async', ...requestIdHeader(requestId) }
  const put = async () =>
    putResultOf(await client.ask({ method: 'PUT', path, body, mediaType, headers }, signal))
  const first = await put()
  return first.status === 409 || first.status === 412 ? put() : first
}

type BulkTarget = {
  readonly client: RepositoryClient
  readonly catalogue: string
  readonly recordIriPrefix: string
}

/**
 * The result of each dataset, or `undefined` if it must be written individually; `undefined` as a whole if there is no bulk
 * endpoint.
 */
type BulkResults = readonly (PutResult | undefined)[] | undefined

const bulkSchema = z.array(
  z.object({
    originalId: z.string(),
    status: z.number(),
    id: z.string().optional(),
    problem: z.unknown().optional(),
  }),
)

/** Writes several datasets with one request. */
async function putBulk(
  { client, catalogue, recordIriPrefix }: BulkTarget,
  writes: readonly BulkWrite[],
  signal: AbortSignal,
): Promise<BulkResults> {
  const path = `/catalogues/${catalogue}/datasets/bulk`
  const body = writes.map((write, index) => graphOf(write, index, recordIriPrefix)).join('')
  const mediaType = 'application/n-quads'
  const headers = { Accept: 'application/json', ...requestIdHeader(writes[0]?.requestId) }
  const answer = await client.ask({ method: 'PUT', path, body, mediaType, headers }, signal)
  const { status, text } = answer
  if (status === 404 || status === 405 || status === 410) return undefined
  const result = putResultOf(answer)
  if (status === 401 || status === 403 || isServerFault(result)) return writes.map(() => result)
  const { data: items = [] } = bulkSchema.safeParse(status === 200 ? jsonIn(text) : [])
  return writes.map(({ originalId }, index) => {
    const item = items[index]
    // If the repository interprets the body differently, the datasets are written individually.
    if (items.length !== writes.length || item?.originalId !== originalId) return undefined
    // An individual write may succeed.
    if (isServerFault(item) || item.status === 409 || item.status === 412) return undefined
    return { status: item.status, problem: item.problem, platformId: item.id }
  })
}

/** Paths of catalogues and records below the base of a platform of this kind. */
const [cataloguePath, recordPath] = ['id/catalogue/', 'set/record/']

/**
 * Prefix of the IRIs of catalogue records, derived from that of a catalogue; `undefined` if the repository lists none with an IRI
 * of this kind. The record in a body states the original id of its dataset.
 */
async function findRecordIriPrefix(
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

/** Graph of one dataset: its triples, and a record with its original id, which the repository reads and drops. */
function graphOf(
  { node, originalId, text }: BulkWrite,
  index: number,
  recordIriPrefix: string,
): string {
  const end = ` <urn:${index}> .\n`
  const record = `<${recordIriPrefix}${index}>`
  return (
    text.replaceAll(' .\n', end) +
    `${record} ${type} ${catalogueRecord}${end}` +
    `${record} ${topic} ${node}${end}` +
    `${record} ${identifier} ${quoteLiteral(originalId)}${end}`
  )
}
