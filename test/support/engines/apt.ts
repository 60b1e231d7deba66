/** Programs out of Debian's packages. */

import { execFileSync } from 'node:child_process'
import { Missing } from './engine.ts'

type Wanted = {
  readonly program: string
  readonly debianPackage: string
  /** What a person can do without the package, as the end of a sentence. */
  readonly instead: string
}

/** Where the program is, installed when it was not there. Throws `Missing` when it cannot be had. */
export function installed({ program, debianPackage, instead }: Wanted): string {
  const there = pathOf(program)
  if (there) return there
  if (process.getuid?.() !== 0)
    throw new Missing(`${program} is not installed: apt-get install ${debianPackage}, ${instead}`)
  try {
    apt('update', '-q')
    apt('install', '-q', '-y', '--no-install-recommends', debianPackage)
  } catch (error) {
    throw new Missing(`apt-get could not install ${debianPackage} (${String(error)}), ${instead}`)
  }
  const got = pathOf(program)
  if (!got) throw new Missing(`${debianPackage} brought no ${program}, ${instead}`)
  return got
}

function apt(...words: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  execFileSync('apt-get', words, { env, stdio: ['ignore', 'ignore', 'inherit'] })
}

function pathOf(program: string): string | undefined {
  try {
    return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}
