/**
 * All pipes that this process knows, kept up to date while it runs: files of directories, which are watched, and of git
 * repositories, which are polled.
 */

import { hash } from 'node:crypto'
import { watch } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ClusterConfig, GitRepository } from '../../config/cluster.ts'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { unlessAborted } from '../../workers/condition.ts'
import { type BackgroundLoop, backgroundLoop } from '../../workers/background-loop.ts'
import { KeyedLock } from '../../workers/keyed-lock.ts'
import type { Pause } from '../../workers/pause.ts'
import { type PipeLimits, standardLimits } from '../pipe-schema.ts'
import { checkout, checkouts, sweep } from './git-checkout.ts'
import type { GitContext } from './git-command.ts'
import {
  findPipe,
  type Folder,
  type PipeFiles,
  type InvalidFile,
  type KnownPipe,
  mergedFiles,
  noFiles,
  readFolder,
} from './pipe-files.ts'

export type PipeSourceOptions = {
  /** `./pipes`. */
  readonly directory: string
  readonly cluster: Pick<ClusterConfig, 'pipeRepositories' | 'resources'>
  /** A directory that stays over restarts and that only one process uses. */
  readonly scratch: string
  readonly pollMs: number
  readonly log: Log
  readonly pause: Pause
  readonly check: Folder['check']
  readonly limits?: PipeLimits
  /** What git may see of our environment, and its bounds. */
  readonly git?: Pick<GitContext, 'environment' | 'limits'>
}

/**
 * Reads the directories and what was fetched before, then follows all sources. Repositories are fetched in the
 * background, so that one that is down does not hold the start; `reload` waits for them.
 */
export async function openSources(options: PipeSourceOptions): Promise<PipeSources> {
  await sweep(resolve(options.scratch))
  const sources = new PipeSources(options)
  await sources.begin()
  return sources
}

/** Between the first sign of a change and reading: editors write in several steps. */
const settleMs = 50

export class PipeSources {
  readonly #options: PipeSourceOptions
  readonly #stopping = new AbortController()
  readonly #listeners = new Set<() => void>()
  /** What each source holds, in order of their rank when names clash. */
  readonly #files: Map<Source, PipeFiles>
  /** One reading of a source at a time: an older one must not overwrite a newer one. */
  readonly #reading = new KeyedLock()
  #following: readonly Pick<BackgroundLoop, 'stop'>[] = []
  #known = noFiles
  #text = JSON.stringify(noFiles)
  #complaints: ReadonlySet<string> = new Set()

  constructor(options: PipeSourceOptions) {
    this.#options = options
    this.#files = new Map(sourcesOf(options).map((source) => [source, noFiles]))
  }

