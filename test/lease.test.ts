/** Leases: one holder at a time, whatever the file was before. */

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLease } from '../src/lease.ts'
import { temporaryDirectory } from './support/gateway.ts'

const newPath = async () => join(await temporaryDirectory(), 'place', 'a.lease')

it('has one holder until that releases it', async () => {
  const path = await newPath()
  const [first, second] = [openLease(path), openLease(path)]
  expect([first.held(), second.held(), first.held()]).toEqual([true, false, true])
  first.release()
  expect(second.held()).toBe(true)
  second.release()
})

it('is for its owner alone, and takes the place of what is no lease', async () => {
  const path = await newPath()
  openLease(path).release()
  writeFileSync(path, 'the number of a process')
  const lease = openLease(path)
  expect([lease.held(), statSync(path).mode & 0o777]).toEqual([true, 0o600])
  expect(readFileSync(path, 'utf8')).not.toContain('process')
  lease.release()
})
