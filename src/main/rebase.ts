/**
 * Writes a data directory anew under another base of IRIs, into a copy that takes its place when it is complete; and N-Quads, for
 * stores of other servers.
 */

import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BackupFault, diskFault } from '../backup/backup-fault.ts'
import { syncDirectory } from '../backup/backup.ts'
import { formerPlace } from '../backup/restore.ts'
import { StartRefused, WrongUsage } from '../errors.ts'
import { names as namesOf } from '../rdf/names.ts'
import { rebase, rebaseQuad } from '../rdf/rebase.ts'
import { vectorsFormat } from '../search-index/embedding/vector-file.ts'
import { snapshotOf } from '../sqlite.ts'
import { keptFiles, lockDirectory } from './data-files.ts'
import { type Identity, requireIdentity, writeIdentity } from './identity.ts'
import { rebasedFiles, type Rebasing } from './rebase-files.ts'

type RebaseOptions = {
  readonly directory: string
  readonly from: string
  readonly to: string
  /** Counts, and leaves the data as they are. */
  readonly isDry: boolean
  readonly progress: (what: string, done: number, total: number) => void
  readonly signal?: AbortSignal | undefined
  readonly now?: () => Date
}

/** Numbers of what was written anew, and the directory with the data as they were. */
export type RebaseResult = {
  readonly from: string
  readonly to: string
  readonly counts: Readonly<Record<string, number>>
  /** Absent after a dry run. */
  readonly former?: string
}

