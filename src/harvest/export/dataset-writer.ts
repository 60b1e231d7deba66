/**
 * Writes datasets under their ids at the origin: up to some hundred with one bulk request (N-Quads with a graph for each); what
 * does not go that way goes by a PUT of its own.
 */

import { z } from 'zod'
import { quoteLiteral, termText } from '../../rdf/lines.ts'
import { dcat, dct, foaf, rdf } from '../../rdf/namespaces.ts'
import { jsonIn, type RepositoryClient } from './repository-client.ts'
import { isServerFault, verdictOf, type WriteVerdict } from './verdicts.ts'

/** One dataset as a repository is to have it. */
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
export type WriteVerdicts<Write> = readonly {
  readonly write: Write
  readonly verdict: WriteVerdict
}[]

/** Writes of a catalogue; `landed` gets their verdicts as they come, and what it throws ends the writing. */
type WriteOptions<Write> = {
  readonly catalogue: string
  readonly writes: readonly Write[]
  readonly landed: (some: WriteVerdicts<Write>) => void
}

/** Writes datasets of any catalogue of one repository. */
export type DatasetWriter = {
  /** Whether the repository takes many at once. */
  readonly takesMany: boolean
  readonly write: <Write extends DatasetWrite>(
    options: WriteOptions<Write>,
    signal: AbortSignal,
  ) => Promise<void>
}

type BulkWrite = DatasetWrite & { readonly node: string }

/** Asks the repository whether it takes many at once. */
export async function openDatasetWriter(
  client: RepositoryClient,
  opening: AbortSignal,
): Promise<DatasetWriter> {
  let records = await recordBase(client, opening)
  return {
    takesMany: records !== undefined,
    write: async ({ catalogue, writes, landed }, signal) => {
      const { many, alone } = splitWrites(writes, records !== undefined)
      let verdicts: BulkVerdicts = []
      if (records !== undefined && many.length > 1)
        verdicts = await putBulk({ client, catalogue, records }, many, signal)
      if (!verdicts) records = undefined
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
function splitWrites<Write extends DatasetWrite>(writes: readonly Write[], takesMany: boolean) {
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
const requestIdHeader = (requestId?: string): Record<string, string> =>
  requestId === undefined ? {} : { 'X-Request-Id': requestId }

async function putDataset(
  client: RepositoryClient,
  catalogue: string,
  { originalId, text: body, mediaType, requestId }: DatasetWrite,
  signal: AbortSignal,
): Promise<WriteVerdict> {
  const path = originPath(catalogue, originalId)
  const headers = { Prefer: 'respond-async', ...requestIdHeader(requestId) }
  const put = async () =>
    verdictOf(await client.ask({ method: 'PUT', path, body, mediaType, headers }, signal))
  const first = await put()
  return first.status === 409 || first.status === 412 ? put() : first
}

type BulkTarget = {
  readonly client: RepositoryClient
  readonly catalogue: string
  readonly records: string
}

/** A verdict per dataset, or none where it has to be sent by itself; `undefined` when there is no such route. */
type BulkVerdicts = readonly (WriteVerdict | undefined)[] | undefined

const bulkSchema = z.array(
  z.object({
    originalId: z.string(),
    status: z.number(),
    id: z.string().optional(),
    problem: z.unknown().optional(),
  }),
)

async function putBulk(
  { client, catalogue, records }: BulkTarget,
  writes: readonly BulkWrite[],
  signal: AbortSignal,
): Promise<BulkVerdicts> {
  const path = `/catalogues/${catalogue}/datasets/bulk`
  const body = writes.map((write, at) => graphOf(write, at, records)).join('')
  const mediaType = 'application/n-quads'
  const headers = { Accept: 'application/json', ...requestIdHeader(writes[0]?.requestId) }
  const answer = await client.ask({ method: 'PUT', path, body, mediaType, headers }, signal)
  const { status, text } = answer
  if (status === 404 || status === 405 || status === 410) return undefined
  const verdict = verdictOf(answer)
  if (status === 401 || status === 403 || isServerFault(verdict)) return writes.map(() => verdict)
  const { data: items = [] } = bulkSchema.safeParse(status === 200 ? jsonIn(text) : [])
  return writes.map(({ originalId }, at) => {
    const item = items[at]
    // Whoever reads the body otherwise than it was meant gets the datasets one by one.
    if (items.length !== writes.length || item?.originalId !== originalId) return undefined
    // It may be different when it is sent by itself.
    if (isServerFault(item) || item.status === 409 || item.status === 412) return undefined
    return { status: item.status, problem: item.problem, platformId: item.id }
  })
}

/** Where a platform like this one has its catalogues and records, below its base. */
const [cataloguePath, recordPath] = ['id/catalogue/', 'set/record/']

/**
 * Prefix of the IRIs of the platform's records, derived from that of its catalogues. By its record a body says under which original id a
 * dataset is to be written.
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
    `${record} ${identifier} ${quoteLiteral(originalId)}${end}`
  )
}
