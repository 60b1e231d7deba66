/** A run that writes nothing: says of each record what would be sent, and what that would change. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { RecordMessage } from '../../pipe/message.ts'
import type { Difference } from '../../pipe/runs/run.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { RecordRow } from '../ledger/record-rows.ts'
import type { Account } from './account/account.ts'
import { identityOf } from './account/identity.ts'
import { canonicalise } from '../../rdf/canonical.ts'
import { formatOfMediaType } from '../../rdf/media-types.ts'
import { parse } from '../../rdf/parse.ts'
import { differenceOf, withoutNotes } from './dry-difference.ts'
import { datasetOf } from './writing/graph.ts'
import { lose } from './writing/landing.ts'
import { originPath } from './writing/put-one.ts'

/** The item has the state that the record would get, as far as that can be told, its text, and what is other than stored. */
export async function tellDry(
  account: Account,
  message: RecordMessage,
  signal: AbortSignal,
): Promise<void> {
  const { mediaType, text, sourceId, sourceUrl, findings } = message
  const identity = identityOf(account, message)
  if ('problem' in identity) {
    lose(account, message, identity.problem)
    return
  }
  const { originalId, row } = identity
  const change = await changeOf(account, { originalId, row, mediaType, text }, signal)
  if (change instanceof Failure) {
    lose(account, message, change, originalId)
    return
  }
  account.context.sink.item({
    sourceId,
    originalId,
    stage: 'export',
    state: change.kind,
    note: 'dry run: nothing was written',
    excerpt: text,
    ...(change.difference && { difference: change.difference }),
    ...(sourceUrl !== undefined && { sourceUrl }),
    ...(findings.length > 0 && { findings }),
    ...(row?.platformId !== undefined && { platformId: row.platformId }),
  })
}

type Candidate = {
  readonly originalId: string
  readonly row: RecordRow | undefined
  readonly mediaType: string
  readonly text: string
}

type Outcome = {
  readonly kind: 'created' | 'updated' | 'unchanged'
  readonly difference?: Difference
}

/** Our own repository says it as it would write it; of another one it is told as far as it can be. */
async function changeOf(
  account: Account,
  candidate: Candidate,
  signal: AbortSignal,
): Promise<Outcome | Failure> {
  const { door, owner } = account
  if (!door.previewDataset) return guessed(account, candidate, signal)
  try {
    const { kind, before, after } = await door.previewDataset(owner.catalogue, candidate, signal)
    if (kind !== 'updated') return { kind }
    return { kind, difference: differenceOf(fromLines(before), fromLines(after)) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return new Failure('export-refused', error.message, { errors: error.errors, cause: error })
  }
}

async function guessed(
  account: Account,
  { originalId, row, mediaType, text }: Candidate,
  signal: AbortSignal,
): Promise<Outcome | Failure> {
  if (mediaType === 'application/n-triples' && datasetOf(mediaType, text) === undefined)
    return new Failure('item-malformed', 'The record is not plain N-Triples about one dataset.')
  if (!account.isPresent(row, originalId)) return { kind: 'created' }
  const stored = await storedRecord(account, originalId, signal)
  const sent = stored && (await quadsOf(text, mediaType))
  if (!stored || !sent) return { kind: 'updated' }
  if (stored.hash === (await canonicalise(sent)).hash) return { kind: 'unchanged' }
  return { kind: 'updated', difference: differenceOf(withoutNotes(stored.quads, sent), sent) }
}

type Stored = { readonly quads: readonly Quad[]; readonly hash: string | undefined }

/** Nothing when it cannot be had now: the difference is a courtesy. */
async function storedRecord(
  { door, owner }: Account,
  originalId: string,
  signal: AbortSignal,
): Promise<Stored | undefined> {
  const path = originPath(owner.catalogue, originalId)
  const headers = { Accept: ntriples }
  const answer = await door.ask({ method: 'GET', path, headers }, signal)
  const text = await answer.text()
  const quads = answer.status === 200 ? await quadsOf(text, ntriples) : undefined
  const [, hash] = /^"([^"]+)"$/.exec(answer.headers.get('etag') ?? '') ?? []
  return quads && { quads, hash }
}

const ntriples = 'application/n-triples'

/** Nothing for what is not RDF, or not valid. */
async function quadsOf(text: string, mediaType: string): Promise<readonly Quad[] | undefined> {
  const format = formatOfMediaType(mediaType)
  try {
    return format && (await parse(text, format, { baseIri: 'urn:x-dry-run:' }))
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** What a complete run would remove, in words: a dry one has no list that anybody could consent to. */
export function removalsOf(account: Account): Failure | undefined {
  const { ground, owner, isWhole } = account
  if (!isWhole) return undefined
  let [all, missed] = [0, 0]
  const first: string[] = []
  for (const row of ground.ledger.records.of(owner)) {
    all += 1
    if (account.hasMet(row)) continue
    missed += 1
    if (first.length < mostNamed) first.push(row.originalId)
  }
  if (missed === 0) return undefined
  const more = missed > first.length ? ', …' : ''
  const detail = `Written for real, ${missed} of ${all} records would be missed by the source: ${first.join(', ')}${more}.`
  return new Failure('removal-held', detail)
}

const mostNamed = 20
