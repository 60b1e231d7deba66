/** One place that pipes come from: what it holds, and how it is noticed that this has changed. */

import { hash } from 'node:crypto'
import { watch } from 'node:fs'
import { join, resolve } from 'node:path'
import { Failure } from '../../errors.ts'
import type { GitRepository } from '../../config/cluster.ts'
import type { Log } from '../../log.ts'
import { standardLimits, type PipeLimits } from '../pipe-schema.ts'
import { folderReader, type Check } from './pipe-files.ts'
import { checkout, kept } from './git-checkout.ts'
import type { GitGround } from './git-command.ts'
import { nothingFound, type Found } from './known-pipes.ts'

export type PipeSource = {
  /** `pipes`, `resources:<directory>` or `git:<name>`. */
  readonly name: string
  /** Nobody outside is asked when it is read. */
  readonly isNear: boolean
  /** What can be known at once, without asking anybody outside. */
  first(): Promise<Found>
  /** What is there now; `fresh` reads everything again. Rejects only when the signal fires. */
  load(fresh: boolean, signal: AbortSignal): Promise<Found>
  /** Calls when something may have changed; gives the end of the watching. Sources that are only polled never call. */
  watch(changed: () => void): () => void
}

type Reading = { readonly check: Check; readonly limits?: PipeLimits }

/** A directory of the operator: its files, not those of directories in it. */
export function directorySource(name: string, path: string, reading: Reading): PipeSource {
  const directory = resolve(path)
  const folder = { ...reading, source: name, directory, trust: 'trusted', deep: false } as const
  let read = folderReader(folder)
  const load = async (fresh: boolean): Promise<Found> => {
    if (fresh) read = folderReader(folder)
    try {
      return await read()
    } catch {
      const problems = [{ detail: 'the directory cannot be read' }]
      return { pipes: [], invalid: [{ source: name, file: '', problems }] }
    }
  }
  return {
    name,
    isNear: true,
    first: () => load(false),
    load,
    watch: (changed) => watched(directory, changed),
  }
}

/** Polling finds what watching misses: network drives, directories that appear later, a kernel out of watches. */
function watched(directory: string, changed: () => void): () => void {
  try {
    const watcher = watch(directory, { persistent: false }, changed)
    watcher.on('error', changed)
    return () => {
      watcher.close()
    }
  } catch {
    return () => undefined
  }
}

/** What belongs to the pipes of a repository: themselves at any depth, scripts and queries at its root. */
const belongs = (path: string) => /\.(json|ya?ml)$/i.test(path) || /^(scripts|sparql)\//.test(path)

/** A branch of a git repository. While it cannot be fetched, what was fetched last stays, over restarts too. */
export function gitSource(
  name: string,
  repository: GitRepository,
  { log, ...reading }: Reading & { readonly log: Log },
  ground: GitGround,
): PipeSource {
  const source = `git:${name}`
  const { uri, branch = '' } = repository
  // Names are the operator's free text, and never part of a file name.
  const key = hash('sha256', JSON.stringify([name, uri, branch]), 'hex').slice(0, 24)
  const place = join(ground.scratch, 'repositories', key)
  const fileBytes = (reading.limits ?? standardLimits).pipeBytes
  let read: (() => Promise<Found>) | undefined
  let present: string | undefined
  let lasting: string | undefined
  const turn = (directory: string, fresh: boolean) => {
    if (directory === present && read && !fresh) return
    present = directory
    read = folderReader({ ...reading, source, directory, trust: 'foreign', deep: true })
  }
  const now = async (): Promise<Found> => (await read?.()) ?? nothingFound
  const load = async (fresh: boolean, signal: AbortSignal): Promise<Found> => {
    try {
      const to = { directory: place, wanted: belongs, fileBytes }
      turn(await checkout(repository, to, ground, signal), fresh)
      lasting = undefined
      return await now()
    } catch (err) {
      signal.throwIfAborted()
      const detail = err instanceof Failure ? err.detail : 'the repository cannot be read'
      // Once in the log is enough for what is tried again every minute.
      log[detail === lasting ? 'debug' : 'warn']({ source, err }, 'pipes.unreachable')
      lasting = detail
      const found = await now().catch(() => nothingFound)
      return { ...found, invalid: [...found.invalid, { source, file: '', problems: [{ detail }] }] }
    }
  }
  return {
    name: source,
    isNear: false,
    first: async () => {
      const [last] = await kept(place)
      if (last !== undefined) turn(last, false)
      return now().catch(() => nothingFound)
    },
    load,
    watch: () => () => undefined,
  }
}
