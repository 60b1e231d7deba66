/** What git stands on: places, times and bounds. */

export type GitGround = {
  /** Absolute path of a directory for temporary files. */
  readonly scratch: string
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Variables of ours that git and ssh may see, such as `PATH` and `SSH_AUTH_SOCK`. */
  readonly environment?: Readonly<Record<string, string>>
  /** Transports that may be used: those of an operator's setting, unless told otherwise. */
  readonly transports?: readonly string[]
  readonly limits?: Partial<GitLimits>
}

export type GitLimits = {
  readonly commandMs: number
  /** One file that git writes, in practice the pack that it is sent. */
  readonly packBytes: number
  /** What is taken out of the repository, together. */
  readonly treeBytes: number
  readonly files: number
}

const standardLimits: GitLimits = {
  commandMs: 120_000,
  packBytes: 200 * 2 ** 20,
  treeBytes: 50 * 2 ** 20,
  files: 5000,
}

export const limitsOf = (ground: GitGround): GitLimits => ({ ...standardLimits, ...ground.limits })

export type Credentials = { readonly username?: string; readonly token?: string }
