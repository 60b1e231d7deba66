/** A volume with the data directory goes away under a running process, or takes no more writes. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gateway, remove } from '../support/gateway.ts'

const volume = mkdtempSync(join(tmpdir(), 'cartulary-volume-'))
const mount = (...words: string[]) => execFileSync('mount', words, { stdio: 'pipe' })

/** A file system of our own, or why there is none. */
const missing = ((): string | undefined => {
  try {
    mount('-t', 'tmpfs', 'tmpfs', volume)
    return undefined
  } catch (error) {
    return `SKIPPED: a file system of our own cannot be mounted here (${String(error).split('\n')[0]})`
  }
})()
if (missing !== undefined) process.stderr.write(`${missing}\n`)

describe.skipIf(missing !== undefined)('a volume', () => {
  it('that is unmounted takes no writes, and a start in its empty place is refused', async () => {
    const platform = await gateway(volume)
    const health = async () => (await (await fetch(`${platform.url}/health`)).json()) as object
    const lost = { status: 'degraded', store: { reason: 'storage-lost' } }
    await expect.poll(health, { timeout: 20_000 }).toMatchObject({ status: 'up' })
    execFileSync('umount', ['--lazy', volume])
    await expect.poll(health, { timeout: 20_000 }).toMatchObject(lost)
    await platform.kill()
    const again = gateway(volume).then(
      () => 'started',
      (error: unknown) => String(error),
    )
    expect(await again).toContain('--empty')
    await remove(volume)
  }, 90_000)
})
