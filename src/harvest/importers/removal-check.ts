/**
 * Before a record missing from the source's list is removed, its own address at the source is requested, because a list may
 * be incomplete even if its total is right.
 */

import { Failure } from '../../errors.ts'
import type { Message } from '../../pipe/message.ts'
import type { ImportConfig } from './import-config.ts'
import type { SegmentContext } from '../../pipe/segment.ts'
import type { ImportRecorder } from './import-recorder.ts'
import type { ImportSource } from './source.ts'

/** Address of one record at its source. `goneStatuses`: those that mean removed, beside 404 and 410. */
export type RecordAddress = { readonly url: string; readonly goneStatuses?: readonly number[] }

/** Uses the IRI of a record as its address, if it is one at the host of the source. For kinds of sources with RDF. */
export const iriAsAddress = (
  { address }: ImportConfig,
  sourceId: string,
): readonly RecordAddress[] => {
  const url = /^https?:/.test(sourceId) ? URL.parse(sourceId) : null
  return url?.origin === new URL(address).origin ? [{ url: url.href }] : []
}

/** Maximum number of checked records per run, of consecutive failures, and of records named in findings. */
const mostChecked = 1000
const mostFailures = 5
const mostNamed = 100
/** Statuses 300 to 499, which must not throw. */
const otherStatuses = Array.from({ length: 200 }, (_, n) => 300 + n)

/** Status of an address below 500; `undefined` without an answer that says anything. */
async function statusOf(source: ImportSource, url: string, signal: AbortSignal) {
  try {
    return await source.read(url, { accepts: otherStatuses }, async ({ status }) => status)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Failure) return undefined
    throw error
  }
}

const isExisting = (status: number | undefined) => status !== undefined && status < 300

type AddressOf = (sourceId: string) => RecordAddress | undefined

/** Records to check, and what the check needs. */
type RemovalCheck = {
  /** Source ids of the pipe's records that the source did not list. */
  readonly missing: readonly string[]
  readonly source: ImportSource
  readonly config: object
  readonly addressesOf: (sourceId: string) => readonly RecordAddress[]
  readonly recorder: Pick<ImportRecorder, 'samples' | 'isNotImportable' | 'isProven'>
  readonly sink: SegmentContext['sink']
}

/** Finds a form of address that distinguishes existing records: it answers for a listed record, and not for an invented one. */
async function workingAddress(
  { source, addressesOf: all, recorder: { samples } }: RemovalCheck,
  signal: AbortSignal,
): Promise<AddressOf | undefined> {
  const sample = samples.find((id) => all(id).length > 0)
  for (const [index, { url }] of sample === undefined ? [] : all(sample).entries()) {
    if (!isExisting(await statusOf(source, url, signal))) continue
    const invented = all(sample?.replace(/[^/]{1,4}$/, 'zzzz') ?? '')[index]
    const status = invented && (await statusOf(source, invented.url, signal))
    // 429 and above say nothing about the record.
    if (status !== undefined && status >= 400 && status < 429) return (id) => all(id)[index]
  }
  return undefined
}

/** Config keys that select a part of the source; an existing record may then be outside of the selection. */
const selectionKeys = ['filters', 'where', 'refine', 'exclude', 'q', 'filter', 'query', 'graph']

/**
 * Yields the missing records that are kept: those whose address exists or cannot be checked, and all of them if neither
 * addresses nor the list prove anything. An existing record is gone all the same if the config selects a part of the source
 * and the list is proven. Returns the number of kept ones.
 */
export async function* keepExisting(
  check: RemovalCheck,
  signal: AbortSignal,
): AsyncGenerator<Message, number> {
  const { missing, source, config, recorder, sink } = check
  const unlisted = missing.filter((id) => !recorder.isNotImportable(id))
  if (unlisted.length === 0) return 0
  const addressOf = await workingAddress(check, signal)
  const isSelection = selectionKeys.some((key) => Reflect.get(config, key) !== undefined)
  let [requests, failures, keptRecords] = [0, 0, 0]
  /** Reason to keep the record; `undefined` if it is gone. */
  const reasonFor = async (sourceId: string): Promise<string | undefined> => {
    const address = addressOf?.(sourceId)
    if (!address)
      return recorder.isProven ? undefined : 'the source changed while its pages were read'
    if (requests >= mostChecked || failures >= mostFailures) return 'its own address was not asked'
    requests += 1
    const status = await statusOf(source, address.url, signal)
    failures = status === undefined ? failures + 1 : 0
    if (status === 404 || status === 410 || address.goneStatuses?.includes(status ?? 0))
      return undefined
    if (!isExisting(status)) return `its own address answered ${status ?? 'nothing'}`
    return isSelection && recorder.isProven ? undefined : 'its own address still answers'
  }
  for (const sourceId of unlisted) {
    const reason = await reasonFor(sourceId)
    if (reason === undefined) continue
    keptRecords += 1
    if (keptRecords <= mostNamed)
      sink.finding({
        slug: 'removal-unsure',
        detail: `${sourceId} is not listed and stays: ${reason}`,
      })
    yield { kind: 'skipped', sourceId, reason: `not listed, ${reason}`, isKept: true }
  }
  return keptRecords
}
