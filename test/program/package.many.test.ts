/** The package: `npm run package` makes it, npm installs it, and its program runs in an empty directory. */

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, remove, temporaryDirectory } from '../support/gateway.ts'
import { installed, packed } from '../support/package.ts'

const run = promisify(execFile)
let directory: string
let files: readonly string[]
const program = () => join(directory, 'node_modules/.bin/cartulary')

beforeAll(async () => {
  directory = await temporaryDirectory()
  await mkdir(join(directory, 'empty'))
  await writeFile(join(directory, 'package.json'), '{"private":true}')
  const tarball = await packed(directory)
  files = (await run('tar', ['-tzf', tarball])).stdout.trim().split('\n')
  await installed(tarball, directory)
}, 600_000)
afterAll(() => remove(directory))

describe('the package', () => {
  it('has no sources and no tests, and all files beside the sources', () => {
    expect(files.filter((name) => /\.ts$|\/(?:src|test|node_modules)\//.test(name))).toEqual([])
    for (const name of [
      'dist/portal/texts/de.json',
      'dist/console/page/shell.html',
      'sparql',
      'LICENSE',
    ])
      expect(files.some((file) => file.startsWith(`package/${name}`))).toBe(true)
  })

  it('has a program that checks itself and prints its settings', async () => {
    const cwd = join(directory, 'empty')
    const { stdout } = await run(program(), ['check'], { cwd })
    expect(stdout).toMatch(/^pipes {10}1 can be used$/m)
    expect((await run(program(), ['configuration', '--markdown'], { cwd })).stdout).toContain(
      '| `PLATFORM_PORT` |',
    )
  })

  it('runs the demonstration in an empty directory until Ctrl-C', async () => {
    const child = spawn(program(), ['demo'], {
      cwd: join(directory, 'empty'),
      env: { ...process.env, PLATFORM_PORT: '0', TMPDIR: directory },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => (output += String(part)))
    const ended = once(child, 'exit')
    const isThere = await eventually(
      () => Promise.resolve(output.includes('sample datasets are in')),
      170_000,
    )
    expect(isThere || output).toBe(true)
    const [url = ''] = /http:\/\/127[^/]+/.exec(output) ?? []
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)
    // Workers run too: public queries and measuring have some.
    const measured = await fetch(
      `${url}/api/hub/search/search?filters=dataset&limit=0&minScoring=1`,
    )
    const { result } = (await measured.json()) as { result: { count: number } }
    expect(result.count).toBeGreaterThan(40)
    child.kill('SIGINT')
    expect(await ended).toEqual([0, null])
  })
})
