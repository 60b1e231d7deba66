/** A Node that is too old for the code is told so in one sentence. */

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url).pathname

/** Nodes of the machine, not the one that `npm ci` brought. */
const old = ['/usr/bin/node', '/usr/local/bin/node'].find(
  (path) =>
    existsSync(path) &&
    Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]) < 24,
)

describe.skipIf(old === undefined)('with an old Node (skipped where the machine has none)', () => {
  const scripts: Record<string, string> = JSON.parse(
    readFileSync(`${root}package.json`, 'utf8'),
  ).scripts
  const commands = ['start', 'import', 'console', 'vocabularies', 'profile'] as const

  it.each(commands)('npm run %s says which one it needs, and where from', (name) => {
    const [, ...args] = (scripts[name] ?? '').split(' ')
    const { status, stderr } = spawnSync(old ?? '', args, {
      cwd: root,
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toMatch(
      /^Cartulary needs Node 24 or newer, and this is Node \d+\.\d+\.\d+\. .*nodejs\.org\.\n$/,
    )
  })
})
