/** The writing side of the embedded store, without its thread: durable copy, index and follower, job by job. */

import { Failure } from '../../errors.ts'
import type { Written } from '../change.ts'
import { openBlobs, type Blobs } from './blobs.ts'
import { putGraph, runUpdate } from './direct.ts'
import { isShort, isTight } from './engine.ts'
import { feeder } from './feeder.ts'
import { checkGraph } from '../lines.ts'
import { refusalOf, type Handover, type Job, type Reply, type WriterSettings } from './messages.ts'
import { isBroken, isCrowded, openQuads, type Quads } from './quads.ts'
import { leave, piece, stage, swap, unstage, visit } from './pieces/staging.ts'
import { checkRoom, type State } from './state.ts'
import { gathered, perform, settle, sizeOf, type Effect, type Settled } from './settle.ts'

type Write = Job<'write'> | Job<'put'>
type Outcome = { readonly reply: Reply; readonly effects: readonly Effect[] }

/** Loads every graph into an empty index; answers the names of those that would not load. */
export function fill(blobs: Blobs, quads: Quads, wanted: (graph: string) => boolean): string[] {
  const unreadable: string[] = []
  for (const { name, content, links } of blobs.all()) {
    if (!wanted(name) || unreadable.at(-1) === name) continue
    try {
      quads.load(name, links.length === 0 ? content : `${content}${links.join('\n')}\n`)
    } catch (error) {
      if (isBroken(error)) throw error
      quads.drop(name)
      unreadable.push(name)
    }
  }
  return unreadable
}

function refused(id: number, error: unknown): Reply {
  if (error instanceof Failure) return { id, refusal: refusalOf(error) }
  throw error
}

const growthOf = (settled: readonly Settled[]) => settled.reduce((sum, one) => sum + one.growth, 0)

/** One call inside the group's transaction: its own step, so that its refusal does not undo the others. */
function attempt(store: State, job: Write): Outcome {
  const { blobs } = store
  try {
    const settled = blobs.step(() => {
      const all =
        job.name === 'put'
          ? [putGraph(blobs, job)]
          : job.changes.map((change) => (checkGraph(change.graph), settle(blobs, change)))
      checkRoom(store, growthOf(all))
      return all
    })
    store.count += growthOf(settled)
    const written: readonly Written[] = settled.map((one) => one.written)
    const result = job.name === 'put' ? written[0]?.existed === true : written
    const effects = settled.flatMap((one) => one.effect ?? [])
    return { reply: { id: job.id, result }, effects }
  } catch (error) {
    return { reply: refused(job.id, error), effects: [] }
  }
}

/** Group commit: one transaction for all, then the index, then the answers. */
function commit(store: State, jobs: readonly Write[]): Reply[] {
  const before = store.count
  let outcomes: Outcome[]
  let effects: readonly Effect[] = []
  let isDone = false
  const index = () => {
    isDone = true
    for (const effect of effects) perform(store.quads, effect)
  }
  try {
    outcomes = store.blobs.transaction(() => {
      const all = jobs.map((job) => attempt(store, job))
      effects = gathered(all.flatMap((outcome) => outcome.effects))
      // What cannot be indexed must not be durable: nobody could load it again.
      if (isTight(effects.reduce((sum, effect) => sum + sizeOf(effect), 0))) index()
      return all
    })
  } catch (cause) {
    // The index is ahead of the copy.
    if (isDone) throw cause
    store.count = before
    const failure = new Failure('store-unavailable', 'The store could not write to its disk.', {
      cause,
    })
    return jobs.map(({ id }) => ({ id, refusal: refusalOf(failure) }))
  }
  if (!isDone) index()
  store.feed.send(effects)
  return outcomes.map(({ reply }) => reply)
}

function readGraph(blobs: Blobs, graph: string, links: boolean): string | undefined {
  const content = blobs.content(graph)
  if (content === undefined) return undefined
  if (!links || !blobs.hasLinks(graph)) return content === '' ? undefined : content
  const lines = blobs.links(graph).filter((line) => !content.includes(line))
  return lines.length === 0 ? content : `${content}${lines.join('\n')}\n`
}

