/** The README's own words, run: its commands exist, its first steps do what it says, its files are there. */

import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gateway, remove, temporaryDirectory, type Gateway } from './support/gateway.ts'

const root = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')
const scripts = (
  JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: object }
).scripts
const blocks = [...readme.matchAll(/```\n([^`]*)```/g)].map((match) => match[1] ?? '')

const hasCurl = (() => {
  try {
    execFileSync('curl', ['--version'])
    return true
  } catch {
    return false
  }
})()

describe('the README', () => {
  it('fits two screens', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(120)
  })

  it('names only scripts that exist', () => {
    const named = [...readme.matchAll(/npm run (\w+)/g)].map((match) => match[1])
    expect(named.length).toBeGreaterThan(1)
    expect(named.filter((name) => !Object.hasOwn(scripts, name ?? ''))).toEqual([])
  })

  it('points only to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? '')
    const folders = [...readme.matchAll(/^(\w+\/(?:\w+\/)?) /gm)].map((match) => match[1] ?? '')
    expect([...links, ...folders].filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  })
})

describe.skipIf(!hasCurl)('the first steps', () => {
  let directory: string
  let platform: Gateway
  beforeAll(async () => {
    directory = await temporaryDirectory()
    platform = await gateway(directory)
  })
  afterAll(async () => {
    await platform.stop()
    await remove(directory)
  })

  it('publish a dataset and find it', async () => {
    const steps = blocks.find((block) => block.includes('curl -X PUT')) ?? ''
    const script = steps
      .replaceAll('http://localhost:8080', platform.url)
      .replace('data/api-key', `${directory}/api-key`)
      .replaceAll(/^curl /gm, 'curl -sS --fail ')
    const { stdout } = await promisify(execFile)('bash', ['-euc', script])
    expect(stdout).toContain('"count":1')
    expect(stdout).toContain('"title":"Environment"')
    expect(stdout).toContain('dct:title "Water levels of the Inn"@en')
    expect(stdout).toContain('"bindings":[{')
  })

  it('import a sample catalogue', async () => {
    const command =
      blocks
        .find((block) => block.includes('npm run import'))
        ?.trim()
        .split(' -- ')[1] ?? ''
    const entry = new URL('src/harvest/import.ts', root).pathname
    const options = ['--server', platform.url, '--key', platform.key]
    const { stdout } = await promisify(execFile)(process.execPath, [
      entry,
      new URL(command, root).pathname,
      ...options,
    ])
    expect(stdout).toMatch(/[1-9]\d* created, 0 updated, 0 unchanged, 0 failed/)
  })
})
