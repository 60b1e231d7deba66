/** Runs one git command as a child process, with limits on time and size and its own configuration, without hooks or prompts. */

import { spawn } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Failure } from '../../errors.ts'
import { unlessAborted } from '../../workers/condition.ts'

type Command = {
  readonly args: readonly string[]
  readonly credentials?: Credentials
  readonly input?: string
  /** Maximum bytes of standard output. */
  readonly most: number
}

/**
 * Runs git and returns its standard output. Throws `Failure` of a `source-…` kind, `address-refused` or `too-large`, or the
 * reason of the signal.
 */
export async function runGit(
  context: GitContext,
  command: Command,
  signal: AbortSignal,
): Promise<Buffer> {
  signal.throwIfAborted()
  const limits = gitLimits(context)
  const home = await createHome(context)
  // `ulimit` bounds file sizes (in blocks of 512 bytes); git has no limit for what it receives.
  const blocks = String(Math.ceil(limits.packBytes / 512))
  const limited = 'ulimit -f "$1" && shift && exec git "$@"'
  const child = spawn('/bin/sh', ['-c', limited, 'sh', blocks, ...command.args], {
    cwd: home,
    env: environmentOf(context, home, command.credentials ?? {}),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A process group of its own, because helpers of git survive when git is killed.
    detached: true,
  })
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      child.kill('SIGKILL')
    }
  }
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(command.input ?? '')
  const timeout = AbortSignal.timeout(limits.commandMs)
  try {
    const streams = [
      collect(child.stdout, command.most),
      collect(child.stderr, 64 * 2 ** 10, 'cut'),
    ] as const
    const work = Promise.all([...streams, closed])
    const [out, err, code] = await unlessAborted(work, AbortSignal.any([signal, timeout]))
    if (code === 0) return out
    throw gitFailure(code, err.toString('utf8'), command.credentials ?? {})
  } catch (error) {
    kill()
    if (error !== timeout.reason) throw error
    const detail = `git did not finish within ${limits.commandMs} ms`
    throw new Failure('source-timeout', detail, { cause: error })
  } finally {
    await closed.catch(() => undefined)
  }
}

/** Reads a stream. Throws `too-large` for more than `mostBytes`; with `cut` drops the rest. */
async function collect(stream: Readable, mostBytes: number, onExcess?: 'cut'): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of stream) {
    const chunk = Buffer.from(part)
    length += chunk.length
    if (length <= mostBytes) parts.push(chunk)
    else if (onExcess === undefined)
      throw new Failure('too-large', `the output of git is larger than ${mostBytes} bytes`)
  }
  return Buffer.concat(parts)
}

// Environment of git.

/** Script that git calls for user name and password; they are passed only in the environment. */
const askpass = `#!/bin/sh
case "$1" in
  Username*) printf '%s\\n' "$CARTULARY_GIT_USERNAME" ;;
  *) printf '%s\\n' "$CARTULARY_GIT_TOKEN" ;;
esac
`

/** Complete git configuration. Local repositories may belong to another user, because the operator has configured their paths. */
const configuration = `[safe]
	directory = *
[core]
	hooksPath = /dev/null
	symlinks = false
[credential]
	helper =
[protocol "ext"]
	allow = never
[submodule]
	recurse = false
[fetch]
	recurseSubmodules = false
	unpackLimit = 1
[http]
	followRedirects = false
	lowSpeedLimit = 100
	lowSpeedTime = 30
[gc]
	auto = 0
[maintenance]
	auto = false
`

/** Creates a home directory that contains only these two files. */
async function createHome({ scratch }: GitContext): Promise<string> {
  const home = join(scratch, 'git-home')
  await mkdir(home, { recursive: true, mode: 0o700 })
  await writeFile(join(home, 'askpass'), askpass, { mode: 0o700 })
  await chmod(join(home, 'askpass'), 0o700)
  await writeFile(join(home, 'gitconfig'), configuration, { mode: 0o600 })
  return home
}

/** Environment with the configured variables and the token. */
const environmentOf = (
  { environment = {}, transports = ['https', 'http', 'ssh', 'file'] }: GitContext,
  home: string,
  { username, token }: Credentials,
): Record<string, string> => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  ...environment,
  HOME: home,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: join(home, 'gitconfig'),
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: join(home, 'askpass'),
  GIT_ALLOW_PROTOCOL: transports.join(':'),
  GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=10',
  GIT_SSH_VARIANT: 'ssh',
  CARTULARY_GIT_USERNAME: username ?? (token === undefined ? '' : 'git'),
  CARTULARY_GIT_TOKEN: token ?? '',
})

// Failures of git.

/** Kinds of failures and their texts, by patterns of the output of git. */
const failurePatterns = [
  [
    /Authentication failed|could not read (Username|Password)|Permission denied|error: 40[13]/i,
    'source-refused',
    'refused the credentials, or needs some',
  ],
  [/transport '[^']*' not allowed/i, 'address-refused', 'uses a transport that is not allowed'],
  [
    /couldn't find remote ref|not found|does not appear to be a git repository|does not exist/i,
    'source-not-found',
    'has no such repository or branch',
  ],
] as const

/** Failure for the output of git, which becomes its cause, without the token. */
function gitFailure(code: number | null, output: string, credentials: Credentials): Failure {
  const cause = new Error(
    `git ended with ${code}: ${withoutToken(output, credentials).slice(0, 2048)}`,
  )
  // Exit code 2: `ls-remote --exit-code` found nothing. 127: the shell did not find the program.
  if (code === 2) {
    return new Failure('source-not-found', 'the repository has no such branch', { cause })
  }
  if (code === 127) return new Failure('source-unreachable', 'git is not installed', { cause })
  for (const [pattern, kind, text] of failurePatterns) {
    if (pattern.test(output)) return new Failure(kind, `the repository ${text}`, { cause })
  }
  return new Failure('source-unreachable', 'the repository cannot be fetched', { cause })
}

function withoutToken(output: string, { username = 'git', token }: Credentials): string {
  if (token === undefined) return output
  const basic = Buffer.from(`${username}:${token}`).toString('base64')
  const forms = [basic, basic.replace(/=+$/, ''), token, encodeURIComponent(token)]
  return forms.reduce((text, form) => text.replaceAll(form, '•••'), output)
}

// Directories, times and limits.

export type GitContext = {
  /** Absolute path of a directory for temporary files. */
  readonly scratch: string
  /** Variables that git and ssh may see, such as `PATH` and `SSH_AUTH_SOCK`. */
  readonly environment?: Readonly<Record<string, string>>
  /** Allowed transports; by default those that the operator's configuration may use. */
  readonly transports?: readonly string[]
  readonly limits?: Partial<GitLimits>
}

/** Default limits of a command and of a checkout. */
const standardLimits = {
  /** Time for one command. */
  commandMs: 120_000,
  /** Size of a file that git writes, in practice the received pack. */
  packBytes: 200 * 2 ** 20,
  /** Total size of the checked-out files. */
  treeBytes: 50 * 2 ** 20,
  /** Number of checked-out files. */
  files: 5000,
}

export type GitLimits = typeof standardLimits

export const gitLimits = (context: GitContext): GitLimits => ({
  ...standardLimits,
  ...context.limits,
})

type Credentials = { readonly username?: string; readonly token?: string }
