/**
 * The writing side of the embedded store, without its thread: the durable copy and the index of it, job by job. A group of writes
 * is one transaction in the file, then one change of the index, then the answers; on start the file wins.
 */

import type { MessagePort } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import { systemGraph } from '../../rdf/namespaces.ts'
import type { Loading, Written } from '../graph-store.ts'
import { checkGraph } from '../graph-lines.ts'
import { gathered, perform, settleChange, effectSize, type Effect } from './effects.ts'
import { engineMemory, isShort, isTight } from './engine.ts'
import { GraphFile } from './graph-file.ts'
import {
  toFailureMessage,
  type EffectFeed,
  type Handover,
  type WriterJob,
  type WriterReply,
  type WriterSettings,
} from './messages.ts'
import { isBroken, isCrowded, openQuads, type Quads } from './quads.ts'

type Answer = (replies: readonly WriterReply[]) => void

/**
 * Loads every graph into an empty index; answers the names of those that would not load. `progress` hears the number of the graph
 * that is next.
 */
export function fill(
  file: GraphFile,
  quads: Quads,
  isWanted: (graph: string) => boolean,
  progress: (done: number) => void = () => undefined,
): string[] {
  const unreadable: string[] = []
  let done = 0
  for (const { name, content, links } of file.all()) {
    progress((done += 1))
    if (!isWanted(name)) continue
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

/** UTF-16 units that may be on their way to a follower; a replica behind a long query beside a large import meets this. */
const maxLag = 64 * 1024 * 1024

type Follower = { readonly port: MessagePort; readonly whole: boolean; lag: number }

/** Passes every effect on to those that follow the index, in order, and lets go of one that falls too far behind. */
class Followers {
  readonly #all = new Set<Follower>()

  /** `whole` = the system graph too. */
  add(port: MessagePort, whole: boolean): void {
    const follower: Follower = { port, whole, lag: 0 }
    this.#all.add(follower)
    port.on('message', (done: number) => (follower.lag -= done))
    port.on('close', () => this.#all.delete(follower))
    port.unref()
  }

  send(effects: readonly Effect[]): void {
    if (this.#all.size === 0) return
    const open = effects.filter(({ graph }) => graph !== systemGraph)
    for (const follower of this.#all) {
      const feed = follower.whole ? effects : open
      if (feed.length === 0) continue
      const size = feed.reduce((sum, effect) => sum + effectSize(effect), 0)
      follower.lag += size
      if (follower.lag > maxLag) follower.port.close()
      else follower.port.postMessage({ effects: feed, size } satisfies EffectFeed, [])
    }
  }

  /** Ends it: the successor gets what is left to do, and the ports of all others. */
  handOver(count: number): void {
    const all = [...this.#all]
    this.#all.clear()
    for (const { port } of all) port.removeAllListeners()
    const successor = all.findLast(({ whole }) => whole)
    const ports = all.flatMap(({ port, whole }) => (whole ? [] : [port]))
    successor?.port.postMessage({ count, ports } satisfies Handover, ports)
  }
}

const full = (why: string, cause?: unknown) =>
  new Failure(
    'store-full',
    `${why} Remove data, or move to a triplestore of your own (PLATFORM_TRIPLESTORE_CONFIG).`,
    { cause },
  )

/** The engine's memory is used up; `cause` where it trapped. */
export function engineFull(cause?: unknown): Failure {
  const most = Math.floor(engineMemory().most / 2 ** 20)
  return full(`The engine of the embedded store may take ${most} MB and needs more.`, cause)
}

function refused(id: number, error: unknown): WriterReply {
  if (error instanceof Failure) return { id, refusal: toFailureMessage(error) }
  throw error
}

type Opening = {
  readonly settings: WriterSettings
  readonly file: GraphFile
  readonly quads: Quads
  /** Quads that the index holds. */
  readonly count: number
  readonly unreadable: readonly string[]
  /** Public copies that followed another worker until now. */
  readonly ports?: readonly MessagePort[]
}

export class StoreWriter {
  readonly #settings: WriterSettings
  readonly #file: GraphFile
  readonly #quads: Quads
  readonly #followers = new Followers()
  /** What the index held when it was opened. */
  readonly opened
  /** Counted along: asking the index walks over all of it. */
  #count: number

  constructor({ settings, file, quads, count, unreadable, ports = [] }: Opening) {
    this.#settings = settings
    this.#file = file
    this.#quads = quads
    this.#count = count
    for (const port of ports) this.#followers.add(port, false)
    this.opened = { ...this.#counts(), unreadable }
  }

  /** Does the writes first, as one group, then the rest in their order. What is thrown must end the worker. */
  run(jobs: readonly WriterJob[], answer: Answer): void {
    const writes = jobs.filter((job) => job.name === 'write')
    if (writes.length > 0) answer(this.#commit(writes))
    for (const job of jobs) {
      if (job.name === 'write') continue
      try {
        answer([{ id: job.id, result: this.#other(job) }])
      } catch (error) {
        answer([refused(job.id, error)])
      }
    }
  }

  /** Whether a new index of the same would be much smaller. */
  isCrowded(): boolean {
    const statements = this.#quads.statements()
    return isCrowded(statements) || (isShort() && statements.dead > 0)
  }

  /** Closes the file and gives the rest to the worker that follows as a whole. */
  handOver(): void {
    this.#file.close()
    this.#followers.handOver(this.#count)
  }

  close(): void {
    this.#file.close()
  }

  #counts() {
    const { dead } = this.#quads.statements()
    return { quads: this.#count, graphs: this.#file.count(), dead }
  }

  /** Group commit: one transaction for all, then the index, then the answers. */
  #commit(jobs: readonly WriterJob<'write'>[]): WriterReply[] {
    const before = this.#count
    let replies: WriterReply[]
    let effects: readonly Effect[] = []
    let isDone = false
    const index = () => {
      isDone = true
      for (const effect of effects) perform(this.#quads, effect)
    }
    try {
      replies = this.#file.transaction(() => {
        const all = jobs.map((job) => this.#attempt(job))
        effects = gathered(all.flatMap((outcome) => outcome.effects))
        // What cannot be indexed must not be durable: nobody could load it again.
        if (isTight(effects.reduce((sum, effect) => sum + effectSize(effect), 0))) index()
        return all.map(({ reply }) => reply)
      })
    } catch (cause) {
      // The index is ahead of the file.
      if (isDone) throw cause
      this.#count = before
      const detail = 'The store could not write to its disk.'
      const refusal = toFailureMessage(new Failure('store-unavailable', detail, { cause }))
      return jobs.map(({ id }) => ({ id, refusal }))
    }
    if (!isDone) index()
    this.#followers.send(effects)
    return replies
  }

  /** One call as a part of the group's transaction, so that its refusal does not undo the others. */
  #attempt({ id, changes }: WriterJob<'write'>): {
    reply: WriterReply
    effects: readonly Effect[]
  } {
    try {
      const settled = this.#file.transaction(() => {
        const all = changes.map((change) => {
          checkGraph(change.graph)
          return settleChange(this.#file, change)
        })
        this.#checkRoom(all.reduce((sum, one) => sum + one.growth, 0))
        return all
      })
      this.#count += settled.reduce((sum, one) => sum + one.growth, 0)
      const result: readonly Written[] = settled.map(({ written }) => written)
      return { reply: { id, result }, effects: settled.flatMap(({ effect }) => effect ?? []) }
    } catch (error) {
      return { reply: refused(id, error), effects: [] }
    }
  }

  /** `Failure` store-full when the index would hold more than it may. */
  #checkRoom(growth: number): void {
    if (growth <= 0) return
    const { maxQuads } = this.#settings
    if (this.#count + growth > maxQuads) {
      throw full(`The embedded store takes ${maxQuads} triples and would hold more.`)
    }
    if (isShort()) throw engineFull()
  }

  #other(job: Exclude<WriterJob, WriterJob<'write'>>): unknown {
    switch (job.name) {
      case 'read':
        return this.#read(job.graph, job.links)
      case 'readAll': {
        const texts = job.graphs.map((graph) => [graph, this.#read(graph, job.links)] as const)
        return new Map(texts.filter(([, text]) => text !== undefined))
      }
      case 'query':
        return this.#query(job)
      case 'counts':
        return this.#counts()
      case 'follow':
        this.#followers.add(job.port, job.whole)
        return undefined
      default:
        return job satisfies never
    }
  }

  #read(graph: string, withLinks: boolean): string | undefined {
    const content = this.#file.content(graph)
    if (content === undefined) return undefined
    if (!withLinks || !this.#file.hasLinks(graph)) return content === '' ? undefined : content
    const held = new Set(content.split('\n'))
    const lines = this.#file.links(graph).filter((line) => !held.has(line))
    return lines.length === 0 ? content : `${content}${lines.join('\n')}\n`
  }

  #query(job: WriterJob<'query'>): string {
    let answer: string
    try {
      answer = this.#quads.query(job.text, job.shape)
    } catch (cause) {
      if (isBroken(cause)) throw cause
      throw new Failure('malformed-query', 'The query was refused by the store.', { cause })
    }
    const { maxAnswer } = this.#settings
    if (answer.length <= maxAnswer) return answer
    throw new Failure('too-large', `An answer may have ${maxAnswer} characters.`)
  }
}

/** Opens the durable copy and builds the index from it; `loading` hears each hundredth of it. */
export function openWriter(settings: WriterSettings, loading: (now: Loading) => void): StoreWriter {
  const file = new GraphFile(settings.directory)
  const quads = openQuads()
  const of = file.count()
  const progress = (done: number) => {
    if (done % Math.ceil(of / 100) === 0) loading({ done, of })
  }
  const unreadable = fill(file, quads, () => true, progress)
  return new StoreWriter({ settings, file, quads, count: quads.size(), unreadable })
}

/**
 * Builds an index from the durable copy beside a worker that goes on writing. `perform` is for what that one does
 * meanwhile, and may be given what is in the copy already; `takeOver` opens the copy for writing when the other has closed it.
 */
export function openSuccessor(settings: WriterSettings) {
  const quads = openQuads()
  const copy = new GraphFile(settings.directory, true)
  const unreadable = fill(copy, quads, () => true)
  copy.close()
  return {
    perform: (effects: readonly Effect[]) => {
      for (const effect of effects) perform(quads, effect)
    },
    takeOver: ({ count, ports }: Handover) => {
      const file = new GraphFile(settings.directory)
      return new StoreWriter({ settings, file, quads, count, unreadable, ports })
    },
  }
}
