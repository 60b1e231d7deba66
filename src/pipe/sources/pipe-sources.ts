/** All pipes that this process knows, kept up to date while it runs. */

import { resolve } from 'node:path'
import type { ClusterConfig } from '../../config/cluster.ts'
import type { Log } from '../../log.ts'
import { unlessAborted } from '../../workers/abort.ts'
import type { PipeLimits } from '../pipe-schema.ts'
import { sweep } from './git-checkout.ts'
import type { GitGround } from './git-command.ts'
import {
  type Found,
  type InvalidFile,
  type KnownPipe,
  merged,
  named,
  nothingFound,
  order,
} from './known-pipes.ts'
import type { Check } from './pipe-files.ts'
import { directorySource, gitSource, type PipeSource } from './pipe-source.ts'

export type PipeSources = {
  /** In order of their names. */
  list(): readonly KnownPipe[]
  /** Files that hold no pipe, hold one whose name is taken, and sources that cannot be read (`file` is empty then). */
  invalid(): readonly InvalidFile[]
  /** By `header.name`, else by a `header.id` that only one pipe has. */
  find(nameOrId: string): KnownPipe | undefined
  /** Reads every source again and waits for it; rejects with the signal's reason. */
  reload(signal: AbortSignal): Promise<void>
  /**
   * Reads what has changed in directories, and waits for it: a file that was written a moment ago is known then. Rejects with the
   * signal's reason.
   */
  look(signal: AbortSignal): Promise<void>
  /** Ends watching, polling and fetching. */
  stop(): Promise<void>
  /** Calls after every change; gives the end of the calls. */
  onChange(listener: () => void): () => void
}

export type SourceOptions = {
  /** `./pipes`. */
  readonly directory: string
  readonly cluster: Pick<ClusterConfig, 'pipeRepositories' | 'resources'>
  /** A directory that stays over restarts and that only one process uses. */
  readonly scratch: string
  readonly pollMs: number
  readonly log: Log
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly check: Check
  readonly limits?: PipeLimits
  /** What git may see of our environment, and its bounds. */
  readonly git?: Pick<GitGround, 'environment' | 'limits'>
}

/**
 * Reads the directories and what was fetched before, then follows all sources. Repositories are fetched in the
 * background, so that one that is down does not hold the start; `reload` waits for them.
 */
export async function openSources(options: SourceOptions): Promise<PipeSources> {
  const sources = sourcesOf(options)
  const known = board(options.log)
  await sweep(resolve(options.scratch))
  const first = await Promise.all(sources.map((source) => source.first()))
  const found = new Map(sources.map((source, index) => [source, first[index] ?? nothingFound]))
  known.show(merged([...found.values()]))
  const rhythm = following(
    sources,
    (source, news) => {
      // A map keeps the rank that a source began with.
      found.set(source, news)
      known.show(merged([...found.values()]))
    },
    options,
  )
  rhythm.start()
  return {
    list: () => known.shown().pipes,
    invalid: () => known.shown().invalid,
    find: (nameOrId) => named(known.shown().pipes, nameOrId),
    reload: (signal) => rhythm.reload(signal),
    look: (signal) => rhythm.look(signal),
    stop: () => rhythm.stop(),
    onChange: known.onChange,
  }
}

/** In order of their rank when names clash. A directory that is named twice counts once. */
function sourcesOf(options: SourceOptions): PipeSource[] {
  const { cluster, limits, check, log } = options
  const reading = { check, ...(limits && { limits }) }
  const ground = { ...options.git, scratch: resolve(options.scratch), pause: options.pause }
  const main = resolve(options.directory)
  const others = new Map(cluster.resources.paths.map((path) => [resolve(path), path]))
  others.delete(main)
  const repositories = Object.entries(cluster.pipeRepositories)
  return [
    directorySource('pipes', main, reading),
    ...[...others].map(([path, told]) => directorySource(`resources:${told}`, path, reading)),
    ...repositories
      .toSorted(([a], [b]) => order(a, b))
      .map(([name, repository]) => gitSource(name, repository, { ...reading, log }, ground)),
  ]
}

