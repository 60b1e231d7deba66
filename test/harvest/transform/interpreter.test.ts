/** The interpreter of scripts. */

import { expect, it, vi } from 'vitest'
import { failingFiles } from '../../support/failing-files.ts'
import { end, record, runTransformer } from './run-transformer.ts'

it('is read again for the next run after a failure', async () => {
  // Another test file of this process may have started it.
  vi.resetModules()
  const { scriptTransformer } = await import('../../../src/harvest/transform/script.ts')
  const run = () => {
    const script = 'function transforming(input) { return input }'
    return runTransformer(scriptTransformer, { script }, { input: [record(1), end] })
  }
  const mend = failingFiles('readFile', /\.wasm$/)
  await expect(run()).rejects.toThrow('EMFILE')
  mend()
  expect((await run()).texts).toHaveLength(1)
})