  /** Shows what can be known at once, and begins to watch and poll. */
  async begin(): Promise<void> {
    const sources = [...this.#files.keys()]
    await Promise.all(sources.map(async (one) => this.#files.set(one, await one.load())))
    this.#show()
    this.#following = sources.map((source) => this.#follow(source))
  }

  /** In order of their names. */
  list(): readonly KnownPipe[] {
    return this.#known.pipes
  }

  /** Files that hold no pipe, hold one whose name is taken, and sources that cannot be read (`file` is empty then). */
  invalid(): readonly InvalidFile[] {
    return this.#known.invalid
  }

  /** By `header.name`, else by a `header.id` that only one pipe has. */
  find(nameOrId: string): KnownPipe | undefined {
    return findPipe(this.#known.pipes, nameOrId)
  }

  /** Reads every source again and waits for it; rejects with the signal's reason. */
  async reload(signal: AbortSignal): Promise<void> {
    await this.#loadAll([...this.#files.keys()], signal)
  }

  /** The same for directories alone: a file that was written a moment ago is known then. */
  async look(signal: AbortSignal): Promise<void> {
    const near = [...this.#files.keys()].filter(({ watched }) => watched !== undefined)
    await this.#loadAll(near, signal)
  }

  /** Ends watching, polling and fetching. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the process stops'))
    await Promise.all(this.#following.map((one) => one.stop()))
    // Resolves when earlier readings have ended.
    const names = [...this.#files.keys()].map(({ name }) => name)
    await this.#reading.run(names, () => Promise.resolve())
  }

  /** Calls after every change; gives the end of the calls. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Reads a source at once, after each change of its directory, and after `pollMs` without one. */
  #follow(source: Source): Pick<BackgroundLoop, 'stop'> {
    const { pollMs, pause, log } = this.#options
    let isFirst = true
    let unwatch = () => {}
    const round = async (signal: AbortSignal) => {
      unwatch()
      if (!isFirst) await pause(settleMs, signal)
      isFirst = false
      // Watching begins before reading, so that nothing falls between them.
      if (!signal.aborted) unwatch = watching(source.watched, () => loop.wake())
      await this.#load(source)
    }
    const loop = backgroundLoop('pipes.failed', pollMs, round, { log, pause, firstMs: 0 })
    const stop = async () => {
      await loop.stop()
      unwatch()
    }
    return { stop }
  }

  async #loadAll(sources: readonly Source[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await unlessAborted(Promise.all(sources.map((one) => this.#load(one))), signal)
  }

  #load(source: Source): Promise<void> {
    const { signal } = this.#stopping
    const read = async () => {
      if (signal.aborted) return
      try {
        this.#files.set(source, await source.load(signal))
        this.#show()
      } catch (err) {
        if (!signal.aborted) this.#options.log.error({ source: source.name, err }, 'pipes.failed')
      }
    }
    return this.#reading.run([source.name], read)
  }

  /** Tells listeners and the log what is new. */
  #show(): void {
    const { log } = this.#options
    const { pipes, invalid } = (this.#known = mergedFiles([...this.#files.values()]))
    const text = JSON.stringify(this.#known)
    if (text === this.#text) return
    this.#text = text
    const complaints = new Set<string>()
    for (const { source, file, problems } of [...invalid, ...pipes]) {
      if (problems.length === 0) continue
      const line = JSON.stringify([source, file, problems])
      complaints.add(line)
      if (this.#complaints.has(line)) continue
      log.warn({ source, file, problems: problems.slice(0, 10) }, 'pipe.invalid')
    }
    this.#complaints = complaints
    log.info({ pipes: pipes.length, invalid: invalid.length }, 'pipes.changed')
    for (const listener of this.#listeners) listener()
  }
}

/** One place that pipes come from. */
type Source = {
  /** `pipes`, `resources:<directory>` or `git:<name>`. */
  readonly name: string
  /** A directory that is watched; a repository is only polled. */
  readonly watched?: string
  /** What is there now; without a signal what can be known at once. Rejects only when the signal fires. */
  readonly load: (signal?: AbortSignal) => Promise<PipeFiles>
}

/** In order of their rank when names clash. A directory that is named twice counts once. */
function sourcesOf(options: PipeSourceOptions): readonly Source[] {
  const { cluster, check, limits } = options
  const main = resolve(options.directory)
  const others = new Map(cluster.resources.paths.map((path) => [resolve(path), path]))
  others.delete(main)
  const directory = (source: string, directory: string): Source => {
    const folder = { source, directory, trust: 'trusted', deep: false, check, limits } as const
    const load = () =>
      readFolder(folder).catch(() => unreadable(source, 'the directory cannot be read'))
    return { name: source, watched: directory, load }
  }
  const repositories = cluster.pipeRepositories
  return [
    directory('pipes', main),
    ...[...others].map(([path, given]) => directory(`resources:${given}`, path)),
    ...Object.keys(repositories)
      .toSorted()
      .flatMap((name) => {
        const repository = repositories[name]
        return repository ? [gitSource(name, repository, options)] : []
      }),
  ]
}

const unreadable = (source: string, detail: string, files = noFiles): PipeFiles => ({
  ...files,
  invalid: [...files.invalid, { source, file: '', problems: [{ detail }] }],
})

/** What belongs to the pipes of a repository: themselves at any depth, scripts and queries at its root. */
const belongs = (path: string) => /\.(json|ya?ml)$/i.test(path) || /^(scripts|sparql)\//.test(path)

/** A branch of a git repository. While it cannot be fetched, what was fetched last stays, over restarts too. */
function gitSource(name: string, repository: GitRepository, options: PipeSourceOptions): Source {
  const { check, limits, git, log } = options
  const source = `git:${name}`
  const scratch = resolve(options.scratch)
  const { uri, branch = '' } = repository
  // Names are the operator's free text, and never part of a file name.
  const key = hash('sha256', JSON.stringify([name, uri, branch]), 'hex').slice(0, 24)
  const place = join(scratch, 'repositories', key)
  const { pipeBytes: fileBytes } = limits ?? standardLimits
  const target = { directory: place, wanted: belongs, fileBytes }
  /** Why it could not be fetched the last time. */
  let lastFailure: string | undefined
  const read = (directory: string | undefined) =>
    directory === undefined
      ? Promise.resolve(noFiles)
      : readFolder({ source, directory, trust: 'foreign', deep: true, check, limits })
  const last = async () => read((await checkouts(place))[0]).catch(() => noFiles)
  return {
    name: source,
    load: async (signal) => {
      if (!signal) return last()
      try {
        const files = await read(await checkout(repository, target, { ...git, scratch }, signal))
        lastFailure = undefined
        return files
      } catch (err) {
        signal.throwIfAborted()
        const detail = err instanceof Failure ? err.detail : 'the repository cannot be read'
        // Once in the log is enough for what is tried again every minute.
        log[detail === lastFailure ? 'debug' : 'warn']({ source, err }, 'pipes.fetch-failed')
        lastFailure = detail
        return unreadable(source, detail, await last())
      }
    },
  }
}

/** Polling finds what watching misses: network drives, directories that appear later, a kernel out of watches. */
function watching(directory: string | undefined, changed: () => void): () => void {
  try {
    const watcher = directory === undefined ? undefined : watch(directory, { persistent: false })
    watcher?.on('change', changed).on('error', changed)
    return () => watcher?.close()
  } catch {
    return () => undefined
  }
}
