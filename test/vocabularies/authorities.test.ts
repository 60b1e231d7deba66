/** The shipped vocabularies. */

import { expect, it, vi } from 'vitest'
import { failingFiles } from '../support/failing-files.ts'

it('are read again after a failure, and once after that', async () => {
  // Another test file of this process may have read them.
  vi.resetModules()
  const { shippedAuthorities } = await import('../../src/vocabularies/authorities.ts')
  const mend = failingFiles('readdir', /vocabularies/)
  await expect(shippedAuthorities()).rejects.toThrow('EMFILE')
  mend()
  const authorities = await shippedAuthorities()
  expect(authorities.table('country').concepts.length).toBeGreaterThan(100)
  expect(await shippedAuthorities()).toBe(authorities)
})
