/** Contents of any size: laid ready piece by piece on disk, taken over in one step, read piece by piece. */

import { Failure } from '../../../errors.ts'
import { checkGraph, triplesOf } from '../../lines.ts'
import { differences, growthOf } from '../../spool/difference.ts'
import { linesOf } from '../../spool/merging.ts'
import type { Draft, Job, Visit } from '../messages.ts'
import { isTight } from '../engine.ts'
import { perform, settle, sizeOf, type Effect } from '../settle.ts'
import { checkRoom, type State } from '../state.ts'

const unknown = () =>
  new Failure('store-unavailable', 'The store had to start again; repeat the request.', {
    retryAfter: 2,
  })

const fresh = (state: State): Draft => ({
  owner: state.blobs.pieces.open(),
  pieces: 0,
  lines: 0,
  last: '',
})

function checkOrder(lines: readonly string[], last: string): void {
  let before = last
  for (const line of lines) {
    if (line <= before) throw new Error('streamed lines must be sorted and without doubles')
    before = line
  }
}

/** Takes the next piece; `Failure` store-full as soon as the index could not hold what is there. */
export function stage(state: State, { staging, text }: Job<'stage'>): void {
  const draft = state.drafts.get(staging) ?? fresh(state)
  const lines = triplesOf(text)
  checkOrder(lines, draft.last)
  const total = draft.lines + lines.length
  // What goes makes room, but no more than there is now.
  if (total > state.settings.maxQuads) checkRoom(state, state.settings.maxQuads)
  const { pieces } = state.blobs
  state.blobs.transaction(() => pieces.add(draft.owner, draft.pieces, text))
  const { owner } = draft
  const last = lines.at(-1) ?? draft.last
  state.drafts.set(staging, { owner, pieces: draft.pieces + 1, lines: total, last })
}

export function unstage(state: State, staging: string): void {
  const draft = state.drafts.get(staging)
  state.drafts.delete(staging)
  if (draft) state.blobs.transaction(() => state.blobs.pieces.forget(draft.owner))
}

/** The contents before and after, as texts that can be read again and again. */
type Sides = { readonly before: () => Iterable<string>; readonly after: () => Iterable<string> }

/** Larger effects are not sent to the replica, which is built anew instead. */
const mostFed = 16 * 1024 * 1024

function* effectsOf(graph: string, { before, after }: Sides, isNew: boolean): Generator<Effect> {
  if (isNew) {
    for (const text of after()) if (text !== '') yield { graph, does: 'load', text }
    return
  }
  const ended = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
  for (const { removed, added } of differences(linesOf(before()), linesOf(after()))) {
    yield { graph, does: 'change', removed: ended(removed), added: ended(added) }
  }
}

/** Brings index and replica up to date, batch by batch: nobody else has a turn meanwhile. */
function follow({ quads, feed, beat }: State, effects: Iterable<Effect>): void {
  const told: Effect[] = []
  let size = 0
  for (const effect of effects) {
    perform(quads, effect)
    beat()
    size += sizeOf(effect)
    if (size <= mostFed) told.push(effect)
    else told.length = 0
  }
  if (size <= mostFed) feed.send(told)
  else feed.lose()
}

type Landed = { readonly effects: readonly Effect[]; readonly growth: number }

/** Of a usual line, in UTF-16 units. */
const lineSize = 200

/** The step itself, in a transaction. */
function land(state: State, job: Job<'swap'>, { before, after }: Sides): Landed {
  const { blobs } = state
  const draft = state.drafts.get(job.staging)
  checkGraph(job.graph)
  const settled = job.changes.map((change) => (checkGraph(change.graph), settle(blobs, change)))
  let growth = growthOf(linesOf(before()), linesOf(after()))
  for (const one of settled) growth += one.growth
  checkRoom(state, growth)
  if (!draft) blobs.setContent(job.graph, '')
  else if (draft.pieces === 1) blobs.setContent(job.graph, blobs.pieces.text(draft.owner, 0) ?? '')
  else blobs.adopt(job.graph, draft.owner)
  blobs.tidy(job.graph)
  return { effects: settled.flatMap(({ effect }) => effect ?? []), growth }
}

/** Makes what was laid ready the content of the graph, together with the other changes. */
export function swap(state: State, job: Job<'swap'>): void {
  const { blobs } = state
  const { graph, staging } = job
  const draft = state.drafts.get(staging)
  const old = blobs.ownerOf(graph)
  const text = old === undefined ? (blobs.content(graph) ?? '') : ''
  const sides: Sides = {
    before: () => (old === undefined ? [text] : blobs.pieces.texts(old)),
    after: () => (draft ? blobs.pieces.texts(draft.owner) : []),
  }
  const isNew = !blobs.has(graph)
  // Its pieces are read once more after the step.
  if (old !== undefined) blobs.pieces.visit(old)
  try {
    const index = ({ effects }: Landed) => {
      follow(state, draft ? effectsOf(graph, sides, isNew) : [{ graph, does: 'drop' }])
      follow(state, effects)
    }
    // What cannot be indexed must not be durable: nobody could load it again.
    const isFirst = isTight((draft?.lines ?? 0) * lineSize)
    const landed = blobs.transaction(() => {
      const all = land(state, job, sides)
      if (isFirst) index(all)
      return all
    })
    state.count += landed.growth
    if (!isFirst) index(landed)
  } finally {
    if (old !== undefined) blobs.transaction(() => blobs.pieces.leave(old))
  }
  state.drafts.delete(staging)
  if (draft?.pieces === 1) blobs.transaction(() => blobs.pieces.forget(draft.owner))
}

export function visit({ blobs }: State, graph: string): Visit {
  const owner = blobs.ownerOf(graph)
  const links = blobs.links(graph)
  if (owner === undefined) {
    return { text: blobs.content(graph) ?? '', links, owner, pieces: 0 }
  }
  blobs.pieces.visit(owner)
  return { text: '', links, owner, pieces: blobs.pieces.count(owner) }
}

export function piece({ blobs }: State, { owner, number }: Job<'piece'>): string {
  const text = blobs.pieces.text(owner, number)
  if (text === undefined) throw unknown()
  return text
}

export function leave({ blobs }: State, owner: number): void {
  blobs.transaction(() => blobs.pieces.leave(owner))
}
