/**
 * Writer of the embedded store, without its thread: file and index. A group of writes is one transaction in the file, then a change of
 * the index (before the commit when memory might not suffice), then the replies; at the start the index is built from the file.
 */

import type { MessagePort } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import { systemGraph } from '../../rdf/namespaces.ts'
import type { Loading, Written } from '../graph-store.ts'
import { checkGraph } from '../graph-lines.ts'
import { applyEffects, applyChange, effectSize, type Effect } from './effects.ts'
import { engineMemory, isNearlyFull, mayExceedMemory } from './engine.ts'
import { GraphFile } from './graph-file.ts'
import { loadGraphs } from './load-graphs.ts'
import { readAside } from './part-reader.ts'
import { quadsParts } from './quads-parts.ts'
import { indexedEffects } from './statement-rule.ts'
import {
  toFailureMessage,
  type EffectFeed,
  type Handover,
  type WriterJob,
  type WriterReply,
  type WriterSettings,
} from './messages.ts'
import { isBroken, needsCompaction, openQuads, type Quads } from './quads.ts'

type SendReplies = (replies: readonly WriterReply[]) => void

/** Most UTF-16 units that a follower has not yet applied; exceeded by a replica with a long query during a large import. */
const maxFollowerLag = 64 * 1024 * 1024

type Follower = { readonly port: MessagePort; readonly includesSystemGraph: boolean; lag: number }

/**
 * Sends effects to the followers in order, those of the system graph only to a replacement, and closes followers that fall too far
 * behind.
 */
class Followers {
  readonly #followers = new Set<Follower>()

