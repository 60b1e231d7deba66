/** All pipes, kept up to date: directories are watched and polled, git repositories polled. */

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
import { checkout, existingCheckouts, deleteTemporary } from './git-checkout.ts'
import type { GitContext } from './git-command.ts'
import {
  findPipe,
  type PipeFolder,
  type PipeFiles,
  type InvalidFile,
  type PipeEntry,
  mergePipeFiles,
  noPipeFiles,
  readPipeFolder,
} from './pipe-files.ts'

export type PipeSourceOptions = {
  /** Directory of pipe files, such as `./pipes`. */
  readonly directory: string
  readonly cluster: Pick<ClusterConfig, 'pipeRepositories' | 'resources'>
  /** Persistent directory that only this process uses. */
  readonly scratch: string
  /** Time in ms between two reads of a source. */
  readonly pollMs: number
  readonly log: Log
  readonly pause: Pause
  readonly check: PipeFolder['check']
  readonly limits?: PipeLimits
  /** Environment variables and limits of git. */
  readonly git?: Pick<GitContext, 'environment' | 'limits'>
}

/**
 * Reads directories and earlier checkouts, then follows all sources. Repositories are fetched in the background, so that an
 * unreachable one does not delay the start; `reload` waits for them.
 */
export async function openSources(options: PipeSourceOptions): Promise<PipeSources> {
  await deleteTemporary(resolve(options.scratch))
  const sources = new PipeSources(options)
  await sources.start()
  return sources
}

/** Delay in ms before each read but the first, because editors write in several steps. */
const settleMs = 50

/** Pipes of all sources in memory, and the loops that follow the sources. */
export class PipeSources {
  readonly #options: PipeSourceOptions
  readonly #stopping = new AbortController()
  readonly #listeners = new Set<() => void>()
  /** Files by source, in order of precedence. */
  readonly #files: Map<Source, PipeFiles>
  /** Serialises the reads of a source, so that an older result cannot overwrite a newer one. */
  readonly #reading = new KeyedLock()
  #loops: readonly Pick<BackgroundLoop, 'stop'>[] = []
  #merged = noPipeFiles
  #mergedText = JSON.stringify(noPipeFiles)
  #loggedProblems: ReadonlySet<string> = new Set()

  constructor(options: PipeSourceOptions) {
    this.#options = options
    this.#files = new Map(sourcesOf(options).map((source) => [source, noPipeFiles]))
  }

