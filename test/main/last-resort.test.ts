/** An error that nobody handled ends the process with a line in the log. */

import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { softwareError } from '../../src/main/last-resort.ts'

const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)

describe.each([
  ['unhandledRejection', `Promise.reject(new Error('nobody handles this'))`],
  ['uncaughtException', `setTimeout(() => { throw new Error('nobody handles this') })`],
])('%s', (kind, cause) => {
  it('is logged, and ends the process with a code of its own', () => {
    const program = `
      import { logger } from ${source('log.ts')}
      import { endOnUnhandled } from ${source('main/last-resort.ts')}
      endOnUnhandled(logger('info'))
      ${cause}
      setInterval(() => undefined, 1000)`
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { encoding: 'utf8', timeout: 60_000 },
    )
    expect(status).toBe(softwareError)
    expect(JSON.parse(stderr)).toMatchObject({ event: 'process.failed', kind, level: 'fatal' })
    expect(stderr).toContain('nobody handles this')
  })
})