  /** Adds a follower, which reports the sizes of applied effects on its port. */
  add(port: MessagePort, includesSystemGraph: boolean): void {
    const follower: Follower = { port, includesSystemGraph, lag: 0 }
    this.#followers.add(follower)
    port.on('message', (size: number) => (follower.lag -= size))
    port.on('close', () => this.#followers.delete(follower))
    port.unref()
  }

  send(effects: readonly Effect[]): void {
    if (this.#followers.size === 0) return
    const publicEffects = effects.filter(({ graph }) => graph !== systemGraph)
    for (const follower of this.#followers) {
      const feed = follower.includesSystemGraph ? effects : publicEffects
      if (feed.length === 0) continue
      const size = feed.reduce((sum, effect) => sum + effectSize(effect), 0)
      follower.lag += size
      if (follower.lag > maxFollowerLag) follower.port.close()
      else follower.port.postMessage({ effects: feed, size } satisfies EffectFeed, [])
    }
  }

  /** Ends sending: the last replacement gets the number of quads and the ports of the replicas. */
  handOver(count: number): void {
    const followers = [...this.#followers]
    this.#followers.clear()
    for (const { port } of followers) port.removeAllListeners()
    const replacement = followers.findLast(({ includesSystemGraph }) => includesSystemGraph)
    const ports = followers.flatMap(({ port, includesSystemGraph }) =>
      includesSystemGraph ? [] : [port],
    )
    replacement?.port.postMessage({ count, ports } satisfies Handover, ports)
  }
}

const storeFull = (why: string, cause?: unknown) =>
  new Failure(
    'store-full',
    `${why} Remove data, or move to a triplestore of your own (PLATFORM_TRIPLESTORE_CONFIG).`,
    { cause },
  )

/** `Failure` store-full for a lack of engine memory; `cause` = the trap, if any. */
export function engineFull(cause?: unknown): Failure {
  const maxMegabytes = Math.floor(engineMemory().max / 2 ** 20)
  return storeFull(
    `The engine of the embedded store may take ${maxMegabytes} MB and needs more.`,
    cause,
  )
}

function refusalReply(id: number, error: unknown): WriterReply {
  if (error instanceof Failure) return { id, refusal: toFailureMessage(error) }
  throw error
}

/** File and index from which a writer starts. */
type WriterState = {
  readonly settings: WriterSettings
  readonly file: GraphFile
  readonly quads: Quads
  /** Quads in the index. */
  readonly count: number
  /** Names of graphs that are in the file but could not be loaded into the index. */
  readonly unreadable: readonly string[]
  /** Ports of replicas that followed another worker until now. */
  readonly ports?: readonly MessagePort[]
}

/** Runs calls on the file and the index. */
export class StoreWriter {
  readonly #settings: WriterSettings
  readonly #file: GraphFile
  readonly #quads: Quads
  readonly #followers = new Followers()
  /** Counts and unreadable graphs at the opening. */
  readonly opened
  /** Number of quads, kept up to date, because counting reads the whole index. */
  #count: number

  constructor({ settings, file, quads, count, unreadable, ports = [] }: WriterState) {
    this.#settings = settings
    this.#file = file
    this.#quads = quads
    this.#count = count
    for (const port of ports) this.#followers.add(port, false)
    this.opened = { ...this.#counts(), unreadable }
  }

  /** Runs the writes as one group, then the other calls in their order. An exception must end the worker. */
  run(jobs: readonly WriterJob[], sendReplies: SendReplies): void {
    const writes = jobs.filter((job) => job.name === 'write')
    if (writes.length > 0) sendReplies(this.#commit(writes))
    for (const job of jobs) {
      if (job.name === 'write') continue
      try {
        sendReplies([{ id: job.id, result: this.#runCall(job) }])
      } catch (error) {
        sendReplies([refusalReply(job.id, error)])
      }
    }
  }

  /** Whether a new index of the same data would be much smaller. */
  needsCompaction(): boolean {
    const statements = this.#quads.statements()
    return needsCompaction(statements) || (isNearlyFull() && statements.dead > 0)
  }

  /** Closes the file and hands over to the replacement. */
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

  /** Commits a group in one transaction, changes the index, informs the followers and returns the replies. */
  #commit(jobs: readonly WriterJob<'write'>[]): WriterReply[] {
    const before = this.#count
    let replies: WriterReply[]
    let effects: readonly Effect[] = []
    let indexed: readonly Effect[] = []
    let isIndexed = false
    const index = () => {
      isIndexed = true
      applyEffects(this.#quads, indexed)
    }
    try {
      replies = this.#file.transaction(() => {
        const outcomes = jobs.map((job) => this.#attempt(job))
        effects = outcomes.flatMap((outcome) => outcome.effects)
        indexed = indexedEffects(this.#settings.rule, effects)
        // When memory might not suffice, the index comes first: data that cannot be indexed must not be committed.
        if (mayExceedMemory(indexed.reduce((sum, effect) => sum + effectSize(effect), 0))) index()
        return outcomes.map(({ reply }) => reply)
      })
    } catch (cause) {
      // The index is ahead of the file.
      if (isIndexed) throw cause
      this.#count = before
      const detail = 'The store could not write to its disk.'
      const refusal = toFailureMessage(new Failure('store-unavailable', detail, { cause }))
      return jobs.map(({ id }) => ({ id, refusal }))
    }
    if (!isIndexed) index()
    this.#followers.send(effects)
    return replies
  }

  /** Runs one write in a savepoint of the group's transaction, so that its failure does not undo the others. */
  #attempt({ id, changes }: WriterJob<'write'>): {
    reply: WriterReply
    effects: readonly Effect[]
  } {
    try {
      const applied = this.#file.transaction(() => {
        const appliedChanges = changes.map((change) => {
          checkGraph(change.graph)
          return applyChange(this.#file, change)
        })
        this.#requireSpace(appliedChanges.reduce((sum, change) => sum + change.growth, 0))
        return appliedChanges
      })
      this.#count += applied.reduce((sum, change) => sum + change.growth, 0)
      const result: readonly Written[] = applied.map(({ written }) => written)
      return { reply: { id, result }, effects: applied.flatMap(({ effect }) => effect ?? []) }
    } catch (error) {
      return { reply: refusalReply(id, error), effects: [] }
    }
  }

  /** Throws `store-full` when the index would exceed its limits. */
  #requireSpace(growth: number): void {
    if (growth <= 0) return
    const { maxQuads } = this.#settings
    if (this.#count + growth > maxQuads) {
      throw storeFull(`The embedded store takes ${maxQuads} triples and would hold more.`)
    }
    if (isNearlyFull()) throw engineFull()
  }

  #runCall(job: Exclude<WriterJob, WriterJob<'write'>>): unknown {
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
        this.#followers.add(job.port, job.includesSystemGraph)
        return undefined
      default:
        return job satisfies never
    }
  }

  #read(graph: string, withLinks: boolean): string | undefined {
    const content = this.#file.content(graph)
    if (content === undefined) return undefined
    if (!withLinks || !this.#file.hasLinks(graph)) return content === '' ? undefined : content
    const contentLines = new Set(content.split('\n'))
    const lines = this.#file.links(graph).filter((line) => !contentLines.has(line))
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

/** Number of graphs from which a thread of its own reads the file: starting it takes 50 ms. */
const leastAside = 1000

/** Opens the file and builds the index from it; `loading` is called for each part. */
export function openWriter(settings: WriterSettings, loading: (now: Loading) => void): StoreWriter {
  const file = new GraphFile(settings.directory)
  const quads = openQuads()
  const of = file.count()
  const progress = (done: number) => loading({ done, of })
  const parts = of < leastAside ? quadsParts(file, settings) : readAside(settings)
  const { unreadable, others } = loadGraphs(parts, quads, progress)
  return new StoreWriter({ settings, file, quads, count: quads.size() + others, unreadable })
}

/**
 * Builds an index from the file while another worker writes. `perform` applies the effects of that worker, which may be in the file
 * already; `takeOver` opens the file for writing after that worker has closed it.
 */
export function openReplacement(settings: WriterSettings) {
  const quads = openQuads()
  const copy = new GraphFile(settings.directory, true)
  const { rule } = settings
  const { unreadable } = loadGraphs(quadsParts(copy, settings), quads)
  copy.close()
  return {
    perform: (effects: readonly Effect[]) => applyEffects(quads, indexedEffects(rule, effects)),
    takeOver: ({ count, ports }: Handover) => {
      const file = new GraphFile(settings.directory)
      return new StoreWriter({ settings, file, quads, count, unreadable, ports })
    },
  }
}
