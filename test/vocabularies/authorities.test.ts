/** The shipped vocabularies. */

import { expect, it } from 'vitest'
import { shippedAuthorities } from '../../src/vocabularies/authorities.ts'
import { failingFiles } from '../support/failing-files.ts'

it('are read again after a failure, and once after that', async () => {
  const mend = failingFiles('readdir', /vocabularies/)
  await expect(shippedAuthorities()).rejects.toThrow('EMFILE')
  mend()
  const authorities = await shippedAuthorities()
  expect(authorities.table('country').concepts.length).toBeGreaterThan(100)
  expect(await shippedAuthorities()).toBe(authorities)
})
