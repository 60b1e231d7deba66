/** Config of script transformers, and scripts in git repositories: fetched when a run begins, through the address guard. */

import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import {
  hostOf,
  hostPermission,
  permittedAddresses,
  portOf,
  parseTarget,
} from '../../client/address-guard.ts'
import { isBranch, isGitAddress } from '../../config/cluster.ts'
import { Failure } from '../../errors.ts'
import { checkout } from '../../pipe/sources/git-checkout.ts'
import type { GitContext } from '../../pipe/sources/git-command.ts'
import { BadConfig, isPlainPath, readPipeFile } from './pipe-files.ts'
import type { TransformDeps } from './transformer.ts'

/** Transports that git may use if `TransformDeps.git` names none. */
const usualTransports: readonly string[] = ['https', 'ssh']

/** Checks the transport of a repository address, the path of the script, and the name of the token. Throws `BadConfig`. */
export function checkRepository(
  { uri, script, token }: ScriptRepository,
  { git, secret }: Pick<TransformDeps, 'git' | 'secret'>,
): void {
  const transports = git?.transports ?? usualTransports
  if (!transports.includes(transportOf(uri)))
    throw new BadConfig('must be an https or ssh address', { subKey: 'uri' })
  if (!isPlainPath(script))
    throw new BadConfig('must be the path of a file in the repository', { subKey: 'script' })
  if (typeof token === 'object' && secret(token.secret) === undefined)
    throw new BadConfig(`there is no secret called ${token.secret}`, { subKey: 'token' })
}

/**
 * Fetches the script from its branch; without one from `main`, else from `master`. Throws `Failure` (`address-refused`,
 * `source-…`, `too-large`).
 */
export async function fetchScriptText(
  repository: ScriptRepository,
  deps: TransformDeps,
  signal: AbortSignal,
): Promise<string> {
  const { uri, username, script } = repository
  const token =
    typeof repository.token === 'object' ? deps.secret(repository.token.secret) : repository.token
  const maxBytes = deps.limits.sourceBytes
  const gitContext: GitContext = {
    ...deps.git,
    scratch: deps.scratch,
    transports: deps.git?.transports ?? usualTransports,
    environment: { ...deps.git?.environment, ...(await pinnedSettings(uri, deps)) },
  }
  const checkoutBranch = async (branch: string) => {
    const key = createHash('sha256')
      .update(JSON.stringify([uri, branch, script]))
      .digest('hex')
    const directory = join(deps.scratch, 'scripts', key.slice(0, 24))
    const source = { uri, branch, username, token }
    const isScript = (path: string) => path === script
    return checkout(
      source,
      { directory, isSelected: isScript, fileBytes: maxBytes },
      gitContext,
      signal,
    )
  }
  const directory = await (repository.branch === undefined
    ? checkoutBranch('main').catch((error: unknown) => {
        const isAbsent = error instanceof Failure && error.kind === 'source-not-found'
        if (isAbsent) return checkoutBranch('master')
        throw error
      })
    : checkoutBranch(repository.branch))
  return readScript(directory, script, maxBytes)
}

function readScript(directory: string, script: string, maxBytes: number): string {
  try {
    return readPipeFile({ directory, folder: '.', name: script, maxBytes })
  } catch (cause) {
    const detail = `the repository has no script ${script}, or one of more than ${maxBytes} bytes`
    throw new Failure('source-not-found', detail, { cause })
  }
}

/** Transport of an address: `host:path` without a slash before the colon is ssh; anything else without a scheme is a path. */
function transportOf(uri: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(uri)?.[1]
  return scheme?.toLowerCase() ?? (/^[^/]+:/.test(uri) ? 'ssh' : 'file')
}

/**
 * Settings that make git connect to the checked addresses, so that the name cannot resolve differently later. ssh has no such
 * setting. Throws `address-refused`.
 */
async function pinnedSettings(
  uri: string,
  deps: TransformDeps,
): Promise<Readonly<Record<string, string>>> {
  const transport = transportOf(uri)
  if (transport === 'file') return {}
  const url = transport === 'ssh' ? sshTarget(uri) : parseTarget(uri)
  const reach = {
    kind: 'configured',
    address: url.href,
    trust: 'foreign',
    allow: deps.allow,
  } as const
  const addresses = await permittedAddresses(url, hostPermission(reach, url), deps.resolve)
  if (transport === 'ssh' || isIP(hostOf(url)) !== 0) return {}
  const hosts = addresses.map((address) => (address.includes(':') ? `[${address}]` : address))
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.curloptResolve',
    GIT_CONFIG_VALUE_0: `${hostOf(url)}:${portOf(url)}:${hosts.join(',')}`,
  }
}

/** Host of an ssh address as a URL for the guard. */
function sshTarget(uri: string): URL {
  const host = URL.canParse(uri) && uri.includes('://') ? new URL(uri).hostname : scpHost(uri)
  return parseTarget(`https://${host}/`)
}

const scpHost = (uri: string) => uri.slice(uri.indexOf('@') + 1, uri.indexOf(':'))

// Config of scripts.

const secretReference = z.object({ secret: z.string() })

const repository = z.looseObject({
  /** Address of the git repository. */
  uri: z
    .string()
    .refine(isGitAddress, 'must be the https or ssh address of a git repository, without a token'),
  branch: z.string().refine(isBranch, 'must be the name of a branch').optional(),
  username: z.string().optional(),
  /** Token, or the name of the secret with it. */
  token: z.union([z.string(), secretReference]).optional(),
  /** Path of the script in the repository. */
  script: z.string(),
})
/** A script in a git repository. */
export type ScriptRepository = z.infer<typeof repository>

const params = z.union([z.record(z.string(), z.json()), z.string()])

/** Unknown keys are kept, because foreign pipes have many. */
export const scriptConfig = z.looseObject({
  /** Which key has the script: `script`, `repository` or `path`. */
  scriptType: z.enum(['embedded', 'repository', 'localFile']).default('embedded'),
  /** Source text. */
  script: z.string().optional(),
  repository: repository.optional(),
  /** File below `scripts/` of the pipe's directory. */
  path: z.string().optional(),
  /** The global `params` of the script; an object, or JSON in a string. */
  params: params.optional(),
  /** Whether one instance handles the whole run instead of one per record. */
  single: z.boolean().default(false),
  /** Ignored; the result is always N-Triples. */
  outputFormat: z.string().optional(),
})
/** Config of a script transformer. */
export type ScriptConfig = z.infer<typeof scriptConfig>

/** JSON text of the params, `{}` without any. Throws `BadConfig` when the string is no JSON. */
export function paramsText({ params }: Pick<ScriptConfig, 'params'>): string {
  if (typeof params !== 'string') return JSON.stringify(params ?? {})
  try {
    return JSON.stringify(JSON.parse(params.trim() === '' ? '{}' : params))
  } catch (cause) {
    throw new BadConfig('must be an object or its JSON', { cause })
  }
}