/** Base with a trailing slash. Throws `WrongUsage`. */
function baseOf(option: string, value: string): string {
  const base = value.endsWith('/') ? value : `${value}/`
  if (
    /^https?:\/\/[^/?#\s<>"{}|\\^`]+\/(?:[^?#\s<>"{}|\\^`]*\/)?$/.test(base) &&
    URL.canParse(base)
  )
    return base
  throw new WrongUsage(`--${option} ${value}: an absolute http(s) IRI without query and fragment`)
}

/** Reads both bases, each with a trailing slash. Throws `WrongUsage`. */
export function basesOf(fromText: string | undefined, toText: string | undefined) {
  if (fromText === undefined || toText === undefined)
    throw new WrongUsage('--from and --to are missing: the former base of the IRIs and the new one')
  const [from, to] = [baseOf('from', fromText), baseOf('to', toText)]
  if (from === to) throw new WrongUsage(`--from and --to are the same: ${from}`)
  return { from, to }
}

/**
 * Rebases a data directory that no process has open; the data as they were stay in `{directory}.before-{time}`. A crash leaves the
 * directory whole. Rejects with `StartRefused`, with `BackupFault` when the disk refuses.
 */
export async function rebaseDirectory(options: RebaseOptions): Promise<RebaseResult> {
  const directory = resolve(options.directory)
  const identity = await identityFor(directory, options.from)
  const copy = `${directory}.rebased`
  if (existsSync(copy))
    throw new StartRefused(
      `${copy} is left from an attempt that was cut short: remove it, and try again.`,
    )
  const lease = lockDirectory(directory)
  try {
    const counts = await writeCopy({ ...options, directory, copy, identity })
    if (options.isDry) return { from: options.from, to: options.to, counts }
    const former = formerPlace(directory, options.now?.() ?? new Date())
    await exchange(directory, copy, former)
    return { from: options.from, to: options.to, counts, former }
  } catch (error) {
    throw diskFault(error, dirname(directory))
  } finally {
    lease.release()
  }
}

async function identityFor(directory: string, from: string): Promise<Identity> {
  const identity = await requireIdentity(directory)
  if (identity.engine !== 'embedded')
    throw new StartRefused(
      `The store of ${directory} is a server (${identity.engine}). Export all its graphs as N-Quads, write them anew with --input and --output, and load them into an empty store.`,
    )
  if (identity.baseUri !== from)
    throw new StartRefused(`${directory} has the base IRI ${identity.baseUri}, not ${from}.`)
  return identity
}

/** Files that are copied; vectors are found by texts, and the embedder need not be asked again. */
const copiedFiles = [...keptFiles, { name: 'search/vectors.db', format: vectorsFormat }]

type Copying = RebaseOptions & { readonly copy: string; readonly identity: Identity }

/** Writes the copy; removes it after a failure and a dry run. Resolves with the numbers of what was written. */
async function writeCopy(options: Copying): Promise<Readonly<Record<string, number>>> {
  const { directory, copy, identity, from, to, progress, signal, isDry } = options
  let isKept = false
  try {
    await mkdir(copy, { mode: 0o700 })
    const there = copiedFiles.filter(({ name }) => existsSync(join(directory, name)))
    for (const [done, { name, format }] of there.entries()) {
      signal?.throwIfAborted()
      progress('copying', done, there.length)
      const snapshot = snapshotOf(join(directory, name), format)
      await snapshot.copyTo(join(copy, name)).finally(() => snapshot.close())
    }
    if (existsSync(join(directory, 'api-key')))
      await copyFile(join(directory, 'api-key'), join(copy, 'api-key'))
    const context: Rebasing = {
      directory: copy,
      change: rebase(from, to),
      names: {
        old: namesOf(from, identity.segments),
        present: namesOf(to, identity.segments),
      },
      hashes: new Map(),
      counts: new Map(),
      progress,
      signal,
    }
    for (const file of Object.values(rebasedFiles)) await file?.(context)
    const isCopied = (name: string) => existsSync(join(copy, name))
    const files = identity.files.filter(isCopied)
    for (const folder of await readdir(copy, { withFileTypes: true }))
      if (folder.isDirectory()) await syncDirectory(join(copy, folder.name))
    await writeIdentity(copy, { ...identity, baseUri: to, files })
    isKept = !isDry
    return { terms: context.change.replaced(), ...Object.fromEntries(context.counts) }
  } finally {
    if (!isKept) await rm(copy, { recursive: true, force: true })
  }
}

/** Puts the copy in the place of the directory. */
async function exchange(directory: string, copy: string, former: string): Promise<void> {
  try {
    await rename(directory, former)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    throw new BackupFault(
      `${directory} cannot be renamed (${code}), as a place where a volume is mounted cannot. The data under the new base are complete in ${copy}: put them into its place by hand.`,
      { cause },
    )
  }
  await rename(copy, directory)
  await syncDirectory(dirname(directory))
}

type FileOptions = {
  readonly from: string
  readonly to: string
  readonly input: string
  readonly output: string
  readonly signal?: AbortSignal | undefined
}

const graphName = /<([^<>]*)> \.$/

/** Lines of a file without their ends; other characters that some count as line ends are text of literals. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = `${rest}${String(chunk)}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

/** Writes a file of N-Quads anew under another base; resolves with the number of terms that changed. */
export async function rebaseNQuads({ from, to, input, output, signal }: FileOptions) {
  if (existsSync(output)) throw new WrongUsage(`${output} exists already: name another file`)
  if (!existsSync(input)) throw new WrongUsage(`${input} does not exist`)
  const change = rebase(from, to)
  let last = ''
  for await (const line of linesOf(input)) {
    signal?.throwIfAborted()
    const [, graph = ''] = graphName.exec(line) ?? []
    if (graph !== last) change.knowGraph((last = graph))
  }
  async function* changed() {
    for await (const line of linesOf(input)) yield `${rebaseQuad(change, line)}\n`
  }
  try {
    const target = createWriteStream(`${output}.part`, { mode: 0o600 })
    await pipeline(Readable.from(changed()), target, { ...(signal && { signal }) })
    await rename(`${output}.part`, output)
  } catch (error) {
    throw diskFault(error, dirname(resolve(output)))
  } finally {
    await rm(`${output}.part`, { force: true })
  }
  return { from, to, counts: { terms: change.replaced() } }
}
