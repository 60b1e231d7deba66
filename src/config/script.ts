/** Shared parts of commands that ask a running platform: its address, the key, failures and their exit codes. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { WrongUsage } from '../errors.ts'

/** Failure of a command that is printed as its message alone, without a stack. */
export class ScriptFailure extends Error {}

/** Failure of a command because no platform answers. */
export class Unreachable extends ScriptFailure {}

/** Path of the repository service in a platform. */
export const repositoryPath = '/api/hub/repo'

/**
 * Address of a service of the platform, without a slash at its end: from `--server`, else `CARTULARY_SERVER`, else `PLATFORM_HOST`
 * and `PLATFORM_PORT`. `path` is the path of the service in a platform; it is not appended to an address with a path, which is the
 * address of the service itself. Throws `WrongUsage`.
 */
export function serviceAddress(
  path: string,
  server: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const { CARTULARY_SERVER, PLATFORM_HOST = '', PLATFORM_PORT = '8080' } = env
  const host = ['', '0.0.0.0', '::'].includes(PLATFORM_HOST) ? 'localhost' : PLATFORM_HOST
  const own = `http://${host.includes(':') ? `[${host}]` : host}:${PLATFORM_PORT || '8080'}`
  const chosen = server ?? (CARTULARY_SERVER || own)
  const url = URL.parse(chosen)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new WrongUsage(
      `${chosen}: no http or https address (--server, CARTULARY_SERVER, PLATFORM_HOST, PLATFORM_PORT)`,
    )
  const base = `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  return url.pathname === '/' ? base + path : base
}

/** Milliseconds until a server must have answered at all. */
const reachMs = 10_000

/** Resolves when a server answers at an address, whatever it says. Rejects with `Unreachable`, or the signal's reason. */
export async function requireServer(address: string, signal: AbortSignal): Promise<void> {
  const { origin } = new URL(address)
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(reachMs)])
  const init = { method: 'HEAD', redirect: 'manual', signal: inTime } as const
  const answer = await fetch(`${origin}/health/live`, init).catch((cause: unknown) => {
    signal.throwIfAborted()
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
    const code = reason instanceof Error && 'code' in reason ? ` (${String(reason.code)})` : ''
    const advice = 'is the platform running there? --server names another one'
    throw new Unreachable(`${origin} does not answer${code}: ${advice}`, { cause })
  })
  await answer.body?.cancel()
}

/**
 * API key: the content of `--key-file` (`-` is standard input), else `CARTULARY_KEY`, else the generated key of the data
 * directory. Rejects with `WrongUsage`.
 */
export async function scriptKey(keyFile: string | undefined): Promise<string> {
  const { CARTULARY_KEY, PLATFORM_DATA_DIR = './data' } = process.env
  if (keyFile === '-') return (await text(process.stdin)).trim()
  if (keyFile === undefined && CARTULARY_KEY) return CARTULARY_KEY
  const file = keyFile ?? join(PLATFORM_DATA_DIR, 'api-key')
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (cause) {
    const message = `no API key: give --key-file, CARTULARY_KEY or --data (there is no ${file})`
    throw new WrongUsage(message, { cause })
  }
}

const problemSchema = z.looseObject({ title: z.string().optional(), detail: z.string().optional() })

/** Detail or title of a problem document with the HTTP status, else the status alone. */
export async function refusalOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => undefined)
  const { detail, title } = problemSchema.safeParse(body).data ?? {}
  const words = detail ?? title
  return words === undefined ? `answered ${answer.status}` : `${words} (${answer.status})`
}