function ask({ quads, settings }: State, job: Job<'query'>): string {
  let answer: string
  try {
    answer = quads.query(job.text, job.shape)
  } catch (cause) {
    if (isBroken(cause)) throw cause
    throw new Failure('malformed-query', 'The query was refused by the store.', { cause })
  }
  if (answer.length <= settings.maxAnswer) return answer
  throw new Failure('too-large', `An answer may have ${settings.maxAnswer} characters.`)
}

type Other = Exclude<Job, Write>

function other(store: State, job: Other): unknown {
  const { blobs, quads, settings } = store
  switch (job.name) {
    case 'read':
      return readGraph(blobs, job.graph, job.links)
    case 'readAll': {
      const texts = job.graphs.map((graph) => [graph, readGraph(blobs, graph, job.links)] as const)
      return new Map(texts.filter(([, text]) => text !== undefined))
    }
    case 'query':
      return ask(store, job)
    case 'update':
      store.feed.send(runUpdate(blobs, quads, job, isShort() || store.count >= settings.maxQuads))
      store.count = quads.size()
      return undefined
    case 'counts':
      return { quads: store.count, graphs: blobs.count(), dead: quads.statements().dead }
    case 'stage':
      return stage(store, job)
    case 'swap':
      return swap(store, job)
    case 'unstage':
      return unstage(store, job.staging)
    case 'visit':
      return visit(store, job.graph)
    case 'piece':
      return piece(store, job)
    case 'leave':
      return leave(store, job.owner)
    case 'follow':
      store.feed.follow(job.port, job.whole)
      return undefined
    default:
      return job satisfies never
  }
}

const isWrite = (job: Job): job is Write => job.name === 'write' || job.name === 'put'

type Answer = (replies: readonly Reply[]) => void

/** Does the writes first, as one group, then the rest in their order. What is thrown must end the worker. */
function runJobs(store: State, jobs: readonly Job[], answer: Answer): void {
  const writes = jobs.filter(isWrite)
  if (writes.length > 0) answer(commit(store, writes))
  for (const job of jobs) {
    if (isWrite(job)) continue
    try {
      answer([{ id: job.id, result: other(store, job) }])
    } catch (error) {
      answer([refused(job.id, error)])
    }
  }
}

/** Opens the durable copy and builds the index from it. */
export function openWriter(settings: WriterSettings, beat: () => void = () => undefined) {
  const blobs = openBlobs(settings.directory)
  // What a crash left of contents that were being laid ready.
  blobs.pieces.sweep()
  const quads = openQuads()
  const unreadable = fill(blobs, quads, () => true)
  const store = { settings, blobs, quads, feed: feeder(), drafts: new Map(), beat }
  return writerOf({ ...store, count: quads.size() }, unreadable)
}

/**
 * Builds an index from the durable copy beside a worker that goes on writing. `perform` is for what that one does
 * meanwhile, and may be given what is in the copy already; `takeOver` opens the copy for writing when the other has closed it.
 */
export function openSuccessor(settings: WriterSettings, beat: () => void) {
  const quads = openQuads()
  const copy = openBlobs(settings.directory, true)
  const unreadable = fill(copy, quads, () => true)
  copy.close()
  return {
    perform: (effects: readonly Effect[]) => {
      for (const effect of effects) perform(quads, effect)
    },
    takeOver: ({ count, drafts, visits, ports }: Handover) => {
      const blobs = openBlobs(settings.directory)
      for (const [owner, times] of visits) blobs.pieces.visits.set(owner, times)
      const store = { settings, blobs, quads, feed: feeder(ports), drafts: new Map(drafts), beat }
      return writerOf({ ...store, count }, unreadable)
    },
  }
}

export type Writer = ReturnType<typeof writerOf>

function writerOf(store: State, unreadable: readonly string[]) {
  const { blobs, quads } = store
  const { dead } = quads.statements()
  return {
    opened: { quads: store.count, graphs: blobs.count(), dead, unreadable },
    run: (jobs: readonly Job[], answer: Answer) => runJobs(store, jobs, answer),
    isCrowded: () => isCrowded(quads.statements()) || (isShort() && quads.statements().dead > 0),
    /** Closes the copy and gives the rest to the worker that follows as a whole. */
    handOver: () => {
      blobs.close()
      const { count, drafts } = store
      store.feed.handOver({ count, drafts, visits: blobs.pieces.visits })
    },
    close: () => blobs.close(),
  }
}
