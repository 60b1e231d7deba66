/** Publish and find on the embedded store, and what a wrong setting does. */

import { describe, expect, it } from 'vitest'
import { gateway, remove, temporaryDirectory } from '../support/gateway.ts'
import { embedded } from './store-under-test.ts'
import { publishAndFind } from './publish-and-find.ts'

publishAndFind('embedded', embedded)

describe('a wrong setting', () => {
  it('ends the process with 1 and one message that names every variable and what would be right', async () => {
    const directory = await temporaryDirectory()
    const wrong = gateway(directory, { PLATFORM_PORT: 'eighty', PLATFORM_BASE_URI: 'nowhere' })
    await expect(wrong).rejects.toThrow(
      /ended with 2:[^]*PLATFORM_PORT[^]*0\.\.65535[^]*PLATFORM_BASE_URI/,
    )
    await remove(directory)
  })
})