  /** Loads what is available locally and starts to watch and poll. */
  async start(): Promise<void> {
    const sources = [...this.#files.keys()]
    await Promise.all(sources.map(async (source) => this.#files.set(source, await source.load())))
    this.#publish()
    this.#loops = sources.map((source) => this.#follow(source))
  }

  /** Pipes of valid documents, ordered by name; those with `problems` cannot be launched. */
  list(): readonly PipeEntry[] {
    return this.#merged.pipes
  }

  /** Files without a valid pipe, pipes with a duplicate name, and sources of which not all can be read (empty `file`). */
  invalid(): readonly InvalidFile[] {
    return this.#merged.invalid
  }

  /** Finds a pipe by `header.name`, else by a unique `header.id`. */
  find(nameOrId: string): PipeEntry | undefined {
    return findPipe(this.#merged.pipes, nameOrId)
  }

  /** Reads all sources again and waits for them; rejects with the signal's reason. */
  async reload(signal: AbortSignal): Promise<void> {
    await this.#loadAll([...this.#files.keys()], signal)
  }

  /** Reads the directories again, without repositories, to find a file that was just written. */
  async reloadDirectories(signal: AbortSignal): Promise<void> {
    const directories = [...this.#files.keys()].filter(({ watched }) => watched !== undefined)
    await this.#loadAll(directories, signal)
  }

  /** Stops watching, polling and fetching. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the process stops'))
    await Promise.all(this.#loops.map((loop) => loop.stop()))
    // Acquires every lock, that is, waits for pending reads.
    const names = [...this.#files.keys()].map(({ name }) => name)
    await this.#reading.run(names, () => Promise.resolve())
  }

  /** Adds a listener for changes; returns the function that removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Reads a source now, after each change of its directory, and every `pollMs`. */
  #follow(source: Source): Pick<BackgroundLoop, 'stop'> {
    const { pollMs, pause, log } = this.#options
    let isFirst = true
    let unwatch = () => {}
    const round = async (signal: AbortSignal) => {
      unwatch()
      if (!isFirst) await pause(settleMs, signal)
      isFirst = false
      // Watching begins before reading, so that no change is missed.
      if (!signal.aborted) unwatch = watchDirectory(source.watched, () => loop.wake())
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
    await unlessAborted(Promise.all(sources.map((source) => this.#load(source))), signal)
  }

  #load(source: Source): Promise<void> {
    const { signal } = this.#stopping
    const read = async () => {
      if (signal.aborted) return
      try {
        this.#files.set(source, await source.load(signal))
        this.#publish()
      } catch (err) {
        if (!signal.aborted) this.#options.log.error({ source: source.name, err }, 'pipes.failed')
      }
    }
    return this.#reading.run([source.name], read)
  }

  /** Merges the sources; if that changes something, logs it and notifies listeners. */
  #publish(): void {
    const { log } = this.#options
    const { pipes, invalid } = (this.#merged = mergePipeFiles([...this.#files.values()]))
    const text = JSON.stringify(this.#merged)
    if (text === this.#mergedText) return
    this.#mergedText = text
    const problemLines = new Set<string>()
    for (const { source, file, problems } of [...invalid, ...pipes]) {
      if (problems.length === 0) continue
      const line = JSON.stringify([source, file, problems])
      problemLines.add(line)
      if (this.#loggedProblems.has(line)) continue
      log.warn({ source, file, problems: problems.slice(0, 10) }, 'pipe.invalid')
    }
    this.#loggedProblems = problemLines
    log.info({ pipes: pipes.length, invalid: invalid.length }, 'pipes.changed')
    for (const listener of this.#listeners) listener()
  }
}

/** One source of pipes. */
type Source = {
  /** Name: `pipes`, `resources:<directory>` or `git:<name>`. */
  readonly name: string
  /** Directory to watch; absent for a repository, which is only polled. */
  readonly watched?: string
  /** Reads the source; without a signal, only what is available locally. Rejects only when the signal fires. */
  readonly load: (signal?: AbortSignal) => Promise<PipeFiles>
}

/** Sources in order of precedence, each directory once. */
function sourcesOf(options: PipeSourceOptions): readonly Source[] {
  const { cluster, check, limits } = options
  const mainPath = resolve(options.directory)
  const otherPaths = new Map(cluster.resources.paths.map((path) => [resolve(path), path]))
  otherPaths.delete(mainPath)
  const directorySource = (source: string, directory: string): Source => {
    const folder = {
      source,
      directory,
      trust: 'trusted',
      isRecursive: false,
      check,
      limits,
    } as const
    const load = () =>
      readPipeFolder(folder).catch(() => unreadable(source, 'the directory cannot be read'))
    return { name: source, watched: directory, load }
  }
  const repositories = cluster.pipeRepositories
  return [
    directorySource('pipes', mainPath),
    ...[...otherPaths].map(([path, name]) => directorySource(`resources:${name}`, path)),
    ...Object.keys(repositories)
      .toSorted()
      .flatMap((name) => {
        const repository = repositories[name]
        return repository ? [gitSource(name, repository, options)] : []
      }),
  ]
}

const unreadable = (source: string, detail: string, files = noPipeFiles): PipeFiles => ({
  ...files,
  invalid: [...files.invalid, { source, file: '', problems: [{ detail }] }],
})

/**
 * Files of a repository that are checked out: pipes at any depth, and all files of the folders `scripts` and `sparql` at its
 * root.
 */
const isPipeFile = (path: string) =>
  /\.(json|ya?ml)$/i.test(path) || /^(scripts|sparql)\//.test(path)

/** Source for a branch of a git repository. If it cannot be fetched, the last checkout is used, also after a restart. */
function gitSource(name: string, repository: GitRepository, options: PipeSourceOptions): Source {
  const { check, limits, git, log } = options
  const source = `git:${name}`
  const scratch = resolve(options.scratch)
  const { uri, branch = '' } = repository
  // The name is free text of the operator and must not become part of a path.
  const key = hash('sha256', JSON.stringify([name, uri, branch]), 'hex').slice(0, 24)
  const checkouts = join(scratch, 'repositories', key)
  const { pipeBytes: fileBytes } = limits ?? standardLimits
  const target = { directory: checkouts, isSelected: isPipeFile, fileBytes }
  /** Detail of the last failed fetch. */
  let lastFailure: string | undefined
  const readFolder = (directory: string | undefined) =>
    directory === undefined
      ? Promise.resolve(noPipeFiles)
      : readPipeFolder({ source, directory, trust: 'foreign', isRecursive: true, check, limits })
  const readLast = async () =>
    readFolder((await existingCheckouts(checkouts))[0]).catch(() => noPipeFiles)
  return {
    name: source,
    load: async (signal) => {
      if (!signal) return readLast()
      try {
        const files = await readFolder(
          await checkout(repository, target, { ...git, scratch }, signal),
        )
        lastFailure = undefined
        return files
      } catch (err) {
        signal.throwIfAborted()
        const detail = err instanceof Failure ? err.detail : 'the repository cannot be read'
        // Repeated failures are logged at `debug`, because fetching is retried every `pollMs`.
        log[detail === lastFailure ? 'debug' : 'warn']({ source, err }, 'pipes.fetch-failed')
        lastFailure = detail
        return unreadable(source, detail, await readLast())
      }
    },
  }
}

/** Watches a directory. Polling covers what watching misses: network drives, directories created later, exhausted watches. */
function watchDirectory(directory: string | undefined, onChange: () => void): () => void {
  try {
    const watcher = directory === undefined ? undefined : watch(directory, { persistent: false })
    watcher?.on('change', onChange).on('error', onChange)
    return () => watcher?.close()
  } catch {
    return () => undefined
  }
}
