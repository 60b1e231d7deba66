/**
 * The generations of each index: which one answers, which one is filled beside it, which ones go. What is known of them is kept in
 * Meilisearch (index `meta`): under which settings each was written, and whether it is whole.
 */

import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type IndexName, type IndexSettings, signatureOf } from '../index-settings.ts'
import { attributes, spelled, type Uids } from './attributes.ts'
import type { Tasks, Wire } from './engine-client.ts'
import { expected } from './engine-failures.ts'
import type { Indices } from './engine-indices.ts'
import {
  dictionarySettings,
  recordSettings,
  seedOf,
  type EngineSettings,
} from './engine-settings.ts'

/** Counts changes of the layout of documents: an index of another one is written anew. */
const layoutNumber = 1

type Deps = {
  readonly uids: Uids
  readonly indices: Indices
  readonly meta: Meta
  readonly languages: readonly string[]
}

/** Makes the settings those of every index; what is known of each then. Indices that are not named go, those of `anew` are made again. */
export async function configured(
  deps: Deps,
  all: readonly IndexSettings[],
  anew: readonly IndexName[] = [],
): Promise<readonly Known[]> {
  const { uids, indices, meta } = deps
  await Promise.all([
    indices.ensure(uids.meta, dictionarySettings([])),
    indices.ensure(uids.terms, dictionarySettings(['term', 'stems'])),
    indices.ensure(uids.facetValues, dictionarySettings(['facet'])),
  ])
  const before = await remembered(deps)
  const gone = before.filter(({ index }) => !all.some((one) => one.index === index))
  for (const { index } of gone) {
    await indices.drop(uids.next(index))
    await indices.drop(uids.of(index))
  }
  await meta.forget(gone.map(({ index }) => index))
  const counts = await indices.counts()
  // Without its terms a search for words would silently find less.
  const isLost = (counts.get(uids.terms) ?? 0) === 0
  const after = await Promise.all(
    all.map((settings) => {
      const known = before.find(({ index }) => index === settings.index)
      const isEmpty = (counts.get(uids.of(settings.index)) ?? 0) === 0
      const isAnew = anew.includes(settings.index)
      return prepared(deps, settings, { known, isEmpty, isOld: isAnew || (isLost && !isEmpty) })
    }),
  )
  await meta.write(after)
  // What an earlier process swapped away and did not drop any more.
  const left = after.filter(({ index, next }) => !next && counts.has(uids.next(index)))
  for (const { index } of left) await indices.drop(uids.next(index))
  return after
}

/** What is known of all indices, also when a process or the connection ended in the middle of a swap. */
export async function remembered(deps: Deps): Promise<readonly Known[]> {
  await deps.indices.swapped()
  return Promise.all((await deps.meta.read()).map((known) => settled(deps, known)))
}

/** What was filled answers from now on; without anything being filled nothing changes. */
export async function finished({ uids, indices, meta }: Deps, known: Known): Promise<Known> {
  const { next, ...rest } = known
  const { index, answering } = rest
  if (!next && answering.isWhole) return known
  if (next) await indices.swap(uids.of(index), uids.next(index))
  const after: Known = { ...rest, answering: { ...(next ?? answering), isWhole: true } }
  await meta.write([after])
  if (next) await indices.drop(uids.next(index))
  return after
}

/** Whether an index has to be filled. */
export const isFilled = ({ answering, next }: Known): boolean =>
  next !== undefined || !answering.isWhole

/** After a crash between a swap and the note of it, the mark in the index says what happened. */
async function settled({ uids, indices, meta }: Deps, known: Known): Promise<Known> {
  const { next, ...rest } = known
  const { index } = rest
  if (!next || !hasMark(await indices.settings(uids.of(index)), next.mark)) return known
  const after: Known = { ...rest, answering: { ...next, isWhole: true } }
  await meta.write([after])
  await indices.drop(uids.next(index))
  return after
}

