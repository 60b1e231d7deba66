/** The key that the process itself uses: one that may do what is to be done. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isPermitted } from '../../src/http/api-key.ts'
import { keyId, openKeys, processKeys } from '../../src/http/known-keys.ts'
import { logger } from '../../src/log.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'own-keys-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const put = { method: 'PUT', path: '/catalogues/city/datasets/origin', catalogue: 'city' }
const known = (configured?: Readonly<Record<string, readonly string[]>>) =>
  openKeys({ configured, directory, keyFailures: 20, log: logger('silent') })

describe('for our own repository', () => {
  it('is the first configured one that covers the catalogue', () => {
    const own = processKeys({ limited: ['other'], steward: ['city'], admin: ['*'] }, 'inner')
    expect([
      own.ownRepository('other'),
      own.ownRepository('city'),
      own.ownRepository('lake'),
      own.ownRepository(),
    ]).toEqual(['limited', 'steward', 'admin', 'admin'])
    expect(processKeys({ admin: ['*'], steward: ['city'] }, 'inner').ownRepository('city')).toBe(
      'admin',
    )
  })

  it('is one of its own where none does, which may write and is in no list of keys that is shown', async () => {
    const told: string[] = []
    const log = logger('info', { write: (line: string) => void told.push(line) })
    const configured = { limited: ['other'], starter: ['POST /pipes/*/runs'] }
    const { keys, own } = await openKeys({ configured, directory, keyFailures: 20, log })
    const key = own.ownRepository('city')
    expect(Object.keys(configured)).not.toContain(key)
    expect(isPermitted(keys.check(key, ''), put)).toBe(true)
    expect(told.join('')).toContain(keyId('limited'))
    expect(told.join('')).not.toContain(keyId(key))
  })

  it('is the generated one where nothing is configured', async () => {
    const { keys, own } = await known()
    expect(isPermitted(keys.check(own.ownRepository('city'), ''), put)).toBe(true)
    expect(own.otherRepository('city')).toBe(own.ownRepository())
  })
})

describe('for a repository elsewhere', () => {
  it('is a configured one, and never what only this process knows', async () => {
    const { own } = await known({ limited: ['other'], steward: ['city'] })
    expect([own.otherRepository('city'), own.otherRepository('lake')]).toEqual([
      'steward',
      'limited',
    ])
  })
})

it('has the id under which the log lists it', async () => {
  const { keys } = await known({ limited: ['other'] })
  expect(keys.check('limited', '').id).toBe(keyId('limited'))
})
