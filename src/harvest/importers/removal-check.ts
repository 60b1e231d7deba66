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

/** Address of one record at its source. `gone`: statuses that mean removed, beside 404 and 410. */
export type RecordAddress = { readonly url: string; readonly gone?: readonly number[] }

/** The IRI of a record, if it is an address at the host of the source. */
export const ownIri = ({ address }: ImportConfig, sourceId: string): readonly RecordAddress[] => {
  const url = /^https?:/.test(sourceId) ? URL.parse(sourceId) : null
  return url?.origin === new URL(address).origin ? [{ url: url.href }] : []
}

/** Maximum number of checked records per run, and of consecutive failures. */
const mostAsked = 1000
const mostFailures = 5
const mostNamed = 100
const accepts = Array.from({ length: 200 }, (_, n) => 300 + n)

/** Status of an address; `undefined` without an answer. */
async function statusOf(source: ImportSource, url: string, signal: AbortSignal) {
  try {
    return await source.read(url, { accepts }, async ({ status }) => status)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Failure) return undefined
    throw error
  }
}

const isThere = (status: number | undefined) => status !== undefined && status < 300

type AddressOf = (sourceId: string) => RecordAddress | undefined

/** Records to check, and the client. */
type RemovalCheck = {
  /** Source ids of the pipe's records that the source did not list. */
  readonly missing: readonly string[]
  readonly source: ImportSource
  readonly config: object
  readonly addressesOf: (sourceId: string) => readonly RecordAddress[]
  readonly recorder: Pick<ImportRecorder, 'samples' | 'hasDropped' | 'isProven'>
  readonly sink: SegmentContext['sink']
}

/** Finds a form of address that distinguishes existing records: it answers for a listed record, and not for an invented one. */
async function workingAddress(
  { source, addressesOf: all, recorder: { samples } }: RemovalCheck,
  signal: AbortSignal,
): Promise<AddressOf | undefined> {
  const sample = samples.find((id) => all(id).length > 0)
  for (const [at, { url }] of sample === undefined ? [] : all(sample).entries()) {
    if (!isThere(await statusOf(source, url, signal))) continue
    const nobody = all(sample?.replace(/[^/]{1,4}$/, 'zzzz') ?? '')[at]
    const status = nobody && (await statusOf(source, nobody.url, signal))
    if (status !== undefined && status >= 400 && status < 429) return (id) => all(id)[at]
  }
  return undefined
}

/** Config keys that select a part of the source; an existing record may then be outside of the selection. */
const selecting = ['filters', 'where', 'refine', 'exclude', 'q', 'filter', 'query', 'graph']

/**
 * Yields the missing records that are kept: those whose address exists or cannot be checked, and all of them if neither
 * addresses nor the list prove anything. Returns their number; the others are gone.
 */
export async function* keepExisting(
  check: RemovalCheck,
  signal: AbortSignal,
): AsyncGenerator<Message, number> {
  const { missing, source, config, recorder, sink } = check
  const open = missing.filter((id) => !recorder.hasDropped(id))
  if (open.length === 0) return 0
  const addressOf = await workingAddress(check, signal)
  const isPart = selecting.some((key) => Reflect.get(config, key) !== undefined)
  let [asked, failures, kept] = [0, 0, 0]
  /** Reason to keep the record; `undefined` if it is gone. */
  const reasonFor = async (sourceId: string): Promise<string | undefined> => {
    const address = addressOf?.(sourceId)
    if (!address)
      return recorder.isProven ? undefined : 'the source changed while its pages were read'
    if (asked >= mostAsked || failures >= mostFailures) return 'its own address was not asked'
    asked += 1
    const status = await statusOf(source, address.url, signal)
    failures = status === undefined || status >= 500 ? failures + 1 : 0
    if (status === 404 || status === 410 || address.gone?.includes(status ?? 0)) return undefined
    if (!isThere(status)) return `its own address answered ${status ?? 'nothing'}`
    return isPart && recorder.isProven ? undefined : 'its own address still answers'
  }
  for (const sourceId of open) {
    const reason = await reasonFor(sourceId)
    if (reason === undefined) continue
    kept += 1
    if (kept <= mostNamed)
      sink.finding({
        slug: 'removal-unsure',
        detail: `${sourceId} is not listed and stays: ${reason}`,
      })
    yield { kind: 'skipped', sourceId, reason: `not listed, ${reason}`, isKept: true }
  }
  return kept
}