// What is known of pipes at present, and who wants to hear that it has changed.

type Board = {
  shown(): Found
  /** Replaces what is shown; tells listeners and the log what is new. */
  show(next: Found): void
  readonly onChange: (listener: () => void) => () => void
}

/** An empty board. */
function board(log: Log): Board {
  let present: Found = nothingFound
  let face = JSON.stringify(present)
  let complaints = new Set<string>()
  const listeners = new Set<() => void>()
  return {
    shown: () => present,
    show: (next: Found) => {
      const nextFace = JSON.stringify(next)
      present = next
      if (nextFace === face) return
      face = nextFace
      complaints = told(log, next, complaints)
      log.info({ pipes: next.pipes.length, invalid: next.invalid.length }, 'pipes.changed')
      for (const listener of listeners) listener()
    },
    onChange: (listener: () => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

/** Writes every complaint that was not there before. */
function told(log: Log, found: Found, before: ReadonlySet<string>): Set<string> {
  const now = new Set<string>()
  for (const { source, file, problems } of [...found.invalid, ...found.pipes]) {
    if (problems.length === 0) continue
    const line = JSON.stringify([source, file, problems])
    now.add(line)
    if (!before.has(line))
      log.warn({ source, file, problems: problems.slice(0, 10) }, 'pipe.invalid')
  }
  return now
}

// Sources are read when they change, when it is time, and when somebody asks.

type Following = {
  /** Begins to watch and poll. */
  start(): void
  /** Reads everything again and waits for it; rejects with the signal's reason. */
  reload(signal: AbortSignal): Promise<void>
  /** Reads what has changed in sources that are near, and waits for it; rejects with the signal's reason. */
  look(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

type Rhythm = {
  readonly pollMs: number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

/** Between the first sign of a change and reading: editors write in several steps. */
const settleMs = 50

type Take = (source: PipeSource, news: Found) => void

/** One reading of a source at a time: an older one must not overwrite a newer one. */
function readings(take: Take, log: Log, stopping: AbortSignal) {
  const turns = new Map<PipeSource, Promise<void>>()
  const turn = async (before: Promise<void>, source: PipeSource, fresh: boolean) => {
    await before
    if (stopping.aborted) return
    try {
      take(source, await source.load(fresh, stopping))
    } catch (err) {
      if (!stopping.aborted) log.error({ source: source.name, err }, 'pipes.failed')
    }
  }
  const load = (source: PipeSource, fresh: boolean): Promise<void> => {
    const next = turn(turns.get(source) ?? Promise.resolve(), source, fresh)
    turns.set(source, next)
    return next
  }
  return { load, ended: () => Promise.all(turns.values()) }
}

/** Hands on what every source holds after each reading. */
function following(
  sources: readonly PipeSource[],
  take: Take,
  { pollMs, pause, log }: Rhythm,
): Following {
  const stopping = new AbortController()
  const loops: Promise<void>[] = []
  const { load, ended } = readings(take, log, stopping.signal)
  const follow = async (source: PipeSource): Promise<void> => {
    while (!stopping.signal.aborted) {
      const woken = new AbortController()
      // Watching begins before reading, so that nothing falls between them.
      const unwatch = source.watch(() => {
        woken.abort()
      })
      await load(source, false)
      const either = AbortSignal.any([stopping.signal, woken.signal])
      if (!either.aborted) await pause(pollMs, either).catch(() => undefined)
      unwatch()
      if (!stopping.signal.aborted) await pause(settleMs, stopping.signal).catch(() => undefined)
    }
  }
  const all = async (some: readonly PipeSource[], fresh: boolean, signal: AbortSignal) => {
    signal.throwIfAborted()
    await unlessAborted(Promise.all(some.map((source) => load(source, fresh))), signal)
  }
  const near = sources.filter(({ isNear }) => isNear)
  return {
    start: () => {
      loops.push(...sources.map(follow))
    },
    reload: (signal) => all(sources, true, signal),
    look: (signal) => all(near, false, signal),
    stop: async () => {
      stopping.abort(new Error('the process stops'))
      await Promise.all([...loops, ended()])
    },
  }
}
