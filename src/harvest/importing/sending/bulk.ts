/** Many datasets of one catalogue in one request, as N-Quads with a graph for each. */
import { dcat, dct, foaf, rdf } from '../../../rdf/namespaces.ts'
import { quoted, termText } from '../../../rdf/lines.ts'
import type { DatasetParcel } from '../cutting/parcels.ts'
import type { Send } from './connection.ts'
import type { Load } from './loads.ts'
import { isRecord, jsonIn, reasonOf, refuseByKey, verdictOf, type Verdict } from './repository.ts'

/** A dataset without a verdict has to be sent by itself. */
export type Verdicts = readonly (Verdict | undefined)[]

const longestAnswer = 16 * 1_048_576
/** Where a platform like this one has its catalogues and records, below its base. */
const [cataloguePath, recordPath] = ['id/catalogue/', 'set/record/']

/**
 * What the IRIs of the platform's records begin with, told by those of its catalogues; `undefined` when it does not tell.
 * Records are how a body says under which original id a dataset is to be written.
 */
export async function recordsAt(send: Send, signal: AbortSignal): Promise<string | undefined> {
  const path = '/catalogues?valueType=uriRefs&limit=1'
  const { status, text } = await send({ method: 'GET', path }, signal)
  const [iri] = status === 200 ? arrayIn(text) : []
  const base = typeof iri === 'string' ? iri.split(cataloguePath)[0] : undefined
  return typeof iri === 'string' && base !== iri ? `${base}${recordPath}` : undefined
}

/**
 * Writes a load without waiting for the index; `undefined` when the repository knows no such request. Throws `Refused` when
 * the key is the reason.
 */
export async function putLoad(
  send: Send,
  { catalogue, parcels }: Load,
  records: string,
  signal: AbortSignal,
): Promise<Verdicts | undefined> {
  const path = `/catalogues/${catalogue}/datasets/bulk`
  const body = parcels.map((parcel, at) => graphOf(parcel, at, records)).join('')
  const ask = {
    method: 'PUT',
    path,
    body,
    mediaType: 'application/n-quads',
    longestAnswer,
  } as const
  const answer = await send({ ...ask, headers: { Accept: 'application/json' } }, signal)
  const { status, text } = answer
  if (status === 404 || status === 405) return undefined
  refuseByKey(answer, `catalogue ${catalogue}`)
  if (status === 429 || status === 503) {
    const reason = reasonOf(status, jsonIn(text))
    return parcels.map(() => ({ reason }))
  }
  const told = status === 200 ? arrayIn(text) : []
  // Whoever reads the body otherwise than it was meant gets the datasets one by one.
  return parcels.map((_, at) =>
    told.length === parcels.length ? itemVerdict(told[at]) : undefined,
  )
}

function itemVerdict(told: unknown): Verdict | undefined {
  if (!isRecord(told) || typeof told['status'] !== 'number') return undefined
  const { status, problem } = told
  return status === 429 || status === 503 ? undefined : verdictOf(status, problem)
}

const [type, catalogueRecord] = [rdf('type'), dcat('CatalogRecord')].map((term) => termText(term))
const [topic, identifier] = [foaf('primaryTopic'), dct('identifier')].map((term) => termText(term))

/** The graph of one dataset: its triples, and a record with its original id, which the repository takes and drops. */
export function graphOf(
  { node, originalId, body }: Pick<DatasetParcel, 'node' | 'originalId' | 'body'>,
  at: number,
  records: string,
): string {
  const end = ` <urn:${at}> .\n`
  const record = `<${records}${at}>`
  return (
    body.replaceAll(' .\n', end) +
    `${record} ${type} ${catalogueRecord}${end}` +
    `${record} ${topic} ${node}${end}` +
    `${record} ${identifier} ${quoted(originalId)}${end}`
  )
}

function arrayIn(text: string): readonly unknown[] {
  const value = jsonIn(text)
  return Array.isArray(value) ? value : []
}
