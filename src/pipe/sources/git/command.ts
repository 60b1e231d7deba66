/** One git command in a process of its own: bounded in time and size, without configuration, hooks or prompts. */

import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { Failure } from '../../../errors.ts'
import { limitsOf, type Credentials, type GitGround } from './ground.ts'
import { environmentOf, homeOf } from './home.ts'
import { verdictOf } from './verdict.ts'

type Command = {
  readonly args: readonly string[]
  readonly credentials?: Credentials
  readonly input?: string
  /** Bytes of standard output. */
  readonly most: number
}

/** Standard output of the command. Throws `Failure` of a `source-…` kind or `too-large`, or the reason of the signal. */
export async function git(
  ground: GitGround,
  command: Command,
  signal: AbortSignal,
): Promise<Buffer> {
  signal.throwIfAborted()
  const limits = limitsOf(ground)
  const home = await homeOf(ground)
  // Sizes are bounded by the kernel: git itself knows no limit for what it is sent. 512 bytes are one unit.
  const blocks = String(Math.ceil(limits.packBytes / 512))
  const limited = 'ulimit -f "$1" && shift && exec git "$@"'
  const child = spawn('/bin/sh', ['-c', limited, 'sh', blocks, ...command.args], {
    cwd: home,
    env: environmentOf(ground, home, command.credentials ?? {}),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own, because git starts helpers that outlive it when it is killed.
    detached: true,
  })
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      child.kill('SIGKILL')
    }
  }
  const over = new AbortController()
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const timedOut = expiry(ground, limits.commandMs, AbortSignal.any([signal, over.signal]))
  child.stdin.on('error', () => undefined)
  child.stdin.end(command.input ?? '')
  try {
    const work = Promise.all([
      collected(child.stdout, command.most),
      collected(child.stderr, 64 * 2 ** 10, 'cut'),
      closed,
    ])
    const [out, err, code] = await Promise.race([work, timedOut])
    if (code !== 0) throw verdictOf(code, err.toString('utf8'), command.credentials ?? {})
    return out
  } catch (error) {
    kill()
    throw error
  } finally {
    over.abort()
    await closed.catch(() => undefined)
  }
}

/** Rejects when the time is over or the signal fires; the waiting itself ends with the signal. */
async function expiry(ground: GitGround, ms: number, signal: AbortSignal): Promise<never> {
  await ground.pause(ms, signal).catch(() => undefined)
  if (signal.aborted) throw signal.reason
  throw new Failure('source-timeout', `git did not end within ${ms} ms`)
}

async function collected(stream: Readable, most: number, beyond?: 'cut'): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of stream) {
    const chunk = Buffer.from(part)
    length += chunk.length
    if (length <= most) parts.push(chunk)
    else if (beyond === undefined) throw new Failure('too-large', `git said over ${most} bytes`)
  }
  return Buffer.concat(parts)
}
