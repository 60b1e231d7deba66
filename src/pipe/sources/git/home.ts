/** The surroundings of git: a home without configuration of anybody, and an environment of its own. */

import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Credentials, GitGround } from './ground.ts'

/** Asked by git for the user's name and the password, which only the environment of this one process holds. */
const askpass = `#!/bin/sh
case "$1" in
  Username*) printf '%s\\n' "$CARTULARY_GIT_USERNAME" ;;
  *) printf '%s\\n' "$CARTULARY_GIT_TOKEN" ;;
esac
`

/** All the configuration that git gets. Local repositories may belong to another user: the setting is the operator's. */
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

/** An empty home that holds these two files only. */
export async function homeOf({ scratch }: GitGround): Promise<string> {
  const home = join(scratch, 'git-home')
  await mkdir(home, { recursive: true, mode: 0o700 })
  await writeFile(join(home, 'askpass'), askpass, { mode: 0o700 })
  await chmod(join(home, 'askpass'), 0o700)
  await writeFile(join(home, 'gitconfig'), configuration, { mode: 0o600 })
  return home
}

/** Nothing of ours but what is told; the token stands here and nowhere else. */
export const environmentOf = (
  { environment = {}, transports = ['https', 'http', 'ssh', 'file'] }: GitGround,
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
