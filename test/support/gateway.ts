/** The platform as a process of its own, on a free port and in a temporary directory. */

import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programFile } from './program.ts'

const root = new URL('../..', import.meta.url).pathname

export type Gateway = {
  readonly url: string
  readonly key: string
  readonly directory: string
  readonly process: ChildProcess
  /** Everything that was written to standard error. */
  readonly log: () => string
  /** `SIGTERM` and a clean end; resolves with the exit code. */
  readonly stop: () => Promise<number | null>
  /** `SIGKILL`. */
  readonly kill: () => Promise<void>
}

export const temporaryDirectory = () => mkdtemp(join(tmpdir(), 'cartulary-'))
export const remove = (directory: string) => rm(directory, { recursive: true, force: true })

/** Starts a process and resolves when it says that it is ready; rejects with its error output when it ends before. `heard` is told that output meanwhile, `words` follow on the command line. */
export async function gateway(
  directory: string,
  env: Record<string, string> = {},
  heard?: (text: string) => void,
  words: readonly string[] = [],
): Promise<Gateway> {
  const child = spawn(process.execPath, [programFile, 'start', ...words], {
    cwd: root,
    env: {
      ...process.env,
      PLATFORM_PORT: '0',
      PLATFORM_BASE_URI: 'http://localhost:8080/',
      PLATFORM_DATA_DIR: directory,
      PLATFORM_LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString()
    heard?.(log)
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const found = /is ready: (http:\/\/[^/]+)/.exec(output)?.[1]
      if (found) resolve(found)
    })
    void ended.then((code) => reject(new Error(`ended with ${code}: ${log}`)))
  })
  return {
    url,
    // A platform whose configured keys permit everything makes none.
    key: (await readFile(join(directory, 'api-key'), 'utf8').catch(() => '')).trim(),
    directory,
    process: child,
    log: () => log,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** A client of a running platform, with the paths of its services. */
export function client({ url, key }: Pick<Gateway, 'url' | 'key'>) {
  const repo = `${url}/api/hub/repo`
  const search = `${url}/api/hub/search`
  const put = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(repo + path, {
      method: 'PUT',
      body,
      headers: { 'X-API-Key': key, 'Content-Type': 'text/turtle', ...headers },
    })
  const json = async <T>(address: string): Promise<T> => {
    const answer = await fetch(address)
    if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  return {
    repo,
    search,
    put,
    json,
    putDataset: (
      catalogue: string,
      originalId: string,
      body: string,
      headers: Record<string, string> = {},
    ) =>
      put(
        `/catalogues/${catalogue}/datasets/origin?originalId=${encodeURIComponent(originalId)}`,
        body,
        headers,
      ),
    query: (query: string, accept = 'application/sparql-results+json') =>
      fetch(`${url}/sparql`, {
        method: 'POST',
        body: new URLSearchParams({ query }),
        headers: { Accept: accept },
      }),
  }
}

/** Calls the repository of a platform with a key: sends an object as JSON and a text as Turtle, and accepts JSON. */
export const repositoryOf =
  (platform: () => Pick<Gateway, 'url'>) =>
  (key: string, method: string, path: string, body?: string | object): Promise<Response> =>
    fetch(`${platform().url}/api/hub/repo${path}`, {
      method,
      headers: {
        'X-API-Key': key,
        'Content-Type': typeof body === 'object' ? 'application/json' : 'text/turtle',
        Accept: 'application/json',
      },
      ...(body !== undefined && { body: typeof body === 'object' ? JSON.stringify(body) : body }),
    })

/** Polls until `done` holds or the deadline is over; answers whether it held. */
export async function eventually(done: () => Promise<boolean>, ms = 30_000): Promise<boolean> {
  const deadline = AbortSignal.timeout(ms)
  while (!deadline.aborted) {
    if (await done()) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return false
}