type Present = {
  readonly known: Known | undefined
  readonly isEmpty: boolean
  /** What there is does not count, whatever its signature says. */
  readonly isOld: boolean
}

async function prepared(
  deps: Deps,
  settings: IndexSettings,
  { known, isEmpty, isOld }: Present,
): Promise<Known> {
  const { uids, indices, languages } = deps
  const { index } = settings
  const signature = signatureOf(layoutNumber, settings, languages)
  const wantedOf = (mark: string) => recordSettings(settings, languages, mark)
  const answering = known && (await present(indices, uids.of(index), known.answering))
  const next = known?.next && (await present(indices, uids.next(index), known.next))
  const newest = next ?? answering
  const own = { index, ...(known?.removed !== undefined && { removed: known.removed }) }
  if (known && answering && newest?.signature === signature && !isOld) {
    const renewed = { ...newest, settings, languages }
    await indices.ensure(next ? uids.next(index) : uids.of(index), wantedOf(newest.mark))
    return next
      ? { ...known, next: renewed }
      : { ...own, answering: { ...known.answering, ...renewed } }
  }
  // The one that answers was written to under other settings while `next` was filled: it is not what its signature says.
  const made: Generation = { mark: `_gen_${randomUUID()}`, signature, settings, languages }
  const make = (uid: string) => indices.make(uid, wantedOf(made.mark), seedOf(settings, languages))
  if (known && answering && !isEmpty) {
    await make(uids.next(index))
    return { ...own, answering: known.answering, next: made }
  }
  await indices.drop(uids.next(index))
  await make(uids.of(index))
  return { ...own, answering: { ...made, isWhole: false } }
}

/** A generation, if its index is still there. */
async function present(
  indices: Indices,
  uid: string,
  generation: Generation,
): Promise<Generation | undefined> {
  return hasMark(await indices.settings(uid), generation.mark) ? generation : undefined
}

function hasMark(settings: EngineSettings | undefined, mark: string): boolean {
  const displayed = settings?.['displayedAttributes']
  return Array.isArray(displayed) && displayed.includes(mark)
}

/** Documents that were written under the same settings. */
export type Generation = {
  /** Stands in the settings of its index too: that tells which index holds it after a swap. */
  readonly mark: string
  readonly signature: string
  readonly settings: IndexSettings
  readonly languages: readonly string[]
}

export type Known = {
  readonly index: IndexName
  /** What searches are answered from; not whole = still to be filled, because there is nothing older. */
  readonly answering: Generation & { readonly isWhole: boolean }
  /** What is filled beside it. */
  readonly next?: Generation
  /** The largest version that took a record away: documents that are gone tell of none. */
  readonly removed?: number
}

export type Meta = {
  read(): Promise<Known[]>
  write(known: readonly Known[]): Promise<void>
  forget(indices: readonly IndexName[]): Promise<void>
}

const knownAnswer = z.object({ results: z.array(z.object({ known: z.string() })) })
/** More than there are indices. */
const all = 1000

export function metaOf(wire: Wire, tasks: Tasks, uids: Uids): Meta {
  const documents = `/indexes/${uids.meta}/documents`
  const lineOf = (known: Known) =>
    // One text: the names in it must not become attributes.
    JSON.stringify({ [attributes.key]: spelled(known.index), known: JSON.stringify(known) })
  return {
    read: async () => {
      const answer = await wire.post(`${documents}/fetch`, { fields: ['known'], limit: all })
      return expected(knownAnswer, answer).results.map(({ known }): Known => JSON.parse(known))
    },
    write: async (known) => {
      if (known.length > 0) await tasks.done([await wire.lines(documents, known.map(lineOf))])
    },
    forget: async (indices) => {
      if (indices.length === 0) return
      const keys = indices.map((index) => spelled(index))
      await tasks.done([await wire.post(`${documents}/delete-batch`, keys)])
    },
  }
}
