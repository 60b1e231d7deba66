/** The commands of the pages that follow a write, a search, a harvested record and a page, run on a platform as they are. */

import { execFile } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'

/** Waits for the lines of the log that a command looks for: they are written after the answer. */
const waitForLog = `grep() {
  if [ "\${!#}" = platform.log ]; then until command grep -q "$@"; do sleep 0.05; done; fi
  command grep "$@"
}`

let directory: string
let platform: Gateway

beforeAll(async () => {
  directory = await temporaryDirectory()
  await mkdir(join(directory, 'pipes'))
  const log = join(directory, 'platform.log')
  const env = {
    PLATFORM_LOG_LEVEL: 'debug',
    PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [join(directory, 'pipes')] } }),
  }
  let written = 0
  platform = await gateway(join(directory, 'data'), env, (text) => {
    // Appended, because a command may read the file at any time.
    appendFileSync(log, text.slice(written))
    written = text.length
  })
})

afterAll(async () => {
  await platform.stop()
  await remove(directory)
})

/** Runs the commands of a page in the folder of the platform; resolves with their output. */
async function run(name: string): Promise<string> {
  const path = new URL(`../../docs/how-it-works/${name}.md`, import.meta.url)
  const page = readFileSync(path, 'utf8')
  const blocks = [...page.matchAll(/```sh\n([^`]*)```/g)].map((match) => match[1] ?? '')
  expect(blocks.length).toBeGreaterThan(1)
  const script = blocks.join('').replaceAll('http://localhost:8080', platform.url)
  const options = { cwd: directory, timeout: 50_000, maxBuffer: 16 * 1024 * 1024 }
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-euc', `${waitForLog}\n${script}`],
    options,
  )
  return stdout
}

const statuses = (output: string): number[] =>
  [...output.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map((match) => Number(match[1]))

// Each page uses the dataset of the first one.
describe('the page', () => {
  it('on a write shows a write, an equal one, a lost one and their lines in the log', async () => {
    const output = await run('write')
    expect(statuses(output)).toEqual([201, 201, 304, 412])
    expect(output).toContain('dct:title "Lock keepers of the Inn"@en')
    expect(output).toMatch(/"requestId":"walk-write","event":"request"/)
  })

  it('on a search shows words, operators, an unknown parameter, a tag and their log lines', async () => {
    const output = await run('search')
    expect(statuses(output)).toEqual([200, 200, 200, 200, 400, 304])
    expect(output.match(/"count":1,/g)?.length).toBeGreaterThanOrEqual(3)
    expect(output).toContain('did you mean filters?')
    expect(output).toMatch(/"requestId":"walk-search","event":"request"/)
  })

  it('on a harvested record shows its run, and the run in the id of its write', async () => {
    const output = await run('harvest')
    expect(output).toContain('"offered":1,"created":1')
    expect(output).toMatch(/"requestId":"[\w-]{36}-1","event":"request"/)
    expect(output).toMatch(/"event":"run.finished"/)
  })

  it('on a page shows the page, an unchanged one and what each asked', async () => {
    const output = await run('page')
    expect(output).toContain('<title>Lock keepers of the Inn')
    expect(statuses(output)).toEqual([304])
    for (const id of ['walk-page', 'walk-unchanged'])
      for (const service of ['search', 'metrics-cache', 'repository'])
        expect(output).toMatch(new RegExp(`"service":"${service}".*"requestId":"${id}"`))
  })
})
