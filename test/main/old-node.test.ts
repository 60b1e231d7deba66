/** A Node that is too old for the code is told so in one sentence. */

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url).pathname

/** Nodes of the machine, not the one that `npm ci` brought. */
const old = ['/usr/bin/node', '/usr/local/bin/node'].find(
  (path) =>
    existsSync(path) &&
    Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]) < 24,
)

describe.skipIf(old === undefined)('with an old Node (skipped where the machine has none)', () => {
  const run = (folder: string, ...words: string[]) =>
    spawnSync(old ?? '', [join(folder, 'bin/cartulary.js'), ...words], {
      cwd: folder,
      encoding: 'utf8',
    })

  it('runs with the Node of the packages, and passes its exit code on', () => {
    expect(run(root, '--version')).toMatchObject({ status: 0, stdout: '0.1.0\n', stderr: '' })
    expect(run(root, 'check', '--nope').status).toBe(2)
  })

  it('says in one sentence which one it needs where there is none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cartulary-'))
    mkdirSync(join(folder, 'bin'))
    cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
    const { status, stdout, stderr } = run(folder, 'start')
    rmSync(folder, { recursive: true })
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^Cartulary needs Node 24 or newer; this is v\d+\.\d+\.\d+ on .*\.\n$/)
  })
})
