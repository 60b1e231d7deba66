/** All pipes that this process knows, kept up to date while it runs. */

import { resolve } from 'node:path'
import type { ClusterConfig } from '../../config/cluster.ts'
import type { Log } from '../../log.ts'
import type { PipeLimits } from '../documents/read.ts'
import { board } from './board.ts'
import type { Check } from './files.ts'
import { following } from './following.ts'
import { sweep } from './git/checkout.ts'
import type { GitGround } from './git/ground.ts'
import { merged, named, nothingFound, order, type InvalidFile, type KnownPipe } from './known.ts'
import { directorySource, gitSource, type PipeSource } from './source.ts'

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
